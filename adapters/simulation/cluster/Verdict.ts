/**
 * Plays a plan, and tells what did not hold: what the ledger complains of, what the processes do not serve promptly once
 * all faults are over, and the invariants of every history.
 */
import { Clock, Effect } from "effect"
import { Time } from "simplan"
import { type Commands, History, Invariants } from "../../../src/testing/index.ts"
import * as Cluster from "./Cluster.ts"
import { isDisruptive, type Plan } from "./Plan.ts"

export interface Verdict {
  readonly complaints: ReadonlyArray<string>
  readonly history: History.History
  /** How often the scheduler chose between fibers. */
  readonly choices: number
  readonly processes: number
  readonly requests: number
  /** How often each fault struck. */
  readonly struck: ReadonlyMap<string, number>
}

/** How late work may be that nothing holds up, in milliseconds. */
const PROMPT = 2_000

/** How long work may be put off: until a telco or a receiver is called again, with some to spare. */
const PUT_OFF = 2 * Time.HOUR

const nextDue = (world: Cluster.World) => Effect.orDie(History.nextDue(world.simulated))

/** Waits until nothing is due for a while; whether that came about. */
const settle = Effect.fnUntraced(function* (world: Cluster.World) {
  const until = (yield* Clock.currentTimeMillis) + PUT_OFF
  for (;;) {
    const now = yield* Clock.currentTimeMillis
    const due = yield* nextDue(world)
    if (due === null || due > until) return world.unanswered() === 0
    if (now > until) return false
    yield* Effect.sleep(due > now ? due - now + 1 : 5_000)
  }
})

const location = (countryAlpha2: string, of: 0 | 1 = 0, line = 0): Commands.Command => ({
  _tag: "Report",
  of,
  line,
  reports: [{ after: 0, again: null, fact: { _tag: "Location", countryAlpha2, rat: "4G" } }]
})

const subscribe: Commands.Command = {
  _tag: "Subscribe",
  by: 0,
  plan: 0,
  sim: null,
  foreign: false,
  period: null,
  keyed: false
}

const topUp = (start: number, plan: number): Commands.Command => ({
  _tag: "TopUp",
  by: 0,
  plan,
  line: 0,
  period: { start, end: null },
  keyed: false
})

const daily: Commands.Command = {
  _tag: "CreatePlan",
  by: 0,
  label: "Green",
  coverage: 0,
  terms: {
    name: "daily",
    dataMegaBytes: 100,
    periodDays: 1,
    throttling: [],
    recurrence: { periodicity: "Daily", frequency: 1, occurrences: 3 }
  },
  flaw: null
}

const LEAD = 12 * Time.HOUR

/** How many events the receiver that does not answer is to be told of. */
const FLOOD = 40

const plansOf = (world: Cluster.World): number =>
  world.answered.filter(
    ({ asked, outcome }) =>
      asked._tag === "CreatePlan" &&
      outcome._tag === "Answered" &&
      asked.organizationId === world.simulated.organizationIds[0]
  ).length

/** What each process has to do promptly, and once, when nothing goes wrong. */
const probe = Effect.fnUntraced(function* (world: Cluster.World) {
  const { plan, simulated } = world
  const complaints: Array<string> = []
  const [organizationId, other] = simulated.organizationIds
  const count = plan.clocks.length
  const [calls, records] = [simulated.telcoCalls(0).length, simulated.telcoRecords(0).length]
  const sent = world.sent.length
  const began = yield* Clock.currentTimeMillis
  for (let process = 0; process < count; process++) {
    yield* world.ask([{ process, command: location(process % 2 === 0 ? "JP" : "FR") }], PROMPT)
  }
  yield* world.ask([{ process: 0, command: daily }], PROMPT)
  const period = LEAD + 3_000
  yield* world.ask([{ process: count - 1, command: topUp(period, plansOf(world) - 1) }], PROMPT)
  // The other organization's receiver does not answer, and has much to be told.
  world.setReceiver("slow", 1_000, other)
  const flood = Array.from({ length: FLOOD }, (_, index) => ({
    process: index % count,
    command: location(index % 2 === 0 ? "DE" : "FR", 1, index % 7)
  }))
  yield* world.ask(flood, PROMPT)
  for (let process = 0; process < count; process++) {
    yield* world.ask([{ process, command: location(process % 2 === 0 ? "DE" : "JP") }], PROMPT)
  }
  yield* Effect.sleep(PROMPT)
  if (world.unanswered() > 0) complaints.push(`${world.unanswered()} requests are not answered promptly`)
  const logged = yield* Effect.orDie(simulated.storage.deliveries.page({ organizationId, after: null, limit: 50 }))
  for (const { delivery, event } of logged) {
    if (event.createdAt < began) continue
    const times = world.sent.slice(sent).filter((one) => one.eventId === event.eventId)
    const first = times[0]
    if (first === undefined || first.at - event.createdAt > PROMPT)
      complaints.push(`${event.eventId} was not sent promptly`)
    if (times.length > 1) complaints.push(`${event.eventId} was sent ${times.length} times`)
    if (first !== undefined && delivery.status !== "Delivered")
      complaints.push(`${event.eventId} is still ${delivery.status}`)
  }
  world.setReceiver("slow", 0, null)
  yield* Effect.sleep(40 * 14_000)
  const windows = new Map(
    simulated
      .telcoRecords(records)
      .flatMap((one) => (one.kind === "package" && one.window !== null ? [[one.key, one.window]] : []))
  )
  const keys = new Set<string>()
  for (const { at, key, kind } of simulated.telcoCalls(calls)) {
    if (keys.has(`${kind} ${key}`)) complaints.push(`the telco was asked twice for ${kind} ${key}`)
    keys.add(`${kind} ${key}`)
    const window = windows.get(key)
    if (
      kind === "createPackage" &&
      window !== undefined &&
      window.start - LEAD > began &&
      at - (window.start - LEAD) > PROMPT
    ) {
      complaints.push(`${key} was ordered ${at - (window.start - LEAD)} ms late`)
    }
  }
  return complaints
})

