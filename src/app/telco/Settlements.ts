/**
 * The money of packages that the telco stops or takes away (rule C1): what it says that they were
 * charged at, also if their orders had no answer, and what came back of it. It is in the ledger
 * before the job goes on, each time that the telco is asked, and once.
 */
import { Effect, Result } from "effect"
import * as Cost from "../../domain/Cost.ts"
import { attachmentIdOf } from "../../domain/Package.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage } from "../../ports/Storage.ts"
import * as TelcoAnswers from "../../ports/TelcoAnswers.ts"
import { Commits } from "../commit/Commits.ts"

/** A package on a SIM. */
interface OfPackage {
  readonly organizationId: string
  readonly iccid: string
  readonly packageId: string
}

/** Books what an answer, or a refusal, says of the money of a package. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  return Effect.fnUntraced(function* (of: OfPackage, answer: Result.Result<unknown, unknown>) {
    const settled = TelcoAnswers.settled(Result.merge(answer))
    if (settled.topUp === undefined && settled.credit === undefined) return
    const { packageId, ...sim } = of
    const found = yield* storage.simAggregates.forAttachment({ ...sim, attachmentId: attachmentIdOf(packageId) })
    if (found === null) return
    const { attachment = {} } = found.attachments[0] ?? {}
    const booked = Cost.booking(Cost.settlement(found.sim, packageId, attachment, settled, yield* clock.now))
    if (booked.ledger !== undefined) yield* commits.retryOnConflict(commits.write(booked))
  })
})
