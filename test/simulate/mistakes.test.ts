/**
 * Invalid scenarios: each mistake has its line and one sentence with the field, its value and what
 * is allowed.
 */
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Timeline from "../../adapters/timeline/index.ts"

const { Play, Scenario } = Timeline

/** A scenario with one field per line: the plan on line 3, its first term on line 4. */
const lines = (scenario: object) => JSON.stringify({ title: "a test", ...scenario }, null, 2)

const mistakes = (text: string) => {
  const read = Scenario.read(text)
  return Result.isFailure(read) ? read.failure.map(({ line, sentence }) => `${line}: ${sentence}`) : []
}

const plan = { data_MBs: 1024, period_days: 7 }
const good = { plan, steps: [{ at: "+1 day", do: "advance" }] }

describe("a mistake in a scenario", () => {
  it("is not reported for a valid scenario", () => {
    expect(mistakes(lines(good))).toEqual([])
  })

  const moment =
    "must be an RFC 3339 instant with a zone, such as 2026-01-31T12:00:00Z, or a time after the start, such as +3 days 12 hours"

  it.each([
    [{ plan: { period_days: 7 } }, "3: plan.data_MBs is missing, but must be a number"],
    [{ plan: { ...plan, data_MBs: "1 GB" } }, '4: plan.data_MBs is "1 GB", but must be a number'],
    [{ plan: 7 }, "3: plan is 7, but must be an object with data_MBs and period_days"],
    [{ plan, start: "2026-02-30T00:00:00Z" }, /^7: start is "2026-02-30T00:00:00Z", but must be an RFC 3339 instant/],
    [{ plan, seed: -1 }, "7: seed is -1, but must be a whole number from 0 to 4294967295"],
    [{ plan, telco_times: "late" }, '7: telco_times is "late", but must be reported or withheld'],
    [{ plan, bundle: "x" }, '7: bundle is "x", but must be an object with load'],
    [{ plan, bundle: { load: "" } }, '8: bundle.load is "", but must be a string that is not empty'],
    [{ plan, bundle: { load: "x", limit: 1 } }, "9: bundle.limit is no field: bundle takes load"],
    [{ plan, stepps: [] }, /^7: stepps is no field: the scenario takes \$schema, title, about, start, end, seed/],
    [{ plan, steps: [{ at: "tomorrow", do: "suspend" }] }, `9: steps[0].at is "tomorrow", but ${moment}`],
    [{ plan, steps: [{ at: "+1 fortnight", do: "suspend" }] }, `9: steps[0].at is "+1 fortnight", but ${moment}`],
    [{ plan, steps: [{ at: 5, do: "suspend" }] }, `9: steps[0].at is 5, but ${moment}`],
    [{ plan, steps: [{ do: "suspend" }] }, `8: steps[0].at is missing, but ${moment}`],
    [
      { plan, steps: [{ at: "+1 day", do: "sleep" }] },
      /^10: steps\[0\]\.do is "sleep", but must be one of subscribe, /
    ],
    [{ plan, steps: [{ at: "+1 day" }] }, /^8: steps\[0\]\.do is missing, but must be one of subscribe, /],
    [{ plan, steps: [7] }, "8: steps[0] is 7, but must be an object"],
    [
      { plan, steps: [{ at: "+1 day", do: "usage" }] },
      /^8: steps\[0\] is \{.*\}, but must have exactly one of total_bytes, total_MBs, delta_bytes, delta_MBs$/
    ],
    [
      { plan, steps: [{ at: "+1 day", do: "usage", total_MBs: 1.5 }] },
      "11: steps[0].total_MBs is 1.5, but must be a whole number of at least 0"
    ],
    [
      { plan, steps: [{ at: "+1 day", do: "telco", fault: "explode" }] },
      '11: steps[0].fault is "explode", but must be one of refuse, unavailable, answer lost, slow, allocating, sold_out, no_balance, none'
    ],
    [
      { plan, steps: [{ at: "+1 day", do: "suspend", total_MBs: 1 }] },
      "11: steps[0].total_MBs is no field: steps[0] takes do, at, note, attachment"
    ],
    [
      { plan: { ...plan, recurring_periodicity_type: 2 } },
      '6: plan.recurring_periodicity_type is 2, but must be a string: "0" (Daily), "1" (Weekly) or "2" (Monthly)'
    ]
  ])("%j", (scenario, sentence) => {
    expect(mistakes(lines(scenario))).toEqual([
      typeof sentence === "string" ? sentence : expect.stringMatching(sentence)
    ])
  })

  it("is reported with all others, by line", () => {
    expect(mistakes(lines({ plan: { data_MBs: null, period_days: "7" }, seed: "x" })).map((one) => one[0])).toEqual([
      "4",
      "5",
      "7"
    ])
  })
})

