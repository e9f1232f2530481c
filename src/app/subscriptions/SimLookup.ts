/**
 * Looking up a SIM in service, with its aggregate: the first step of every use case about one.
 */
import { Effect } from "effect"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import { NotFound } from "../../domain/Refusal.ts"
import type { Subscription } from "../../domain/Subscription.ts"
import type { SimAggregates } from "../../ports/Storage.ts"

interface OfSim {
  readonly organizationId: string
  readonly iccid: string
}

/** The SIM's aggregate and its live subscription; `NotFound` if it has none. A pending one is invisible (rule S5). */
export const inService = Effect.fnUntraced(function* (storage: { readonly simAggregates: SimAggregates }, of: OfSim) {
  const aggregate = yield* storage.simAggregates.get(of)
  const subscription = aggregate?.subscription
  if (aggregate === null || subscription?.status !== "Live") {
    return yield* new NotFound({ resource: "subscription", id: of.iccid })
  }
  return { aggregate, subscription } satisfies { readonly aggregate: SimAggregate; readonly subscription: Subscription }
})
