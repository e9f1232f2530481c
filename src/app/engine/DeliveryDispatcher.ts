/**
 * The dispatcher: sends due webhook deliveries and writes down what came of each (rules W5 to W7). At least once: a
 * process that dies between the call and the commit sends again.
 */
import { Cause, Clock as MachineClock, Context, Deferred, Effect, Exit, Layer } from "effect"
import * as Delivery from "../../domain/Delivery.ts"
import type { DueDelivery } from "../../domain/Delivery.ts"
import type { Instant } from "../../domain/Time.ts"
import * as Endpoint from "../../domain/WebhookEndpoint.ts"
import * as WebhookEvent from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { type Commit, Conflict, Storage, type StorageError } from "../../ports/Storage.ts"
import { type SendFailed, WebhookSender } from "../../ports/WebhookSender.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as FetchLoop from "./FetchLoop.ts"
import * as Leases from "./Leases.ts"
import * as Metrics from "../Metrics.ts"
import * as DeliverySlots from "./DeliverySlots.ts"
import { Settings } from "../Settings.ts"
import * as FairClaims from "./FairClaims.ts"
import { BackgroundTasks } from "./BackgroundTasks.ts"

export class DeliveryDispatcher extends Context.Service<
  DeliveryDispatcher,
  {
    /** Sends what is due now, up to a batch; how many deliveries that were. */
    readonly dispatch: Effect.Effect<number, StorageError>
    /** Sends deliveries as they fall due, for ever. */
    readonly feed: Effect.Effect<never>
  }
>()("simplan/DeliveryDispatcher") {}

/** How many deliveries are under way at once for each job that may be: they wait for others most of the time. */
const SLOTS = 8

/** How many are claimed at once: by those who send as they fall due, and where all that are due are sent. */
const AT_ONCE = 128
const BATCH = 32

const subjectOf = ({ endpoint, event }: DueDelivery): string =>
  `${endpoint.endpointId}:${WebhookEvent.iccid(event.payload)}`

/** Deliveries about one SIM to one endpoint go one after the other, in the order of their events. */
const bySubject = <Due extends DueDelivery>(due: ReadonlyArray<Due>): ReadonlyArray<ReadonlyArray<Due>> => {
  const groups = new Map<string, Array<Due>>()
  for (const one of due) {
    const key = subjectOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups.values()]
}

/** `lost`: the lease was, so that whoever has it now sends again. */
const outcomeOf = (exit: Exit.Exit<Delivery.Delivery | null, unknown>): string => {
  if (Exit.isFailure(exit)) return Cause.hasInterruptsOnly(exit.cause) ? "handed_back" : "failed"
  if (exit.value === null) return "lost"
  switch (exit.value.status) {
    case "Delivered":
      return "delivered"
    case "Pending":
      return "retried"
    case "Failed":
      return "given_up"
  }
}

const measured = (call: Effect.Effect<{ readonly status: number }, SendFailed>) =>
  Metrics.timed(Metrics.traced("webhook", { kind: "client" }, call), (exit, seconds, context) => {
    const answer = Exit.isSuccess(exit) ? `${Math.trunc(exit.value.status / 100)}xx` : "none"
    Metrics.deliveryDuration({ answer })(seconds, context)
  })

type Needs = Storage | Outbox | BusinessClock | WebhookSender | Commits | Ids | BackgroundTasks | Leases.Leases

