/**
 * Probes of who has what: SIMs that somebody has reserved, jobs whose request is gone or that a
 * stranger asks for, requests and orders that are made again, and work that waits until the telco
 * answers again. Each reports what did not hold.
 */
import { Clock, Effect, Fiber } from "effect"
import { Messages, Worker } from "simplan"
import type * as World from "./World.ts"
import * as Requests from "./Requests.ts"
import { PROMPT } from "./Requests.ts"
import type { Commands } from "../../../src/testing/index.ts"

/** How many requests are made at once, and how many times while SIMs are reserved ahead. */
const AT_ONCE = 4
const WAVES = 3

/**
 * For how long a request is seen to wait: half as long as the other process has its reservations,
 * in milliseconds.
 */
const KEPT = 1_000

/**
 * Requests at once get a SIM each while there is one, also of those that were reserved ahead, and
 * wait while all are reserved for somebody else.
 */
export const reservations = Effect.fnUntraced(function* (world: World.World) {
  const { iccids, organizationIds, storage } = world.simulated
  const complaints: Array<string> = []
  const [, organizationId] = organizationIds
  const label = "Green"
  const count = iccids(organizationId).length
  yield* world.ask([{ process: 0, command: Requests.daily(1, 1) }], PROMPT)
  const sims = yield* Effect.orDie(
    storage.sims.page({ organizationId, isEsim: true, label, after: null, limit: count })
  )
  const free = sims.filter(({ allocation, downloaded }) => allocation._tag === "Free" && !downloaded).length
  const created = (from: number) =>
    world.answered.slice(from).filter(({ outcome }) => outcome._tag === "Answered" && outcome.answer.kind === "Created")
      .length
  const [first, conflicts] = [world.answered.length, world.ledger.conflicts()]
  const wave = Array.from({ length: AT_ONCE }, () => ({ process: 0, command: Requests.subscribe(1) }))
  for (let waves = 0; waves < WAVES; waves++) yield* Effect.forkChild(world.ask(wave, PROMPT))
  yield* Effect.sleep(2 * PROMPT)
  const asked = WAVES * AT_ONCE
  if (created(first) < Math.min(free, asked)) {
    complaints.push(`${created(first)} of ${asked} requests at once got one of ${free} free SIMs`)
  }
  const again = world.ledger.conflicts() - conflicts
  if (again > 0) complaints.push(`${again} times a request got a SIM that another one had got`)

  const machineNow = yield* Clock.currentTimeMillis
  const reserved = yield* Effect.orDie(
    storage.sims.reserve({
      ...{ organizationId, label, purpose: "subscription", load: null, count, token: "another process" },
      ...{ machineNow, until: machineNow + 2 * KEPT }
    })
  )
  if (reserved.sims.length === 0) return complaints
  const strange = reserved.sims.map(({ iccid }) => ({ iccid, token: "a stranger" }))
  yield* Effect.orDie(storage.sims.release({ organizationId, reservations: strange }))
  const second = world.answered.length
  yield* world.ask([{ process: 0, command: Requests.subscribe(1) }], KEPT)
  if (world.answered.length > second) complaints.push("a request did not wait for the SIMs that were reserved")
  yield* Effect.sleep(PROMPT)
  if (created(second) === 0) complaints.push("a request did not get the SIM that it waited for")
  return complaints
})

/** How long the call takes, and after what time its request is gone; in milliseconds. */
const CALL = 3_000
const GONE = 1_000

/**
 * The job of a request that is gone is done once, and waited for by all processes. Whoever has not
 * its lease can neither renew it, nor hand it back, nor end it.
 */
