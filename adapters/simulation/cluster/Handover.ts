/**
 * Probes of who has what: SIMs that somebody has reserved, jobs whose request is gone or that a stranger asks for, and
 * answers to requests that are made again.
 * Each reports what did not hold.
 */
import { Clock, Effect, Fiber } from "effect"
import { Messages, Worker } from "simplan"
import type * as Cluster from "./Cluster.ts"
import * as Requests from "./Requests.ts"
import { PROMPT } from "./Requests.ts"

/** How many requests are made at once, and how many times while SIMs are reserved ahead. */
const AT_ONCE = 4
const WAVES = 3

/** For how long a request is seen to wait: half as long as the other process has its reservations, in milliseconds. */
const KEPT = 1_000

/**
 * Requests at once get a SIM each while there is one, also of those that were reserved ahead, and wait while all are
 * reserved for somebody else.
 */
export const reservations = Effect.fnUntraced(function* (world: Cluster.World) {
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
      ...{ organizationId, label, purpose: "subscription", count, token: "another process" },
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
 * The job of a request that is gone is done once, and waited for by all processes. Whoever has not its lease can neither
 * renew it, nor hand it back, nor end it.
 */
export const abandoned = Effect.fnUntraced(function* (world: Cluster.World) {
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
  const strange = own().map(({ jobId }) => ({ jobId, token: "a stranger" }))
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

/** A request that is made again gets the answer of the first time, or is done anew where that failed (rule W2). */
export const repeated = Effect.fnUntraced(function* (world: Cluster.World) {
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
