// Dates as the system writes them: UTC, without a zone. It may read those of requests in another
// zone.

/** An instant in milliseconds as `2026-04-15T17:41:26`. What is below a second is cut off. */
export const seconds = (instant) => new Date(instant).toISOString().slice(0, 19)

/** The same with microseconds, as locations have them. */
export const micros = (instant) => `${new Date(instant).toISOString().slice(0, 23)}000`

/** How much a zone is ahead of UTC at an instant, in milliseconds. */
const offsetAt = (instant, zone) => {
  const clock = new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "medium" })
  return Date.parse(`${clock.format(instant).replace(" ", "T")}Z`) - Math.floor(instant / 1_000) * 1_000
}

/**
 * The instant of a date of a zone, cut to the second; undefined for anything else. Of a date that
 * comes twice it is the first one.
 */
export const parse = (date, zone = "UTC") => {
  if (typeof date !== "string" || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?$/.test(date)) return undefined
  const local = Date.parse(`${date.slice(0, 19)}Z`)
  if (Number.isNaN(local) || seconds(local) !== date.slice(0, 19)) return undefined
  if (zone === "UTC") return local
  const day = 86_400_000
  const instants = [local - day, local + day]
    .map((near) => local - offsetAt(near, zone))
    .sort((one, other) => one - other)
  return instants.find((instant) => instant + offsetAt(instant, zone) === local) ?? instants[1]
}
