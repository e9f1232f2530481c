/**
 * Sending an SMS: one try, whose outcome is the request's answer. After a crash it is made by
 * whoever takes over, with the same id, so that the telco sends the message once. That of a command
 * is tried again with the same id while the telco is unavailable (rule H1).
 */
import { Effect, Result } from "effect"
import type { Work } from "../../domain/Job.ts"
import { TelcoRefused } from "../../domain/Refusal.ts"
import * as SmsSegments from "../../domain/SmsSegments.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Telco } from "../../ports/Telco.ts"
import * as TelcoAnswers from "../../ports/TelcoAnswers.ts"
import { Commits } from "../commit/Commits.ts"
import { answering, type LeasedJob, makeInTime, logNotTaken, refusing, retrying } from "../telco/TelcoCall.ts"

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
    const answer = yield* Effect.result(inTime("sendSms", telco.sendSms({ messageId, iccid, from, text })))
    const now = yield* clock.now
    if (Result.isSuccess(answer)) {
      const sent = SmsSegments.sent(text, TelcoAnswers.sentSms(answer.success))
      const { organizationId, origin } = held.job
      const change = { organizationId, action: "sim.send_sms", resourceId: iccid, iccid } as const
      const commit = yield* commits.audited({}, change, now, origin)
      yield* commits.retryOnConflict(commits.write(answering(held, commit, { kind: "Sms", value: sent }, now)))
      return Result.succeed(sent)
    }
    const { failure } = answer
    const refusal =
      failure._tag === "Telco.Refused"
        ? new TelcoRefused({ message: failure.message })
        : yield* logNotTaken(held, "a message", failure)
    const isAgain = failure._tag === "Telco.Unavailable" && held.job.command !== null
    const commit = isAgain ? retrying(held, now, failure) : refusing(held, {}, refusal, now)
    yield* commits.retryOnConflict(commits.write(commit))
    return Result.fail(refusal)
  })
})
