/**
 * Plans of runs of several processes at random.
 */
import * as fc from "fast-check"
import type { Cluster, Commands } from "simplan/testing"

const process = fc.nat(3)
const by = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0 as const) },
  { weight: 1, arbitrary: fc.constant(1 as const) }
)
const place = fc.nat(2)
const HOUR = 3_600_000

/** The first package falls due soon, or one or two are due at once. */
const period = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 20_000 }).map((after) => ({ start: 12 * HOUR + after, end: null }))
  },
  { weight: 1, arbitrary: fc.constantFrom(-3 * HOUR, -13 * HOUR).map((start) => ({ start, end: null })) }
)

const terms = (recurring: boolean) => ({
  name: "plan",
  dataMegaBytes: 1,
  periodDays: 1,
  throttling: [],
  recurrence: recurring ? { periodicity: "Daily" as const, frequency: 1, occurrences: 3 } : null
})

const createPlan = (of: fc.Arbitrary<Commands.Side>) =>
  fc.record({ by: of, recurring: fc.boolean() }).map(
    ({ by, recurring }): Commands.Command => ({
      _tag: "CreatePlan",
      by,
      label: "Green",
      coverage: 0,
      terms: terms(recurring),
      flaw: null
    })
  )

const report = fc.oneof(
  fc.constantFrom("FR", "DE", "JP").map((countryAlpha2) => ({ _tag: "Location" as const, countryAlpha2, rat: "4G" })),
  fc
    .constantFrom(0, 50, 80, 100)
    .map((percent) => ({ _tag: "Total" as const, package: null, amount: { percent, beside: 0 } })),
  fc.constant({ _tag: "FirstUse" as const, package: null })
)

const request: fc.Arbitrary<Commands.Command> = fc.oneof(
  { weight: 1, arbitrary: createPlan(by) },
  {
    weight: 8,
    arbitrary: fc.record({
      _tag: fc.constant("Subscribe" as const),
      by,
      plan: place,
      sim: fc.option(place, { freq: 1 }),
      foreign: fc.constant(false),
      period,
      keyed: fc.boolean()
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("TopUp" as const),
      by,
      plan: place,
      line: place,
      period,
      keyed: fc.boolean()
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Report" as const),
      of: by,
      line: place,
      reports: report.map((fact) => [{ after: 0, again: null, fact }])
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("Suspend" as const),
      by,
      line: place,
      attachment: place,
      foreign: fc.constant(false)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ _tag: fc.constant("Delete" as const), by, line: place, foreign: fc.constant(false) })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("Pause" as const),
      by,
      line: place,
      paused: fc.boolean(),
      foreign: fc.constant(false)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("SendSms" as const),
      by,
      line: place,
      foreign: fc.constant(false),
      keyed: fc.boolean()
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("SetMobilePlan" as const),
      by,
      sim: fc.option(place, { freq: 1 }),
      label: fc.constant("Green" as const),
      apply: fc.boolean(),
      foreign: fc.constant(false)
    })
  },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Repeat" as const), back: fc.nat(1) }) }
)

const requests: fc.Arbitrary<Cluster.Step> = fc.record({
  _tag: fc.constant("Requests" as const),
  requests: fc.array(fc.record({ process, command: request }), { minLength: 1, maxLength: 6 })
})

const wait: fc.Arbitrary<Cluster.Step> = fc.record({
  _tag: fc.constant("Wait" as const),
  millis: fc.oneof(
    { weight: 6, arbitrary: fc.nat(5_000) },
    { weight: 4, arbitrary: fc.nat(40_000) },
    { weight: 1, arbitrary: fc.constant(13 * HOUR) }
  )
})

const times = fc.integer({ min: 1, max: 3 })
const calls = fc.integer({ min: 1, max: 40 })
const millis = fc.integer({ min: 1, max: 60_000 })

const fault: fc.Arbitrary<Cluster.Fault> = fc.oneof(
  fc.record({ _tag: fc.constant("Die" as const), process, calls, downtime: millis }),
  fc.record({ _tag: fc.constant("Freeze" as const), process, calls, millis }),
  fc.record({
    _tag: fc.constant("LoseAnswer" as const),
    process,
    writes: fc.integer({ min: 1, max: 8 }),
    isDone: fc.boolean()
  }),
  fc.record({
    _tag: fc.constant("SlowStorage" as const),
    process,
    times: fc.integer({ min: 1, max: 20 }),
    millis: fc.integer({ min: 1, max: 15_000 })
  }),
  fc.record({ _tag: fc.constant("Outage" as const), millis }),
  fc.record({ _tag: fc.constant("LoseNotifications" as const), process, times }),
  fc.record({ _tag: fc.constant("Stop" as const), process }),
  fc.record({
    _tag: fc.constant("Telco" as const),
    fault: fc.constantFrom("refuse", "unavailable", "unreachable", "answer lost", "slow"),
    after: fc.nat(3),
    times
  }),
  fc.record({
    _tag: fc.constant("Receiver" as const),
    fault: fc.constantFrom("error" as const, "busy" as const, "no answer" as const, "slow" as const),
    times
  })
)

