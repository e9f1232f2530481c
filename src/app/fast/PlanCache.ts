/**
 * A cache of plans, so that a plan that many subscriptions are made of is read once.
 *
 * A cached plan may have been archived or deleted meanwhile. The commit names the version that was decided on, so such a
 * decision ends in a conflict and is made again on the stored plan. A refusal that a cached plan leads to is checked on
 * the stored plan as well.
 */
import { Cache, Effect, Exit, Option } from "effect"
import type { Plan } from "../../domain/Plan.ts"
import type { NotFound } from "../../domain/Refusal.ts"
import { StorageError } from "../../ports/Storage.ts"
import { cachedThenReload } from "../commit/Commits.ts"

export interface OfPlan {
  readonly organizationId: string
  readonly planId: string
}

export type Load = (of: OfPlan) => Effect.Effect<Plan, NotFound | StorageError>

/** Runs a decision on a plan. The decision may run more than once. */
export type DecideOnPlan = <A, E>(
  of: OfPlan,
  decide: (plan: Effect.Effect<Plan, NotFound | StorageError>) => Effect.Effect<A, E>
) => Effect.Effect<A, E>

const CAPACITY = 1_000

/** Decides on the stored plan each time. */
export const off =
  (load: Load): DecideOnPlan =>
  (of, decide) =>
    decide(load(of))

export const make = Effect.fnUntraced(function* (load: Load): Effect.fn.Return<DecideOnPlan> {
  const plans = yield* Cache.makeWith((key: string) => load(JSON.parse(key)), {
    capacity: CAPACITY,
    timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value.archivedAt === null ? Number.POSITIVE_INFINITY : 0)
  })

  return (of, decide) => {
    const key = JSON.stringify({ organizationId: of.organizationId, planId: of.planId })
    const reload = Effect.andThen(Cache.invalidate(plans, key), Cache.get(plans, key))
    return Effect.flatMap(Cache.getSuccess(plans, key), (cached) =>
      Option.isNone(cached)
        ? decide(reload)
        : Effect.catchIf(
            decide(cachedThenReload(cached.value, reload)),
            (error) => !(error instanceof StorageError),
            () => decide(reload)
          )
    )
  }
})
