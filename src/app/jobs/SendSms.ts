/**
 * Sending an SMS: one try, whose outcome is the request's answer. After a crash it is made by whoever takes over, with
 * the same id, so that the telco sends the message once.
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import { TelcoRefused } from "../../domain/Refusal.ts"
import * as SmsSegments from "../../domain/SmsSegments.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { finishing, type LeasedJob, makeInTime, notTaken } from "../telco/TelcoCall.ts"

/** What does the job. */
export const make = Effect.gen(function* () {
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  const clock = yield* BusinessClock
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { from, iccid, messageId, text }: Extract<Work, { _tag: "SendSms" }>
  ) {
    const sent: SmsSegments.Sent = { segments: SmsSegments.count(text) }
    const answer = yield* Effect.result(inTime("sendSms", telco.sendSms({ messageId, iccid, from, text })))
    if (Result.isSuccess(answer)) {
      const { organizationId, origin } = held.job
      const change = { organizationId, action: "sim.send_sms", resourceId: iccid, iccid } as const
      const commit = yield* commits.audited({}, change, yield* clock.now, origin)
      const finished = finishing(held, commit, { _tag: "Succeeded", answer: { kind: "Sms", value: sent } })
      yield* commits.retryOnConflict(commits.write(finished))
    } else yield* commits.retryOnConflict(commits.write(finishing(held, {}, "forget")))
    return Result.mapBoth(answer, {
      onSuccess: () => sent,
      onFailure: (failure) =>
        failure._tag === "Telco.Refused" ? new TelcoRefused({ message: failure.message }) : notTaken(failure)
    })
  })
})
