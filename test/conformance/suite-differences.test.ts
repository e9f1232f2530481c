/** What a case of a suite says where two values differ: each path, and what is there. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Suite from "../../src/testing/Suite.ts"

const message = <A>(actual: A, expected: A): string =>
  Effect.runSync(
    Effect.match(Suite.equals("the answer", actual, expected), {
      onSuccess: () => "equal",
      onFailure: (failed) => failed.message
    })
  )

it("says nothing of values that are equal", () => {
  expect(message({ at: new Date(5), tags: new Set(["a"]) }, { at: new Date(5), tags: new Set(["a"]) })).toBe("equal")
})

it("names the paths of what differs in large values, and nothing else of them", () => {
  const sims = Array.from({ length: 100 }, (_, index) => ({ iccid: `8933${index}`, version: 1, lpa: "x".repeat(100) }))
  const changed = sims.map((sim, index) => (index === 42 ? { ...sim, version: 2 } : sim))
  expect(message({ sims, next: null }, { sims: changed, next: "after" } as never)).toBe(
    'the answer\n  at sims[42].version: expected 2, actual 1\n  at next: expected "after", actual null'
  )
})

it("says what is missing and what is too much", () => {
  expect(message<object>({ a: 1, "b c": 2 }, { a: 1, d: undefined })).toBe(
    'the answer\n  at d: expected undefined, actual nothing\n  at ["b c"]: expected nothing, actual 2'
  )
  expect(message(["first", "second", "third"], ["first", "third"])).toBe(
    'the answer\n  at [1]: expected nothing, actual "second"'
  )
  expect(message(["third"], ["first", "second", "third"])).toBe(
    'the answer\n  at [0]: expected "first", actual nothing\n  at [1]: expected "second", actual nothing'
  )
})

it("compares in order what has as many elements", () => {
  expect(message([1, 2, 3], [3, 2, 3])).toBe("the answer\n  at [0]: expected 3, actual 1")
})

it("shows values that have no parts as a whole", () => {
  expect(message<unknown>(1n, 2n)).toBe('the answer\n  expected "2n", actual "1n"')
  expect(message<unknown>({ at: new Date(0) }, { at: new Date(1) })).toBe(
    'the answer\n  at at: expected "1970-01-01T00:00:00.001Z", actual "1970-01-01T00:00:00.000Z"'
  )
  expect(message<unknown>({ by: new Map([["a", 1]]) }, { by: new Map([["a", 2]]) })).toBe(
    'the answer\n  at by: expected [["a",2]], actual [["a",1]]'
  )
  expect(message<unknown>({ made: [1] }, { made: null })).toBe("the answer\n  at made: expected null, actual [1]")
})

it("is short, however much differs", () => {
  const many = (value: string) => Array.from({ length: 50 }, () => ({ value: value.repeat(500) }))
  const lines = message(many("a"), many("b")).split("\n")
  expect(lines).toHaveLength(12)
  expect(lines.at(-1)).toBe("  and 40 more")
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(300)
})
