/**
 * The dispatcher: sends due webhook deliveries and writes down what came of each (rules W5 to W7). At least once: a
 * process that dies between the call and the commit sends again.
 */
import { Cause, Clock as MachineClock, Context, Effect, Layer } from "effect"
import * as Delivery from "../domain/Delivery.ts"
import type { DueDelivery } from "../domain/Delivery.ts"
import * as Endpoint from "../domain/WebhookEndpoint.ts"
import * as WebhookEvent from "../domain/WebhookEvent.ts"
import { BusinessClock } from "../ports/BusinessClock.ts"
import { Outbox } from "../ports/Outbox.ts"
import { Conflict, Storage, type StorageError } from "../ports/Storage.ts"
import { WebhookSender } from "../ports/WebhookSender.ts"
import { Commits } from "./Commits.ts"
import { Ids } from "./Ids.ts"
import { Settings } from "./Settings.ts"
import { Work } from "./Work.ts"

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** Sends what is due now, up to a batch; how many deliveries that were. */
    readonly dispatch: Effect.Effect<number, StorageError>
  }
>()("simplan/Dispatcher") {}

/** Deliveries about one SIM to one endpoint go one after the other, in the order of their events. */
const bySubject = (due: ReadonlyArray<DueDelivery>): ReadonlyArray<ReadonlyArray<DueDelivery>> => {
  const groups = new Map<string, Array<DueDelivery>>()
  for (const one of due) {
    const key = `${one.endpoint.endpointId}:${WebhookEvent.iccid(one.event.payload)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups.values()]
}

type Needs = Storage | Outbox | BusinessClock | WebhookSender | Commits | Ids | Work

export const layer: Layer.Layer<Dispatcher, never, Needs> = Layer.effect(
  Dispatcher,
  Effect.gen(function* () {
    const storage = yield* Storage
    const outbox = yield* Outbox
    const clock = yield* BusinessClock
    const sender = yield* WebhookSender
    const commits = yield* Commits
    const ids = yield* Ids
    const work = yield* Work
    const { concurrency } = yield* Settings

    const attempt = Effect.fnUntraced(function* ({ delivery, endpoint, event }: DueDelivery) {
      if (endpoint.deletedAt !== null) return Delivery.abandoned(delivery, "the endpoint was deleted")
      if (!endpoint.enabled) return Delivery.abandoned(delivery, "the endpoint is disabled")
      const attempted = yield* sender
        .send({
          url: endpoint.url,
          eventId: event.eventId,
          body: WebhookEvent.body(event),
          signingKeys: Endpoint.keysAt(endpoint, yield* clock.now)
        })
        .pipe(
          Effect.match({
            onSuccess: ({ status }): Delivery.Attempt => ({ _tag: "Responded", status }),
            onFailure: ({ message }): Delivery.Attempt => ({ _tag: "Unreachable", message })
          })
        )
      return Delivery.attempted(delivery, attempted, yield* clock.now, yield* ids.fraction)
    })

    /** Rule W7: 410 disables the endpoint. Whoever changed the endpoint meanwhile is not overruled. */
    const disable = Effect.fnUntraced(function* ({ organizationId, endpointId }: Endpoint.WebhookEndpoint) {
      const endpoints = yield* storage.webhookEndpoints({ organizationId })
      const endpoint = endpoints.find((candidate) => candidate.endpointId === endpointId)
      if (endpoint?.enabled) yield* commits.write({ webhookEndpoints: [{ ...endpoint, enabled: false }] })
    })

    const send = Effect.fnUntraced(function* (due: DueDelivery, token: string) {
      const delivery = yield* attempt(due)
      // A lease that was lost: whoever has it now sends again.
      yield* Effect.catchIf(
        commits.write({ deliveries: { settled: [{ delivery, token }] } }),
        (error) => error instanceof Conflict,
        () => Effect.void
      )
      if (delivery.responseStatus === 410) yield* commits.untilDone(disable(due.endpoint))
    })

    const sendAndStore = (due: DueDelivery, token: string) =>
      Effect.catchCause(send(due, token), (cause) =>
        // Interrupted by a stop, it is handed back.
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logWarning(
              "the outcome of a delivery was not stored",
              { deliveryId: due.delivery.deliveryId },
              cause
            )
      )

    return Dispatcher.of({
      dispatch: Effect.gen(function* () {
        const { token, until } = yield* work.lease
        const machineNow = yield* MachineClock.currentTimeMillis
        const now = yield* clock.now
        const claim = outbox.claim({ now, machineNow, until, token, limit: concurrency })
        return yield* work.claimAndDo(claim, (due) =>
          Effect.forEach(
            bySubject(due),
            (ofOne) => Effect.forEach(ofOne, (one) => sendAndStore(one, token), { discard: true }),
            { concurrency: "unbounded", discard: true }
          )
        )
      })
    })
  })
)
