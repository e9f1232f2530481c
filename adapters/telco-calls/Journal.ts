/**
 * A journal of what was asked of a telco that knows no idempotency keys, as plain JSON documents.
 *
 * An adapter writes its intent before a call and the outcome after it. Whichever process continues
 * the work finds both. An entry is changed only by who has read its latest version, so of two
 * processes one continues. A lock makes the calls about one SIM follow each other. A lock ends by
 * itself, so it is no promise: an adapter has to check before it acts.
 *
 * Entries of packages, of their routes, of SIMs and of zones stay for good, because a package may
 * be cancelled at any time. Those of calls are purged once an hour, 35 days after their last
 * change. A call that is made again writes its entry, and is made again within the hour as long as
 * it has no outcome, so its entry stays; that of a message lives as long as the request for it. The
 * first purge comes an hour after the start, when calls that waited for it have been made.
 *
 * Times are machine time, in milliseconds; those of locks are monotonic (rule W13).
 */
import { Clock, Context, Data, Effect, Layer, Order, type Schema } from "effect"
import { Time } from "simplan/ports"

/** What JSON keeps exactly. */
export type Document = Readonly<Record<string, Schema.Json>>

/** The journal cannot be read or written. */
export class JournalError extends Data.TaggedError("JournalError")<{
  /** A sentence for logs. */
  readonly message: string
  /** What the database said. */
  readonly cause?: unknown
}> {}

/**
 * An entry's place: the name of the telco in the settings, and a kind of entry, which the adapter
 * chooses.
 */