export const abandoned = Effect.fnUntraced(function* (world: World.World) {
  const { ledger, plan, simulated } = world
  const { jobs, organizationIds, storage } = simulated
  const [organizationId] = organizationIds
  const [line] = yield* Effect.orDie(storage.subscriptions.page({ organizationId, after: null, limit: 1 }))
  if (line === undefined) return []
  const calls = simulated.telcoCalls(0).length
  const others = new Set(ledger.heldJobs().map(({ jobId }) => jobId))
  const own = () => ledger.heldJobs().filter(({ jobId }) => !others.has(jobId))
  yield* world.setTelco([{ fault: "slow", on: "sendSms", times: 1, delay: CALL }])
  const { iccid } = line.sim
  const send = Messages.Messages.use((of) =>
    of.send({ organizationId, iccid, from: "simplan", text: "from one who goes away" })
  )
  const request = yield* Effect.forkChild(world.useIn(0, Effect.ignore(send)))
  yield* Effect.sleep(GONE)
  const strange = own().map((one) => ({ ...one, token: "a stranger" }))
  yield* Effect.orDie(jobs.renew({ leases: strange, until: yield* Clock.currentTimeMillis }))
  yield* Effect.orDie(jobs.handBack(strange))
  const ended = yield* Effect.filter(strange, (one) => Effect.isSuccess(storage.commit({ jobs: { finished: [one] } })))
  yield* Effect.forkChild(Fiber.interrupt(request))
  let isWaitedFor = true
  const drain = world.useIn(plan.clocks.length - 1, Effect.ignore(Worker.Worker.use((of) => of.drain)))
  const waiting = Effect.map(drain, () => {
    isWaitedFor &&= own().length === 0
  })
  const waits = yield* Effect.forkChild(waiting)
  yield* Effect.sleep(CALL - GONE + PROMPT)
  yield* Effect.forkChild(Fiber.interrupt(waits))
  const asked = simulated.telcoCalls(calls).filter(({ kind }) => kind === "sendSms").length
  const isDone = own().length === 0 && asked === strange.length
  return [
    ...(isDone ? [] : ["the job of a request that is gone was not done, or not once"]),
    ...ended.map(({ jobId }) => `${jobId} was ended under a lease that its process did not have`),
    ...(isWaitedFor ? [] : ["what another process had under way was not waited for"])
  ]
})

/**
 * A job that was cancelled while it was under way is over: the commit that is refused for it is not
 * tried again.
 */
export const cancelled = Effect.fnUntraced(function* (world: World.World) {
  const { ledger, simulated } = world
  const { organizationIds, storage } = simulated
  const [organizationId] = organizationIds
  const [line] = yield* Effect.orDie(storage.subscriptions.page({ organizationId, after: null, limit: 1 }))
  if (line === undefined) return []
  const others = new Set(ledger.heldJobs().map(({ jobId }) => jobId))
  yield* world.setTelco([{ fault: "slow", on: "sendSms", times: 1, delay: CALL }])
  const { iccid } = line.sim
  const send = Messages.Messages.use((of) =>
    of.send({ organizationId, iccid, from: "simplan", text: "cancelled under way" })
  )
  yield* Effect.forkChild(world.useIn(0, Effect.ignore(send)))
  yield* Effect.sleep(GONE)
  const own = ledger.heldJobs().filter(({ jobId }) => !others.has(jobId))
  const refusals = ledger.refusals()
  yield* Effect.orDie(storage.commit({ jobs: { cancelled: own } }))
  yield* Effect.sleep(CALL - GONE + PROMPT)
  const tried = ledger.refusals() - refusals
  return tried <= own.length ? [] : [`a job that was cancelled under way was refused ${tried} times`]
})

/**
 * A request that is made again gets the answer of the first time, or is done anew if that failed
 * (rule W2).
 */
export const repeated = Effect.fnUntraced(function* (world: World.World) {
  const complaints: Array<string> = []
  const { organizationIds, storage } = world.simulated
  const [organizationId] = organizationIds
  const lines = yield* Effect.orDie(storage.subscriptions.page({ organizationId, after: null, limit: 1 }))
  if (lines.length === 0) return []
  for (const times of [0, 1]) {
    yield* world.setTelco([{ fault: "unavailable", on: "sendSms", times }])
    yield* world.ask([{ process: 0, command: Requests.sendSms(true) }], PROMPT)
    yield* world.ask([{ process: 0, command: { _tag: "Repeat", back: 0 } }], PROMPT)
    const outcome = world.answered.at(-1)?.outcome
    if (outcome?._tag === "Answered") continue
    complaints.push(`a request ${times === 0 ? "" : "that failed "}was made again and got no answer`)
  }
  return complaints
})

