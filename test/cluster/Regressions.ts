/**
 * Plans that once ended in a complaint, as short as they could be made.
 */
import type { Cluster, Commands } from "simplan/testing"

type Of<Tag extends Commands.Command["_tag"]> = Extract<Commands.Command, { readonly _tag: Tag }>

type Recurrence = Of<"CreatePlan">["terms"]["recurrence"]

const daily: Recurrence = { periodicity: "Daily", frequency: 1, occurrences: 3 }

/** Requests that are made at once, each of one of the processes. */
const requests = (...all: ReadonlyArray<readonly [process: number, command: Commands.Command]>): Cluster.Step => ({
  _tag: "Requests",
  requests: all.map(([process, command]) => ({ process, command }))
})

const fault = (fault: Cluster.Fault): Cluster.Step => ({ _tag: "Fault", fault })

/** A plan of a day, which recurs or not. */
const plan = (recurrence: Recurrence): Commands.Command => ({
  _tag: "CreatePlan",
  by: 0,
  label: "Green",
  coverage: 0,
  terms: { name: "plan", dataMegaBytes: 1, periodDays: 1, throttling: [], recurrence },
  flaw: null
})

/** The first step of every plan. */
const createPlan = (recurrence: Recurrence): Cluster.Step => requests([0, plan(recurrence)])

/** An order without a SIM. */
const order = (changes: Partial<Of<"Subscribe">>): Commands.Command => ({
  ...{ _tag: "Subscribe", by: 0, plan: 0, sim: null, foreign: false, period: null, keyed: false },
  ...changes
})

const again: Commands.Command = { _tag: "Repeat", back: 0 }

const mobilePlan = (apply: boolean): Commands.Command => ({
  ...{ _tag: "SetMobilePlan", by: 0, sim: null, label: "Green", apply, foreign: false }
})

const report = (of: Commands.Side, line: number, fact: Of<"Report">["reports"][number]["fact"]): Commands.Command => ({
  ...{ _tag: "Report", of, line, reports: [{ after: 0, again: null, fact }] }
})

/** A report dated what it notified before the creation that it waited for. */
const reportDuringCreation: Cluster.Plan = {
  seed: 1576716692,
  clocks: [9653],
  concurrency: 1,
  steps: [
    createPlan(daily),
    { _tag: "Wait", millis: 3192 },
    fault({ _tag: "Stop", process: 0 }),
    requests([1, order({ keyed: true })], [2, mobilePlan(true)]),
    requests(
      [2, { _tag: "Delete", by: 1, line: 0, foreign: false }],
      [1, order({ plan: 1, keyed: true })],
      [0, again],
      [0, order({ plan: 2 })],
      [3, mobilePlan(true)]
    ),
    requests(
      [3, order({ plan: 1, keyed: true })],
      [2, mobilePlan(true)],
      [0, order({ period: { start: 43209722, end: null } })],
      [1, report(0, 0, { _tag: "FirstUse", package: null })]
    )
  ]
}

/**
 * Jobs of one organization were all done before those of another, within the second after the
 * engine had listed who has work. The probe now sees to it that organizations were listed just
 * before, and gives the engine that second.
 */
const listedJustBefore: Cluster.Plan = {
  seed: 410344509,
  clocks: [-21097, 0],
  concurrency: 1,
  steps: [createPlan(null)]
}

/**
 * The undo of a top-up forgot a package: its process died after both were made, and the next
 * attempt found the telco unavailable at the first one. (Where a SIM is released, its telco's list
 * shows such a package too.)
 */
const interruptedTopUp: Cluster.Plan = {
  seed: 956665664,
  clocks: [0],
  concurrency: 2,
  steps: [
    createPlan(daily),
    requests([0, order({})]),
    fault({ _tag: "Die", process: 0, calls: 4, of: "telco", downtime: 1_000 }),
    fault({ _tag: "Telco", fault: "unavailable", after: 2, times: 1 }),
    requests([0, { _tag: "TopUp", by: 0, plan: 0, line: 0, period: { start: -46_800_000, end: null }, keyed: false }]),
    { _tag: "Wait", millis: 90_000 }
  ]
}

/**
 * The ledger took a request that goes on with its interrupted creation for another try of the job,
 * under no lease.
 */
const goingOn: Cluster.Plan = {
  seed: 1,
  clocks: [0],
  concurrency: 1,
  steps: [
    createPlan(null),
    fault({ _tag: "Telco", fault: "answer lost", after: 0, times: 1 }),
    requests([0, order({ keyed: true })]),
    requests([0, again])
  ]
}

/** Of two requests under one key for the last eSIM the other one was refused for want of one. */
const lastSimTwice: Cluster.Plan = {
  seed: 0,
  clocks: [0, -12],
  concurrency: 1,
  steps: [
    createPlan(null),
    ...[1, 2, 3, 4, 5].map(() => requests([0, order({})])),
    requests([0, order({ keyed: true })], [1, again], [0, again])
  ]
}

