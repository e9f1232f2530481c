/**
 * Books in a PostgreSQL database (or PGlite), in a table of their own: they survive a restart, and several processes
 * may share them. Each operation is one statement.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/unstable/sql"
import { Books, BooksError, type Document } from "./Books.ts"

// Read as text: a client that renames columns would rename the keys of a jsonb value too.
const Row = Schema.Struct({
  key: Schema.String,
  document: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const failed = (cause: SqlError.SqlError | Schema.SchemaError): BooksError =>
  new BooksError({ message: "The simulator's books are out of reach", cause })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Two processes that start on an empty database at once may both find no table; the second try finds it.
  yield* Effect.retry(
    sql`create table if not exists telco_simulator_book (
          kind text not null,
          key text not null,
          position bigint generated always as identity,
          document jsonb not null,
          primary key (kind, key)
        )`,
    { times: 2 }
  )

  const entries = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    rows.pipe(Effect.flatMap(decodeRows), Effect.mapError(failed))
  const first = (found: ReadonlyArray<typeof Row.Type>): Document | null => found[0]?.document ?? null

  return Books.of({
    add: (kind, key, document) =>
      entries(sql`
        insert into telco_simulator_book as book (kind, key, document)
        values (${kind}, ${key}, ${JSON.stringify(document)}::text::jsonb)
        on conflict (kind, key) do update set document = book.document
        returning key, document::text as document`).pipe(Effect.map((found) => first(found) ?? document)),
    get: (kind, key) =>
      entries(sql`
        select key, document::text as document from telco_simulator_book
        where kind = ${kind} and key = ${key}`).pipe(Effect.map(first)),
    all: (kind) =>
      entries(sql`
        select key, document::text as document from telco_simulator_book
        where kind = ${kind} order by position`)
  })
})

/** Books in the table `telco_simulator_book`, which is created where it is missing. */
export const layer: Layer.Layer<Books, SqlError.SqlError, SqlClient.SqlClient> = Layer.effect(Books, make)
