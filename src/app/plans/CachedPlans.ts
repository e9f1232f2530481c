/**
 * Decisions on plans that are cached, so that a plan that many subscriptions are made of is read
 * once.
 *
 * - A cached plan may have been changed, archived or deleted meanwhile. The commit names the
 *   version that was decided on (`Commit.unchangedPlans`), so such a decision ends in a conflict
 *   and is made again on the stored plan. A refusal that a cached plan leads to is checked on the
 *   stored one.
 * - Inside a transaction of the host (rule H1) nothing that is read is cached, since it may be
 *   rolled back. A plan that is not cached is read there, and cached by a read of its own beside
 *   it, for the next one.
 */
import { Cache, Context, Effect, Exit, Layer, Option } from "effect"
import * as PlanRules from "../../domain/Plan.ts"
import type { Plan } from "../../domain/Plan.ts"
import type { NotFound } from "../../domain/Refusal.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { Storage, StorageError } from "../../ports/Storage.ts"
import { cachedThenReload } from "../commit/CommittedCache.ts"
import { Settings } from "../Settings.ts"

export interface OfPlan {
  readonly organizationId: string
  readonly planId: string
}

/** The plan to decide on. */
export type Existing = Effect.Effect<Plan, NotFound | StorageError>

/** Decides on cached plans. */
export class CachedPlans extends Context.Service<
  CachedPlans,
  {
    /** The plan as it is stored, past the cache. */
    readonly stored: (of: OfPlan) => Existing
    /**
     * Runs a decision on a plan. The decision may run more than once, and asks for the plan each
     * time. A refusal for which `isFinal` holds does not depend on whether the plan was cached.
     */
    readonly decide: <A, E>(
      of: OfPlan,
      decision: (plan: Existing) => Effect.Effect<A, E>,
      isFinal?: (error: unknown) => boolean
    ) => Effect.Effect<A, E>
  }
>()("simplan/CachedPlans") {}

const CACHED = 1_000

/** The implementation that `Services.layer` provides. Without `planCache` it caches nothing. */
export const layer: Layer.Layer<CachedPlans, never, Storage> = Layer.effect(
  CachedPlans,
  Effect.gen(function* () {
    const storage = yield* Storage
    const inTransaction = yield* HostTransaction
    const { fastPaths } = yield* Settings
    const stored = Effect.fnUntraced(function* (of: OfPlan) {
      return yield* Effect.fromResult(PlanRules.existing(yield* storage.plans.get(of), of.planId))
    })
    if (!fastPaths.planCache) return CachedPlans.of({ stored, decide: (of, decision) => decision(stored(of)) })

    const outside = yield* Effect.context<never>()
    const scope = yield* Effect.scope
    const plans = yield* Cache.makeWith((key: string) => stored(JSON.parse(key)), {
      capacity: CACHED,
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value.archivedAt === null ? Number.POSITIVE_INFINITY : 0)
    })

    /** Reads the plan again, and has it cached. */
    const reloaded = (of: OfPlan, key: string, isInside: boolean): Existing => {
      const cached = Effect.andThen(Cache.invalidate(plans, key), Cache.get(plans, key))
      if (!isInside) return cached
      // Failure: the next transaction reads the plan itself, too.
      const beside = Effect.setContext(Effect.ignore(cached), outside)
      return Effect.andThen(Effect.forkIn(beside, scope), stored(of))
    }

    return CachedPlans.of({
      stored,
      decide: (of, decision, isFinal = () => false) => {
        const key = JSON.stringify({ organizationId: of.organizationId, planId: of.planId })
        return Effect.flatMap(Effect.all([inTransaction, Cache.getSuccess(plans, key)]), ([isInside, cached]) => {
          const reload = reloaded(of, key, isInside)
          return Option.isNone(cached)
            ? decision(reload)
            : Effect.catchIf(
                decision(cachedThenReload(cached.value, reload)),
                (error) => !(error instanceof StorageError) && !isFinal(error),
                () => decision(reload)
              )
        })
      }
    })
  })
)
