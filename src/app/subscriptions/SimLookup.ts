/**
 * Looking up a SIM in service: the first step of every use case about one. Each reads no more than its use case needs.
 */
import { Effect } from "effect"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import { NotFound } from "../../domain/Refusal.ts"
import type { Subscription } from "../../domain/Subscription.ts"
import * as ReadCost from "../fair/ReadCost.ts"
import type { SimAggregates, Subscriptions } from "../../ports/Storage.ts"

interface OfSim {
  readonly organizationId: string
  readonly iccid: string
}

const missing = (of: OfSim) => new NotFound({ resource: "subscription", id: of.iccid })

/** The live subscription with its SIM, and nothing of its attachments; `NotFound` if it has none (rule S5). */
export const live = Effect.fnUntraced(function* (storage: { readonly subscriptions: Subscriptions }, of: OfSim) {
  return (yield* storage.subscriptions.get(of)) ?? (yield* missing(of))
})

/**
 * The SIM's aggregate and its live subscription; `NotFound` if it has none. A pending one is invisible (rule S5).
 * With an attachment's id: without the other attachments.
 */
export const inService = Effect.fnUntraced(function* (
  storage: { readonly simAggregates: SimAggregates },
  of: OfSim,
  attachmentId?: string
) {
  const { iccid, organizationId } = of
  const { simAggregates } = storage
  const aggregate = yield* attachmentId === undefined
    ? simAggregates.get({ organizationId, iccid })
    : simAggregates.forAttachment({ organizationId, iccid, attachmentId })
  const subscription = aggregate?.subscription
  if (aggregate === null || subscription?.status !== "Live") return yield* missing(of)
  yield* ReadCost.attachments(aggregate.attachments)
  return { aggregate, subscription } satisfies { readonly aggregate: SimAggregate; readonly subscription: Subscription }
})
