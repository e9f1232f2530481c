/**
 * Playing scenarios: the history agrees with the service at any instant, and is the same each time.
 */
import { Effect } from "effect"
import { Attachments, Plans, Subscriptions, Time } from "simplan"
import { describe, expect, it } from "vitest"
import * as Timeline from "../../adapters/timeline/index.ts"
import * as Simulation from "../../adapters/simulation/Simulation.ts"
import * as Played from "./Played.ts"

const { DAY, HOUR } = Time
const START = Date.UTC(2026, 0, 1)

const daily = {
  data_MBs: 100,
  period_days: 1,
  recurring: true,
  nb_occurrence: 4,
  recurring_periodicity_type: "0",
  recurring_periodicity_frequency: 1
}
const once = { data_MBs: 1000, period_days: 7 }

const lines = ({ entries }: Timeline.History.History) => entries.map(({ what }) => what)
const rulesOf = ({ entries }: Timeline.History.History, what: RegExp) =>
  entries.filter((entry) => what.test(entry.what)).flatMap(({ rules }) => rules.map(({ name }) => name))

const only = (history: Timeline.History.History) => {
  const [first, ...others] = history.attachments
  if (first === undefined || others.length > 0) throw new Error("there is not exactly one attachment")
  return first
}

describe("a history", () => {
  const scenario = {
    plan: daily,
    subscription: { active_period: { start: "+30 hours" } },
    steps: [{ at: "+2 days", do: "usage", total_MBs: 60 }]
  }

  it("is the same each time, byte for byte; the seed determines the ids", async () => {
    const json = async (seed: number) => JSON.stringify(Timeline.Text.json(await Played.value({ ...scenario, seed })))
    expect(await json(7)).toBe(await json(7))
    expect(await json(8)).not.toBe(await json(7))
  })

  it("has the states and packages that the service shows every quarter of an hour", async () => {
    const course = only(await Played.value(scenario))
    const asked = Effect.gen(function* () {
      const simulated = yield* Simulation.make({ start: START })
      const [organizationId] = simulated.organizationIds
      const { planId } = yield* simulated.use(
        Plans.Plans.use((of) =>
          of.create({
            organizationId,
            terms: {
              name: "daily",
              coverageId: simulated.coverageIds("Green")[0] ?? "",
              dataMegaBytes: 100,
              periodDays: 1,
              throttling: [],
              recurrence: { periodicity: "Daily", frequency: 1, occurrences: 4 }
            }
          })
        )
      )
      const activePeriod = { start: START + 30 * HOUR, end: null }
      const created = yield* simulated.use(
        Subscriptions.Subscriptions.use((of) =>
          of.create({ organizationId, planId, metadata: "", iccid: null, activePeriod })
        )
      )
      const seen: Array<{ readonly at: number; readonly state: string; readonly packages: number }> = []
      for (let at = START; at <= START + 7 * DAY; at += HOUR / 4) {
        yield* simulated.advanceTo(at)
        const views = yield* simulated.use(
          Attachments.Attachments.use((of) => of.list({ organizationId, iccid: created.sim.iccid }))
        )
        for (const { packages, state } of views) seen.push({ at, state, packages: packages.length })
      }
      return seen
    })
    const seen = await Effect.runPromise(Effect.scoped(asked))
    expect(seen.length).toBe(7 * 24 * 4 + 1)
    const drawn = seen.map(({ at }) => ({
      at,
      state: course.states.findLast(({ from }) => from <= at)?.state,
      packages: course.packages.filter(({ createdAt }) => createdAt <= at).length
    }))
    expect(drawn).toEqual(seen)
  })

  it("ends when nothing is left to happen, or at the given end", async () => {
    expect((await Played.value(scenario)).end).toBe(START + 30 * HOUR + 4 * DAY)
    const cut = await Played.value({ ...scenario, end: "+3 days" })
    expect(cut.end).toBe(START + 3 * DAY)
    expect(only(cut).packages).toHaveLength(3)
    expect((await Played.value({ ...scenario, end: "+30 days" })).end).toBe(START + 30 * DAY)
  })
})

