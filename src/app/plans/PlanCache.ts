/**
 * Plans as this process last read them, so that what is asked for over and over is not read over and over.
 *
 * A known plan may have been archived or deleted meanwhile. Nothing comes of that: what is decided on it is committed
 * under its version (`Decision.plan`), and nobody is refused anything because of it: see `Decided`.
 */
import { Effect } from "effect"
import * as Plan from "../../domain/Plan.ts"
import type { NotFound } from "../../domain/Refusal.ts"
import { type Storage, StorageError } from "../../ports/Storage.ts"
import { cachedThenReload } from "../commit/Commits.ts"

interface OfPlan {
  readonly organizationId: string
  readonly planId: string
}

/** How many plans are known at most. */
const LIMIT = 1_000

/**
 * Decides on a plan: on the one that is known at first, and where that leads to a conflict or a refusal on the one that
 * is stored. `decide` runs once or more.
 */
export type DecideOnPlan = <A, E>(
  of: OfPlan,
  decide: (plan: Effect.Effect<Plan.Plan, NotFound | StorageError>) => Effect.Effect<A, E>
) => Effect.Effect<A, E>

export const make = (storage: Storage["Service"]): DecideOnPlan => {
  const known = new Map<string, Plan.Plan>()

  const load = (of: OfPlan, name: string) =>
    Effect.flatMap(storage.plans.get(of), (found) => {
      known.delete(name)
      if (found !== null && found.archivedAt === null && found.deletedAt === null) {
        known.set(name, found)
        const [oldest] = known.keys()
        if (known.size > LIMIT && oldest !== undefined) known.delete(oldest)
      }
      return Effect.fromResult(Plan.existing(found, of.planId))
    })

  return (of, decide) =>
    Effect.suspend(() => {
      const name = `${of.organizationId} ${of.planId}`
      const loading = load(of, name)
      const plan = known.get(name)
      if (plan === undefined) return decide(loading)
      return Effect.catchIf(
        decide(cachedThenReload(plan, loading)),
        (error) => !(error instanceof StorageError),
        () => decide(loading)
      )
    })
}
