/**
 * Dates as the OCS writes them: `2026-04-15T17:41:26`, or with up to microseconds, without a zone. They are UTC: the
 * documents say "Date and time (UTC+0)" of each date of a package (`OcsObjects.md`) and of a location (`API.md`, 2.17).
 * They do not say it of the dates of an order (`activePeriod`). Those are written in the zone of the settings.
 *
 * The documents fix no form, and their examples have several. So other usual forms are read too: a space for the `T`, no
 * seconds where they are 0 (as Java writes them), a zone in any form of ISO 8601, or milliseconds since 1970 as a number.
 */
import { DateTime } from "effect"
import { Time } from "simplan/ports"
import type { Window } from "./Api.ts"

const DATE = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2})?(\.\d+)? ?(?:([Zz]|UTC)|([+-]\d{2})(?::?(\d{2}))?)?$/

/** No date that the OCS writes is earlier. A lesser number is no date in milliseconds. */
const EARLIEST = Date.UTC(2000)

/** The instant of a text; undefined for what is no date. What is below a millisecond is cut off. A zone is obeyed. */
const ofText = (text: string): Time.Instant | undefined => {
  const found = DATE.exec(text)
  if (found === null) return undefined
  const [, day, minute, seconds = ":00", fraction = "", , zoneHours, zoneMinutes = "00"] = found
  const zone = zoneHours === undefined ? "Z" : `${zoneHours}:${zoneMinutes}`
  return Time.fromIso(`${day}T${minute}${seconds}${fraction}${zone}`)
}

const ofNumber = (millis: number): Time.Instant | undefined =>
  Number.isSafeInteger(millis) && millis >= EARLIEST && millis < Time.END_OF_TIME ? millis : undefined

/** The instant of a date in any of the forms; undefined for others. */
export const parse = (date: string | number): Time.Instant | undefined =>
  typeof date === "number" ? ofNumber(date) : ofText(date.trim())

/** The date of an instant, with milliseconds only if it has some. It is UTC unless a zone is given. */
export const format = (instant: Time.Instant, zone: DateTime.TimeZone = DateTime.zoneMakeOffset(0)): string => {
  const text = DateTime.formatIsoOffset(DateTime.makeZonedUnsafe(instant, { timeZone: zone })).slice(0, 23)
  return instant % Time.SECOND === 0 ? text.slice(0, 19) : text
}

/** What a system may make of a date of the zone: two instants where clocks are put back, the same one twice otherwise. */
const readings = (instant: Time.Instant, zone: DateTime.TimeZone) => {
  const parts = DateTime.toParts(DateTime.makeZonedUnsafe(instant, { timeZone: zone }))
  const read = (disambiguation: DateTime.Disambiguation) =>
    DateTime.toEpochMillis(DateTime.makeZonedUnsafe(parts, { timeZone: zone, adjustForTimeZone: true, disambiguation }))
  return { earlier: read("earlier"), later: read("later") }
}

/**
 * The window that dates of the zone can say. It is the given one but for the hour that comes twice when clocks are put
 * back: a start in it comes up to two hours earlier, and an end up to two hours later.
 */
export const writable = ({ end, start }: Window, zone: DateTime.TimeZone): Window => {
  const [first, last] = [readings(start, zone), readings(end, zone)]
  return {
    start: first.earlier === first.later ? start : first.earlier - (first.later - first.earlier),
    end: last.earlier === last.later ? end : last.later + (last.later - last.earlier)
  }
}
