/**
 * Comparing the bundle that a plan is with what its telco sells now (rule P6). The job comes again
 * each hour, or each day on a clock that stands still, which may be moved by years. It ends when
 * the plan is gone or is no bundle of a catalogue any more.
 */
import { Effect, Option } from "effect"
import * as BundleCheck from "../../domain/BundleCheck.ts"
import type { Work } from "../../domain/Job.ts"
import { DAY } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { SoldBundles } from "../telco/SoldBundles.ts"
import { type Done, ending, finishing, type LeasedJob } from "../telco/TelcoCall.ts"

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const soldBundles = yield* SoldBundles
  const every = clock.set === null ? BundleCheck.EVERY : DAY

  /** The plan, if it is there and was in a catalogue. */
  const checked = Effect.fnUntraced(function* (organizationId: string, planId: string) {
    const plan = yield* storage.plans.get({ organizationId, planId })
    const telco = plan?.deletedAt === null ? plan.bundle?.sold?.telco : undefined
    return plan === null || telco === undefined ? null : { plan, telco }
  })

  /**
   * Why the plan is not bought any more; null: it is. Undefined: the telco does not say what it
   * sells, so that all stays as it is.
   */
  const complaintOf = Effect.fnUntraced(function* (of: Effect.Success<ReturnType<typeof checked>>) {
    if (of === null) return null
    // Failure: the next check asks again.
    const read = yield* Effect.option(soldBundles.of(of.telco))
    return Option.isNone(read) ? undefined : BundleCheck.complaint(of.plan, read.value.bundles)
  })

  return Effect.fnUntraced(function* (held: LeasedJob, { planId }: Extract<Work, { readonly _tag: "CheckBundle" }>) {
    const { jobId, organizationId } = held.job
    const problemId = BundleCheck.problemId(planId)
    yield* commits.retryOnConflict(
      Effect.gen(function* () {
        const found = yield* checked(organizationId, planId)
        const complaint = yield* complaintOf(found)
        const now = yield* clock.now
        // An operator has had the problem tried again.
        if (jobId === problemId) {
          const message = complaint ?? null
          return yield* commits.write(message === null ? finishing(held, {}) : ending(held, { message }, now))
        }
        const known = yield* storage.jobs.get({ organizationId, jobId: problemId })
        const put =
          found === null || complaint == null || known !== null
            ? []
            : [{ job: BundleCheck.problem(found.plan, complaint, now), lease: null }]
        const endedAt = complaint === null ? (known?.endedAt ?? null) : null
        const resolved = endedAt === null ? [] : [{ organizationId, jobId: problemId, endedAt }]
        if (found === null) return yield* commits.write(finishing(held, { jobs: { resolved } }))
        const retried = [{ organizationId, jobId, token: held.token, dueAt: now + every, attempts: 0 }]
        return yield* commits.write({ jobs: { put, resolved, retried } })
      })
    )
    return "done" as const satisfies Done
  })
})