/** Longer than an interrupted order waits for its request, in milliseconds. */
const UNDONE = 12_000

/**
 * Longer than a telco that is well again is waited for, in milliseconds: a probe is made every 10
 * s.
 */
const RECOVERED = 30_000

const again: Commands.Command = { _tag: "Repeat", back: 0 }

/** What the order that was made last has come to, in a word. */
const outcomeOf = (world: World.World): string => {
  const outcome = world.answered.at(-1)?.outcome
  if (outcome?._tag === "Refused") return outcome.refusal._tag
  return outcome?._tag === "Answered" && outcome.answer.kind === "Created" ? "Created" : "no answer"
}

/** Has one process after the other make a request. */
const asking = (world: World.World) => {
  let process = 0
  return (command: Commands.Command) =>
    Effect.map(world.ask([{ process: process++, command }], PROMPT), () => outcomeOf(world))
}

/** What each SIM of the organization is at. */
const allocations = (world: World.World, by: Commands.Side) => {
  const { iccids, organizationIds, storage } = world.simulated
  const organizationId = organizationIds[by]
  const all = { organizationId, isEsim: true, label: null, after: null, limit: iccids(organizationId).length }
  return Effect.map(Effect.orDie(storage.sims.page(all)), (sims) => sims.map(({ allocation }) => allocation._tag))
}

/** The packages on the SIM that are neither suspended nor cancelled at the telco. */
const goingOn = (world: World.World, iccid: string) =>
  Effect.map(world.simulated.telco, ({ packages }) =>
    packages.filter((one) => one.iccid === iccid && one.status === "active").map(({ packageId }) => packageId)
  )

/** The SIM of the order that was answered last. */
const simOf = (world: World.World): string => {
  const outcome = world.answered.at(-1)?.outcome
  return outcome?._tag === "Answered" && outcome.answer.kind === "Created" ? outcome.answer.created.sim.iccid : ""
}

/**
 * An order of two packages that comes again under its key while the telco fails: it goes on with
 * the attempt that is there, is refused while that is being undone, begins anew then, and holds no
 * SIM if nothing ever left for the telco.
 */
export const reordered = Effect.fnUntraced(function* (world: World.World) {
  const { simulated } = world
  yield* world.ask([{ process: 0, command: Requests.daily(1, 3) }], PROMPT)
  const ask = asking(world)
  const complaints: Array<string> = []
  const must = (what: string, expected: string, outcome: string) => {
    if (outcome !== expected) complaints.push(`an order ${what} came to ${outcome}, and not to ${expected}`)
  }

  yield* world.setTelco([{ fault: "unavailable", on: "createPackage", isDone: false, times: 1 }])
  const [before, ended] = [yield* allocations(world, 1), simulated.telcoCalls(0).length]
  const first = yield* ask(Requests.order(world, 1))
  if (first === "NoFreeSim") return []
  must("that never left for the telco", "TelcoUnavailable", first)
  const held = (yield* allocations(world, 1)).filter((tag, index) => tag !== before[index])
  const undone = simulated.telcoCalls(ended).filter(({ kind }) => kind === "cancelPackage")
  if (held.length + undone.length > 0) complaints.push("an order that never left for the telco was not undone at once")

  yield* world.setTelco([{ fault: "answer lost", on: "createPackage", after: 1, times: 2 }])
  const orders = simulated.telcoCalls(0).length
  must("whose answer was lost", "TelcoUnavailable", yield* ask(again))
  must("whose answer was lost again", "TelcoUnavailable", yield* ask(again))
  yield* world.setTelco([{ fault: "unavailable", on: "createPackage", isDone: false, times: 1 }])
  must("that never left for the telco again", "TelcoUnavailable", yield* ask(again))
  must("that came again in time", "Created", yield* ask(again))
  const attempts = new Set(
    simulated
      .telcoCalls(orders)
      .flatMap(({ key, kind }) => (kind === "createPackage" ? key.split(":").slice(0, 1) : []))
  )
  if (attempts.size > 1) complaints.push("an order that came again began anew, and did not go on with what was there")
  if ((yield* goingOn(world, simOf(world))).length !== 2)
    complaints.push("an order that came again has not its packages")

  yield* world.setTelco([
    { fault: "answer lost", on: "createPackage", times: 1 },
    { fault: "unavailable", on: "cancelPackage" }
  ])
  const last = yield* ask(Requests.order(world, 1))
  if (last === "NoFreeSim") return complaints
  must("whose answer was lost", "TelcoUnavailable", last)
  yield* Effect.sleep(UNDONE)
  must("that is being undone", "TelcoUnavailable", yield* ask(again))
  yield* world.setTelco([])
  yield* Effect.sleep(RECOVERED)
  must("that was undone", "Created", yield* ask(again))
  if ((yield* goingOn(world, simOf(world))).length !== 2)
    complaints.push("an order that began anew has not its packages")
  return complaints
})

