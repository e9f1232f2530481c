/**
 * Creating subscriptions: what a body comes to, whichever way the request has come in (see `Express`).
 */
import { Effect } from "effect"
import { Subscriptions } from "simplan"
import * as SubscriptionsApi from "../api/SubscriptionsApi.ts"
import * as JsonBody from "../JsonBody.ts"
import * as Shapes from "../shapes/Subscriptions.ts"

const decode = JsonBody.decoder(SubscriptionsApi.CreateSubscription)

export const make = Effect.map(
  Subscriptions.Subscriptions,
  (subscriptions) => (organizationId: string, body: unknown) =>
    Effect.flatMap(decode(body), ({ active_period: period, iccid = null, metadata, plan_id: planId }) =>
      subscriptions.create({ organizationId, planId, metadata, iccid, activePeriod: Shapes.activePeriod(period) })
    )
)

export type Creations = Effect.Success<typeof make>
