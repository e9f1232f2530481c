/**
 * Returning eSIMs that were bought and not sold to their suppliers (rule I15).
 */
import { Context, Effect, Layer } from "effect"
import { NotFound, type Refusing } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import * as SimReturn from "../../domain/SimReturn.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as JobRunner from "../jobs/JobRunner.ts"
import { BackgroundTasks } from "../jobs/Leases.ts"
import { Settings } from "../Settings.ts"

/** Returns eSIMs to their suppliers. */
export class Returns extends Context.Service<
  Returns,
  {
    /**
     * Withdraws the SIM, and has its supplier asked to take it back, for whose answer it waits some
     * time: the SIM as it is then. One that is being returned, or was, stays as it is.
     */
    readonly giveBack: (of: {
      readonly organizationId: string
      readonly iccid: string
    }) => Effect.Effect<Sim, NotFound | Refusing<"return"> | StorageError>
  }
>()("simplan/Returns") {}

type Needs = Storage | BusinessClock | Commits | Ids | BackgroundTasks | JobRunner.JobRunner

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Returns, never, Needs> = Layer.effect(
  Returns,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const ids = yield* Ids
    const tasks = yield* BackgroundTasks
    const runner = yield* JobRunner.JobRunner
    const { waitLimitMillis } = yield* Settings

    const get = Effect.fnUntraced(function* (of: { readonly organizationId: string; readonly iccid: string }) {
      return (yield* storage.sims.get(of)) ?? (yield* new NotFound({ resource: "sim", id: of.iccid }))
    })

    return Returns.of({
      giveBack: Effect.fn("Returns.giveBack")(function* (of) {
        const begun = yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const { organizationId } = of
            const sim = yield* get(of)
            const now = yield* clock.now
            const returnId = yield* ids.next(now, organizationId)
            const decision = yield* Effect.fromResult(SimReturn.begin(sim, returnId, now))
            if (decision === null) return null
            const lease = yield* tasks.lease
            const prepared = yield* commits.prepare(organizationId, decision, now, lease)
            const commit = yield* commits.audited(prepared, SimReturn.change(of, [null, "pending"]), now)
            yield* commits.write(commit)
            return { commit, lease }
          })
        )
        if (begun !== null) yield* runner.tryAll(begun.commit, begun.lease, waitLimitMillis)
        return yield* get(of)
      })
    })
  })
)
