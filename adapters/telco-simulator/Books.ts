/**
 * The simulator's books: what it remembers, as plain JSON documents by kind and key.
 *
 * Documents are added, never changed or removed, and each is kept before `add` answers. That a key
 * gets one document, whoever comes first, is all that the simulator's idempotency rests on. Those
 * in memory live as long as their layer does, and run anywhere; `SqlBooks` has those in a database.
 */
import { Context, Data, Effect, Layer, type Schema } from "effect"

/** What JSON keeps exactly. */
export type Document = Readonly<Record<string, Schema.Json>>

/** The books cannot be read or written, or hold what is not theirs. */
export class BooksError extends Data.TaggedError("BooksError")<{
  /** A sentence for logs. */
  readonly message: string
  /** What the database said. */
  readonly cause?: unknown
}> {}

/** A document under its key. */
export interface Entry {
  /** Unique in its kind. */
  readonly key: string
  /** The first one that was added; it never changes. */
  readonly document: Document
}

/**
 * What a key has: a document of its kind, or one of another kind that it may not have beside it.
 */
export interface Held {
  /** Which of the two kinds has the key. */
  readonly kind: string
  /** The one that the key has for good. */
  readonly document: Document
}

/** Keeps what the simulator remembers. */
export class Books extends Context.Service<
  Books,
  {
    /** Stores the document unless the key has one already; gives the one that is stored now. */
    readonly add: (kind: string, key: string, document: Document) => Effect.Effect<Document, BooksError>
    /**
     * Stores and gives it as `add` does; if the key has a document of the kind `other`, stores
     * nothing and gives that one.
     */
    readonly addUnless: (
      other: string,
      kind: string,
      key: string,
      document: Document
    ) => Effect.Effect<Held, BooksError>
    /** Null: nothing was added there. */
    readonly get: (kind: string, key: string) => Effect.Effect<Document | null, BooksError>
    /**
     * In the order in which they were added. With an ICCID, those whose `iccid` it is are enough;
     * others may be among them.
     */
    readonly all: (kind: string, iccid?: string) => Effect.Effect<ReadonlyArray<Entry>, BooksError>
  }
>()("simplan/TelcoSimulator/Books") {}

const makeMemory = Effect.sync(() => {
  const kinds = new Map<string, Map<string, Document>>()
  const documentsOf = (kind: string): Map<string, Document> => {
    const known = kinds.get(kind)
    if (known !== undefined) return known
    const fresh = new Map<string, Document>()
    kinds.set(kind, fresh)
    return fresh
  }

  const add = (kind: string, key: string, document: Document): Document => {
    const stored = documentsOf(kind).get(key)
    if (stored !== undefined) return stored
    documentsOf(kind).set(key, document)
    return document
  }

  return Books.of({
    add: (kind, key, document) => Effect.sync(() => add(kind, key, document)),
    addUnless: (other, kind, key, document) =>
      Effect.sync(() => {
        const found = documentsOf(other).get(key)
        return found === undefined ? { kind, document: add(kind, key, document) } : { kind: other, document: found }
      }),
    get: (kind, key) => Effect.sync(() => documentsOf(kind).get(key) ?? null),
    all: (kind, iccid) =>
      Effect.sync(() => {
        const found: Array<Entry> = []
        for (const [key, document] of documentsOf(kind)) {
          if (iccid === undefined || document["iccid"] === iccid) found.push({ key, document })
        }
        return found
      })
  })
})

/** Empty books in memory. */
export const layerMemory: Layer.Layer<Books> = Layer.effect(Books, makeMemory)