/** Where the process of an order dies: at any call, or at one of those for its two packages. */
const underWay = fc.oneof(
  fc.record({ calls: fc.integer({ min: 4, max: 24 }) }),
  fc.record({ calls: fc.integer({ min: 1, max: 4 }), of: fc.constant("telco" as const) })
)

/**
 * A creation of two packages whose process dies under way, while the telco is about to be out of
 * reach: what one attempt ordered is undone by another one, which reached less of it. Of a top-up
 * no release of the SIM finds what is left.
 */
const interrupted = fc
  .record({
    process,
    death: underWay,
    fault: fc.constantFrom("unavailable" as const, "unreachable" as const),
    after: fc.nat(3),
    times,
    downtime: millis,
    keyed: fc.boolean(),
    isTopUp: fc.boolean()
  })
  .map(({ after, death, downtime, fault, isTopUp, keyed, process, times }): ReadonlyArray<Cluster.Step> => {
    const of = { by: 0, plan: 0, period: { start: -13 * HOUR, end: null }, keyed } as const
    const command: Commands.Command = isTopUp
      ? { _tag: "TopUp", ...of, line: 0 }
      : { _tag: "Subscribe", ...of, sim: null, foreign: false }
    return [
      { _tag: "Fault", fault: { _tag: "Die", process, ...death, downtime } },
      { _tag: "Fault", fault: { _tag: "Telco", fault, after, times } },
      { _tag: "Requests", requests: [{ process, command }] },
      { _tag: "Wait", millis: 90_000 }
    ]
  })

const unreachable: Cluster.Step = {
  _tag: "Fault",
  fault: { _tag: "Telco", fault: "unreachable", after: 0, times: 1 }
}

const refused: Cluster.Step = { _tag: "Fault", fault: { _tag: "Telco", fault: "refuse", after: 1, times: 1 } }

/**
 * An order under a key, of one package or two, that comes again and again while the telco fails, by
 * any process, sooner and later than it is undone, perhaps when the telco cannot even be reached
 * any more, or refuses to go on with it just before; one process may die meanwhile.
 */
const repeated = fc
  .record({
    process,
    fault: fc.constantFrom("unavailable" as const, "unreachable" as const, "answer lost" as const),
    after: fc.nat(2),
    times: fc.integer({ min: 1, max: 12 }),
    calls: fc.option(fc.integer({ min: 4, max: 40 })),
    downtime: millis,
    isTopUp: fc.boolean(),
    isTwo: fc.boolean(),
    again: fc.array(
      fc.record({
        process,
        wait: fc.oneof(fc.nat(3_000), fc.nat(30_000)),
        isUnreachable: fc.oneof(
          { weight: 3, arbitrary: fc.constant(false) },
          { weight: 1, arbitrary: fc.constant(true) }
        ),
        isRefused: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
      }),
      { minLength: 1, maxLength: 4 }
    )
  })
  .map(({ after, again, calls, downtime, fault, isTopUp, isTwo, process, times }): ReadonlyArray<Cluster.Step> => {
    const of = { by: 0, plan: 0, period: isTwo ? { start: -13 * HOUR, end: null } : null, keyed: true } as const
    const command: Commands.Command = isTopUp
      ? { _tag: "TopUp", ...of, line: 0 }
      : { _tag: "Subscribe", ...of, sim: null, foreign: false }
    const die: Cluster.Step = { _tag: "Fault", fault: { _tag: "Die", process, calls: calls ?? 0, downtime } }
    return [
      ...(calls === null ? [] : [die]),
      { _tag: "Fault", fault: { _tag: "Telco", fault, after, times } },
      { _tag: "Requests", requests: [{ process, command }] },
      ...again.flatMap(({ isRefused, isUnreachable, process, wait }): ReadonlyArray<Cluster.Step> => {
        const repeat: Cluster.Step = { _tag: "Requests", requests: [{ process, command: { _tag: "Repeat", back: 0 } }] }
        return [
          { _tag: "Wait", millis: wait },
          ...(isRefused ? [refused, repeat] : []),
          ...(isUnreachable || isRefused ? [unreachable] : []),
          repeat
        ]
      })
    ]
  })

/** Work falls due while storage is out of reach, and nothing dies. */
const outage = fc
  .record({ process, after: fc.integer({ min: 3_000, max: 20_000 }), before: fc.nat(10_000), millis })
  .map(({ after, before, millis, process }): ReadonlyArray<Cluster.Step> => {
    const command: Commands.Command = {
      ...{ _tag: "Subscribe", by: 0, plan: 0, sim: null, foreign: false, keyed: false },
      period: { start: 12 * HOUR + after, end: null }
    }
    return [
      { _tag: "Requests", requests: [{ process, command }] },
      { _tag: "Wait", millis: Math.max(0, after - before) },
      { _tag: "Fault", fault: { _tag: "Outage", millis } },
      { _tag: "Wait", millis }
    ]
  })

