/**
 * What operators see first: how telcos stand by what waits for them, and for how long a stock lasts.
 */
import { Overview, Time } from "simplan/ports"
import { describe, expect, it } from "vitest"

const group = (changes: Partial<Overview.WaitingGroup>): Overview.WaitingGroup => ({
  kind: "CancelPackages",
  reason: "unavailable",
  telco: null,
  count: 1,
  since: 1_000,
  nextAt: 9_000,
  ...changes
})

describe("telcos", () => {
  it("answer while nothing waits for them", () => {
    expect(Overview.telcos([], ["b", "a"])).toEqual(
      ["a", "b"].map((name) => ({ name, answers: true, since: null, waiting: 0, oldest: null, nextAt: null }))
    )
  })

  it("do not answer while work waits that they did not answer, or are not asked for", () => {
    const groups = [
      group({ telco: "a", reason: "refused", since: 10, count: 3, nextAt: 50 }),
      group({ telco: "a", since: 30, count: 2, nextAt: 60 }),
      group({ telco: "b", reason: "held_back", since: 40 }),
      group({ telco: "c", reason: "refused", since: 20 })
    ]
    expect(Overview.telcos(groups, ["a"])).toEqual([
      { name: "a", answers: false, since: 30, waiting: 5, oldest: 10, nextAt: 50 },
      { name: "b", answers: false, since: 40, waiting: 1, oldest: 40, nextAt: 9_000 },
      { name: "c", answers: true, since: null, waiting: 1, oldest: 20, nextAt: 9_000 }
    ])
  })

  it("are not what busy work waits for", () => {
    expect(Overview.telcos([group({ reason: "busy" })], [])).toEqual([])
  })
})

describe("a stock", () => {
  const now = 10 * Time.DAY

  it("lasts at the rate of what was sold since then", () => {
    const stock = { free: 30, sold: 70, soldSince: now - 7 * Time.DAY }
    expect([Overview.soldADay(stock, now), Overview.daysLeft(stock, now)]).toEqual([10, 3])
  })

  it("lasts for no known time where none was sold, and no time where none is free", () => {
    expect(Overview.daysLeft({ free: 5, sold: 0, soldSince: 0 }, now)).toBeNull()
    expect(Overview.daysLeft({ free: 0, sold: 1, soldSince: 0 }, now)).toBe(0)
  })

  it("has a rate where all were sold at once", () => {
    expect(Overview.soldADay({ sold: 1, soldSince: now }, now)).toBe(1_440)
  })
})

it("the heaviest organizations come first, and ten of them", () => {
  const loads = Array.from({ length: 12 }, (_, index) => ({
    organizationId: `o${String(index).padStart(2, "0")}`,
    waitingJobs: index % 3,
    pendingDeliveries: index % 2
  }))
  const found = Overview.heaviest(loads)
  expect(found.map(({ organizationId }) => organizationId)).toEqual([
    "o05",
    "o11",
    "o01",
    "o02",
    "o07",
    "o08",
    "o03",
    "o04",
    "o09",
    "o10"
  ])
})
