/**
 * A span of time, as a setting writes it: `500ms`, `15s`, `2m`, `1h`.
 */

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const

const isUnit = (text: string): text is keyof typeof units => text in units

/** Reads a span from `least` to `most`, all in milliseconds; undefined for anything else. */
export const millis =
  (least: number, most: number) =>
  (text: string): number | undefined => {
    const match = /^([1-9]\d{0,8})(ms|s|m|h)$/.exec(text)
    const [count, unit] = [match?.[1], match?.[2] ?? ""]
    if (count === undefined || !isUnit(unit)) return undefined
    const span = Number(count) * units[unit]
    return span >= least && span <= most ? span : undefined
  }
