/**
 * SMS to a subscription's SIM. The job that sends the message is committed before the telco is called, and the
 * message's id is its key at the telco. So a crash neither loses a message nor sends it twice.
 */
import { Context, Effect, Layer } from "effect"
import type {
  InsideTransaction,
  InvalidField,
  NotFound,
  SmsLimited,
  TelcoRefused,
  TelcoUnavailable
} from "../../domain/Refusal.ts"
import * as Sms from "../../domain/Sms.ts"
import type { Sent } from "../../domain/SmsSegments.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Contexts from "../commit/Contexts.ts"
import * as JobRunner from "../engine/JobRunner.ts"
import * as SimLookup from "./SimLookup.ts"
import * as SmsLimit from "./SmsLimit.ts"
import { BackgroundTasks } from "../engine/Leases.ts"

/** Sends SMS. */
export class Messages extends Context.Service<
  Messages,
  {
    /**
     * Sends the message, but not inside a transaction of the host (rule H1); the answer says in how many segments.
     * Sender and text have the limits of `Sms.check`, and an organization sends one SIM no more than `smsLimit` of the
     * settings says (rule W13).
     */
    readonly send: (sms: {
      readonly organizationId: string
      readonly iccid: string
      readonly from: string
      readonly text: string
    }) => Effect.Effect<
      Sent,
      InvalidField | NotFound | InsideTransaction | SmsLimited | TelcoRefused | TelcoUnavailable | StorageError
    >
  }
>()("simplan/Messages") {}

type Needs = Storage | BusinessClock | Ids | Commits | BackgroundTasks | JobRunner.JobRunner

/** The implementation that `Services.layer` provides. It keeps how many messages were sent lately. */
export const layer: Layer.Layer<Messages, never, Needs> = Layer.effect(
  Messages,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const work = yield* BackgroundTasks
    const runner = yield* JobRunner.JobRunner
    const refuseInside = yield* Contexts.makeRefuseInside
    const limit = yield* SmsLimit.make
    return Messages.of({
      send: Effect.fn("Messages.send")(function* ({ from, iccid, organizationId, text }) {
        yield* refuseInside("Messages.send")
        yield* Effect.fromResult(Sms.check({ from, text }))
        yield* SimLookup.live(storage, { organizationId, iccid })
        yield* limit.take({ organizationId, iccid })
        const now = yield* clock.now
        const request = (yield* Contexts.CurrentIdempotency)?.request
        const messageId = request === undefined ? yield* ids.next(now, organizationId) : Sms.idOf(request)
        const job = Sms.job({ iccid, messageId, from, text }, now)
        const lease = yield* work.lease
        const commit = yield* commits.prepare(organizationId, { jobs: [job] }, now, lease)
        yield* commits.retryOnConflict(commits.write(commit, "later"))
        return yield* Effect.fromResult(yield* runner.sendSms(JobRunner.heldBy(commit, lease), job.work))
      })
    })
  })
)
