/**
 * The header `Retry-After` (rule W7).
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RetryAfter from "../../src/domain/RetryAfter.ts"

describe("Retry-After", () => {
  const now = Date.UTC(2030, 0, 1, 12)
  const cases: ReadonlyArray<readonly [string | undefined, number | undefined]> = [
    ["0", 0],
    [" 30 ", 30],
    ["86400", 86_400],
    ["Tue, 01 Jan 2030 12:00:10 GMT", 10],
    ["Tuesday, 01-Jan-30 12:00:10 GMT", 10],
    ["Tue Jan  1 12:00:10 2030", 10],
    ["Tue, 01 Jan 2030 11:00:00 GMT", 0],
    ["Tue, 32 Jan 2030 11:00:00 GMT", undefined],
    ["soon", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["2030-01-01T12:00:10Z", undefined],
    ["", undefined],
    [undefined, undefined]
  ]
  it.each(cases)("%j is %s seconds", (header, expected) => {
    expect(RetryAfter.seconds(header, now)).toBe(expected)
  })

  it("is no time in the past, nor anything else, whatever is sent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.nat().map(String), fc.date().map(String)), (header) => {
        const seconds = RetryAfter.seconds(header, now)
        expect(seconds === undefined || (seconds >= 0 && (Number.isInteger(seconds) || seconds === Infinity))).toBe(
          true
        )
      })
    )
  })
})
