/**
 * Lengths of time as people write them, in one grammar for requests, settings and the options of
 * the library: a number and a unit, such as `90 seconds`, `1.5 hours`, `500ms` or `30d`. A space
 * may stand between them.
 */
import { Time } from "simplan/ports"

/** The units in milliseconds; the long ones may have an `s` at their end. */
const short: Readonly<Record<string, number>> = { ms: 1, s: Time.SECOND, m: Time.MINUTE, h: Time.HOUR, d: Time.DAY }
const long: Readonly<Record<string, number>> = {
  nano: 1e-6,
  micro: 1e-3,
  milli: 1,
  millisecond: 1,
  second: Time.SECOND,
  minute: Time.MINUTE,
  hour: Time.HOUR,
  day: Time.DAY,
  week: 7 * Time.DAY
}

const SPAN = new RegExp(
  `^(\\d+(?:\\.\\d+)?) ?(?:(${Object.keys(short).join("|")})|(${Object.keys(long).join("|")})s?)$`
)

/**
 * The whole milliseconds that the text says; undefined if it is no length of time, or too long to
 * be counted so.
 */
export const millis = (text: string): number | undefined => {
  const [, amount, shortUnit = "", longUnit = ""] = SPAN.exec(text) ?? []
  const found = Math.round(Number(amount) * (short[shortUnit] ?? long[longUnit] ?? Number.NaN))
  return Number.isSafeInteger(found) ? found : undefined
}

/** A reader of the lengths between two others, in milliseconds. */
export const between = (least: string, most: string) => {
  const [from = Number.NaN, to = Number.NaN] = [millis(least), millis(most)]
  return (text: string): number | undefined => {
    const found = millis(text)
    return found !== undefined && found >= from && found <= to ? found : undefined
  }
}
