/**
 * A journal of what was asked of a telco that knows no idempotency keys, as plain JSON documents.
 *
 * An adapter writes its intent before a call and the outcome after it. Whichever process continues the work finds both.
 * An entry is changed only by who has read its latest version, so of two processes one continues. A lock makes the
 * calls about one SIM follow each other. A lock ends by itself, so it is no promise: an adapter has to check before it
 * acts.
 *
 * Entries of packages, of their routes, of SIMs and of zones stay for good, because a package may be cancelled at any
 * time. Those of calls are purged (`CallKinds`, `Purge`).
 *
 * Times are machine time, in milliseconds; those of locks are monotonic (rule W13).
 */
import { Context, Data, type Effect, type Schema } from "effect"

/** What JSON keeps exactly. */
export type Document = Readonly<Record<string, Schema.Json>>

/** The journal cannot be read or written. */
export class JournalError extends Data.TaggedError("JournalError")<{
  /** A sentence for logs. */
  readonly message: string
  /** What the database said. */
  readonly cause?: unknown
}> {}

/** An entry's place: the name of the telco in the settings, and a kind of entry, which the adapter chooses. */
export interface Place {
  /** Its name in the settings. */
  readonly telco: string
  /** Such as `CallKinds.MESSAGE`. */
  readonly kind: string
  /** Unique for the telco and the kind. */
  readonly key: string
}

/** What was asked of a telco, and what is known of its outcome. */
export interface Entry extends Place {
  /** The SIM that the entry is about, if it is about one. */
  readonly iccid: string | null
  /** The telco's own id of what came of it, once it is known. */
  readonly externalId: string | null
  /** What the adapter needs to know again; the journal does not read it. */
  readonly document: Document
  /** When the entry is to be read again; null: never. */
  readonly dueAt: number | null
  /** Rises with every change; 1 for a new entry. */
  readonly version: number
}

/** An entry to be added; the journal gives it its version. */
export type NewEntry = Omit<Entry, "version">

type Call<A> = Effect.Effect<A, JournalError>

/** Keeps entries and locks. Each operation fails with `JournalError`. */
export class Journal extends Context.Service<
  Journal,
  {
    /** Null: there is none. */
    readonly get: (place: Place) => Call<Entry | null>
    /** The entries of a kind about a SIM, in the order in which they were added. */
    readonly ofSim: (of: Omit<Place, "key"> & { readonly iccid: string }) => Call<ReadonlyArray<Entry>>
    /** The entry with that id of the telco's own; the one added first, if several have it. */
    readonly ofExternalId: (of: Omit<Place, "key"> & { readonly externalId: string }) => Call<Entry | null>
    /** Adds an entry, with version 1; null if the place has one already, which stays as it is. */
    readonly add: (entry: NewEntry) => Call<Entry | null>
    /** Replaces an entry that still has this version, which rises by 1; null if it has another one. */
    readonly replace: (entry: Entry) => Call<Entry | null>
    /**
     * Claims entries that are due at `now`, the one due first coming first: they are due again at `until`, and their
     * versions rise. Two claims at once never take the same entry.
     */
    readonly claimDue: (
      of: Omit<Place, "key"> & { readonly now: number; readonly until: number; readonly limit: number }
    ) => Call<ReadonlyArray<Entry>>
    /**
     * Deletes at most `limit` entries of a kind that were last added, replaced or claimed before a time: how many. The
     * kind's keys may be added again.
     */
    readonly purge: (of: Omit<Place, "key"> & { readonly before: number; readonly limit: number }) => Call<number>
    /** Takes the lock of a SIM, or keeps it under the same token. False: another token has it beyond `now`. */
    readonly lock: (of: Lock & { readonly now: number; readonly until: number }) => Call<boolean>
    /** Gives back the lock. Nothing happens if another token has it. */
    readonly unlock: (of: Lock) => Call<void>
    /**
     * Writes all of an effect or nothing. Where the journal is in the database of the storage, the storage's commits in
     * it are part of that too. A journal in memory only runs it.
     */
    readonly together: <A, R>(effect: Effect.Effect<A, JournalError, R>) => Effect.Effect<A, JournalError, R>
  }
>()("simplan/TelcoCalls/Journal") {}

/** A lock on the calls of one telco about one SIM. */
export interface Lock {
  /** Its name in the settings. */
  readonly telco: string
  /** The SIM that is locked. */
  readonly iccid: string
  /** Names the holder: only the same token keeps the lock or gives it back. */
  readonly token: string
}
