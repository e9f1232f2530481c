/**
 * The plan of `npm run test:chaos` follows from its seed and has everything fail, and its
 * judgements find what is wrong.
 */
import { describe, expect, it } from "vitest"
import * as Neighbours from "./Neighbours.ts"
import * as Plan from "./Plan.ts"
import * as Times from "./Times.ts"

const MINUTE = 60_000
const place = { members: 3, endpoints: 4 }

describe("The plan", () => {
  it("is the same for a seed, and another one for another", () => {
    const [one, same, other] = [7, 7, 8].map((seed) => Plan.of(seed, 60 * MINUTE, place))
    expect(one).toEqual(same)
    expect(one).not.toEqual(other)
  })

  it.each([MINUTE / 2, 60 * MINUTE])("has everything fail within %i ms, and all of it end", (millis) => {
    const plan = Plan.of(7, millis, place)
    const times = (act: Plan.Step["act"]) => plan.filter((step) => step.act === act).length
    expect(times("kill a process")).toBe(Math.max(6, millis / MINUTE))
    expect(times("restart the database")).toBe(5)
    expect(times("promote the standby")).toBe(1)
    expect(times("restart the pooler")).toBe(6)
    expect(times("take the telco away")).toBe(6)
    for (const step of plan)
      expect(step.at + (step.act === "take the telco away" ? step.millis : 0)).toBeLessThan(millis)
    expect(plan.map(({ at }) => at)).toEqual(plan.map(({ at }) => at).toSorted((one, other) => one - other))
  })

  it("kills a process in each minute", () => {
    const kills = Plan.of(7, 60 * MINUTE, place).filter(({ act }) => act === "kill a process")
    expect(kills.map(({ at }) => Math.floor(at / MINUTE))).toEqual(Array.from({ length: 60 }, (_, index) => index))
  })

  it("has one half of the endpoints fail, and then the other", () => {
    const failing = Plan.of(7, MINUTE, place).flatMap((step) => (step.act === "fail endpoints" ? [step.which] : []))
    expect(failing.map((which) => which.length)).toEqual([2, 2])
    expect(failing.flat().toSorted()).toEqual([0, 1, 2, 3])
  })
})

const asked = (count: number, millis: number, failure?: string): ReadonlyArray<Times.Asked> =>
  Array.from({ length: count }, (_, index) => ({
    what: "GET /v3/sims",
    began: index * 1_000,
    ended: index * 1_000 + millis,
    failure
  }))

describe("The innocent's times", () => {
  it("are fine where one of a hundred is late, and not where two are", () => {
    expect(Times.problems([...asked(199, 400), ...asked(1, 9_000)], [])).toEqual([])
    expect(Times.problems([...asked(98, 400), ...asked(2, 9_000)], [])).toEqual([
      "The innocent organization's p99 is 9000 ms while the database is there"
    ])
  })

  it("are too long where a request was not served, however soon that was answered", () => {
    expect(Times.problems([...asked(98, 400), ...asked(2, 1, "503 storage_unavailable")], [])).toHaveLength(1)
  })

  it("do not count while the database is away", () => {
    const outages = [{ what: "restart the database", from: 1_500, until: 4_100 }]
    expect(Times.judged(asked(6, 600), outages).map(({ began }) => began)).toEqual([0, 5_000])
  })

  it("are too long where nothing was asked", () => {
    expect(Times.problems([], [])).toHaveLength(1)
  })
})

describe("The neighbours", () => {
  const outcome = (imported = {}, listed = {}): Neighbours.Outcome => ({
    imported: { rows: 10, taken: 10, errors: 0, statuses: {}, busyMillis: 1, ...imported },
    listed: { whole: 1, wrong: 0, statuses: {}, ...listed }
  })

  it("are served where every row is there once, and every list was whole", () => {
    expect(Neighbours.problems(outcome(), 10, 10)).toEqual([])
  })

  it.each([
    ["rows that were not imported", outcome({ rows: 9, taken: 9 }), 9, "Of 10 rows 9 were imported"],
    ["rows with errors", outcome({ errors: 1 }), 10, "1 rows had errors"],
    ["rows that were not taken", outcome({ taken: 9 }), 10, "Of 10 rows 9 were taken"],
    ["a SIM that is gone", outcome(), 9, "There are 9 SIMs of 10 rows"],
    ["lists that never ended", outcome({}, { whole: 0 }), 10, "No list was read to its end"],
    ["lists that lack a SIM", outcome({}, { wrong: 1 }), 10, "1 lists had a SIM too many or too few"]
  ])("are not where there are %s", (_, found, stored, problem) => {
    expect(Neighbours.problems(found, 10, stored)).toEqual([problem])
  })
})