describe("the rule that applied is named", () => {
  const minute = (start: string, plan: object = daily) =>
    Played.value({ plan, start: "2026-01-10T00:00:00Z", subscription: { active_period: { start } } })

  it.each([
    ["2026-01-09T00:00:00Z", "rule 5", 2],
    ["2026-01-10T00:00:00Z", "rule 5", 1],
    ["2026-01-10T12:00:00Z", "rule 6", 1],
    ["2026-01-10T12:00:00.001Z", "rule 7", 0]
  ])("%s", async (start, rule, packages) => {
    const history = await minute(start)
    expect(only(history).rules.map(({ name }) => name)).toEqual([rule])
    expect(only(history).packages.filter(({ createdAt }) => createdAt === history.start)).toHaveLength(packages)
  })

  it("for a refusal too", async () => {
    const history = await minute("2026-01-08T23:59:59.999Z")
    expect(history.attachments).toEqual([])
    expect(lines(history)).toEqual([
      "subscription from 2026-01-08 23:59:59.999 refused: active_period.start must be at most 24 hours in the past"
    ])
    expect(rulesOf(history, /refused/)).toEqual(["T5"])
    const window = await Played.value({
      plan: once,
      subscription: { active_period: { start: "+2 days", end: "+1 day" } }
    })
    expect(rulesOf(window, /end must be after active_period.start/)).toEqual(["T4"])
  })

  it("for a month that is too short", async () => {
    const monthly = { ...daily, recurring_periodicity_type: "2" }
    const history = await Played.value({
      plan: monthly,
      start: "2026-01-31T00:00:00Z",
      subscription: { active_period: { start: "+0 days" } }
    })
    expect(rulesOf(history, /^package 2 of 4 created: active from 2026-02-28/)).toEqual(["T5", "T1"])
    expect(rulesOf(history, /^package 3 of 4 created: active from 2026-03-31/)).toEqual(["T5"])
  })
})

