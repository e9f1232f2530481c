// Dates as the system writes them: UTC, without a zone.

/** An instant in milliseconds as `2026-04-15T17:41:26`. What is below a second is cut off. */
export const seconds = (instant) => new Date(instant).toISOString().slice(0, 19)

/** The same with microseconds, as locations have them. */
export const micros = (instant) => `${new Date(instant).toISOString().slice(0, 23)}000`

/** The instant of a date, cut to the second; undefined for anything else. */
export const parse = (date) => {
  if (typeof date !== "string" || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?$/.test(date)) return undefined
  const instant = Date.parse(`${date.slice(0, 19)}Z`)
  return Number.isNaN(instant) || seconds(instant) !== date.slice(0, 19) ? undefined : instant
}
