/**
 * Subscriptions.
 */
import { Effect, Schema, Stream } from "effect"
import { Subscriptions } from "simplan"
import { type Sim, type Subscription, TextLimit } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import * as Commands from "../within/Commands.ts"
import type * as Types from "../types/Subscriptions.ts"

const subscribedSim = ({ iccid, isEsim, label, lpa, simId }: Sim.Sim): Types.SubscribedSim => ({
  simId,
  iccid,
  label,
  isEsim,
  lpa
})

const shape = ({ sim, subscription }: Subscription.SubscriptionWithSim): Types.Subscription => ({
  organizationId: subscription.organizationId,
  subscriptionId: subscription.subscriptionId,
  metadata: subscription.metadata,
  createdAt: Arguments.toDate(subscription.createdAt),
  sim: subscribedSim(sim)
})

const created = (of: Subscription.Created): Types.CreatedSubscription => ({
  organizationId: of.sim.organizationId,
  subscriptionId: of.subscriptionId,
  attachmentId: of.attachmentId,
  metadata: of.metadata,
  createdAt: Arguments.toDate(of.createdAt),
  activationAt: Arguments.toDateOrNull(of.period?.activationAt ?? null),
  expirationAt: Arguments.toDateOrNull(of.period?.expirationAt ?? null),
  sim: subscribedSim(of.sim)
})

const decodeCreation = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    planId: Arguments.Id,
    metadata: Schema.optional(Fields.storable(TextLimit.METADATA)),
    iccid: Schema.optional(Schema.NullOr(Arguments.Id)),
    activePeriod: Schema.optional(
      Schema.NullOr(
        Schema.Struct({
          start: Arguments.Instant,
          end: Schema.optional(Schema.NullOr(Arguments.Instant))
        })
      )
    )
  })
)

/** A subscription to create, checked. Throws an `InvalidFieldError`. */
export const creation = (method: string, request: unknown): Subscriptions.CreateRequest => {
  const { activePeriod, iccid = null, metadata = "", organizationId, planId } = decodeCreation(method, request)
  return {
    organizationId,
    planId,
    metadata,
    iccid,
    activePeriod:
      activePeriod === undefined || activePeriod === null
        ? null
        : {
            start: Arguments.toInstant(activePeriod.start),
            end: Arguments.toInstantOrNull(activePeriod.end)
          }
  }
}

/** Names the subscription of a SIM, checked. Throws an `InvalidFieldError`. */
export const named = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, iccid: Arguments.Id }))

const ofOrganization = Arguments.decoder(Schema.Struct(Arguments.ofOrganization))

const service = Subscriptions.Subscriptions

export const make = (runtime: Runtime): Types.Subscriptions => ({
  create: Methods.writing(runtime, { name: "subscriptions.create", decode: creation }, (request) =>
    Methods.once(
      "Created",
      Effect.flatMap(service, (subscriptions) => subscriptions.create(request)),
      (answer) => Effect.succeed(created(answer))
    )
  ),
  settled: Commands.settled(runtime, "subscriptions.settled", "Created", created),
  get: Methods.reading(runtime, { name: "subscriptions.get", decode: named }, (of) =>
    Effect.flatMap(service, (subscriptions) => Effect.map(subscriptions.get(of), shape))
  ),
  list: Methods.streaming(runtime, { name: "subscriptions.list", decode: ofOrganization }, (of) =>
    Effect.map(service, (subscriptions) => Stream.map(subscriptions.list(of), shape))
  ),
  remove: Methods.writing(runtime, { name: "subscriptions.remove", decode: named }, (of) =>
    Methods.done(Effect.flatMap(service, (subscriptions) => subscriptions.remove(of)))
  ),
  lastOperator: Methods.reading(runtime, { name: "subscriptions.lastOperator", decode: named }, (of) =>
    Effect.flatMap(service, (subscriptions) =>
      Effect.map(subscriptions.lastOperator(of), (last) =>
        last === null
          ? null
          : {
              country: last.country,
              countryIso2: last.countryAlpha2,
              operator: last.operator,
              rat: last.rat,
              imei: last.imei,
              at: Arguments.toDate(last.at)
            }
      )
    )
  )
})