describe("steps", () => {
  const play = (...steps: ReadonlyArray<object>) => Played.value({ plan: once, steps })

  it("use a package, report thresholds, and throttle it", async () => {
    const throttled = {
      throttling: true,
      throttling_threshold1_perc: 50,
      throttling_threshold1_limit: "1024",
      throttling_threshold2_perc: 80,
      throttling_threshold2_limit: "512",
      throttling_threshold3_perc: 100,
      throttling_threshold3_limit: "128"
    }
    const history = await Played.value({
      plan: { ...once, ...throttled },
      steps: [
        { at: "+1 day", do: "usage", total_MBs: 500 },
        { at: "+2 days", do: "usage", delta_MBs: 499 }
      ]
    })
    expect(lines(history)).toEqual(
      expect.arrayContaining([
        "the package is used first: active from 2026-01-02 00:00 to 2026-01-09 00:00",
        "the package is held at 1024 Kbit/s",
        "webhook attachment.allowanceConsumed: 50 %",
        "the package is held at 512 Kbit/s",
        "webhook attachment.allowanceConsumed: 80 %"
      ])
    )
    expect(lines(history)).not.toContain("webhook attachment.allowanceConsumed: 100 %")
    expect(only(history).packages[0]?.used.map(({ bytes }) => bytes / 1_048_576)).toEqual([500, 999])
  })

  it("name a package, and a duplicate id", async () => {
    const history = await Played.value({
      plan: daily,
      subscription: { active_period: { start: "+0 days" } },
      steps: [
        { at: "+13 hours", do: "usage", package: 2, total_MBs: 10, id: "a" },
        { at: "+14 hours", do: "usage", package: 2, total_MBs: 20, id: "a" },
        { at: "+14 hours", do: "usage", package: 4, total_MBs: 20 }
      ]
    })
    expect(only(history).packages.map(({ used }) => used.length)).toEqual([0, 1, 0, 0])
    expect(lines(history)).toContainEqual(expect.stringMatching(/again under the same id: a duplicate$/))
    expect(lines(history)).toContainEqual(
      expect.stringMatching(/rejected: package_id ".*:3" is no package of this SIM$/)
    )
  })

  it("report locations and SM-DP+ states", async () => {
    const history = await play(
      { at: "+1 day", do: "smdp_state", state: "Enable" },
      { at: "+2 days", do: "location", country_alpha_2: "fr" }
    )
    expect(lines(history)).toEqual(
      expect.arrayContaining([
        "webhook esim.smdp.stateChanged: Enable",
        "webhook subscription.esim.locationChanged: nowhere yet to FR"
      ])
    )
  })

  it("suspend for good, and repeat the call to an unavailable telco until it succeeds", async () => {
    const history = await Played.value({
      plan: daily,
      subscription: { active_period: { start: "+0 days" } },
      steps: [
        { at: "+20 hours", do: "telco", fault: "unavailable", calls: 2 },
        { at: "+20 hours", do: "suspend" }
      ]
    })
    expect(only(history).states.map(({ state }) => state)).toEqual(["ACTIVE", "SUSPENDED"])
    expect(only(history).packages).toHaveLength(2)
    expect(lines(history).filter((line) => line.startsWith("the telco is asked to suspend"))).toHaveLength(4)
    expect(lines(history).at(-1)).toMatch(/done$/)
  })

  it("delete an unused subscription, and not a used one", async () => {
    const unused = await play({ at: "+1 day", do: "delete" })
    expect(only(unused).removedAt).toBe(START + DAY)
    const used = await play({ at: "+1 day", do: "first_use" }, { at: "+2 days", do: "delete" })
    expect(only(used).removedAt).toBe(null)
    expect(rulesOf(used, /^deletion of the subscription refused/)).toEqual(["S3"])
  })

  it("top up with another plan, and not with an archived one", async () => {
    const history = await play(
      { at: "+1 day", do: "top_up", plan: { data_MBs: 5, period_days: 1 } },
      { at: "+2 days", do: "archive_plan" },
      { at: "+3 days", do: "top_up" },
      { at: "+3 days", do: "unarchive_plan" },
      { at: "+4 days", do: "top_up" },
      { at: "+5 days", do: "delete_plan" },
      { at: "+6 days", do: "top_up" }
    )
    expect(history.attachments.map(({ terms }) => terms.dataMegaBytes)).toEqual([1000, 5, 1000])
    expect(lines(history).filter((line) => line.includes("refused"))).toEqual([
      "top-up without an active_period refused: The plan is archived",
      expect.stringMatching(/refused: There is no plan with the id ".+"$/)
    ])
  })

  it("subscribe later, with a faulty telco", async () => {
    const history = await play(
      { at: "+1 day", do: "telco", fault: "refuse" },
      { at: "+1 day", do: "subscribe", note: "it will not" }
    )
    expect(lines(history)).toEqual([
      "the telco refuses the next call",
      "subscription without an active_period refused: The telco refused: The telco refuses createPackage (it will not)"
    ])
    const slow = await play({ at: "+1 day", do: "telco", fault: "slow" }, { at: "+1 day", do: "subscribe" })
    expect(lines(slow)).toContain("the telco is asked to create a package: no answer in time")
    expect(slow.attachments).toEqual([])
  })

  it("record an occurrence that the telco refuses, and go on", async () => {
    const history = await Played.value({
      plan: daily,
      subscription: { active_period: { start: "+0 days" } },
      steps: [
        { at: "+1 hour", do: "telco", fault: "refuse" },
        { at: "+13 hours", do: "telco", fault: "none" }
      ]
    })
    expect(only(history).packages.map(({ status }) => status)).toEqual(["Created", "Refused", "Created", "Created"])
    expect(only(history).packages[1]?.activationAt).toBe(START + DAY)
  })
})

