/**
 * The setting of the rate limit: `<requests>/<window>`, such as `100/1s`, or `off`.
 */
import { Duration } from "effect"

export interface RateLimit {
  readonly requests: number
  readonly window: Duration.Duration
}

export const allowed = "off, or requests per time such as 100/1s, 50/500ms or 6000/1m"

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const

const isUnit = (text: string): text is keyof typeof units => text in units

/** Reads the setting; undefined for anything else. */
export const parse = (text: string): RateLimit | "off" | undefined => {
  if (text === "off") return "off"
  const match = /^([1-9]\d{0,8})\/([1-9]\d{0,5})?(ms|s|m|h)$/.exec(text)
  const [requests, count, unit] = [match?.[1], match?.[2] ?? "1", match?.[3] ?? ""]
  if (requests === undefined || !isUnit(unit)) return undefined
  return { requests: Number(requests), window: Duration.millis(Number(count) * units[unit]) }
}
