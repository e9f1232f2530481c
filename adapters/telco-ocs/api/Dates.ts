/**
 * Dates as the OCS writes them: `2026-04-15T17:41:26`, or with up to microseconds, without a zone. They are UTC: the
 * documents say "Date and time (UTC+0)" of each date of a package (`OcsObjects.md`) and of a location (`API.md`, 2.17).
 */
import { Time } from "simplan/ports"

const WITHOUT_ZONE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)$/

/** The instant of a date; undefined for other texts. What is below a millisecond is cut off. A zone is obeyed, if there is one. */
export const parse = (text: string): Time.Instant | undefined => {
  const [, day, time] = WITHOUT_ZONE.exec(text) ?? []
  return Time.fromIso(day === undefined ? text : `${day}T${time}Z`)
}

/** The date of an instant, with milliseconds only if it has some. */
export const format = (instant: Time.Instant): string => {
  const text = Time.toIso(instant).slice(0, -1)
  return instant % Time.SECOND === 0 ? text.slice(0, 19) : text
}
