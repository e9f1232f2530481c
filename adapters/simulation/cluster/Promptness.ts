/**
 * Probes of promptness and fairness: what each process has to do soon, and once, when all faults
 * are over; also much work at once, for which organizations take turns, and nothing is asked for
 * too often. Each reports what did not hold.
 */
import { Clock, Effect } from "effect"
import * as World from "./World.ts"
import type { Plan } from "./Plan.ts"
import * as Requests from "./Requests.ts"
import { LEAD, PROMPT } from "./Requests.ts"
import { FairSlots } from "simplan"
import { WebhookEvent } from "simplan/ports"
import type * as Ledger from "./Ledger.ts"

/**
 * How many events the receiver that does not answer is to be notified of: more than all delivery
 * slots of a process take.
 */
const FLOOD = 40

/**
 * How many deliveries of one organization a process begins for each job that it may have under way.
 */
const SHARE = 4

/**
 * Or no more than a little over the organization's share, so that slots stay free that it cannot
 * have.
 */
const floodOf = ({ clocks, concurrency, seed }: Plan): number =>
  seed % 2 === 0 ? FLOOD : SHARE * clocks.length * concurrency + SHARE

/** How often storage is asked for work at most while few deliveries can be begun. */
const MOST_CLAIMS = 200

/** What each process has to do promptly, and once, when nothing goes wrong. */
export const served = Effect.fnUntraced(function* (world: World.World) {
  const { plan, simulated } = world
  const complaints: Array<string> = []
  const [organizationId, other] = simulated.organizationIds
  const count = plan.clocks.length
  const [calls, records] = [simulated.telcoCalls(0).length, simulated.telcoRecords(0).length]
  const sent = world.sent.length
  const began = yield* Clock.currentTimeMillis
  for (let process = 0; process < count; process++) {
    yield* world.ask([{ process, command: Requests.location(process % 2 === 0 ? "JP" : "FR", 0, 0) }], PROMPT)
  }
  yield* world.ask([{ process: 0, command: Requests.daily(0, 3) }], PROMPT)
  const dueAt = (yield* Clock.currentTimeMillis) + 3_000
  const command = yield* Requests.topUp(world, { by: 0, line: 0, dueAt })
  yield* world.ask([{ process: count - 1, command }], PROMPT)
  // The other organization's receiver does not answer, and has many events.
  world.setReceiver("slow", 1_000, other)
  const flood = Array.from({ length: floodOf(plan) }, (_, index) => ({
    process: index % count,
    command: Requests.location(index % 2 === 0 ? "DE" : "FR", 1, index % 7)
  }))
  const claims = world.ledger.claims()
  yield* world.ask(flood, PROMPT)
  for (let process = 0; process < count; process++) {
    yield* world.ask([{ process, command: Requests.location(process % 2 === 0 ? "DE" : "JP", 0, 0) }], PROMPT)
  }
  yield* Effect.sleep(PROMPT)
  if (world.unanswered() > 0) complaints.push(`${world.unanswered()} requests are not answered promptly`)
  const logged = yield* Effect.orDie(simulated.storage.deliveries.page({ organizationId, after: null, limit: 50 }))
  for (const { delivery, event } of logged.items) {
    if (event.createdAt < began) continue
    const times = world.sent.slice(sent).filter((one) => one.eventId === event.eventId)
    const first = times[0]
    if (first === undefined || first.at - event.createdAt > PROMPT)
      complaints.push(`${event.eventId} was not sent promptly`)
    if (times.length > 1) complaints.push(`${event.eventId} was sent ${times.length} times`)
    if (first !== undefined && delivery.status !== "Delivered")
      complaints.push(`${event.eventId} is still ${delivery.status}`)
  }
  const asked = world.ledger.claims() - claims
  if (asked > MOST_CLAIMS) complaints.push(`storage was asked ${asked} times for work that could not be begun`)
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
export const reserved = Effect.fnUntraced(function* (world: World.World) {
  const { iccids, organizationIds, storage } = world.simulated
  const [organizationId] = organizationIds
  yield* world.ask(
    Array.from({ length: 3 }, (_, index) => ({ process: index, command: Requests.subscribe(0) })),
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
  const claim = {
    organizationId,
    label: "Green",
    purpose: "subscription",
    load: null,
    count: 100,
    token: "the verdict"
  } as const
  const had = yield* Effect.orDie(storage.sims.reserve({ ...claim, machineNow, until: machineNow + 1 }))
  return had.sims.length === free ? [] : [`of ${free} free SIMs ${had.sims.length} can be had`]
})

/** A telco that does not answer is given up, and what is done is renewed no more. */
export const givenUp = Effect.fnUntraced(function* (world: World.World) {
  yield* world.perform({ _tag: "Fault", fault: { _tag: "Telco", fault: "slow", after: 0, times: 1 } })
  yield* world.ask([{ process: 0, command: Requests.sendSms(false) }], World.limits.telcoTimeoutMillis + PROMPT)
  const complaints = world.unanswered() === 0 ? [] : ["a telco that does not answer is waited for"]
  const renewals = world.ledger.renewals()
  yield* Effect.sleep(2 * World.limits.leaseMillis)
  return world.ledger.renewals() === renewals ? complaints : [...complaints, "leases of work that is done are renewed"]
})

/** A process that stops hands back what it has not done. */
export const stopped = Effect.fnUntraced(function* (world: World.World) {
  const { jobs } = world.simulated
  const process = world.plan.clocks.length - 1
  yield* world.perform({ _tag: "Fault", fault: { _tag: "Telco", fault: "slow", after: 0, times: 1 } })
  yield* Effect.forkChild(world.ask([{ process, command: Requests.sendSms(false) }], 10_000))
  yield* Effect.sleep(500)
  yield* world.stop(process)
  const machineNow = yield* Clock.currentTimeMillis
  const { held } = yield* Effect.orDie(jobs.pending({ now: machineNow, machineNow }))
  return held === 0 ? [] : ["a process that has stopped still holds a job"]
})

/** How many events there are one after the other. */
const STREAM = 24

/**
 * Events one after the other are each sent promptly, also one that comes as the process has just
 * polled for work.
 */
export const streamed = Effect.fnUntraced(function* (world: World.World) {
  const [organizationId] = world.simulated.organizationIds
  const began = yield* Clock.currentTimeMillis
  for (let index = 0; index < STREAM; index++) {
    yield* world.ask([{ process: 0, command: Requests.location(index % 2 === 0 ? "PT" : "SE", 0, 0) }], PROMPT)
    yield* Effect.sleep(index % 8)
  }
  yield* Effect.sleep(PROMPT)
  const logged = yield* Effect.orDie(
    world.simulated.storage.deliveries.page({ organizationId, after: null, limit: 2 * STREAM, scanLimit: 2 * STREAM })
  )
  const late = logged.items.filter(
    ({ delivery, event }) => event.createdAt >= began && delivery.status === "Pending"
  ).length
  return late === 0 ? [] : [`${late} of ${STREAM} events one after the other were not sent promptly`]
})

/**
 * How much later a second job falls due, in milliseconds: less than from one full scan of the jobs
 * to the next.
 */
const LATER = 400

/**
 * A job that another process puts back is done promptly, also if it is due before what was
 * claimed last.
 */
export const putBack = Effect.fnUntraced(function* (world: World.World) {
  if (world.plan.clocks.length > 1) return []
  const { jobs, storage } = world.simulated
  const dueAt = (yield* Clock.currentTimeMillis) + 2 * PROMPT
  yield* Requests.putJobs(world, 0, dueAt, 1)
  const machineNow = yield* Clock.currentTimeMillis
  const claim = { now: dueAt, machineNow, until: dueAt + 2 * PROMPT, token: "another process", limit: 1 }
  const held = yield* Effect.orDie(jobs.claim(claim))
  yield* Requests.putJobs(world, 0, dueAt + LATER, 1)
  yield* Requests.sleepUntil(dueAt + LATER + LATER / 2)
  const retried = held.map(({ attempts, jobId, organizationId }) => ({
    organizationId,
    jobId,
    token: claim.token,
    attempts,
    dueAt
  }))
  yield* Effect.orDie(storage.commit({ jobs: { retried } }))
  yield* Effect.sleep(PROMPT)
  return held.flatMap(({ jobId }) =>
    world.ledger.claimed.some(({ id }) => id === `job ${jobId}`) ? [] : [`${jobId} was put back and not done promptly`]
  )
})

/**
 * How long a call takes, in milliseconds: longer than a lease, and not so long that it is given up.
 */
const LONG = (World.limits.leaseMillis + World.limits.telcoTimeoutMillis) / 2

/** A job that outlasts its lease is not done twice, also if jobs are claimed meanwhile. */
export const outlasting = Effect.fnUntraced(function* (world: World.World) {
  const { simulated } = world
  const calls = simulated.telcoCalls(0).length
  const dueAt = (yield* Clock.currentTimeMillis) + 2 * PROMPT
  yield* Requests.putJobs(world, 0, dueAt, 1)
  yield* Requests.putJobs(world, 0, dueAt + (World.limits.leaseMillis + LONG) / 2, 1)
  yield* world.setTelco([{ fault: "slow", on: "createPackage", times: 1, delay: LONG }])
  yield* Requests.sleepUntil(dueAt + LONG + PROMPT)
  yield* world.setTelco([])
  const keys = simulated.telcoCalls(calls).map(({ key, kind }) => `${kind} ${key}`)
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index ? [] : [`the telco was asked twice for ${key}, which took longer than a lease`]
  )
})

const countries = ["AT", "BE", "CH", "ES", "IT", "NL"]

/** About how many SIMs there are events at once. */
const LINES = 5

/**
 * Many events at once are sent promptly. Those about one SIM that were claimed together are sent in
 * their order.
 */
export const burst = Effect.fnUntraced(function* (world: World.World) {
  const { ledger, plan, simulated } = world
  const [organizationId] = simulated.organizationIds
  const [sent, claimed] = [world.sent.length, ledger.claimed.length]
  const began = yield* Clock.currentTimeMillis
  const requests = Array.from({ length: LINES }, (_, line) => ({
    process: line % plan.clocks.length,
    command: Requests.locations(countries, 0, line)
  }))
  yield* world.ask(requests, PROMPT)
  yield* Effect.sleep(PROMPT)
  const limit = LINES * countries.length
  const query = { organizationId, after: null, limit, scanLimit: limit }
  const logged = yield* Effect.orDie(simulated.storage.deliveries.page(query))
  const events = logged.items.filter(({ event }) => event.createdAt >= began)
  const late = events.filter(({ delivery }) => delivery.status !== "Delivered").length
  if (late > 0) return [`${late} of ${events.length} events at once were not sent promptly`]

  const order = world.sent.slice(sent).map(({ eventId }) => eventId)
  const claims = ledger.claimed.slice(claimed)
  const tokens = new Map(claims.map(({ id, token }) => [id, token]))
  const eventOf = new Map(events.map(({ delivery, event }) => [`delivery ${delivery.deliveryId}`, event]))
  const places = new Map<string, number>()
  return claims.flatMap(({ id, token }) => {
    const event = eventOf.get(id)
    // What was handed back is sent under its last claim.
    if (event === undefined || tokens.get(id) !== token) return []
    const subject = `${token} ${WebhookEvent.iccid(event.payload)}`
    const [before = 0, place] = [places.get(subject), order.indexOf(event.eventId)]
    places.set(subject, place)
    return place < before ? [`${event.eventId} overtook another event about its SIM`] : []
  })
})

/**
 * All that falls due at one instant is done promptly, also what no claim of that instant had a slot
 * for.
 */
export const atOnce = Effect.fnUntraced(function* (world: World.World) {
  const { clocks, concurrency } = world.plan
  const dueAt = (yield* Clock.currentTimeMillis) + 2_000
  yield* Requests.putJobs(world, 0, dueAt, clocks.length * concurrency + 2)
  yield* Requests.sleepUntil(dueAt + PROMPT)
  const { due } = yield* Effect.orDie(world.simulated.jobs.backlog({ now: dueAt, machineNow: dueAt + PROMPT }))
  return due === 0 ? [] : [`${due} jobs that fell due at once were not done promptly`]
})

/**
 * For how long a claim stands still at most, and for how long a dead process has its lease
 * meanwhile; in milliseconds.
 */
const STALL = 8_000
const HELD = 10_000

/** What a dead process held is taken over also after a claim that stood still once. */
export const stalled = Effect.fnUntraced(function* (world: World.World) {
  if (world.plan.clocks.length > 1) return []
  const dueAt = (yield* Clock.currentTimeMillis) + 2 * PROMPT
  yield* Requests.putJobs(world, 0, dueAt, 2)
  const machineNow = yield* Clock.currentTimeMillis
  const until = dueAt + HELD
  const held = yield* Effect.orDie(
    world.simulated.jobs.claim({ now: dueAt, machineNow, until, token: "a dead process", limit: 1 })
  )
  yield* Requests.sleepUntil(dueAt - 1)
  yield* world.perform({ _tag: "Fault", fault: { _tag: "SlowStorage", process: 0, times: 1, millis: STALL } })
  yield* Requests.sleepUntil(until + World.limits.pollMillis + PROMPT)
  return held.flatMap(({ jobId }) =>
    world.ledger.claimed.some(({ id }) => id === `job ${jobId}`)
      ? []
      : [`${jobId} was not taken over after a claim that stood still`]
  )
})

/** For how long storage is out of reach, in milliseconds. */
const STORAGE_OUT = 3_000

/**
 * What falls due while storage is out of reach is done promptly when it is back: whoever it failed
 * asks it again.
 */
export const afterOutage = Effect.fnUntraced(function* (world: World.World) {
  const dueAt = (yield* Clock.currentTimeMillis) + 2 * PROMPT
  yield* Requests.putJobs(world, 0, dueAt, 1)
  yield* Requests.sleepUntil(dueAt - 1)
  yield* world.perform({ _tag: "Fault", fault: { _tag: "Outage", millis: STORAGE_OUT } })
  yield* Requests.sleepUntil(dueAt + STORAGE_OUT + PROMPT)
  const { due } = yield* Effect.orDie(world.simulated.jobs.backlog({ now: dueAt, machineNow: dueAt + STORAGE_OUT }))
  return due === 0 ? [] : [`${due} jobs that fell due while storage was out of reach were not done promptly`]
})

/**
 * How many jobs each of two organizations has, and how long the first ones take, in milliseconds.
 */
const COUNT = 8
const SLOW_JOBS = 6
const SLOW_JOB = 1_000

/** How often it is listed who has work meanwhile, at most: a slot is free after each slow job. */
const MOST_LISTINGS = 5 * SLOW_JOBS

/**
 * How long before them a few jobs fall due, in milliseconds: less than from one listing of
 * organizations to the next.
 */
const SHORTLY = 400

/**
 * Jobs of two organizations take turns, also if all jobs of one fall due before those of the
 * other. The engine lists who has work once a second at most, so the first jobs take longer than
 * that. While all slots are taken, it does not list them.
 */
export const turns = Effect.fnUntraced(function* (world: World.World) {
  const { clocks, concurrency } = world.plan
  if (clocks.length * concurrency > 2) return []
  const dueAt = (yield* Clock.currentTimeMillis) + 5 * PROMPT + SHORTLY
  yield* Requests.putJobs(world, 0, dueAt - SHORTLY, 2)
  yield* Requests.putJobs(world, 0, dueAt - 1, COUNT)
  yield* Requests.putJobs(world, 1, dueAt, COUNT)
  yield* world.setTelco([{ fault: "slow", times: SLOW_JOBS, delay: SLOW_JOB }])
  yield* Requests.sleepUntil(dueAt)
  const listings = world.ledger.listings()
  yield* Requests.sleepUntil(dueAt + SLOW_JOBS * SLOW_JOB)
  const listed = world.ledger.listings() - listings
  yield* Requests.sleepUntil(dueAt + SLOW_JOBS * SLOW_JOB + PROMPT)
  yield* world.setTelco([])
  const often =
    listed > MOST_LISTINGS ? [`while all slots were taken storage was asked ${listed} times who has work`] : []
  const [first, second] = world.simulated.organizationIds
  const claimed = world.ledger.claimed.filter((one) => one.dueAt === dueAt - 1 || one.dueAt === dueAt)
  const last = claimed.findLastIndex(({ organizationId }) => organizationId === first)
  const isSecond = ({ organizationId }: Ledger.Claimed) => organizationId === second
  // An organization may have no SIM that a plan could be attached to.
  if (last === -1 || claimed.filter(isSecond).length < COUNT) return often
  const before = claimed.slice(0, last).filter(isSecond).length
  if (before >= COUNT / 2) return often
  return [...often, `an organization had its turn ${before} times while another had it ${COUNT} times`]
})

/**
 * How long a call takes in `loud`, and how long after the first organization's jobs the other's
 * falls due; in milliseconds.
 */
const LOUD_CALL = 4_000
const QUIET_LATER = 1_000

/**
 * One organization has twice as many jobs as there are slots, and their calls take long. A job of
 * another one is begun as it falls due, in a slot that was left for it (rule W13).
 */
export const loud = Effect.fnUntraced(function* (world: World.World) {
  const { clocks, concurrency } = world.plan
  if (FairSlots.reserved(concurrency) === 0) return []
  const count = 2 * clocks.length * concurrency
  const dueAt = (yield* Clock.currentTimeMillis) + (count / 4) * PROMPT
  yield* Requests.putJobs(world, 0, dueAt, count)
  yield* Requests.putJobs(world, 1, dueAt + QUIET_LATER, 1)
  yield* world.setTelco([{ fault: "slow", times: count, delay: LOUD_CALL }])
  yield* Requests.sleepUntil(dueAt + 4 * LOUD_CALL)
  yield* world.setTelco([])
  const [first, second] = world.simulated.organizationIds
  const { claimed } = world.ledger
  const isLoud = claimed.filter((one) => one.organizationId === first && one.dueAt === dueAt).length >= count
  const quiet = claimed.find((one) => one.organizationId === second && one.dueAt === dueAt + QUIET_LATER)
  // An organization may have no SIM that a plan could be attached to.
  if (!isLoud || quiet === undefined || quiet.at <= dueAt + QUIET_LATER + PROMPT) return []
  return [`a job waited ${quiet.at - quiet.dueAt} ms for the slow jobs of another organization`]
})

/**
 * How long a call takes in `takeOver`, and for how long the dead process has its lease; in
 * milliseconds.
 */
const LONG_CALL = 3_000
const LEASE = 1_500

/** What a dead process held is taken over also while there is always more to do. */
export const takeOver = Effect.fnUntraced(function* (world: World.World) {
  const { clocks, concurrency } = world.plan
  if (clocks.length > 1 || concurrency > 2) return []
  const count = 6 * concurrency
  const dueAt = (yield* Clock.currentTimeMillis) + 2_000
  yield* Requests.putJobs(world, 0, dueAt, count)
  yield* world.setTelco([{ fault: "slow", times: count, delay: LONG_CALL }])
  const machineNow = yield* Clock.currentTimeMillis
  const until = dueAt + LEASE
  const held = yield* Effect.orDie(
    world.simulated.jobs.claim({ now: dueAt, machineNow, until, token: "a dead process", limit: 1 })
  )
  yield* Requests.sleepUntil(dueAt + (count + 2) * LONG_CALL)
  yield* world.setTelco([])
  return held.flatMap(({ jobId }) => {
    const taken = world.ledger.claimed.find(({ id }) => id === `job ${jobId}`)
    return taken !== undefined && taken.at - until <= 2 * LONG_CALL ? [] : [`${jobId} waited for all other jobs`]
  })
})

/**
 * For how long the telco is unavailable, in milliseconds. It is asked at once, and again after 5 s.
 */
const OUT = 12_000

/** A telco that is unavailable is not asked again at once. */
export const putOff = Effect.fnUntraced(function* (world: World.World) {
  const dueAt = (yield* Clock.currentTimeMillis) + 2_000
  yield* Requests.putJobs(world, 0, dueAt, 1)
  const before = world.simulated.telcoCalls(0).length
  yield* world.setTelco([{ fault: "unavailable", times: 40 }])
  yield* Requests.sleepUntil(dueAt + OUT)
  yield* world.setTelco([])
  const calls = world.simulated.telcoCalls(before)
  yield* Effect.sleep(2 * OUT)
  const keys = calls.map(({ key }) => key)
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index && keys.filter((one) => one === key).length > 2
      ? [`the telco was unavailable, and asked again and again for ${key}`]
      : []
  )
})