/**
 * A process that was frozen during a claim took it for a slow one, and searched leases that had
 * ended no more for 20 times as long.
 */
const frozenClaim: Cluster.Plan = {
  seed: 816293610,
  clocks: [0],
  concurrency: 2,
  steps: [
    createPlan(null),
    fault({ _tag: "Freeze", process: 0, calls: 34, millis: 55_954 }),
    { _tag: "Wait", millis: 3_655 },
    requests(
      [0, report(1, 2, { _tag: "Location", countryAlpha2: "DE", rat: "4G" })],
      [0, mobilePlan(false)],
      [0, order({ keyed: true })],
      [0, again]
    )
  ]
}

/**
 * A probe of a telco that was out was pulled forward by an answer to another process, and failed:
 * nothing was tried any more until the jobs' own pauses were over.
 */
const probePulledForward: Cluster.Plan = {
  seed: 393583447,
  clocks: [0, 0, 0],
  concurrency: 3,
  steps: [createPlan(daily)]
}

/** So it was within one process that does two jobs at once. */
const probePulledForwardAtOnce: Cluster.Plan = {
  seed: 17,
  clocks: [0],
  concurrency: 2,
  steps: [
    createPlan(null),
    fault({ _tag: "LoseNotifications", process: 1, times: 1 }),
    requests([1, { _tag: "SendSms", by: 0, line: 2, foreign: false, keyed: false }], [1, { _tag: "Repeat", back: 1 }]),
    fault({ _tag: "SlowStorage", process: 1, times: 11, millis: 6 }),
    fault({ _tag: "Receiver", fault: "no answer", times: 3 }),
    requests(
      [3, order({ plan: 1 })],
      [1, plan(daily)],
      [1, { _tag: "Suspend", by: 1, line: 2, attachment: 2, foreign: false }]
    )
  ]
}

/** The receiver asks for a pause that is longer than the first waits of the schedule (rule W7). */
const busyReceiver: Cluster.Plan = {
  seed: 19,
  clocks: [0, 0],
  concurrency: 2,
  steps: [
    createPlan(null),
    fault({ _tag: "Receiver", fault: "busy", times: 3 }),
    requests([0, order({ plan: 0 })], [1, order({ plan: 0 })])
  ]
}

/**
 * So many slots that some are left for an organization that has none yet, which few plans at random
 * have.
 */
const manySlots: Cluster.Plan = { seed: 18, clocks: [0], concurrency: 8, steps: [createPlan(null)] }

/**
 * A deletion and a report about the SIM at once: one of them has to see what the other has written.
 */
const deletedDuringReport: Cluster.Plan = {
  seed: 0,
  clocks: [0],
  concurrency: 1,
  steps: [
    createPlan(null),
    requests([0, order({})]),
    requests(
      [0, { _tag: "Delete", by: 0, line: 0, foreign: false }],
      [0, report(0, 0, { _tag: "Total", package: null, amount: { percent: 0, beside: 0 } })],
      [0, mobilePlan(false)]
    )
  ]
}

/**
 * A subscription moves while the telco cannot be reached, with a top-up at the same time, and its
 * SIM is named then.
 */
const namedAfterMove = (seed: number): Cluster.Plan => ({
  seed,
  clocks: [0, 0],
  concurrency: 2,
  steps: [
    createPlan(null),
    requests([0, order({})]),
    fault({ _tag: "Telco", fault: "unreachable", after: 0, times: 12 }),
    requests(
      [0, { _tag: "Replace", by: 0, line: 0, foreign: false }],
      [1, { _tag: "TopUp", by: 0, plan: 0, line: 0, period: null, keyed: false }]
    ),
    requests([1, order({ left: 0 })]),
    { _tag: "Wait", millis: 90_000 }
  ]
})

/**
 * The telco refuses the second package of an order under a key; the order began anew before the
 * first one was undone.
 */
const refusedInPart: Cluster.Plan = {
  seed: 97511956,
  clocks: [22964, 0],
  concurrency: 2,
  steps: [
    createPlan(daily),
    fault({ _tag: "Telco", fault: "refuse", after: 1, times: 1 }),
    requests([0, order({ period: { start: -46_800_000, end: null }, keyed: true })]),
    fault({ _tag: "Telco", fault: "unreachable", after: 0, times: 2 }),
    requests([1, again]),
    requests([1, again])
  ]
}

export const regressions: ReadonlyArray<[Cluster.Plan]> = [
  [reportDuringCreation],
  [listedJustBefore],
  [interruptedTopUp],
  [goingOn],
  [lastSimTwice],
  [frozenClaim],
  [probePulledForward],
  [probePulledForwardAtOnce],
  [manySlots],
  [busyReceiver],
  [deletedDuringReport],
  [refusedInPart],
  // With the seeds above, the processes of these two no longer meet as they did.
  [{ ...lastSimTwice, seed: 1_002 }],
  [{ ...deletedDuringReport, seed: 1_003 }],
  [namedAfterMove(1)]
]
