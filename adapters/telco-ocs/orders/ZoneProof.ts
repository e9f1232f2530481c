/**
 * Proves that the system reads the windows of orders in the zone that the settings name, before
 * packages with other times are sold.
 *
 * The documents do not say in which zone that is. So the first order with a window is answered only
 * when a list of the system has its times; so is the first one of each day (UTC) on which windows
 * begin or end, because zones may differ in summer alone. If the times are those of another
 * zone, no window is ordered under this setting for an hour: then the next order tries it again,
 * since the system may have been set right.
 *
 * The proof is in the journal, so it holds for all processes and after a restart. Its entries are
 * of the kind `time-zone`, with the zone's name and a day as the key, or the name alone for what
 * was disproved.
 */
import { Clock, DateTime, Effect, Schema } from "effect"
import { Time } from "simplan/ports"
import { Journal, CallFailure } from "../../telco-calls/index.ts"
import type * as Api from "../api/Api.ts"
import { Settings } from "../Settings.ts"
import type * as OrderJournal from "./OrderJournal.ts"

const KIND = "time-zone"

/** How long no window is ordered after a disproof, in milliseconds. */
const STOPPED = Time.HOUR

/** What an operator has to know of a wrong setting. */
const Disproof = Schema.Struct({ at: Schema.Finite, iccid: Schema.String, message: Schema.String })

export type Disproof = typeof Disproof.Type

const decode = Schema.decodeUnknownEffect(Disproof)

const daysOf = ({ end, start }: Api.Window): ReadonlyArray<string> => [
  ...new Set([start, end].map((instant) => Time.toIso(instant).slice(0, 10)))
]

/** The offset from UTC at which the system has read a date of the zone. */
const offsetRead = (ordered: Time.Instant, listed: Time.Instant, zone: DateTime.TimeZone): string => {
  const offset = DateTime.zonedOffset(DateTime.makeZonedUnsafe(ordered, { timeZone: zone })) + ordered - listed
  return DateTime.zoneToString(DateTime.zoneMakeOffset(Math.round(offset / Time.MINUTE) * Time.MINUTE))
}

/**
 * What a system may make of a date of the zone: two instants if clocks are put back, the same
 * one twice otherwise.
 */
const readings = (instant: Time.Instant, zone: DateTime.TimeZone) => {
  const parts = DateTime.toParts(DateTime.makeZonedUnsafe(instant, { timeZone: zone }))
  const read = (disambiguation: DateTime.Disambiguation) =>
    DateTime.toEpochMillis(DateTime.makeZonedUnsafe(parts, { timeZone: zone, adjustForTimeZone: true, disambiguation }))
  return { earlier: read("earlier"), later: read("later") }
}

/**
 * The window that dates of the zone can say. It is the given one but for the hour that comes twice
 * when clocks are put back: a start in it comes up to two hours earlier, and an end up to two hours
 * later.
 */
export const writable = ({ end, start }: Api.Window, zone: DateTime.TimeZone): Api.Window => {
  const [first, last] = [readings(start, zone), readings(end, zone)]
  return {
    start: first.earlier === first.later ? start : first.earlier - (first.later - first.earlier),
    end: last.earlier === last.later ? end : last.later + (last.later - last.earlier)
  }
}

export const open = Effect.gen(function* () {
  const { telco, timeZone: name } = yield* Settings
  const zone = DateTime.zoneMakeNamedUnsafe(name)
  const journal = yield* Journal.Journal
  /** What this process has read or written. */
  const proved = new Set<string>()

  const disproof: Journal.Place = { telco, kind: KIND, key: name }
  const dayOf = (day: string): Journal.Place => ({ telco, kind: KIND, key: `${name}/${day}` })
  const bare = { iccid: null, externalId: null, dueAt: null }

  const sentence = (window: Api.Window, { activationAt, expirationAt }: Api.SubscriberPackage): string => {
    const isEnd = activationAt === null || Math.abs(activationAt - window.start) < Time.MINUTE
    const ordered = isEnd ? window.end : window.start
    const listed = (isEnd ? expirationAt : activationAt) ?? ordered
    return (
      `${telco} ${isEnd ? "ends" : "begins"} a package at ${Time.toIso(listed)} that was ordered for ${Time.toIso(ordered)}: ` +
      `it reads the times of orders at UTC${offsetRead(ordered, listed, zone)}, or lists them in another zone than UTC, and its ` +
      `time_zone is ${name}. The package is deleted, and no package with a window is ordered. Set time_zone to the zone in ` +
      `which ${telco} reads the times of orders`
    )
  }

  return {
    /** Whether both days of a window are proved. */
    covers: Effect.fnUntraced(function* (window: Api.Window) {
      for (const day of daysOf(window)) {
        if (proved.has(day)) continue
        if ((yield* CallFailure.ofJournal(journal.get(dayOf(day)))) === null) return false
        proved.add(day)
      }
      return true
    }),
    /** The package of an order has the times that it was ordered with. */
    prove: Effect.fnUntraced(function* ({ window }: OrderJournal.Asked) {
      for (const day of window === null ? [] : daysOf(window)) {
        yield* CallFailure.ofJournal(journal.add({ ...dayOf(day), ...bare, document: {} }))
        proved.add(day)
      }
    }),
    /** A package has the window in another zone. The sentence that an operator reads. */
    disprove: Effect.fnUntraced(function* (iccid: string, window: Api.Window, one: Api.SubscriberPackage) {
      const message = sentence(window, one)
      yield* Effect.logError(message)
      const entry = yield* CallFailure.ofJournal(journal.get(disproof))
      const next = { ...disproof, ...bare, document: { at: yield* Clock.currentTimeMillis, iccid, message } }
      // If another process writes at once, it writes the same.
      yield* CallFailure.ofJournal(Journal.write(journal, entry, next))
      return message
    }),
    /** Why no window is ordered now; null: it is. */
    disproof: Effect.gen(function* () {
      const entry = yield* CallFailure.ofJournal(journal.get(disproof))
      if (entry === null) return null
      const found = yield* Effect.mapError(decode(entry.document), () =>
        CallFailure.unavailable("The zone's entry in the journal has another form")
      )
      return (yield* Clock.currentTimeMillis) - found.at < STOPPED ? found : null
    })
  }
})