/** Once requests are over, no SIM stays reserved: each free one can be had. */
const reserved = Effect.fnUntraced(function* (world: Cluster.World) {
  const { iccids, organizationIds, storage } = world.simulated
  const [organizationId] = organizationIds
  yield* world.ask(
    Array.from({ length: 3 }, (_, index) => ({ process: index, command: subscribe })),
    PROMPT
  )
  yield* Effect.sleep(1_000)
  const sims = yield* Effect.orDie(
    storage.sims.page({
      organizationId,
      isEsim: true,
      label: "Green",
      after: null,
      limit: iccids(organizationId).length
    })
  )
  const free = sims.filter(({ allocation, downloaded }) => allocation._tag === "Free" && !downloaded).length
  const machineNow = yield* Clock.currentTimeMillis
  const claim = { organizationId, label: "Green", purpose: "subscription", count: 100, token: "the verdict" } as const
  const had = yield* Effect.orDie(storage.sims.reserve({ ...claim, machineNow, until: machineNow + 1 }))
  return had.sims.length === free ? [] : [`of ${free} free SIMs ${had.sims.length} can be had`]
})

/** A telco that does not answer is given up, and what is done is renewed no more. */
const givenUp = Effect.fnUntraced(function* (world: Cluster.World) {
  yield* world.perform({ _tag: "Fault", fault: { _tag: "Telco", fault: "slow", times: 1 } })
  const command = { _tag: "SendSms", by: 0, line: 0, foreign: false, keyed: false } as const
  yield* world.ask([{ process: 0, command }], Cluster.limits.telcoTimeoutMillis + PROMPT)
  const complaints = world.unanswered() === 0 ? [] : ["a telco that does not answer is waited for"]
  const renewals = world.ledger.renewals()
  yield* Effect.sleep(2 * Cluster.limits.leaseMillis)
  return world.ledger.renewals() === renewals ? complaints : [...complaints, "leases of work that is done are renewed"]
})

/** A process that stops hands back what it has not done. */
const stopped = Effect.fnUntraced(function* (world: Cluster.World) {
  const { jobs } = world.simulated
  const process = world.plan.clocks.length - 1
  yield* world.perform({ _tag: "Fault", fault: { _tag: "Telco", fault: "slow", times: 1 } })
  const command = { _tag: "SendSms", by: 0, line: 0, foreign: false, keyed: false } as const
  yield* Effect.forkChild(world.ask([{ process, command }], 10_000))
  yield* Effect.sleep(500)
  yield* world.stop(process)
  const machineNow = yield* Clock.currentTimeMillis
  const { held } = yield* Effect.orDie(jobs.pending({ now: machineNow, machineNow }))
  return held === 0 ? [] : ["a process that has stopped still holds a job"]
})

/** Those that hold of requests in the order of their answers, with all that there is in the end. */
const applicable: ReadonlySet<Invariants.Invariant> = new Set([
  Invariants.nothingBreaks,
  Invariants.statesFollow,
  Invariants.packagesAreThoseDue,
  Invariants.occurrencesAreThereOnce,
  Invariants.nothingIsEarly,
  Invariants.nothingIsOrderedLate,
  Invariants.termsStay,
  Invariants.thresholdsFireOnce,
  Invariants.webhooksArrive,
  Invariants.lifecycleIsComplete,
  Invariants.simsAreInOnePlace,
  Invariants.nothingCrossesOrganizations,
  Invariants.booksAreEqual,
  Invariants.nothingIsUnderWay,
  Invariants.packagesAreAsOrdered,
  Invariants.creationsStay,
  Invariants.repetitionsAreToldTheSame,
  Invariants.messagesAreSentOnce,
  Invariants.refusalsLeaveNothing,
  Invariants.plansAreAsAskedFor
])

