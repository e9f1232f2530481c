/**
 * Looking up lines: what every use case about a SIM in service begins with.
 */
import { Effect } from "effect"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import { NotFound } from "../../domain/Refusal.ts"
import type { Subscription } from "../../domain/Subscription.ts"
import type { Storage } from "../../ports/Storage.ts"

interface OfLine {
  readonly organizationId: string
  readonly iccid: string
}

/** The line and its live subscription; a pending one is not there to be seen (rule S5). */
export const inService = Effect.fnUntraced(function* (storage: Storage["Service"], of: OfLine) {
  const line = yield* storage.simAggregates.get(of)
  const subscription = line?.subscription
  if (line === null || subscription?.status !== "Live") {
    return yield* new NotFound({ resource: "subscription", id: of.iccid })
  }
  return { line, subscription } satisfies { readonly line: SimAggregate; readonly subscription: Subscription }
})
