/**
 * SMS to a subscription's SIM. The job that sends the message is committed before the telco is
 * called, and the message's id is its key at the telco. So a crash neither loses a message nor
 * sends it twice.
 */
import { Clock as MachineClock, Context, Effect, Layer, type Scope } from "effect"
import * as Capabilities from "../../domain/Capabilities.ts"
import {
  type InsideTransaction,
  type InvalidField,
  NotFound,
  type NotSupported,
  SmsLimited,
  type TelcoRefused,
  type TelcoUnavailable
} from "../../domain/Refusal.ts"
import * as Sms from "../../domain/Sms.ts"
import type { Sent } from "../../domain/SmsSegments.ts"
import { SECOND } from "../../domain/Time.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { RateLimitUsage } from "../../ports/RateLimitUsage.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import { Commits } from "../commit/Commits.ts"
import { CurrentIdempotency, makeRefuseInside } from "../commit/Served.ts"
import { Ids } from "../commit/Ids.ts"
import * as JobRunner from "../jobs/JobRunner.ts"
import { BackgroundTasks } from "../jobs/Leases.ts"
import { Settings } from "../Settings.ts"

/** Sends SMS. */
export class Messages extends Context.Service<
  Messages,
  {
    /**
     * Sends the message, but not inside a transaction of the host (rule H1); the answer says in how
     * many segments. Sender and text have the limits of `Sms.check` and those of the telco
     * (`NotSupported`), and an organization sends one SIM no more than `smsLimit` of the settings
     * says (rule W13).
     */
    readonly send: (sms: {
      readonly organizationId: string
      readonly iccid: string
      readonly from: string
      readonly text: string
    }) => Effect.Effect<
      Sent,
      | InvalidField
      | NotFound
      | NotSupported
      | InsideTransaction
      | SmsLimited
      | TelcoRefused
      | TelcoUnavailable
      | StorageError
    >
  }
>()("simplan/Messages") {}

interface Target {
  readonly organizationId: string
  readonly iccid: string
}

/**
 * How many SMS an organization sends to one of its SIMs in a time, over all processes together
 * (rule W13). The first ones may come together; beyond them one is let through as often as the
 * limit says on average. A message that the telco does not take counts as well.
 *
 * Each process publishes the messages that it lets through (`RateLimitUsage`) and counts those of
 * the others. Messages that several let through in the moment before that arrives may exceed the
 * limit; they are made up for afterwards.
 *
 * Time is the machine's monotonic time: a clock that is set anew lets nothing through. What is kept
 * is bounded by the SIMs that were sent to within the time.
 */
export interface SmsLimit {
  /** Counts a message to the SIM, or refuses it. */
  readonly take: (to: Target) => Effect.Effect<void, SmsLimited>
}

/** How many SIMs are kept before those are dropped whose time is over. */
const LEAST_KEPT = 1_024

/** The name of the limit among the processes. */
const LIMIT = "sms"

/**
 * What a SIM was sent beyond the limit delays its next message by at most so many times the limit's
 * time.
 */
const LARGEST_DEBT = 10

/**
 * By `smsLimit` of the settings. It counts the messages of other processes until the scope ends.
 */
export const makeSmsLimit: Effect.Effect<SmsLimit, never, Scope.Scope> = Effect.gen(function* () {
  const { smsLimit } = yield* Settings
  if (smsLimit === null) return { take: () => Effect.void } satisfies SmsLimit
  const { messages, windowMillis } = smsLimit
  const usage = yield* RateLimitUsage
  const clock = yield* MachineClock.Clock
  const interval = windowMillis / messages
  /**
   * By organization and SIM: when all that was sent is made up for, in milliseconds of monotonic
   * time.
   */
  const sent = new Map<string, number>()
  let most = LEAST_KEPT

  const forget = (now: number): void => {
    if (sent.size < most) return
    for (const [key, until] of sent) if (until <= now) sent.delete(key)
    most = Math.max(LEAST_KEPT, 2 * sent.size)
  }

  yield* usage.watch(({ caller, cost, limit }) => {
    if (limit !== LIMIT) return
    const now = Clocks.monotonicNowUnsafe(clock)
    forget(now)
    const until = Math.max(now, sent.get(caller) ?? now) + cost * interval
    sent.set(caller, Math.min(until, now + LARGEST_DEBT * windowMillis))
  })

  return {
    take: ({ iccid, organizationId }: Target) =>
      Effect.flatMap(Clocks.monotonicNow, (now) => {
        const key = `${organizationId} ${iccid}`
        const until = Math.max(now, sent.get(key) ?? now) + interval
        // Sums of fractions may be off by less than a millisecond.
        const early = until - now - windowMillis
        if (early >= 1) {
          return Effect.fail(new SmsLimited({ iccid, retryAfterSeconds: Math.max(1, Math.ceil(early / SECOND)) }))
        }
        forget(now)
        sent.set(key, until)
        usage.publish({ limit: LIMIT, caller: key, cost: 1 })
        return Effect.void
      })
  }
})

type Needs = Telco | Storage | Clocks.BusinessClock | Ids | Commits | BackgroundTasks | JobRunner.JobRunner

/**
 * The implementation that `Services.layer` provides. It keeps how many messages were sent lately.
 */
export const layer: Layer.Layer<Messages, never, Needs> = Layer.effect(
  Messages,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* Clocks.BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const work = yield* BackgroundTasks
    const runner = yield* JobRunner.JobRunner
    const refuseInside = yield* makeRefuseInside
    const limit = yield* makeSmsLimit
    const capabilitiesOf = yield* TelcoCapabilities.current
    return Messages.of({
      send: Effect.fn("Messages.send")(function* ({ from, iccid, organizationId, text }) {
        yield* refuseInside("Messages.send")
        yield* Effect.fromResult(Sms.check({ from, text }))
        const found = yield* storage.subscriptions.get({ organizationId, iccid })
        if (found === null) return yield* new NotFound({ resource: "subscription", id: iccid })
        yield* TelcoCapabilities.check(capabilitiesOf(found.sim), (can) => Capabilities.sms(can, { from, text }))
        yield* limit.take({ organizationId, iccid })
        const now = yield* clock.now
        const request = (yield* CurrentIdempotency)?.request
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