const naming = fc.oneof(
  { weight: 3, arbitrary: fc.constant("Subscribe" as const) },
  { weight: 2, arbitrary: fc.constant("Repeat" as const) },
  { weight: 2, arbitrary: fc.constant("SetMobilePlan" as const) },
  { weight: 1, arbitrary: fc.constant("Replace" as const) },
  { weight: 2, arbitrary: fc.constant("TopUp" as const) }
)

const asks = fc.array(fc.record({ process, naming }), { minLength: 1, maxLength: 4 })

/**
 * A subscription moves while the telco is out of reach, and top-ups of it come at the same time;
 * what names the SIM that it leaves comes then, also a top-up that failed before the move, again
 * under its key. Some of it the telco refuses, and a process may die meanwhile.
 */
const moved = fc
  .record({
    process,
    fault: fc.constantFrom("unavailable" as const, "unreachable" as const, "answer lost" as const),
    times: fc.integer({ min: 1, max: 20 }),
    isToppedUp: fc.boolean(),
    wait: fc.nat(20_000),
    beside: asks,
    later: asks,
    isRefused: fc.boolean(),
    calls: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.integer({ min: 4, max: 40 }) }
    ),
    downtime: millis
  })
  .map((drawn): ReadonlyArray<Cluster.Step> => {
    const { beside, calls, downtime, fault, isRefused, isToppedUp, later, process, times, wait } = drawn
    const of = { by: 0, plan: 0, period: null } as const
    const replace: Commands.Command = { _tag: "Replace", by: 0, line: 0, foreign: false }
    const topUp: Commands.Command = { _tag: "TopUp", ...of, line: 0, keyed: false }
    const commands = {
      Subscribe: { _tag: "Subscribe", ...of, sim: null, left: 0, foreign: false, keyed: false },
      Repeat: { _tag: "Repeat", back: 0 },
      SetMobilePlan: {
        ...{ _tag: "SetMobilePlan", by: 0, sim: null, left: 0, label: "Green", apply: true, foreign: false }
      },
      Replace: replace,
      TopUp: topUp
    } as const satisfies { readonly [Tag in (typeof beside)[number]["naming"]]: Commands.Command }
    const asked = (all: typeof beside) => all.map(({ naming, process }) => ({ process, command: commands[naming] }))
    const die: Cluster.Step = { _tag: "Fault", fault: { _tag: "Die", process, calls: calls ?? 0, downtime } }
    const order = { ...commands.Subscribe, left: null }
    return [
      { _tag: "Requests", requests: [{ process, command: order }] },
      ...(calls === null ? [] : [die]),
      { _tag: "Fault", fault: { _tag: "Telco", fault, after: 0, times } },
      ...(isToppedUp
        ? [
            { _tag: "Requests", requests: [{ process, command: { ...topUp, keyed: true } }] } as const,
            { _tag: "Wait", millis: wait } as const
          ]
        : []),
      { _tag: "Requests", requests: [{ process, command: replace }, ...asked(beside)] },
      ...(isRefused ? [{ _tag: "Fault", fault: { _tag: "Telco", fault: "refuse", after: 0, times: 1 } } as const] : []),
      ...later.map((one): Cluster.Step => ({ _tag: "Requests", requests: asked([one]) })),
      { _tag: "Wait", millis: wait }
    ]
  })

const steps: fc.Arbitrary<ReadonlyArray<Cluster.Step>> = fc.oneof(
  { weight: 10, arbitrary: requests.map((one) => [one]) },
  { weight: 4, arbitrary: wait.map((one) => [one]) },
  { weight: 8, arbitrary: fault.map((of): ReadonlyArray<Cluster.Step> => [{ _tag: "Fault", fault: of }]) },
  { weight: 1, arbitrary: interrupted },
  { weight: 1, arbitrary: repeated },
  { weight: 1, arbitrary: outage }
)

const clock = fc.oneof(fc.constant(0), fc.integer({ min: -30_000, max: 30_000 }))

/** From 4 slots on some are left for other organizations (rule W13). */
const MANY_SLOTS = 8

/** A plan to begin with, then anything. */
export const plans: fc.Arbitrary<Cluster.Plan> = fc
  .record({
    seed: fc.nat(),
    clocks: fc.array(clock, { minLength: 1, maxLength: 3 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
    steps: fc
      .tuple(createPlan(fc.constant(0)), fc.array(steps, { maxLength: 12, size: "max" }))
      .map(
        ([command, steps]): ReadonlyArray<Cluster.Step> => [
          { _tag: "Requests", requests: [{ process: 0, command }] },
          ...steps.flat()
        ]
      ),
    // Drawn last, so that the other plans are the same as without it.
    hasManySlots: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    moves: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(moved, { minLength: 1, maxLength: 2 }) }
    )
  })
  .map(({ hasManySlots, moves, ...plan }) => ({
    ...plan,
    steps: [...plan.steps, ...moves.flat()],
    ...(hasManySlots && { concurrency: MANY_SLOTS })
  }))