/**
 * An order under a key for which no SIM is left gets one that returns, also if the telco holds
 * up the return.
 */
export const restocked = Effect.fnUntraced(function* (world: World.World) {
  const { organizationIds, storage } = world.simulated
  const [organizationId] = organizationIds
  const ask = asking(world)
  let iccid = ""
  while ((yield* ask(Requests.subscribe(0))) === "Created") iccid = simOf(world)
  // An eSIM that shows a sign of a download does not return.
  if (iccid === "" || outcomeOf(world) !== "NoFreeSim") return []
  const complaints: Array<string> = []
  const order: Commands.Command = { ...Requests.subscribe(0), keyed: true }
  if ((yield* ask(order)) !== "NoFreeSim") complaints.push(`with no SIM left an order came to ${outcomeOf(world)}`)
  const lines = yield* Effect.orDie(storage.subscriptions.page({ organizationId, after: null, limit: 100 }))
  const line = lines.findIndex(({ sim }) => sim.iccid === iccid)
  yield* world.setTelco([{ fault: "unavailable", on: "cancelPackage" }])
  yield* world.ask([{ process: 0, command: { _tag: "Delete", by: 0, line, foreign: false } }], PROMPT)
  if ((yield* ask(again)) !== "SimsReleasing")
    complaints.push(`while a SIM returned an order came to ${outcomeOf(world)}`)
  yield* world.setTelco([])
  yield* Effect.sleep(RECOVERED)
  if ((yield* ask(again)) !== "Created") complaints.push(`when a SIM was back an order came to ${outcomeOf(world)}`)
  return complaints
})

/**
 * A package that only the telco knows of, as a restored backup leaves it, is gone before its SIM is
 * free again.
 */
export const forgotten = Effect.fnUntraced(function* (world: World.World) {
  const { organizationIds, storage } = world.simulated
  const organizationId = organizationIds[1]
  const ask = asking(world)
  if ((yield* ask(Requests.subscribe(1))) !== "Created") return []
  const iccid = simOf(world)
  const lines = yield* Effect.orDie(storage.subscriptions.page({ organizationId, after: null, limit: 100 }))
  const line = lines.findIndex(({ sim }) => sim.iccid === iccid)
  const [plan] = yield* Effect.orDie(
    Effect.map(storage.simAggregates.get({ organizationId, iccid }), (found) => found?.attachments ?? [])
  )
  if (plan === undefined || line === -1) return []
  const packageId = `${iccid}:forgotten`
  yield* Effect.ignore(world.telco.createPackage({ packageId, iccid, window: null, terms: plan.attachment.terms }))
  yield* world.ask([{ process: 0, command: { _tag: "Delete", by: 1, line, foreign: false } }], PROMPT)
  yield* Effect.sleep(PROMPT)
  return (yield* goingOn(world, iccid)).length === 0 ? [] : ["a SIM was released with a package that its telco lists"]
})

