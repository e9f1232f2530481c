/**
 * What the simulator writes into its books: one record per call's key, which is that call's outcome.
 *
 * Nothing is ever changed: a package is suspended or cancelled when there is a record that says so. A key that was
 * cancelled before any package came for it is spent.
 */
import { Effect, Schema } from "effect"
import { type Books, BooksError, type Document } from "./Books.ts"

/** Why the telco refused, for good; null where it did not. */
const Refusal = Schema.NullOr(Schema.String)

export const Package = Schema.Struct({
  telcoPackageId: Schema.String,
  iccid: Schema.String,
  window: Schema.NullOr(Schema.Struct({ start: Schema.Finite, end: Schema.Finite })),
  label: Schema.String,
  dataMegaBytes: Schema.Finite,
  periodDays: Schema.Finite,
  activationAt: Schema.NullOr(Schema.Finite),
  expirationAt: Schema.NullOr(Schema.Finite),
  refusal: Refusal
})

/** A suspension or a cancellation: its key is the package's where it is done, the call's where it is refused. */
export const End = Schema.Struct({ refusal: Refusal })

export const Message = Schema.Struct({
  iccid: Schema.String,
  from: Schema.String,
  text: Schema.String,
  refusal: Refusal
})

export const Release = Schema.Struct({ iccid: Schema.String, refusal: Refusal })

/** A change of an ICCID's mobile plan; the last one added is what holds. */
export const MobilePlanChange = Schema.Struct({ iccid: Schema.String, applied: Schema.Boolean, refusal: Refusal })

const reader = <A>(kind: string, schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (document: Document): Effect.Effect<A, BooksError> =>
    Effect.mapError(decode(document), (cause) => new BooksError({ message: `Not a ${kind} of the simulator`, cause }))
}

const listing = <A>(
  entries: ReturnType<Books["Service"]["all"]>,
  read: (document: Document) => Effect.Effect<A, BooksError>
) =>
  Effect.flatMap(entries, (all) =>
    Effect.forEach(all, ({ document, key }) => Effect.map(read(document), (record) => ({ key, record })))
  )

const shelf = <A extends Document>(books: Books["Service"], kind: string, schema: Schema.Codec<A, unknown>) => {
  const read = reader(kind, schema)
  return {
    /** Stores the record unless the key has one already; gives the one that is stored now. */
    add: (key: string, record: A) =>
      Effect.flatMap(books.add(kind, key, record), (stored) =>
        stored === record ? Effect.succeed(record) : read(stored)
      ),
    get: (key: string) =>
      Effect.flatMap(books.get(kind, key), (document) => (document === null ? Effect.succeed(null) : read(document))),
    /** All of them with their keys, in the order in which they were added. */
    all: listing(books.all(kind), read)
  }
}

const PACKAGE = "package"
const CANCELLATION = "cancellation"

/** Packages of keys that have no cancellation, in one step. */
const placing = (books: Books["Service"]) => {
  const read = reader(PACKAGE, Package)
  type Placed = Effect.Effect<typeof Package.Type | "cancelled", BooksError>
  return (key: string, record: typeof Package.Type): Placed =>
    Effect.flatMap(books.addUnless(CANCELLATION, PACKAGE, key, record), ({ document, kind }): Placed => {
      if (kind === CANCELLATION) return Effect.succeed("cancelled")
      return document === record ? Effect.succeed(record) : read(document)
    })
}

const ends = (books: Books["Service"], kind: string) => ({
  /** By package. */
  done: shelf(books, kind, End),
  /** By call. */
  refused: shelf(books, `refused ${kind}`, End)
})

export type Ends = ReturnType<typeof ends>

/** The simulator's records in these books. */
export const open = (books: Books["Service"]) => ({
  packages: {
    ...shelf(books, PACKAGE, Package),
    addUnlessCancelled: placing(books),
    /** Those of a SIM. */
    of: (iccid: string) =>
      Effect.map(listing(books.all(PACKAGE, iccid), reader(PACKAGE, Package)), (all) =>
        all.filter(({ record }) => record.iccid === iccid)
      )
  },
  suspensions: ends(books, "suspension"),
  cancellations: ends(books, CANCELLATION),
  messages: shelf(books, "message", Message),
  releases: shelf(books, "release", Release),
  mobilePlanChanges: shelf(books, "mobile plan change", MobilePlanChange)
})

export type Records = ReturnType<typeof open>
