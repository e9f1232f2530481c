/**
 * The setting of the rate limit: `<requests>/<window>`, such as `100/1s` or `100/s`, or `off`.
 */
import { Duration } from "effect"
import * as TimeSpan from "./TimeSpan.ts"

export interface RateLimit {
  readonly requests: number
  readonly window: Duration.Duration
}

export const allowed = "off, or requests per time such as 100/1s, 50/500ms or 6000/1m"

/** Reads the setting; undefined for any other text. */
export const parse = (text: string): RateLimit | "off" | undefined => {
  if (text === "off") return "off"
  const [, requests, span = ""] = /^([1-9]\d{0,8})\/(\d{0,6}(?:ms|s|m|h))$/.exec(text) ?? []
  const window = TimeSpan.parse(span.replace(/^(?=\D)/, "1"))
  return requests === undefined || window === undefined
    ? undefined
    : { requests: Number(requests), window: Duration.millis(window) }
}
