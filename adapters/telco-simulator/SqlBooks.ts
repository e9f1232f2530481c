/**
 * Books in a PostgreSQL database (or PGlite), in a table of their own: they survive a restart, and several processes
 * may share them. Each operation is one statement, and so are those that are asked for at the same moment.
 */
import { Effect, Exit, Layer, Option, Request, RequestResolver, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/unstable/sql"
import { Books, BooksError, type Document } from "./Books.ts"

// Read as text: a client that renames columns would rename the keys of a jsonb value too.
const Row = Schema.Struct({
  kind: Schema.String,
  key: Schema.String,
  document: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

interface Place {
  readonly kind: string
  readonly key: string
}

class Add extends Request.TaggedClass("Add")<Place & { readonly document: Document }, Document, BooksError> {}

class Get extends Request.TaggedClass("Get")<Place, Document | null, BooksError> {}

/** How many operations go together at most. */
const TOGETHER = 100

const place = ({ key, kind }: Place): string => JSON.stringify([kind, key])

/** The first of those that are asked for the same. */
const distinct = <A extends Place>(asked: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(asked.toReversed().map((one) => [place(one), one])).values()
]

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

  const found = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    Effect.map(entries(rows), (all) => new Map(all.map((row) => [place(row), row.document])))

  const adding = (asked: ReadonlyArray<Place & { readonly document: Document }>) =>
    found(sql`
      insert into telco_simulator_book as book (kind, key, document)
      select r.kind, r.key, r.document
      from json_to_recordset(${JSON.stringify(distinct(asked))}::json) as r(kind text, key text, document jsonb)
      order by r.kind, r.key
      on conflict (kind, key) do update set document = book.document
      returning kind, key, document::text as document`)

  // Each looked up by its key, however many there are.
  const getting = (asked: ReadonlyArray<Place>) =>
    found(sql`
      select book.kind, book.key, book.document::text as document
      from json_to_recordset(${JSON.stringify(distinct(asked))}::json) as r(kind text, key text)
      cross join lateral (
        select * from telco_simulator_book as one where one.kind = r.kind and one.key = r.key limit 1
      ) book`)

  const adds = RequestResolver.make<Add>((asked) =>
    Effect.match(adding(asked.map(({ request }) => request)), {
      onSuccess: (stored) => {
        for (const { completeUnsafe, request } of asked) {
          completeUnsafe(Exit.succeed(stored.get(place(request)) ?? request.document))
        }
      },
      onFailure: (error) => {
        for (const { completeUnsafe } of asked) completeUnsafe(Exit.fail(error))
      }
    })
  ).pipe(RequestResolver.batchN(TOGETHER))

  const gets = RequestResolver.make<Get>((asked) =>
    Effect.match(getting(asked.map(({ request }) => request)), {
      onSuccess: (stored) => {
        for (const { completeUnsafe, request } of asked)
          completeUnsafe(Exit.succeed(stored.get(place(request)) ?? null))
      },
      onFailure: (error) => {
        for (const { completeUnsafe } of asked) completeUnsafe(Exit.fail(error))
      }
    })
  ).pipe(RequestResolver.batchN(TOGETHER))

  // What happens in a transaction of the caller's is that caller's alone.
  const apart = <A>(alone: Effect.Effect<A, BooksError>, together: Effect.Effect<A, BooksError>) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (joined) => (Option.isSome(joined) ? alone : together))

  return Books.of({
    add: (kind, key, document) => {
      const one = { kind, key, document }
      const alone = Effect.map(adding([one]), (stored) => stored.get(place(one)) ?? document)
      return apart(alone, Effect.request(new Add(one), adds))
    },
    get: (kind, key) => {
      const one = { kind, key }
      const alone = Effect.map(getting([one]), (stored) => stored.get(place(one)) ?? null)
      return apart(alone, Effect.request(new Get(one), gets))
    },
    all: (kind) =>
      entries(sql`
        select kind, key, document::text as document from telco_simulator_book
        where kind = ${kind} order by position`)
  })
})

/** Books in the table `telco_simulator_book`, which is created where it is missing. */
export const layer: Layer.Layer<Books, SqlError.SqlError, SqlClient.SqlClient> = Layer.effect(Books, make)
