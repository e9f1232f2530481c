import { expect, it } from "vitest"
import { Answers } from "../../adapters/telco-calls/index.ts"

it("a telco's Retry-After is heeded for an hour at most", () => {
  const now = Date.UTC(2030, 0, 1, 12)
  expect(["30", "86400", "soon"].map((header) => Answers.retryAfterSeconds(header, now))).toEqual([
    30,
    3_600,
    undefined
  ])
})
