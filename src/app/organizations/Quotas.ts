/**
 * Refuses what an organization has as many of as it may have (rule W13). It is counted right before the commit that adds
 * one, so that creations at the same moment exceed a quota by no more than they are.
 */
import { Effect } from "effect"
import * as Quota from "../../domain/Quota.ts"
import type { QuotaExceeded } from "../../domain/Refusal.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Settings } from "../Settings.ts"

/** By `quotas` of the settings. What is counted is bounded by the quota. */
export const make = Effect.gen(function* () {
  const { organizations } = yield* Storage
  const { quotas } = yield* Settings
  return (organizationId: string, kind: Quota.Kind): Effect.Effect<void, QuotaExceeded | StorageError> =>
    Effect.flatMap(organizations.count({ organizationId, kind, atMost: quotas[kind] }), (count) =>
      Effect.fromResult(Quota.check(quotas, kind, count))
    )
})
