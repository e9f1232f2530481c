/**
 * SMS to a subscription's SIM. The message is stored before the telco is asked, and its id is the telco's key, so that
 * a crash sends it neither twice nor never.
 */
import { Context, Effect, Layer } from "effect"
import { InvalidField, type NotFound, type TelcoRefused, type TelcoUnavailable } from "../../domain/Refusal.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as JobRunner from "../engine/JobRunner.ts"
import * as SimLookup from "./SimLookup.ts"
import * as IdempotencyContext from "../commit/IdempotencyContext.ts"
import { BackgroundTasks } from "../engine/BackgroundTasks.ts"

export class Messages extends Context.Service<
  Messages,
  {
    readonly send: (sms: {
      readonly organizationId: string
      readonly iccid: string
      readonly from: string
      readonly text: string
    }) => Effect.Effect<void, InvalidField | NotFound | TelcoRefused | TelcoUnavailable | StorageError>
  }
>()("simplan/Messages") {}

/** The longest sender name and text, in characters. */
export const limits = { from: 64, text: 1_600 } as const

const checked = (field: "from" | "message", text: string, maximum: number) =>
  text.length >= 1 && text.length <= maximum
    ? Effect.void
    : Effect.fail(new InvalidField({ field, message: `must have 1 to ${maximum} characters` }))

type Needs = Storage | BusinessClock | Ids | Commits | BackgroundTasks | JobRunner.JobRunner

export const layer: Layer.Layer<Messages, never, Needs> = Layer.effect(
  Messages,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const work = yield* BackgroundTasks
    const runner = yield* JobRunner.JobRunner
    return Messages.of({
      send: Effect.fn("Messages.send")(function* ({ from, iccid, organizationId, text }) {
        yield* checked("from", from, limits.from)
        yield* checked("message", text, limits.text)
        yield* SimLookup.inService(storage, { organizationId, iccid })
        const now = yield* clock.now
        // With an idempotency key a retry after a 503 has the same id, so that the telco sends it once.
        const request = (yield* IdempotencyContext.Current)?.request
        const messageId =
          request === undefined
            ? yield* ids.next(now)
            : `${organizationId}:${request.key}:${request.fingerprint.slice(0, 16)}`
        const sms = { _tag: "SendSms" as const, iccid, messageId, from, text }
        const lease = yield* work.lease
        const jobs = [{ jobId: `sms:${messageId}`, work: sms, dueAt: now }]
        const commit = yield* commits.of(organizationId, { jobs }, now, lease)
        yield* commits.retryOnConflict(commits.write(commit, "later"))
        yield* Effect.fromResult(yield* runner.sendSms(JobRunner.heldBy(commit, lease), sms))
      })
    })
  })
)