export interface Place {
  /** Its name in the settings. */
  readonly telco: string
  /** Such as `MESSAGE`. */
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

/**
 * Another entry that a write makes due: at this time, unless it is due sooner. Added without a
 * document if it is missing.
 */
export interface Due extends Place {
  /** The SIM that the other entry is about. */
  readonly iccid: string
  /** When it is due at the latest. */
  readonly dueAt: number
}

/** The version of an entry that was claimed. */
export type Claim = Pick<Entry, "key" | "version">

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
    /**
     * The ICCIDs after one, in rising order, that have an entry of a kind, and none that is due of
     * the kind `other` with the ICCID as its key. Null: from the first one on.
     */
    readonly withoutDue: (
      of: Omit<Place, "key"> & { readonly other: string; readonly after: string | null; readonly limit: number }
    ) => Call<ReadonlyArray<string>>
    /**
     * Adds an entry, with version 1; null if the place has one already, which stays as it is. If
     * it is added, `also` is due with it: both are written or none.
     */
    readonly add: (entry: NewEntry, also?: Due) => Call<Entry | null>
    /**
     * Replaces an entry that still has this version, which rises by 1; null if it has another one.
     * If it is replaced, `also` is due with it.
     */
    readonly replace: (entry: Entry, also?: Due) => Call<Entry | null>
    /**
     * Claims entries that are due at `now`, the one due first coming first: they are due again at
     * `until`, and their versions rise. Two claims at once never take the same entry.
     */
    readonly claimDue: (
      of: Omit<Place, "key"> & { readonly now: number; readonly until: number; readonly limit: number }
    ) => Call<ReadonlyArray<Entry>>
    /**
     * Has claimed entries due at `until` that still have the version of their claim, which stays.
     */
    readonly renew: (
      of: Omit<Place, "key"> & { readonly claims: ReadonlyArray<Claim>; readonly until: number }
    ) => Call<void>
    /**
     * Deletes at most `limit` entries of a kind that were last added, replaced or claimed before a
     * time: how many. The kind's keys may be added again.
     */
    readonly purge: (of: Omit<Place, "key"> & { readonly before: number; readonly limit: number }) => Call<number>
    /**
     * Takes the lock of a SIM, or keeps it under the same token. False: another token has it beyond
     * `now`.
     */
    readonly lock: (of: Lock & { readonly now: number; readonly until: number }) => Call<boolean>
    /** Gives back the lock. Nothing happens if another token has it. */
    readonly unlock: (of: Lock) => Call<void>
    /**
     * Writes all of an effect or nothing. If the journal is in the database of the storage, the
     * storage's commits in it are part of that too. A journal in memory only runs it.
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

/**
 * Writes an entry that was read before, and what is due with it: adds it if there was none. Null
 * if another process has written it meanwhile.
 */
export const write = (
  journal: Journal["Service"],
  before: Entry | null,
  next: NewEntry,
  also?: Due
): Call<Entry | null> =>
  before === null ? journal.add(next, also) : journal.replace({ ...next, version: before.version }, also)

/** Writes an entry, whoever else writes it meanwhile. */
export const change = (
  journal: Journal["Service"],
  place: Place,
  to: (before: Entry | null) => Omit<NewEntry, keyof Place>
): Call<void> =>
  Effect.gen(function* () {
    for (;;) {
      const before = yield* journal.get(place)
      if ((yield* write(journal, before, { ...place, ...to(before) })) !== null) return
    }
  })

/** A message. */
export const MESSAGE = "sms"
/** A change of a SIM's mobile plan. */
export const MOBILE_PLAN = "mobile-plan"
/** A change of a SIM's service. */
export const SERVICE = "service"
/** A profile's release for a new download. */
export const RELEASE = "release"
/** A refused end of a package. */
export const END = "end"
/** The telco that one of these calls was first sent to. */
export const ROUTE = "call-route"

/**
 * The kinds of entries that are about one call, by its key. They are not read once the call is not
 * made again, so they are purged. Entries of other kinds, such as those of packages, stay.
 */
export const callKinds = [MESSAGE, MOBILE_PLAN, SERVICE, RELEASE, END, ROUTE] as const

/** For how long an entry of a call stays after its last change, in milliseconds. */
export const KEPT = 35 * Time.DAY

const EVERY = Time.HOUR

/** How many entries are deleted at a time. */
const BATCH = 1_000

/** Deletes the entries of calls that are over now: how many. */
export const purge = Effect.fn("TelcoCalls.purge")(function* (
  journal: Journal["Service"],
  telcos: ReadonlyArray<string>
) {
  const before = (yield* Clock.currentTimeMillis) - KEPT
  let deleted = 0
  for (const telco of telcos) {
    for (const kind of callKinds) {
      for (let more = BATCH; more === BATCH; deleted += more) {
        more = yield* journal.purge({ telco, kind, before, limit: BATCH })
      }
    }
  }
  return deleted
})

/** Deletes what is over now. A failure waits for the next time. */
export const purgeOnce = (journal: Journal["Service"], telcos: ReadonlyArray<string>): Effect.Effect<void> =>
  // Failure: the next hour purges them.
  purge(journal, telcos).pipe(
    Effect.asVoid,
    Effect.catch(({ message }) => Effect.logWarning(`The purge of the telco's calls waits: ${message}`)),
    Effect.catchDefect((defect) => Effect.logError("The purge of the telco's calls has failed", defect))
  )

/** Runs `purgeOnce` every hour until it is interrupted. */
export const purgeForever = (journal: Journal["Service"], telcos: ReadonlyArray<string>): Effect.Effect<never> =>
  Effect.sleep(EVERY).pipe(Effect.andThen(purgeOnce(journal, telcos)), Effect.forever)

const placeOf = ({ key, kind, telco }: Place): string => JSON.stringify([telco, kind, key])

const lockOf = ({ iccid, telco }: Lock): string => JSON.stringify([telco, iccid])

/** An empty journal in this process, for tests and for services that keep nothing else either. */
export const makeMemory = Effect.sync(() => {
  // A map keeps the order in which its entries were added, also when one is replaced.
  const entries = new Map<string, Entry>()
  const changedAt = new Map<string, number>()
  const locks = new Map<string, { readonly token: string; readonly until: number }>()

  const store = (entry: Entry, now: number): Entry => {
    entries.set(placeOf(entry), entry)
    changedAt.set(placeOf(entry), now)
    return entry
  }

  const makeDue = ({ dueAt, ...of }: Due, now: number): void => {
    const before = entries.get(placeOf(of))
    if (before === undefined) store({ ...of, externalId: null, document: {}, dueAt, version: 1 }, now)
    else store({ ...before, dueAt: Math.min(before.dueAt ?? dueAt, dueAt), version: before.version + 1 }, now)
  }

  const ofKind = (telco: string, kind: string): ReadonlyArray<Entry> =>
    [...entries.values()].filter((entry) => entry.telco === telco && entry.kind === kind)

  return Journal.of({
    get: (place) => Effect.sync(() => entries.get(placeOf(place)) ?? null),
    ofSim: ({ iccid, kind, telco }) => Effect.sync(() => ofKind(telco, kind).filter((entry) => entry.iccid === iccid)),
    withoutDue: ({ after, kind, limit, other, telco }) =>
      Effect.sync(() => {
        const due = new Set(ofKind(telco, other).flatMap(({ dueAt, key }) => (dueAt === null ? [] : [key])))
        const found = new Set(ofKind(telco, kind).flatMap(({ iccid }) => iccid ?? []))
        return [...found]
          .filter((iccid) => !due.has(iccid) && (after === null || iccid > after))
          .toSorted(Order.String)
          .slice(0, limit)
      }),
    ofExternalId: ({ externalId, kind, telco }) =>
      Effect.sync(() => ofKind(telco, kind).find((entry) => entry.externalId === externalId) ?? null),
    add: (entry, also) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (entries.has(placeOf(entry))) return null
        if (also !== undefined) makeDue(also, now)
        return store({ ...entry, version: 1 }, now)
      }),
    replace: (entry, also) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (entries.get(placeOf(entry))?.version !== entry.version) return null
        if (also !== undefined) makeDue(also, now)
        return store({ ...entry, version: entry.version + 1 }, now)
      }),
    claimDue: ({ kind, limit, now, telco, until }) =>
      Effect.sync(() =>
        ofKind(telco, kind)
          .flatMap((entry) => (entry.dueAt !== null && entry.dueAt <= now ? [{ entry, dueAt: entry.dueAt }] : []))
          .toSorted((left, right) => left.dueAt - right.dueAt)
          .slice(0, limit)
          .map(({ entry }) => store({ ...entry, dueAt: until, version: entry.version + 1 }, now))
      ),
    renew: ({ claims, kind, telco, until }) =>
      Effect.sync(() => {
        for (const { key, version } of claims) {
          const place = placeOf({ telco, kind, key })
          const entry = entries.get(place)
          if (entry?.version === version) entries.set(place, { ...entry, dueAt: until })
        }
      }),
    purge: ({ before, kind, limit, telco }) =>
      Effect.sync(() => {
        const old = ofKind(telco, kind)
          .map(placeOf)
          .filter((place) => (changedAt.get(place) ?? 0) < before)
          .slice(0, limit)
        for (const place of old) {
          entries.delete(place)
          changedAt.delete(place)
        }
        return old.length
      }),
    lock: ({ now, until, ...lock }) =>
      Effect.sync(() => {
        const held = locks.get(lockOf(lock))
        if (held !== undefined && held.token !== lock.token && held.until > now) return false
        locks.set(lockOf(lock), { token: lock.token, until })
        return true
      }),
    unlock: (lock) =>
      Effect.sync(() => {
        if (locks.get(lockOf(lock))?.token === lock.token) locks.delete(lockOf(lock))
      }),
    together: (effect) => effect
  })
})

/** An empty journal in this process, of its own wherever the layer is built. */
export const layerMemory: Layer.Layer<Journal> = Layer.effect(Journal, makeMemory)
