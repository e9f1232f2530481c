/**
 * The dispatcher: sends due webhook deliveries and stores the outcome of each attempt (rules W5 to
 * W7). Delivery is at least once: if a process dies between the call and the commit, another one
 * sends again. Its slots let endpoints and organizations share what this process has under way.
 */
import { Cause, Clock as MachineClock, Context, Deferred, Effect, Exit } from "effect"
import * as Delivery from "../../domain/Delivery.ts"
import type { DueDelivery } from "../../domain/Delivery.ts"
import type { Instant } from "../../domain/Time.ts"
import * as Endpoint from "../../domain/WebhookEndpoint.ts"
import type { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import * as WebhookEvent from "../../domain/WebhookEvent.ts"
import * as Clocks from "../../ports/Clocks.ts"
import type { Partition } from "../../ports/Jobs.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { type Commit, Conflict, Storage, type StorageError } from "../../ports/Storage.ts"
import { type SendFailed, type WebhookAnswer, WebhookSender } from "../../ports/WebhookSender.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as FetchLoop from "./FetchLoop.ts"
import * as Leases from "../jobs/Leases.ts"
import * as FairSlots from "../FairSlots.ts"
import * as Metrics from "../Metrics.ts"
import * as Rates from "../Rates.ts"
import { Settings } from "../Settings.ts"
import * as FairClaims from "./FairClaims.ts"

type PartitionKey = Pick<Partition, "partitionId" | "organizationId">

/**
 * How many deliveries to one endpoint may be under way, so that no endpoint and no organization
 * takes the slots of another.
 *
 * An organization has an even share of all slots, at most a half (rule W13). Each of its endpoints
 * has an even share of that. An endpoint is slow while it does not answer, and until its next quick
 * answer. Slow endpoints come last: they have a quarter of their organization's share, and all
 * together a quarter of the slots, so that the others find free ones at once. All instants are the
 * machine's.
 */
export interface DeliverySlots {
  /** How many more deliveries may be begun. */
  readonly free: (partition: PartitionKey) => number
  /**
   * How many more of these partitions may be begun together, up to `most` in all: in even shares of
   * organizations, and of each one in even shares of its partitions.
   */
  readonly shares: <P extends PartitionKey>(
    partitions: ReadonlyArray<P>,
    most: number,
    now: Instant
  ) => ReadonlyArray<{ readonly partition: P; readonly count: number }>
  readonly begin: (partition: PartitionKey, now: Instant) => void
  readonly end: (partition: PartitionKey, millis: number, now: Instant) => void
  /** Marks endpoints as slow that have ended nothing for too long. */
  readonly markSlow: (now: Instant) => void
}

/** From how long on an attempt is slow, in milliseconds. */
const SLOW = 1_000

/** What part of the slots slow endpoints have. */
const SLOW_PART = 1 / 4

interface Usage {
  underWay: number
  slow: number
  /** When the last attempt ended, or the first of these began. */
  endedAt: Instant
}

interface OfOrganization extends Omit<Usage, "endedAt"> {
  readonly partitions: Map<string, Usage>
}

export const makeSlots = (slots: number): DeliverySlots => {
  const organizations = new Map<string, OfOrganization>()
  const slowIds = new Set<string>()
  let slow = 0

  const add = (partition: PartitionKey, count: 1 | -1, isSlow: boolean, now: Instant): void => {
    const organization = organizations.get(partition.organizationId) ?? {
      underWay: 0,
      slow: 0,
      partitions: new Map<string, Usage>()
    }
    const usage = organization.partitions.get(partition.partitionId) ?? { underWay: 0, slow: 0, endedAt: now }
    const slowly = isSlow ? count : 0
    for (const one of [organization, usage]) {
      one.underWay += count
      one.slow += slowly
    }
    slow += slowly
    if (usage.underWay > 0) organization.partitions.set(partition.partitionId, usage)
    else organization.partitions.delete(partition.partitionId)
    if (organization.underWay > 0) organizations.set(partition.organizationId, organization)
    else organizations.delete(partition.organizationId)
  }

  const free = ({ partitionId, organizationId }: PartitionKey): number => {
    const organization = organizations.get(organizationId)
    const ofAll = FairSlots.evenShare(slots, organizations.size + (organization === undefined ? 1 : 0))
    const usage = organization?.partitions.get(partitionId)
    const count = (organization?.partitions.size ?? 0) + (usage === undefined ? 1 : 0)
    const own = Math.max(1, Math.floor(ofAll / count)) - (usage?.underWay ?? 0)
    const left = Math.min(own, ofAll - (organization?.underWay ?? 0))
    if (!slowIds.has(partitionId)) return Math.max(0, left)
    return Math.max(
      0,
      Math.min(left, Math.ceil(ofAll * SLOW_PART) - (organization?.slow ?? 0), Math.ceil(slots * SLOW_PART) - slow)
    )
  }

  return {
    free,
    shares: (partitions, most, now) => {
      const shares = partitions.map((partition) => ({ partition, count: 0 }))
      const isSlow = ({ partition: { partitionId } }: (typeof shares)[number]) => slowIds.has(partitionId)
      // Of each organization, those that may have more still, in the order of their turns; slow
      // ones last.
      const lines = new Map<string, Array<(typeof shares)[number]>>()
      for (const share of [...shares.filter((one) => !isSlow(one)), ...shares.filter(isSlow)]) {
        const { organizationId } = share.partition
        const line = lines.get(organizationId)
        if (line === undefined) lines.set(organizationId, [share])
        else line.push(share)
      }
      let left = most
      // Each share counts as begun while the others are worked out, and is taken back afterwards.
      while (left > 0 && lines.size > 0) {
        for (const [organizationId, line] of lines) {
          if (left === 0) break
          const share = line.shift()
          if (share === undefined) lines.delete(organizationId)
          else if (free(share.partition) > 0) {
            add(share.partition, 1, isSlow(share), now)
            share.count += 1
            left -= 1
            line.push(share)
          }
        }
      }
      for (const share of shares) {
        for (let one = 0; one < share.count; one++) add(share.partition, -1, isSlow(share), now)
      }
      return shares.filter(({ count }) => count > 0)
    },
    begin: (partition, now) => add(partition, 1, slowIds.has(partition.partitionId), now),
    end: (partition, millis, now) => {
      const ended = organizations.get(partition.organizationId)?.partitions.get(partition.partitionId)
      // Deliveries of one endpoint are not distinguished: those that count as slow end first.
      if (ended !== undefined) ended.endedAt = now
      add(partition, -1, (ended?.slow ?? 0) > 0, now)
      if (millis >= SLOW) slowIds.add(partition.partitionId)
      else slowIds.delete(partition.partitionId)
    },
    markSlow: (now) => {
      for (const of of organizations.values()) {
        for (const [partitionId, usage] of of.partitions) {
          if (now - usage.endedAt < SLOW || usage.slow === usage.underWay) continue
          const more = usage.underWay - usage.slow
          usage.slow += more
          of.slow += more
          slow += more
          slowIds.add(partitionId)
        }
      }
    }
  }
}

/**
 * How many deliveries are under way at once for each job that may be: they wait for receivers most
 * of the time.
 */
const SLOTS_PER_JOB = 8

/** How many are claimed at once at most. */
const BATCH = 128

const subjectOf = ({ endpoint, event }: DueDelivery): string =>
  `${endpoint.endpointId}:${WebhookEvent.iccid(event.payload)}`

/**
 * The delivery after it was sent, and the attempt; absent if none was made, as its endpoint
 * takes no more.
 */
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

/** Whether an attempt failed; what was handed back or is another process's by now did not. */
const isFailure = (outcome: string): boolean => outcome === "failed" || outcome === "retried" || outcome === "given_up"

const measured = (call: Effect.Effect<WebhookAnswer, SendFailed>) =>
  Metrics.timed(Metrics.traced("webhook", { kind: "client" }, call), (exit, seconds, context) => {
    const answer = Delivery.answerClass(Exit.isSuccess(exit) ? exit.value.status : null)
    Metrics.deliveryDuration({ answer })(seconds, context)
  })

export type Needs =
  | Storage
  | Outbox
  | Clocks.BusinessClock
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
  const clock = yield* Clocks.BusinessClock
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
    const began = yield* Clocks.monotonicNow
    const answer = yield* call(due, yield* clock.now, began + (yield* storage.clockOffset))
    const took = Math.max(0, Math.round((yield* Clocks.monotonicNow) - began))
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

  /**
   * Rule W7: the endpoint after a failed attempt; the log is asked only if the endpoint may have
   * failed for too long.
   */
  const failed = Effect.fnUntraced(function* (endpoint: WebhookEndpoint, delivery: Delivery.Delivery, now: Instant) {
    if (Delivery.isGone(delivery)) return Endpoint.disabled(endpoint, "Gone", now)
    const { endpointId, failingSince, organizationId } = endpoint
    if (failingSince === null) return Endpoint.failed(endpoint, null, now)
    if (!Endpoint.mayHaveFailedTooLong(endpoint, now)) return endpoint
    const asked = { organizationId, endpointId, ...Endpoint.failuresAsked(failingSince) }
    const since = yield* storage.webhookEndpoints.failingSince(asked)
    return Endpoint.failed(endpoint, since, now)
  })

  /**
   * The delivery's status after the commit; null if the lease was lost. Then its new holder sends
   * again.
   */
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
      const outcome = outcomeOf(exit)
      Metrics.deliveries({ type: due.event.payload.type, outcome })(1, context)
      Rates.count("deliveries", isFailure(outcome), context)
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
  const slots = makeSlots(count)
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

  // A delivery whose endpoint has no free slot is handed back as it is, and the endpoints take
  // turns from then on.
  const accept = Effect.fnUntraced(function* (claimed: ReadonlyArray<DueDelivery>, token: string, now: Instant) {
    const machineNow = yield* Clocks.monotonicNow
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
    // Failure: they are due again when their lease ends.
    yield* Effect.ignore(commits.write({ deliveries: { settled: left } }))
    return accepted
  })

  // Deliveries about one SIM to one endpoint go one after the other, in the order of their events:
  // the last one begun of each.
  const latest = new Map<string, Deferred.Deferred<void>>()
  const perform = (due: DueDelivery, token: string): Effect.Effect<void> => {
    const subject = subjectOf(due)
    const before = latest.get(subject)
    const done = Deferred.makeUnsafe<void>()
    latest.set(subject, done)
    return Effect.withFiber(({ context }) => {
      const machineClock = Context.get(context, MachineClock.Clock)
      let began = Clocks.monotonicNowUnsafe(machineClock)
      const own = sendAndStore(due, token)
      const inTurn =
        before === undefined
          ? own
          : Effect.flatMap(Deferred.await(before), () => {
              began = Clocks.monotonicNowUnsafe(machineClock)
              return own
            })
      return Effect.onExitPrimitive(inTurn, (exit) => {
        const machineNow = Clocks.monotonicNowUnsafe(machineClock)
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
