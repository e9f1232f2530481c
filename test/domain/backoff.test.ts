/**
 * When an unavailable telco is called again (rules T5, T7 and S3): soon at first, later every hour.
 */
import { describe, expect, it } from "vitest"
import * as Backoff from "../../src/domain/Backoff.ts"
import { HOUR_MS, MINUTE_MS } from "./Calendar.ts"
import { NOW } from "./Values.ts"

describe("The next try", () => {
  it.each([
    [1, 5_000],
    [2, 15_000],
    [3, MINUTE_MS],
    [4, 5 * MINUTE_MS],
    [5, 15 * MINUTE_MS],
    [6, HOUR_MS],
    [7, HOUR_MS],
    [1_000, HOUR_MS]
  ])("after %i failed ones is %i ms later", (attempts, wait) => {
    expect(Backoff.nextTry(attempts, NOW)).toBe(NOW + wait)
  })
})