/** Whether it stays open what became of a request: its storage failed, or its process was stopped or lost its lease. */
const isOpen = (outcome: Commands.Outcome, mayFail: boolean): boolean =>
  outcome._tag === "Broken" &&
  (outcome.message.includes("All fibers interrupted") || (mayFail && outcome.message.includes("StorageError")))

const nothingChanged: History.Changes = {
  lines: [],
  told: [],
  events: [],
  records: [],
  calls: [],
  webhooks: [],
  mishaps: []
}

const historyOf = (
  world: Cluster.World,
  changes: History.Changes,
  ended: Time.Instant,
  due: Time.Instant | null
): History.History => {
  const { plan, simulated } = world
  const mayRepeat = plan.steps.some((step) => step._tag === "Fault" && isDisruptive(step.fault))
  const steps = world.answered.map(
    ({ asked, command, began, outcome }): History.Step => ({
      command,
      asked,
      outcome: isOpen(outcome, mayRepeat) ? { _tag: "Killed" } : outcome,
      began,
      ended,
      nextDue: due,
      changes: nothingChanged
    })
  )
  const deleted = new Set(
    steps.flatMap(({ asked, outcome }) => (asked._tag === "Delete" && outcome._tag !== "Refused" ? [asked.iccid] : []))
  )
  const repeated = new Set(steps.flatMap(({ asked }) => (asked._tag === "Repeat" ? [asked.request.key] : [])))
  // What was deleted is not there in the end, whenever that was; and a request that is made twice at once may be refused
  // and taken.
  const isSetAside = ({ asked, outcome }: History.Step): boolean =>
    (outcome._tag === "Answered" &&
      outcome.answer.kind === "Created" &&
      deleted.has(outcome.answer.created.sim.iccid)) ||
    (outcome._tag === "Refused" && asked._tag === "Subscribe" && repeated.has(asked.key))
  const kept = steps.map((step) => (isSetAside(step) ? { ...step, asked: { _tag: "Nothing" } as const } : step))
  const step = { began: ended, ended, nextDue: due, changes: nothingChanged }
  const all: History.Step = {
    ...step,
    command: { _tag: "Quiet" },
    asked: { _tag: "Nothing" },
    outcome: mayRepeat ? { _tag: "Killed" } : { _tag: "Answered", answer: { kind: "Done" } },
    // Storage that fails and leases that are lost are logged where faults are planned.
    changes: {
      ...changes,
      mishaps: changes.mishaps.filter((message) => !mayRepeat || !message.includes("StorageError"))
    }
  }
  const quiet: History.Step = {
    ...step,
    command: { _tag: "Quiet" },
    asked: { _tag: "Quiet" },
    outcome: { _tag: "Answered", answer: { kind: "Done" } }
  }
  const [first, second] = simulated.organizationIds
  return {
    seed: plan.seed,
    start: simulated.start,
    inventories: [
      { organizationId: first, iccids: simulated.iccids(first) },
      { organizationId: second, iccids: simulated.iccids(second) }
    ],
    before: nothingChanged,
    steps: [all, ...kept, quiet]
  }
}

/** Longer than any run takes, by virtual time. */
const ENDLESS = 9 * Time.DAY

/** Plays the plan. A run that does not end is a defect. */
export const of = (plan: Plan, around?: Parameters<typeof Cluster.run>[2]): Effect.Effect<Verdict> =>
  Cluster.run(plan, (world) => Effect.orDie(Effect.timeout(play(world), ENDLESS)), around)

const play = Effect.fnUntraced(function* (world: Cluster.World): Effect.fn.Return<Verdict> {
  const { plan } = world

  const complaints: Array<string> = []
  for (const step of plan.steps) yield* world.perform(step)
  yield* world.heal
  if (!(yield* settle(world))) complaints.push("not all work is done, or not every request answered")
  complaints.push(...(yield* probe(world)))
  complaints.push(...(yield* givenUp(world)))
  complaints.push(...(yield* stopped(world)))
  yield* Effect.sleep(Cluster.MOST)
  if (!(yield* settle(world))) complaints.push("in the end not all work is done, or not every request answered")
  const changes = yield* Effect.orDie(History.look(world.simulated))
  const ended = yield* Clock.currentTimeMillis
  const history = historyOf(world, changes, ended, yield* nextDue(world))
  complaints.push(...(yield* reserved(world)))
  const violations = Invariants.check(history, [...applicable])
  return {
    complaints: [
      ...world.ledger.complaints,
      ...complaints,
      ...violations.map(({ invariant, message }) => `${invariant}: ${message}`)
    ],
    history,
    choices: world.choices(),
    processes: world.processes(),
    requests: world.answered.length,
    struck: world.struck
  }
})
