/**
 * Asking the telco for what is had here, or for the comparison of a day's usage, if an operator
 * has said so of a difference between both books (rule S6). What the telco refuses three times is a
 * problem again.
 */
import { Effect, Result } from "effect"
import * as Correction from "../../domain/Correction.ts"
import type { Work } from "../../domain/Job.ts"
import { idOf, isAtTelco } from "../../domain/Package.ts"
import * as Problem from "../../domain/Problem.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { type Refused, Telco, type Unavailable } from "../../ports/Telco.ts"
import { setService } from "../../ports/TelcoPorts.ts"
import { Commits } from "../commit/Commits.ts"
import * as Settlements from "../telco/Settlements.ts"
import { type Done, finishing, type LeasedJob, makeGiveBack, makeInTime } from "../telco/TelcoCall.ts"

/** A call, and the package that it is about; null: it is about none. */
type Asked = readonly [packageId: string | null, call: Effect.Effect<unknown, Refused | Unavailable>]

type Difference = Extract<Work, { _tag: "CorrectDifference" | "UsageDiffers" }>

/** What does the job. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const giveBack = yield* makeGiveBack
  const settle = yield* Settlements.make

  /** The calls that are wanted now. */
  const wanted = Effect.fnUntraced(function* (
    { job }: LeasedJob,
    work: Difference
  ): Effect.fn.Return<ReadonlyArray<Asked>, StorageError> {
    const { iccid } = work
    if (work._tag === "UsageDiffers") {
      const { day } = work.usage
      return telco.compareUsage === undefined
        ? []
        : [[null, inTime("compareUsage", telco.compareUsage({ iccid, day }))]]
    }
    const { correction } = work
    const { organizationId } = job
    // The same difference may be found again later, and then the telco is asked anew.
    const key = Problem.telcoKey(`${job.jobId}:${job.createdAt}`, job)
    switch (correction._tag) {
      case "Service": {
        const sim = yield* storage.sims.get({ organizationId, iccid })
        const service = sim && Correction.serviceWanted(sim)
        if (service === null) return []
        return [[null, inTime("setService", setService(telco, { key, iccid, active: service.pausedAt === null }))]]
      }
      case "MobilePlan": {
        const sim = yield* storage.sims.get({ organizationId, iccid })
        const applied = sim && Correction.mobilePlanWanted(sim)
        return applied === null ? [] : [[null, inTime("setMobilePlan", telco.setMobilePlan({ key, iccid, applied }))]]
      }
      case "Suspension": {
        const { attachmentId } = correction
        const found = yield* storage.simAggregates.forAttachment({ organizationId, iccid, attachmentId })
        const [of] = found?.attachments ?? []
        if (of === undefined || of.attachment.suspendedAt === null) return []
        const now = yield* clock.now
        return of.packages
          .filter((one) => isAtTelco(one, now))
          .map((one) => idOf(one))
          .map(
            (packageId): Asked => [
              packageId,
              inTime("suspendPackage", telco.suspendPackage({ packageId, iccid, key: `${key}:${packageId}` }))
            ]
          )
      }
      case "Cancellation": {
        const { packageId } = correction
        const cancelled = telco.cancelPackage({ packageId, iccid, key, isConfirmed: true })
        return [[packageId, inTime("cancelPackage", cancelled)]]
      }
    }
  })

  return Effect.fnUntraced(function* (held: LeasedJob, work: Difference): Effect.fn.Return<Done, StorageError> {
    for (const [packageId, call] of yield* wanted(held, work)) {
      const answer = yield* Effect.result(call)
      if (packageId !== null) {
        const { organizationId } = held.job
        yield* settle({ organizationId, iccid: work.iccid, packageId }, answer)
      }
      if (Result.isFailure(answer))
        return yield* giveBack(
          held,
          work._tag === "UsageDiffers" ? "comparison of usage" : "correction",
          answer.failure
        )
    }
    yield* commits.retryOnConflict(commits.write(finishing(held, {})))
    return "done"
  })
})
