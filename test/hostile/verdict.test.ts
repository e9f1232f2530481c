/**
 * What is judged of an attack, and what is not.
 */
import { describe, expect, it } from "vitest"
import * as Verdict from "./Verdict.ts"

const answers = (millis: number, failure?: string) =>
  Array.from({ length: 40 }, (_, index) => ({ what: "read", millis: index === 0 ? millis : 5, failure }))

const observed = (change: Partial<Verdict.Observed> = {}): Verdict.Observed => ({
  attack: "GET /v3/plans",
  answers: answers(20),
  memory: 300,
  delay: 3,
  tally: { sent: 9, closed: 1, statuses: { 200: 4, 429: 4 } },
  ...change
})

const bounds = { usual: 10, memory: 200 }

describe("An attack", () => {
  it("that nobody else notices has no problem", () => {
    expect(Verdict.problems(observed(), bounds)).toEqual([])
    expect(Verdict.problems(observed({ answers: answers(499), memory: 450 }), bounds)).toEqual([])
  })

  it.each([
    [{ answers: [] }, "the innocent client was not answered at all"],
    [{ answers: answers(5, "503").slice(0, 1) }, 'an innocent "read" failed: 503'],
    [{ memory: 451 }, "memory rose by 251 MB"],
    [{ answers: answers(501) }, "the innocent p99 was 501 ms"]
  ])("is named with its problem: %j", (change, problem) => {
    expect(Verdict.problems(observed(change), bounds)).toEqual([`GET /v3/plans: ${problem}`])
  })

  it("is late by the usual times of the machine, and not where times are not judged", () => {
    const late = observed({ answers: answers(900) })
    expect([25, 46, null].map((usual) => Verdict.isLate(late, { ...bounds, usual }))).toEqual([true, false, false])
    expect(Verdict.problems(late, { ...bounds, usual: null })).toEqual([])
  })

  it("counts failures beyond the first three", () => {
    const problems = Verdict.problems(observed({ answers: answers(5, "429") }), bounds)
    expect(problems).toHaveLength(4)
    expect(problems.at(-1)).toBe("GET /v3/plans: 37 more innocent requests failed")
  })
})

it("files, sockets and memory that are not returned are problems", () => {
  const before = { memory: 200, files: 40, sockets: 20 }
  expect(Verdict.kept(before, { memory: 449, files: 56, sockets: 36 })).toEqual([])
  expect(Verdict.kept(before, { memory: 451, files: 57, sockets: 37 })).toEqual([
    "57 files are open, before 40",
    "37 sockets are open, before 20",
    "memory is 251 MB more after the attacks"
  ])
})
