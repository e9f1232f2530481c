/**
 * Several processes of the production engine on one storage, under a seeded scheduler and faults:
 * plays a plan, and reports what did not hold. That is what the ledger complains of, what the
 * processes do not serve promptly once all faults are over, and the invariants of every history.
 */
import { Clock, Effect } from "effect"
import { Time } from "simplan"
import { type Commands, History, Invariants } from "../../../src/testing/index.ts"
import * as World from "./World.ts"
import * as Promptness from "./Promptness.ts"
import * as Recovery from "./Recovery.ts"
import { isDisruptive, type Plan } from "./Plan.ts"

export type { Fault, Plan, Step } from "./Plan.ts"
export { limits, run, type World } from "./World.ts"

/** What playing a plan has shown. */
export interface Verdict {
  /** One sentence each for what did not hold; empty: all held. */
  readonly complaints: ReadonlyArray<string>
  /**
   * What the invariants checked: one step with all changes, the requests in the order of their
   * answers, and a last quiet one.
   */
  readonly history: History.History
  /** How often the scheduler chose between fibers. */
  readonly choices: number
  /** How many processes were started, replacements of dead ones included. */
  readonly processes: number
  /** How many requests were answered, those of the final probes included. */
  readonly requests: number
  /** How often each fault struck. */
  readonly struck: ReadonlyMap<string, number>
}

/**
 * How long work may be put off: until a telco or a receiver is called again, with some to spare.
 */
const PUT_OFF = 2 * Time.HOUR

const nextDue = (world: World.World) => Effect.orDie(History.nextDue(world.simulated))

/** Waits until nothing is due for a while; whether that came about. */
const settle = Effect.fnUntraced(function* (world: World.World) {
  const until = (yield* Clock.currentTimeMillis) + PUT_OFF
  for (;;) {
    const now = yield* Clock.currentTimeMillis
    const due = yield* nextDue(world)
    if (due === null || due > until) return world.unanswered() === 0
    if (now > until) return false
    yield* Effect.sleep(due > now ? due - now + 1 : 5_000)
  }
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
  Invariants.daysSumToWhatIsUsed,
  Invariants.organizationsUseWhatTheirSimsUse,
  Invariants.thresholdsFireOnce,
  Invariants.webhooksArrive,
  Invariants.lifecycleIsComplete,
  Invariants.lifecycleIsNotifiedToTheEnd,
  Invariants.packageAlertsFireOnce,
  Invariants.lowStockIsNotified,
  Invariants.simsAreInOnePlace,
  Invariants.leftSimsStay,
  Invariants.stockIsCounted,
  Invariants.nothingCrossesOrganizations,
  Invariants.booksAreEqual,
  Invariants.nothingIsUnderWay,
  Invariants.packagesAreAsOrdered,
  Invariants.creationsStayWhereverTheyMove,
  Invariants.repetitionsAreAnsweredTheSame,
  Invariants.messagesAreSentOnce,
  Invariants.refusalsLeaveNothing,
  Invariants.plansAreAsAskedFor
])

/**
 * Whether it stays open what became of a request: its storage failed, or its process was stopped or
 * lost its lease.
 */
const isOpen = (outcome: Commands.Outcome, mayFail: boolean): boolean =>
  outcome._tag === "Broken" &&
  (outcome.message.includes("All fibers interrupted") || (mayFail && outcome.message.includes("StorageError")))

const nothingChanged: History.Changes = {
  lines: [],
  usage: [],
  stock: [],
  views: [],
  events: [],
  records: [],
  calls: [],
  webhooks: [],
  mishaps: []
}

const historyOf = (
  world: World.World,
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
  // What was deleted is not there in the end, whenever that was; and a request that is made twice
  // at once may be refused and taken.
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
    // Storage that fails and leases that are lost are logged if faults are planned.
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

/** In this order: those after `served` find SIMs in service. A plan has half of the long ones. */
const probesOf = ({ seed }: Plan) => [
  Recovery.reservations,
  Promptness.served,
  ...(seed % 2 === 0
    ? [Promptness.burst, Promptness.takeOver, Promptness.putBack]
    : [Promptness.atOnce, Promptness.streamed]),
  Promptness.turns,
  Promptness.loud,
  Promptness.outlasting,
  Recovery.abandoned,
  Recovery.cancelled,
  Recovery.repeated,
  Promptness.putOff,
  ...(seed % 2 === 0
    ? [Recovery.reordered, Recovery.forgotten, Recovery.eachKind]
    : [Recovery.recovered, Recovery.restocked]),
  Promptness.givenUp,
  Promptness.afterOutage,
  Promptness.stalled,
  Promptness.stopped
]

/** Longer than any run takes, by virtual time. */
const ENDLESS = 9 * Time.DAY

/** Plays the plan. A run that does not end is a defect. */
export const verdict = (plan: Plan, around?: Parameters<typeof World.run>[2]): Effect.Effect<Verdict> =>
  World.run(plan, (world) => Effect.orDie(Effect.timeout(play(world), ENDLESS)), around)

const play = Effect.fnUntraced(function* (world: World.World): Effect.fn.Return<Verdict> {
  const { plan } = world

  const complaints: Array<string> = []
  for (const step of plan.steps) yield* world.perform(step)
  yield* world.heal
  if (!(yield* settle(world))) complaints.push("not all work is done, or not every request answered")
  for (const probe of probesOf(plan)) complaints.push(...(yield* probe(world)))
  yield* Effect.sleep(World.MOST)
  if (!(yield* settle(world))) complaints.push("in the end not all work is done, or not every request answered")
  const changes = yield* Effect.orDie(History.observe(world.simulated))
  const ended = yield* Clock.currentTimeMillis
  const history = historyOf(world, changes, ended, yield* nextDue(world))
  complaints.push(...(yield* Promptness.reserved(world)))
  // Events have the order of their times. A process whose clock is behind suspends an attachment,
  // by its own clock, before the instant at which another process has notified it, and no process
  // knows the others' clocks. So with clocks apart the order cannot hold, and only that each thing
  // is notified once is checked, by `lifecycleIsComplete`.
  const ordered = plan.clocks.length === 1 ? [Invariants.lifecycleIsInOrderByMillisecond] : []
  const violations = Invariants.check(history, [...applicable, ...ordered])
  return {
    complaints: [
      ...world.ledger.complaints,
      ...world.complaints,
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
