/**
 * Probes of fairness: much work at once is done promptly and in order, organizations take turns, and nothing is asked for
 * too often. Each reports what did not hold.
 */
import { Clock, Effect } from "effect"
import { FairSlots } from "simplan"
import { WebhookEvent } from "simplan/ports"
import type * as Cluster from "./Cluster.ts"
import type * as Ledger from "./Ledger.ts"
import * as Requests from "./Requests.ts"
import { PROMPT } from "./Requests.ts"

const countries = ["AT", "BE", "CH", "ES", "IT", "NL"]

/** About how many SIMs there are events at once. */
const LINES = 5

/** Many events at once are sent promptly. Those about one SIM that were claimed together are sent in their order. */
export const burst = Effect.fnUntraced(function* (world: Cluster.World) {
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

/** All that falls due at one instant is done promptly, also what no claim of that instant had a slot for. */
export const atOnce = Effect.fnUntraced(function* (world: Cluster.World) {
  const { clocks, concurrency } = world.plan
  const dueAt = (yield* Clock.currentTimeMillis) + 2_000
  yield* Requests.putJobs(world, 0, dueAt, clocks.length * concurrency + 2)
  yield* Requests.sleepUntil(dueAt + PROMPT)
  const { due } = yield* Effect.orDie(world.simulated.jobs.backlog({ now: dueAt, machineNow: dueAt + PROMPT }))
  return due === 0 ? [] : [`${due} jobs that fell due at once were not done promptly`]
})

/** How many jobs each of two organizations has, and how long the first ones take, in milliseconds. */
const COUNT = 8
const SLOW_JOBS = 6
const SLOW_JOB = 1_000

/** How long before them a few jobs fall due, in milliseconds: less than from one listing of organizations to the next. */
const SHORTLY = 400

/**
 * Jobs of two organizations take turns, also where all jobs of one fall due before those of the other. The engine lists who has
 * work once a second at most, so the first jobs take longer than that.
 */
export const turns = Effect.fnUntraced(function* (world: Cluster.World) {
  const { clocks, concurrency } = world.plan
  if (clocks.length * concurrency > 2) return []
  const dueAt = (yield* Clock.currentTimeMillis) + 5 * PROMPT + SHORTLY
  yield* Requests.putJobs(world, 0, dueAt - SHORTLY, 2)
  yield* Requests.putJobs(world, 0, dueAt - 1, COUNT)
  yield* Requests.putJobs(world, 1, dueAt, COUNT)
  yield* world.setTelco([{ fault: "slow", times: SLOW_JOBS, delay: SLOW_JOB }])
  yield* Requests.sleepUntil(dueAt + SLOW_JOBS * SLOW_JOB + PROMPT)
  yield* world.setTelco([])
  const [first, second] = world.simulated.organizationIds
  const claimed = world.ledger.claimed.filter((one) => one.dueAt === dueAt - 1 || one.dueAt === dueAt)
  const last = claimed.findLastIndex(({ organizationId }) => organizationId === first)
  const isSecond = ({ organizationId }: Ledger.Claimed) => organizationId === second
  // An organization may have no SIM that a plan could be attached to.
  if (last === -1 || claimed.filter(isSecond).length < COUNT) return []
  const before = claimed.slice(0, last).filter(isSecond).length
  return before >= COUNT / 2 ? [] : [`an organization had its turn ${before} times while another had it ${COUNT} times`]
})

/** How long a call takes in `loud`, and how long after the first organization's jobs the other's falls due; in milliseconds. */
const LOUD_CALL = 4_000
const LATER = 1_000

/**
 * One organization has twice as many jobs as there are slots, and their calls take long. A job of another one is begun as it
 * falls due, in a slot that was left for it (rule W13).
 */
export const loud = Effect.fnUntraced(function* (world: Cluster.World) {
  const { clocks, concurrency } = world.plan
  if (FairSlots.reserved(concurrency) === 0) return []
  const count = 2 * clocks.length * concurrency
  const dueAt = (yield* Clock.currentTimeMillis) + (count / 4) * PROMPT
  yield* Requests.putJobs(world, 0, dueAt, count)
  yield* Requests.putJobs(world, 1, dueAt + LATER, 1)
  yield* world.setTelco([{ fault: "slow", times: count, delay: LOUD_CALL }])
  yield* Requests.sleepUntil(dueAt + 4 * LOUD_CALL)
  yield* world.setTelco([])
  const [first, second] = world.simulated.organizationIds
  const { claimed } = world.ledger
  const isLoud = claimed.filter((one) => one.organizationId === first && one.dueAt === dueAt).length >= count
  const quiet = claimed.find((one) => one.organizationId === second && one.dueAt === dueAt + LATER)
  // An organization may have no SIM that a plan could be attached to.
  if (!isLoud || quiet === undefined || quiet.at <= dueAt + LATER + PROMPT) return []
  return [`a job waited ${quiet.at - quiet.dueAt} ms for the slow jobs of another organization`]
})

/** How long a call takes in `takeOver`, and for how long the dead process has its lease; in milliseconds. */
const LONG_CALL = 3_000
const LEASE = 1_500

/** What a dead process held is taken over also while there is always more to do. */
export const takeOver = Effect.fnUntraced(function* (world: Cluster.World) {
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

/** For how long the telco is unavailable, in milliseconds. It is asked at once, and again after 5 s. */
const OUT = 12_000

/** A telco that is unavailable is not asked again at once. */
export const putOff = Effect.fnUntraced(function* (world: Cluster.World) {
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