describe("a plan that is a supplier's bundle", () => {
  const load = "sim_1GB_7D_FR"
  const play = (...steps: ReadonlyArray<object>) => Played.value({ plan: once, bundle: { load }, steps })
  const subscribe = (at: string) => ({ at, do: "subscribe" })
  const purchases = ({ entries }: Timeline.History.History) =>
    entries
      .filter(({ kind, what }) => kind === "purchase" || what.startsWith(`the eSIM with ${load}`))
      .map(({ at, what }) => [(at - START) / 1000, what.replace(/\d{19}/, "899")])
  const [asked, bought, claimed, freed] = [
    `an eSIM with ${load} is asked for: none is free`,
    `the eSIM 899 is bought with ${load} for 1.80 USD, and comes into the stock`,
    `the eSIM 899 is claimed with ${load}`,
    `the eSIM 899 is free with ${load} again`
  ]

  it("buys an eSIM for a request, which claims it; what is deleted unused is bought no second time", async () => {
    const history = await play(subscribe("+0 days"), { at: "+1 hour", do: "delete" }, subscribe("+2 hours"))
    expect(purchases(history)).toEqual([
      [0, asked],
      [0, bought],
      [0, claimed],
      [3_600, freed],
      [7_200, claimed]
    ])
    expect(history.attachments).toHaveLength(2)
    expect(history.end).toBe(START + 2 * HOUR)
    expect(rulesOf(history, /is (asked for:|bought|claimed|free) /)).toEqual(["I15", "I15", "S2", "S3", "S2"])
  })

  it("waits for a supplier that allocates late, and whoever asks next gets the eSIM", async () => {
    const fault = { at: "+0 days", do: "telco", fault: "allocating", calls: 2 }
    const history = await play(fault, subscribe("+0 days"), subscribe("+2 minutes"))
    const late = (until: string) =>
      `the eSIM with ${load} is not sold yet: It is being allocated; asked again at 2026-01-01 ${until}`
    expect(purchases(history)).toEqual([
      [0, asked],
      [0, late("00:00:30")],
      [30, late("00:01")],
      [60, bought],
      [120, claimed]
    ])
    expect(rulesOf(history, /^subscription .* refused: No eSIM with label Green is free now/)).toEqual(["I15"])
    only(history)
  })

  it.each(["sold_out", "no_balance"])("is refused with the supplier's reason: %s", async (fault) => {
    const history = await play({ at: "+0 days", do: "telco", fault }, subscribe("+0 days"), subscribe("+1 day"))
    expect(purchases(history)).toEqual([
      [0, asked],
      [0, `the eSIM with ${load} is refused: ${fault}`],
      [86_400, asked],
      [86_400, bought],
      [86_400, claimed]
    ])
    expect(rulesOf(history, /^subscription .* refused: The (supplier|balance)/)).toEqual(["I15"])
    only(history)
  })

  it.each([
    ["answer lost", "The telco's answer was lost"],
    ["slow", "no answer within 10000 ms"],
    ["unavailable", "The telco is out of reach"]
  ])("is bought once, whatever befalls the call: %s", async (fault, message) => {
    const history = await play({ at: "+0 days", do: "telco", fault }, subscribe("+0 days"), subscribe("+1 hour"))
    expect(purchases(history)).toEqual([
      [0, asked],
      [0, `the eSIM with ${load} is not sold yet: ${message}; asked again at 2026-01-01 00:00:05`],
      [5, bought],
      [3_600, claimed]
    ])
  })
})

describe("the telco's times", () => {
  it("may be withheld", async () => {
    const scenario = { plan: once, subscription: { active_period: { start: "+0 days", end: "+2 days" } } }
    const [reported, withheld] = await Promise.all([
      Played.value(scenario),
      Played.value({ ...scenario, telco_times: "withheld" })
    ])
    expect(only(withheld).packages).toEqual(only(reported).packages)
  })
})

describe("moments", () => {
  it.each([
    ["+0 days", START],
    ["+1 day", START + DAY],
    ["+ 36 hours", START + 36 * HOUR],
    ["+1 week 2 days, 3 hours 4 minutes 5 seconds 6 milliseconds", START + 9 * DAY + 3 * HOUR + 245_006],
    ["2026-01-02T03:00:00+03:00", START + DAY]
  ])("%s", async (at, instant) => {
    const history = await Played.value({ plan: once, steps: [{ at, do: "advance", note: "here" }] })
    expect(history.entries.find(({ what }) => what === "here")?.at).toBe(instant)
  })
})
