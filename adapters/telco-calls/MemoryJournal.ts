/**
 * A journal in this process, for tests and for services that keep nothing else either.
 */
import { Clock, Effect, Layer } from "effect"
import { type Entry, Journal, type Lock, type Place } from "./Journal.ts"

const placeOf = ({ key, kind, telco }: Place): string => JSON.stringify([telco, kind, key])

const lockOf = ({ iccid, telco }: Lock): string => JSON.stringify([telco, iccid])

/** An empty journal. */
export const make = Effect.sync(() => {
  // A map keeps the order in which its entries were added, also when one is replaced.
  const entries = new Map<string, Entry>()
  const changedAt = new Map<string, number>()
  const locks = new Map<string, { readonly token: string; readonly until: number }>()

  const store = (entry: Entry, now: number): Entry => {
    entries.set(placeOf(entry), entry)
    changedAt.set(placeOf(entry), now)
    return entry
  }

  const ofKind = (telco: string, kind: string): ReadonlyArray<Entry> =>
    [...entries.values()].filter((entry) => entry.telco === telco && entry.kind === kind)

  return Journal.of({
    get: (place) => Effect.sync(() => entries.get(placeOf(place)) ?? null),
    ofSim: ({ iccid, kind, telco }) => Effect.sync(() => ofKind(telco, kind).filter((entry) => entry.iccid === iccid)),
    ofExternalId: ({ externalId, kind, telco }) =>
      Effect.sync(() => ofKind(telco, kind).find((entry) => entry.externalId === externalId) ?? null),
    add: (entry) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        entries.has(placeOf(entry)) ? null : store({ ...entry, version: 1 }, now)
      ),
    replace: (entry) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        entries.get(placeOf(entry))?.version === entry.version
          ? store({ ...entry, version: entry.version + 1 }, now)
          : null
      ),
    claimDue: ({ kind, limit, now, telco, until }) =>
      Effect.sync(() =>
        ofKind(telco, kind)
          .flatMap((entry) => (entry.dueAt !== null && entry.dueAt <= now ? [{ entry, dueAt: entry.dueAt }] : []))
          .toSorted((left, right) => left.dueAt - right.dueAt)
          .slice(0, limit)
          .map(({ entry }) => store({ ...entry, dueAt: until, version: entry.version + 1 }, now))
      ),
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

/** An empty journal of its own wherever the layer is built. */
export const layer: Layer.Layer<Journal> = Layer.effect(Journal, make)
