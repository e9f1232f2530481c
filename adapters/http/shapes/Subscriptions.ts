/**
 * Subscriptions as JSON.
 */
import { Time } from "simplan"
import type { SmsSegments, Subscription } from "simplan/ports"
import type * as SubscriptionsApi from "../api/SubscriptionsApi.ts"
import * as Instants from "./Instants.ts"

export const subscription = ({
  sim,
  subscription
}: Subscription.SubscriptionWithSim): typeof SubscriptionsApi.Subscription.Type => ({
  subscription_id: subscription.subscriptionId,
  created_at: Time.toIso(subscription.createdAt),
  metadata: subscription.metadata,
  esim: { esim_id: sim.simId, iccid: sim.iccid, lpa_string: sim.lpa, label: sim.label }
})

/** The answer to a creation; it has times only where an active period was sent. */
export const created = ({
  createdAt,
  metadata,
  period,
  sim,
  subscriptionId
}: Subscription.Created): typeof SubscriptionsApi.CreatedSubscription.Type => ({
  subscription_id: subscriptionId,
  created_at: Time.toIso(createdAt),
  ...(period === null
    ? undefined
    : { activation_at: Time.toIso(period.activationAt), expiration_at: Instants.toWire(period.expirationAt) }),
  metadata,
  esimdata: { esim_id: sim.simId, iccid: sim.iccid, label: sim.label, lpa_string: sim.lpa }
})

interface Located {
  readonly country: string
  readonly countryAlpha2: string
  readonly operator: string
  readonly rat: string
  readonly imei: string
}

/** The last operator; null without activity in the last 7 days. */
export const lastOperator = (last: Located | null): typeof SubscriptionsApi.LastOperator.Type => ({
  error: false,
  last_operator:
    last === null
      ? null
      : {
          country: last.country,
          country_alpha_2: last.countryAlpha2,
          operator: last.operator,
          rat: last.rat,
          imei: last.imei
        }
})

export const sentSms = ({ segments }: SmsSegments.Sent): typeof SubscriptionsApi.SentSms.Type => ({
  error: false,
  message: "SMS sent successfully",
  segments
})

/** The arguments of a creation; `activePeriod` is null where none was sent. */
export const creation = ({
  active_period: period,
  iccid,
  metadata,
  plan_id: planId
}: typeof SubscriptionsApi.CreateSubscription.Type) => ({
  planId,
  metadata,
  iccid: iccid ?? null,
  activePeriod:
    period === null || period === undefined
      ? null
      : { start: Instants.fromWire(period.start), end: Instants.fromWire(period.end) }
})