describe("the steps are in order", () => {
  const steps = (...moments: ReadonlyArray<string>) => moments.map((at) => ({ at, do: "advance" }))

  it("from step to step", () => {
    expect(mistakes(lines({ plan, steps: steps("+3 days", "+2 days", "+3 days") }))).toEqual([
      '13: steps[1].at is "+2 days", but must not be before steps[0].at, 2026-01-04T00:00:00.000Z: the clock only goes forward'
    ])
  })

  it("from the start, and up to the end", () => {
    expect(mistakes(lines({ plan, steps: steps("2025-12-31T23:59:59.999Z") }))).toEqual([
      '9: steps[0].at is "2025-12-31T23:59:59.999Z", but must not be before the start, 2026-01-01T00:00:00.000Z: the clock only goes forward'
    ])
    expect(mistakes(lines({ plan, steps: steps("+2 days"), end: "+1 day" }))).toEqual([
      '13: end is "+1 day", but must not be before steps[0].at, 2026-01-03T00:00:00.000Z: the clock only goes forward'
    ])
  })

  it("at the same instant too", () => {
    expect(mistakes(lines({ plan, steps: steps("+0 days", "+2 days", "+48 hours"), end: "+2 days" }))).toEqual([])
  })
})

describe("a file that is not JSON", () => {
  it.each([
    ["", "1: the file is not JSON: it ends too early"],
    ['{\n  "title": "x",\n}', '3: the file is not JSON: "}" is not allowed there'],
    ['{\n  "title": "x"\n  "plan": {}\n}', "3: the file is not JSON: a string is not allowed there"],
    ["// a comment", /^1: the file is not JSON: /]
  ])("%j", (text, sentence) => {
    expect(mistakes(text)).toEqual([typeof sentence === "string" ? sentence : expect.stringMatching(sentence)])
  })
})

describe("mistakes that are found only during the play", () => {
  const played = async (scenario: object) => {
    const text = lines(scenario)
    const read = Scenario.read(text)
    if (Result.isFailure(read)) throw new Error("it cannot be read")
    const mistake = await Effect.runPromise(Effect.flip(Play.history(read.success)))
    return `${Scenario.lineIn(text, mistake.path)}: ${mistake.sentence}`
  }

  it("terms that the service refuses, with their names on the wire", async () => {
    expect(await played({ plan: { ...plan, period_days: 0 } })).toBe(
      "5: plan.period_days is 0, but must be an integer from 1 to 3660"
    )
    expect(await played({ plan: { ...plan, recurring: true } })).toBe(
      "3: plan.nb_occurrence is missing, but must be an integer from 1 to 1000"
    )
    const topUp = { at: "+1 day", do: "top_up", plan: { data_MBs: 1, period_days: 9999 } }
    expect(await played({ plan, steps: [topUp] })).toBe(
      "13: steps[0].plan.period_days is 9999, but must be an integer from 1 to 3660"
    )
  })

  it("a bundle that the service refuses", async () => {
    expect(await played({ plan, bundle: { load: "x".repeat(256) } })).toMatch(
      /^8: bundle\.load is "x+…, but must have at most 255 characters/
    )
  })

  it("a subscription while there is one", async () => {
    const steps = ["+0 days", "+1 day"].map((at) => ({ at, do: "subscribe" }))
    expect(await played({ plan, steps })).toBe(
      '14: steps[1].do is "subscribe", but must not be subscribe while there is a subscription: use top_up'
    )
  })

  it("a missing attachment", async () => {
    expect(await played({ plan, steps: [{ at: "+1 day", do: "suspend", attachment: 2 }] })).toBe(
      "11: steps[0].attachment is 2, but must be 1: there is one attachment by then"
    )
  })
})