/**
 * For how long the telco is not even asked, as when calls that hang have all slots, and what it is
 * then held back for.
 */
const HELD_BACK = 30_000
const HELD_BACK_FOR = 600

/**
 * The kinds of work that a telco is asked for, however many there are, are all done as soon after
 * an outage (rule S6).
 */
export const eachKind = Effect.fnUntraced(function* (world: World.World) {
  const { jobs } = world.simulated.storage
  const ask = (command: Commands.Command) => world.ask([{ process: 0, command }], PROMPT)
  yield* ask(Requests.daily(0, 3))
  const dueAt = (yield* Clock.currentTimeMillis) + 5 * PROMPT
  yield* Requests.putJobs(world, 0, dueAt, 2)
  yield* world.setTelco([{ fault: "unavailable" }])
  yield* ask({ _tag: "Pause", by: 0, line: 0, paused: true, foreign: false })
  yield* ask({ _tag: "Suspend", by: 0, line: 1, attachment: 0, foreign: false })
  for (const line of [3, 2]) yield* ask({ _tag: "Delete", by: 0, line, foreign: false })
  yield* ask(Requests.subscribe(0))
  yield* Requests.sleepUntil(dueAt + OUT)
  yield* world.setTelco([{ fault: "unavailable", isAsked: false, retryAfterSeconds: HELD_BACK_FOR }])
  yield* Effect.sleep(HELD_BACK)
  yield* world.setTelco([])
  yield* Effect.sleep(RECOVERED)
  const { items } = yield* Effect.orDie(jobs.waiting({ after: null, limit: 1_000, scanLimit: 1_000 }))
  return [...new Set(items.map(({ waiting: { reason }, work }) => `${work._tag}, ${reason}`))].map(
    (left) => `work waits for a telco that has been well for long: ${left}`
  )
})

/**
 * How many jobs wait for the telco, how many of them it answers at first, and how many may be tried
 * for these answers.
 */
const WAITING = 24
const ANSWERED = 3
const TRIED = 18

/**
 * For how long the telco is out, and is then watched; in milliseconds. Each job's next try is more
 * than that ahead.
 */
const OUT = 500_000
const WATCHED = 12_000

/**
 * Work that waits is done soon after the telco answers again, and a telco that fails again after
 * that is left alone.
 */
export const recovered = Effect.fnUntraced(function* (world: World.World) {
  const { jobs } = world.simulated.storage
  yield* world.ask([{ process: 0, command: Requests.daily(1, 3) }], PROMPT)
  const dueAt = (yield* Clock.currentTimeMillis) + 5 * PROMPT
  yield* Requests.putJobs(world, 1, dueAt, WAITING)
  yield* world.setTelco([{ fault: "unavailable" }])
  yield* Requests.sleepUntil(dueAt + OUT)
  const waiting = Effect.map(
    Effect.orDie(jobs.waiting({ reason: "unavailable", after: null, limit: 1_000, scanLimit: 1_000 })),
    ({ items }) => items.length
  )
  // An organization may have no SIM that a plan could be attached to.
  if ((yield* waiting) < WAITING) return []
  const before = world.simulated.telcoCalls(0).length
  yield* world.setTelco([{ fault: "unavailable", after: ANSWERED }])
  yield* Effect.sleep(WATCHED)
  const tried = new Set(world.simulated.telcoCalls(before).map(({ key }) => key)).size
  yield* world.setTelco([])
  yield* Effect.sleep(RECOVERED)
  const left = yield* waiting
  return [
    ...(tried <= TRIED ? [] : [`a telco that answered ${ANSWERED} times and failed again was asked for ${tried} jobs`]),
    ...(left === 0 ? [] : [`${left} jobs wait for a telco that has been well for long`])
  ]
})
