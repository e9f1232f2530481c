import { describe, expect, it } from "vitest"
import { Answers } from "../../adapters/telco-calls/index.ts"

describe("Retry-After", () => {
  const now = Date.UTC(2030, 0, 1, 12)
  const cases: ReadonlyArray<readonly [string | undefined, number | undefined]> = [
    ["0", 0],
    [" 30 ", 30],
    ["86400", 3_600],
    ["Tue, 01 Jan 2030 12:00:10 GMT", 10],
    ["Tue, 01 Jan 2030 11:00:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined]
  ]
  it.each(cases)("%j is %s seconds", (header, expected) => {
    expect(Answers.retryAfterSeconds(header, now)).toBe(expected)
  })
})