export const layer: Layer.Layer<DeliveryDispatcher, never, Needs> = Layer.effect(
  DeliveryDispatcher,
  Effect.gen(function* () {
    const storage = yield* Storage
    const outbox = yield* Outbox
    const clock = yield* BusinessClock
    const sender = yield* WebhookSender
    const commits = yield* Commits
    const ids = yield* Ids
    const work = yield* BackgroundTasks
    const leases = yield* Leases.Leases
    const { concurrency, pollMillis } = yield* Settings

    const call = (
      { endpoint, event }: DueDelivery,
      now: Instant,
      machineNow: Instant
    ): Effect.Effect<Delivery.Attempt> => {
      const sent = sender.send({
        url: endpoint.url,
        eventId: event.eventId,
        body: WebhookEvent.body(event),
        at: machineNow,
        signingKeys: Endpoint.keysAt(endpoint, now)
      })
      return Effect.match(measured(sent), {
        onSuccess: ({ status }) => ({ _tag: "Responded", status }),
        onFailure: ({ message }) => ({ _tag: "Unreachable", message })
      })
    }

    const attempt = Effect.fnUntraced(function* (due: DueDelivery) {
      const { delivery, endpoint } = due
      if (endpoint.deletedAt !== null) return Delivery.abandoned(delivery, "the endpoint was deleted")
      if (!endpoint.enabled) return Delivery.abandoned(delivery, "the endpoint is disabled")
      const machineNow = (yield* MachineClock.currentTimeMillis) + (yield* storage.clockOffset)
      const attempted = yield* call(due, yield* clock.now, machineNow)
      const now = yield* clock.now
      // Most attempts succeed, and need no chance.
      return Delivery.attempted(delivery, attempted, now, Delivery.isDone(attempted) ? 0 : yield* ids.fraction)
    })

    const write = (commit: Commit) =>
      Effect.matchEffect(commits.write(commit), {
        onSuccess: () => Effect.succeed(true),
        onFailure: (error) => (error instanceof Conflict ? Effect.succeed(false) : Effect.fail(error))
      })

    const settle = (due: DueDelivery, token: string, delivery: Delivery.Delivery) => {
      const deliveries = { settled: [{ delivery, token }] }
      // Where the lease was lost, whoever has it now sends again, and what came of this attempt counts for nothing.
      const settled = Effect.map(write({ deliveries }), (isOurs) => (isOurs ? delivery : null))
      // A change that somebody else has committed to the endpoint since it was called is kept.
      return Delivery.isGone(delivery) && due.endpoint.enabled
        ? Effect.flatMap(write({ deliveries, webhookEndpoints: [Endpoint.disabled(due.endpoint)] }), (isDisabled) =>
            isDisabled ? Effect.succeed(delivery) : settled
          )
        : settled
    }

    const sendAndStore = (due: DueDelivery, token: string): Effect.Effect<void> => {
      const sent = Effect.flatMap(attempt(due), (delivery) => settle(due, token, delivery))
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

    const slots = SLOTS * concurrency
    const rooms = DeliverySlots.make(slots)
    const laneOf = ({ endpoint: { endpointId, organizationId } }: DueDelivery) => ({
      laneId: endpointId,
      organizationId
    })

    const turns = FairClaims.make({
      claim: outbox.claim,
      lanes: outbox.lanes,
      standing: ({ delivery: { deliveryId, endpointId, nextAttemptAt } }: DueDelivery) => ({
        dueAt: nextAttemptAt ?? 0,
        id: deliveryId,
        laneId: endpointId
      }),
      room: rooms.room,
      shares: rooms.shares,
      atOnce: AT_ONCE,
      isStrict: clock.set !== null
    })

    // What its endpoint has no room for goes back as it is, and the endpoints have their turns from then on.
    const accept = Effect.fnUntraced(function* (claimed: ReadonlyArray<DueDelivery>, token: string, now: Instant) {
      const machineNow = yield* MachineClock.currentTimeMillis
      rooms.look(machineNow)
      const accepted: Array<DueDelivery> = []
      const left: Array<{ readonly delivery: Delivery.Delivery; readonly token: string }> = []
      for (const due of claimed) {
        if (clock.set !== null || rooms.room(laneOf(due)) > 0) {
          rooms.begin(laneOf(due), machineNow)
          accepted.push(due)
        } else left.push({ delivery: due.delivery, token })
      }
      yield* Metrics.recordLateness(
        "deliveries",
        accepted.map(({ delivery }) => delivery.nextAttemptAt ?? now),
        now
      )
      if (left.length === 0) return accepted
      turns.crowd()
      yield* Effect.ignore(commits.write({ deliveries: { settled: left } }))
      return accepted
    })

    // The last one that was begun about each SIM to each endpoint: the next one waits for it.
    const latest = new Map<string, Deferred.Deferred<void>>()
    const perform = (due: DueDelivery, token: string): Effect.Effect<void> => {
      const subject = subjectOf(due)
      const before = latest.get(subject)
      const done = Deferred.makeUnsafe<void>()
      latest.set(subject, done)
      return Effect.withFiber(({ context }) => {
        const machineClock = Context.get(context, MachineClock.Clock)
        let began = machineClock.currentTimeMillisUnsafe()
        const own = sendAndStore(due, token)
        const inTurn =
          before === undefined
            ? own
            : Effect.flatMap(Deferred.await(before), () => {
                began = machineClock.currentTimeMillisUnsafe()
                return own
              })
        return Effect.onExitPrimitive(inTurn, (exit) => {
          const machineNow = machineClock.currentTimeMillisUnsafe()
          rooms.end(laneOf(due), Exit.isSuccess(exit) ? machineNow - began : 0, machineNow)
          if (latest.get(subject) === done) latest.delete(subject)
          Deferred.doneUnsafe(done, Exit.void)
          return undefined
        })
      })
    }

    return DeliveryDispatcher.of({
      feed: FetchLoop.run({
        slots: clock.set === null ? slots : 1,
        pollMillis,
        announced: work.announcements.deliveriesDueAt,
        turns,
        pending: outbox.pending,
        now: clock.now,
        standsStill: clock.set !== null,
        lease: work.lease,
        leases,
        holding: ({ delivery }, token) => Leases.ofDelivery(delivery, token),
        accept,
        perform,
        begin: work.begin
      }),
      dispatch: Effect.gen(function* () {
        const { token, until } = yield* work.lease
        const machineNow = yield* MachineClock.currentTimeMillis
        const now = yield* clock.now
        const claim = outbox.claim({ now, machineNow, until, token, limit: BATCH }).pipe(
          Effect.map((claimed) => claimed.map((due) => ({ ...due, holding: Leases.ofDelivery(due.delivery, token) }))),
          Effect.tap((claimed) =>
            Metrics.recordLateness(
              "deliveries",
              claimed.map(({ delivery }) => delivery.nextAttemptAt ?? now),
              now
            )
          ),
          Effect.tap((claimed) => leases.keep(claimed.map(({ holding }) => holding)))
        )
        return yield* work.claimAndDo(claim, (due) =>
          Effect.forEach(
            bySubject(due),
            (ofOne) =>
              Effect.forEach(ofOne, (one) => Effect.ensuring(sendAndStore(one, token), leases.letGo(one.holding)), {
                discard: true
              }),
            { concurrency: "unbounded", discard: true }
          )
        )
      })
    })
  })
)
