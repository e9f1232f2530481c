/**
 * Books in a PostgreSQL database (or PGlite), in a table of their own: they survive a restart, and
 * several processes may share them. Each operation is one statement, and so are those that are
 * asked for at the same moment.
 */
import { Effect, Exit, Layer, Option, Request, RequestResolver, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Storage } from "simplan/ports"
import { SqlTables } from "../telco-calls/index.ts"
import { Books, BooksError, type Document, type Held } from "./Books.ts"

// Read as text: a client that renames columns would rename the keys of a jsonb value too.
const Row = Schema.Struct({
  kind: Schema.String,
  key: Schema.String,
  document: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const Places = Schema.Struct({ kind: Schema.String, key: Schema.String })

const decodePlaces = Schema.decodeUnknownEffect(Schema.Array(Places))

interface Place {
  readonly kind: string
  readonly key: string
}

interface Added extends Place {
  readonly document: Document
}

class Add extends Request.TaggedClass("Add")<Added & { readonly other: string | null }, Held, BooksError> {}

class Get extends Request.TaggedClass("Get")<Place, Document | null, BooksError> {}

/** How many operations go together at most. */
const TOGETHER = 100

// No text in the database has a NUL.
const place = ({ key, kind }: Place): string => `${kind}\0${key}`

/** The first of those that are asked for the same. */
const distinct = <A extends Place>(asked: ReadonlyArray<A>): ReadonlyMap<string, A> => {
  const first = new Map<string, A>()
  for (const one of asked) {
    const at = place(one)
    if (!first.has(at)) first.set(at, one)
  }
  return first
}

const failed = (cause: SqlError.SqlError | Schema.SchemaError): BooksError =>
  new BooksError({ message: `The simulator's books are out of reach: ${SqlTables.reasonOf(cause)}`, cause })

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

const entries = (rows: Rows) => rows.pipe(Effect.flatMap(decodeRows), Effect.mapError(failed))

const found = (rows: Rows) => Effect.map(entries(rows), (all) => new Map(all.map((row) => [place(row), row.document])))

const places = (rows: Rows) =>
  rows.pipe(
    Effect.flatMap(decodePlaces),
    Effect.mapBoth({ onSuccess: (all) => new Set(all.map(place)), onFailure: failed })
  )

const BOOKS: SqlTables.Table = {
  name: "telco_simulator_book",
  columns: `
    kind text not null,
    key text not null,
    position bigint generated always as identity,
    document jsonb not null,
    primary key (kind, key)
  `,
  indexes: {},
  moved: { columns: "kind, key, document", order: "position", conflict: "(kind, key) do nothing" }
}

/** What makes the table of the books, for a migration tool of the host's own. */
export const migration = (schema: string = SqlTables.DEFAULT): string => SqlTables.text(schema, [BOOKS])

const make = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* SqlClient.SqlClient
  yield* SqlTables.ensure(schema, [BOOKS])
  const books = sql.literal(`"${schema}".${BOOKS.name}`)

  // Each looked up by its key, however many there are.
  const getting = (asked: Iterable<Place>) =>
    found(sql`
      select book.kind, book.key, book.document::text as document
      from json_to_recordset(${JSON.stringify(Array.from(asked, ({ key, kind }) => ({ kind, key })))}::json)
        as r(kind text, key text)
      cross join lateral (
        select * from ${books} as one where one.kind = r.kind and one.key = r.key limit 1
      ) book`)

  /**
   * Stores those whose place is empty, and has nothing of the kind `other`; which they are. That is
   * looked up for each by its key, which costs the same whatever the kind, so that PostgreSQL plans
   * it once.
   */
  const storing = (asked: Iterable<Added>, other: string | null) => {
    const beside = sql`
      where (
        select true from ${books} as one where one.kind = ${other}::text and one.key = r.key limit 1
      ) is null`
    return places(sql`
      insert into ${books} (kind, key, document)
      select r.kind, r.key, r.document
      from json_to_recordset(${JSON.stringify(
        Array.from(asked, ({ document, key, kind }) => ({ kind, key, document }))
      )}::json) as r(kind text, key text, document jsonb)
      ${other === null ? sql.literal("") : beside}
      order by r.kind, r.key
      on conflict (kind, key) do nothing
      returning kind, key`)
  }

  const adding = Effect.fnUntraced(function* (asked: ReadonlyArray<Added>, other: string | null) {
    const first = distinct(asked)
    const stored = yield* storing(first.values(), other)
    const left = [...first.values()].filter((one) => !stored.has(place(one)))
    const beside = (one: Place): ReadonlyArray<Place> => (other === null ? [one] : [{ kind: other, key: one.key }, one])
    const before = left.length === 0 ? new Map<string, Document>() : yield* getting(left.flatMap(beside))
    const held = new Map<string, Held>()
    for (const one of first.values()) {
      const there = beside(one).find((of) => before.has(place(of)))
      const document = there === undefined ? undefined : before.get(place(there))
      if (there !== undefined && document !== undefined) held.set(place(one), { kind: there.kind, document })
      else if (stored.has(place(one))) held.set(place(one), { kind: one.kind, document: one.document })
      else return yield* new BooksError({ message: "The simulator's books have changed meanwhile" })
    }
    return (one: Added): Held => held.get(place(one)) ?? { kind: one.kind, document: one.document }
  })

  const adds = RequestResolver.makeGrouped<Add, string | null>({
    key: ({ request }) => request.other,
    resolver: (asked, other) =>
      Effect.match(
        adding(
          asked.map(({ request }) => request),
          other
        ),
        {
          onSuccess: (held) => {
            for (const { completeUnsafe, request } of asked) completeUnsafe(Exit.succeed(held(request)))
          },
          onFailure: (error) => {
            for (const { completeUnsafe } of asked) completeUnsafe(Exit.fail(error))
          }
        }
      )
  }).pipe(RequestResolver.batchN(TOGETHER))

  const gets = RequestResolver.make<Get>((asked) =>
    Effect.match(getting(distinct(asked.map(({ request }) => request)).values()), {
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
  const apart = <A>(alone: Effect.Effect<A, BooksError>, shared: Effect.Effect<A, BooksError>) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (joined) => (Option.isSome(joined) ? alone : shared))

  const add = (one: Added, other: string | null): Effect.Effect<Held, BooksError> =>
    apart(
      Effect.map(adding([one], other), (held) => held(one)),
      Effect.request(new Add({ ...one, other }), adds)
    )

  return Books.of({
    add: (kind, key, document) => Effect.map(add({ kind, key, document }, null), (held) => held.document),
    addUnless: (other, kind, key, document) => add({ kind, key, document }, other),
    get: (kind, key) => {
      const taken = { kind, key }
      const alone = Effect.map(getting([taken]), (stored) => stored.get(place(taken)) ?? null)
      return apart(alone, Effect.request(new Get(taken), gets))
    },
    all: (kind, iccid) =>
      entries(
        iccid === undefined
          ? sql`
        select kind, key, document::text as document from ${books}
        where kind = ${kind} order by position`
          : sql`
        select kind, key, document::text as document from ${books}
        where kind = ${kind} and document->>'iccid' = ${iccid}::text order by position`
      )
  })
})

/**
 * Books in the table `telco_simulator_book` of a schema, whose name needs no quoting beyond quotes
 * around it. The table is made if it is missing, and so is the schema.
 */
export const layerIn = (schema: string): Layer.Layer<Books, Storage.StorageError, SqlClient.SqlClient> =>
  Layer.effect(Books, make(schema))

/** Books in the schema `simplan`. */
export const layer: Layer.Layer<Books, Storage.StorageError, SqlClient.SqlClient> = layerIn(SqlTables.DEFAULT)
