/**
 * The dispatcher: sends due webhook deliveries and stores the outcome of each attempt (rules W5 to W7). Delivery is at
 * least once: where a process dies between the call and the commit, another one sends again.
 */
import { Cause, Clock as MachineClock, Context, Deferred, Effect, Exit } from "effect"
import * as Delivery from "../../domain/Delivery.ts"
import type { DueDelivery } from "../../domain/Delivery.ts"
import type { Instant } from "../../domain/Time.ts"
import * as Endpoint from "../../domain/WebhookEndpoint.ts"
import type { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import * as WebhookEvent from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import * as MonotonicTime from "../../ports/MonotonicTime.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { type Commit, Conflict, Storage, type StorageError } from "../../ports/Storage.ts"
import { type SendFailed, type WebhookAnswer, WebhookSender } from "../../ports/WebhookSender.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as FetchLoop from "./FetchLoop.ts"
import * as Leases from "./Leases.ts"
import * as Metrics from "../Metrics.ts"
import * as DeliverySlots from "./DeliverySlots.ts"
import { Settings } from "../Settings.ts"
import * as FairClaims from "./FairClaims.ts"

/** How many deliveries are under way at once for each job that may be: they wait for receivers most of the time. */
const SLOTS_PER_JOB = 8

/** How many are claimed at once at most. */
const BATCH = 128

const subjectOf = ({ endpoint, event }: DueDelivery): string =>
  `${endpoint.endpointId}:${WebhookEvent.iccid(event.payload)}`

/** The delivery after it was sent, and the attempt; absent where none was made, as its endpoint takes no more. */
interface Outcome {
  readonly delivery: Delivery.Delivery
  readonly attempt?: Delivery.LoggedAttempt
}

/** `lost`: the lease was lost, and its new holder sends again. */
const outcomeOf = (exit: Exit.Exit<Delivery.Status | null, unknown>): string => {
  if (Exit.isFailure(exit)) return Cause.hasInterruptsOnly(exit.cause) ? "handed_back" : "failed"
  switch (exit.value) {
    case null:
      return "lost"
    case "Delivered":
      return "delivered"
    case "Pending":
      return "retried"
    case "Failed":
      return "given_up"
  }
}

const measured = (call: Effect.Effect<WebhookAnswer, SendFailed>) =>
  Metrics.timed(Metrics.traced("webhook", { kind: "client" }, call), (exit, seconds, context) => {
    const answer = Delivery.answerClass(Exit.isSuccess(exit) ? exit.value.status : null)
    Metrics.deliveryDuration({ answer })(seconds, context)
  })

export type Needs =
  | Storage
  | Outbox
  | BusinessClock
  | WebhookSender
  | Commits
  | Ids
  | Leases.BackgroundTasks
  | Leases.Leases

/** The loop that sends due deliveries; `precondition` ends before each claim. */
export const make: (
  precondition: Effect.Effect<void, StorageError>
) => Effect.Effect<FetchLoop.FetchLoop, never, Needs> = Effect.fnUntraced(function* (precondition) {
  const storage = yield* Storage
  const outbox = yield* Outbox
  const clock = yield* BusinessClock
  const sender = yield* WebhookSender
  const commits = yield* Commits
  const ids = yield* Ids
  const tasks = yield* Leases.BackgroundTasks
  const leases = yield* Leases.Leases
  const { concurrency, pollMillis } = yield* Settings
  const isStandingClock = clock.set !== null

  const call = (
    { endpoint, event }: DueDelivery,
    now: Instant,
    machineNow: Instant
  ): Effect.Effect<Delivery.Attempt> => {
    const sent = sender.send({
      organizationId: endpoint.organizationId,
      url: endpoint.url,
      eventId: event.eventId,
      body: WebhookEvent.body(event),
      at: machineNow,
      signingKeys: Endpoint.keysAt(endpoint, now)
    })
    return Effect.match(measured(sent), {
      onSuccess: (answer) => ({ ...answer, _tag: "Responded" }),
      onFailure: ({ message }) => ({ _tag: "Unreachable", message })
    })
  }

  const attempt = Effect.fnUntraced(function* (due: DueDelivery): Effect.fn.Return<Outcome> {
    const { delivery, endpoint } = due
    if (endpoint.deletedAt !== null) return { delivery: Delivery.abandoned(delivery, "the endpoint was deleted") }
    if (endpoint.disabled !== null) return { delivery: Delivery.abandoned(delivery, Delivery.DISABLED) }
    const began = yield* MonotonicTime.now
    const answer = yield* call(due, yield* clock.now, began + (yield* storage.clockOffset))
    const took = Math.max(0, Math.round((yield* MonotonicTime.now) - began))
    const now = yield* clock.now
    // Most attempts succeed, and need no chance.
    const after = Delivery.attempted(delivery, answer, now, Delivery.isDone(answer) ? 0 : yield* ids.fraction)
    const durationMillis = answer._tag === "Responded" ? (answer.durationMillis ?? took) : took
    return { delivery: after, attempt: Delivery.logged(after, answer, now, durationMillis) }
  })

  const write = (commit: Commit) =>
    Effect.matchEffect(commits.write(commit), {
      onSuccess: () => Effect.succeed(true),
      onFailure: (error) => (error instanceof Conflict ? Effect.succeed(false) : Effect.fail(error))
    })

  /** Rule W7: the endpoint after a failed attempt; the log is asked only if the endpoint may have failed for too long. */
  const failed = Effect.fnUntraced(function* (endpoint: WebhookEndpoint, delivery: Delivery.Delivery, now: Instant) {
    if (Delivery.isGone(delivery)) return Endpoint.disabled(endpoint, "Gone", now)
    const { endpointId, failingSince, organizationId } = endpoint
    if (failingSince === null) return Endpoint.failed(endpoint, null, now)
    if (!Endpoint.mayHaveFailedTooLong(endpoint, now)) return endpoint
    const asked = { organizationId, endpointId, ...Endpoint.failuresAsked(failingSince) }
    const since = yield* storage.webhookEndpoints.failingSince(asked)
    return Endpoint.failed(endpoint, since, now)
  })

  /** The delivery's status after the commit; null if the lease was lost. Then its new holder sends again. */
  const settle = Effect.fnUntraced(function* (due: DueDelivery, token: string, { attempt, delivery }: Outcome) {
    const settled = attempt === undefined ? { delivery, token } : { delivery, token, attempt }
    const deliveries = { settled: [settled] }
    if (attempt !== undefined) {
      const endpoint =
        attempt.error === null
          ? Endpoint.succeeded(due.endpoint, attempt.at, Delivery.isReplay(delivery))
          : yield* failed(due.endpoint, delivery, attempt.at)
      if (endpoint !== due.endpoint) {
        const payloads = Endpoint.disabledPayloads(endpoint)
        const prepared = yield* commits.prepare(endpoint.organizationId, { payloads }, attempt.at)
        // A change that somebody else has committed to the endpoint since it was called is kept.
        if (yield* write({ ...prepared, deliveries, webhookEndpoints: [endpoint] })) return delivery.status
      }
    }
    return (yield* write({ deliveries })) ? delivery.status : null
  })

  const sendAndStore = (due: DueDelivery, token: string): Effect.Effect<void> => {
    const sent = Effect.flatMap(attempt(due), (outcome) => settle(due, token, outcome))
    const counted = Metrics.timed(sent, (exit, _, context) => {
      Metrics.deliveries({ type: due.event.payload.type, outcome: outcomeOf(exit) })(1, context)
    })
    return Effect.matchCauseEffect(counted, {
      onSuccess: () => Effect.void,
      onFailure: (cause) =>
        // Interrupted by a stop, it is handed back.
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logWarning(
              "the outcome of a delivery was not stored",
              { deliveryId: due.delivery.deliveryId },
              cause
            )
    })
  }

  const count = SLOTS_PER_JOB * concurrency
  const slots = DeliverySlots.make(count)
  const partitionOf = ({ endpoint: { endpointId, organizationId } }: DueDelivery) => ({
    partitionId: endpointId,
    organizationId
  })

  const claims = FairClaims.make({
    claim: outbox.claim,
    partitions: outbox.partitions,
    placeOf: ({ delivery: { deliveryId, endpointId, nextAttemptAt } }: DueDelivery) => ({
      dueAt: nextAttemptAt ?? 0,
      id: deliveryId,
      partitionId: endpointId
    }),
    // What is claimed in due order and has no slot is handed back.
    open: () => count,
    hasFreeSlot: (partition) => slots.free(partition) > 0,
    shares: slots.shares,
    batchSize: BATCH,
    isStrict: isStandingClock
  })

  // A delivery whose endpoint has no free slot is handed back as it is, and the endpoints take turns from then on.
  const accept = Effect.fnUntraced(function* (claimed: ReadonlyArray<DueDelivery>, token: string, now: Instant) {
    const machineNow = yield* MonotonicTime.now
    slots.markSlow(machineNow)
    const accepted: Array<DueDelivery> = []
    const left: Array<{ readonly delivery: Delivery.Delivery; readonly token: string }> = []
    for (const due of claimed) {
      if (isStandingClock || slots.free(partitionOf(due)) > 0) {
        slots.begin(partitionOf(due), machineNow)
        accepted.push(due)
      } else left.push({ delivery: due.delivery, token })
    }
    const dueAt = accepted.map(({ delivery }) => delivery.nextAttemptAt ?? now)
    yield* Metrics.recordLateness("deliveries", dueAt, now)
    if (left.length === 0) return accepted
    claims.takeTurns()
    yield* Effect.ignore(commits.write({ deliveries: { settled: left } }))
    return accepted
  })

  // Deliveries about one SIM to one endpoint go one after the other, in the order of their events: the last one begun of each.
  const latest = new Map<string, Deferred.Deferred<void>>()
  const perform = (due: DueDelivery, token: string): Effect.Effect<void> => {
    const subject = subjectOf(due)
    const before = latest.get(subject)
    const done = Deferred.makeUnsafe<void>()
    latest.set(subject, done)
    return Effect.withFiber(({ context }) => {
      const machineClock = Context.get(context, MachineClock.Clock)
      let began = MonotonicTime.nowUnsafe(machineClock)
      const own = sendAndStore(due, token)
      const inTurn =
        before === undefined
          ? own
          : Effect.flatMap(Deferred.await(before), () => {
              began = MonotonicTime.nowUnsafe(machineClock)
              return own
            })
      return Effect.onExitPrimitive(inTurn, (exit) => {
        const machineNow = MonotonicTime.nowUnsafe(machineClock)
        slots.end(partitionOf(due), Exit.isSuccess(exit) ? machineNow - began : 0, machineNow)
        if (latest.get(subject) === done) latest.delete(subject)
        Deferred.doneUnsafe(done, Exit.void)
        return undefined
      })
    })
  }

  return FetchLoop.make({
    slots: count,
    pollMillis,
    claims,
    pending: outbox.pending,
    now: clock.now,
    isStandingClock,
    precondition,
    lease: tasks.lease,
    leases,
    leaseOf: ({ delivery }, token) => Leases.ofDelivery(delivery, token),
    accept,
    perform,
    fork: tasks.begin
  })
})
