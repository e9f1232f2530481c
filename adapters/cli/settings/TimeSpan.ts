/**
 * A span of time as a setting writes it: `500ms`, `15s`, `2m`, `1h`, `30d`.
 */

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The span in milliseconds; undefined for any other text. */
export const parse = (text: string): number | undefined => {
  const [, count, unit = ""] = /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(text) ?? []
  const millis = Number(count) * (units[unit] ?? Number.NaN)
  return Number.isNaN(millis) ? undefined : millis
}

/** A parser for spans from `least` to `most` milliseconds. */
export const between =
  (least: number, most: number) =>
  (text: string): number | undefined => {
    const millis = parse(text)
    return millis !== undefined && millis >= least && millis <= most ? millis : undefined
  }
