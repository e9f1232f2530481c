/**
 * Spans of time in the settings file: `10 seconds`, `6 hours`, or in the short form of the other settings, `10s`, `6h`.
 */
import { Schema } from "effect"

const units: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: 1_000,
  second: 1_000,
  m: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000
}

/** The span in milliseconds; undefined for any other text. */
export const parse = (text: string): number | undefined => {
  const [, count, unit = ""] = /^([1-9]\d{0,8}) ?(ms|[smhd]|(?:millisecond|second|minute|hour|day)s?)$/.exec(text) ?? []
  const millis = Number(count) * (units[unit] ?? units[unit.slice(0, -1)] ?? Number.NaN)
  return Number.isNaN(millis) ? undefined : millis
}

/** A span from `least` to `most`, which are spans too. */
export const between = (least: string, most: string) => {
  const [from = 0, to = 0] = [parse(least), parse(most)]
  const message = `must be a time from ${least} to ${most}, such as "10 seconds"`
  return Schema.String.annotate({ message }).check(
    Schema.makeFilter(
      (text: string) => {
        const millis = parse(text)
        return millis !== undefined && millis >= from && millis <= to
      },
      { message }
    )
  )
}
