/**
 * Sending an SMS: one try, whose outcome is the request's answer. After a crash it is made by whoever takes over, with
 * the same id, so that the telco sends the message once.
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import { TelcoRefused } from "../../domain/Refusal.ts"
import * as SmsSegments from "../../domain/SmsSegments.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { finishing, type LeasedJob, makeInTime, notTaken } from "../telco/TelcoCall.ts"

/** What does the job. */
export const make = Effect.gen(function* () {
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const commits = yield* Commits
  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { from, iccid, messageId, text }: Extract<Work, { _tag: "SendSms" }>
  ) {
    const sent: SmsSegments.Sent = { segments: SmsSegments.count(text) }
    const answer = yield* Effect.result(inTime("sendSms", telco.sendSms({ messageId, iccid, from, text })))
    const finished = finishing(
      held,
      {},
      Result.isSuccess(answer) ? { _tag: "Succeeded", answer: { kind: "Sms", value: sent } } : "forget"
    )
    yield* commits.retryOnConflict(commits.write(finished))
    return Result.mapBoth(answer, {
      onSuccess: () => sent,
      onFailure: (failure) =>
        failure._tag === "Telco.Refused" ? new TelcoRefused({ message: failure.message }) : notTaken(failure)
    })
  })
})
