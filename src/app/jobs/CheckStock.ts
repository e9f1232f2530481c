/**
 * Counting the free eSIMs of a label, after a change of theirs, and publishing that they are below its level (rule I12).
 *
 * Several processes may check one label at once. Each stores the level with what it has found, so all but one meet another
 * version and count again: each fall is published once, and no older count is stored after a newer one.
 */
import { Effect } from "effect"
import type { Work } from "../../domain/Job.ts"
import * as Stock from "../../domain/Stock.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage } from "../../ports/Storage.ts"
import { Commits, NamedTypes } from "../commit/Commits.ts"
import { type Done, finishing, type LeasedJob } from "../telco/TelcoCall.ts"

/** What does the job. It changes nothing where the label has no level, or nobody takes the event any more. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const namedTypes = yield* NamedTypes
  return Effect.fnUntraced(function* (held: LeasedJob, { label }: Extract<Work, { _tag: "CheckStock" }>) {
    const { organizationId } = held.job
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const isTaken = (yield* namedTypes.of(organizationId)).has("stock.low")
        const levels = Stock.set(yield* storage.sims.levels({ organizationIds: [organizationId] }))
        const stored = levels.find((one) => one.label === label)
        if (stored === undefined || !isTaken) return yield* commits.write(finishing(held, {}))
        const free = yield* storage.sims.countFree({ organizationId, label, atMost: stored.level })
        const now = yield* clock.now
        const { level, payloads } = Stock.checked(stored, free)
        const commit = yield* commits.prepare(organizationId, { payloads }, now)
        return yield* commits.write(finishing(held, { ...commit, stockLevels: [level] }))
      })
    )
    return "done" as const satisfies Done
  })
})
