/**
 * How many SMS an organization sends to one of its SIMs in a time, over all processes together (rule W13). The first ones
 * may come together; beyond them one is let through as often as the limit says on average. A message that the telco does
 * not take counts as well.
 *
 * Each process publishes the messages that it lets through (`RateLimitUsage`) and counts those of the others. Messages that
 * several let through in the moment before that arrives may exceed the limit; they are made up for afterwards.
 *
 * Time is the machine's monotonic time: a clock that is set anew lets nothing through. What is kept is bounded by the SIMs that
 * were sent to within the time.
 */
import { Clock as MachineClock, Effect, type Scope } from "effect"
import { SmsLimited } from "../../domain/Refusal.ts"
import { SECOND } from "../../domain/Time.ts"
import * as MonotonicTime from "../../ports/MonotonicTime.ts"
import { RateLimitUsage } from "../../ports/RateLimitUsage.ts"
import { Settings } from "../Settings.ts"

interface Target {
  readonly organizationId: string
  readonly iccid: string
}

export interface SmsLimit {
  /** Counts a message to the SIM, or refuses it. */
  readonly take: (to: Target) => Effect.Effect<void, SmsLimited>
}

/** How many SIMs are kept before those are dropped whose time is over. */
const LEAST_KEPT = 1_024

/** The name of the limit among the processes. */
const NAME = "sms"

/** What a SIM was sent beyond the limit delays its next message by at most so many times the limit's time. */
const LARGEST_DEBT = 10

/** By `smsLimit` of the settings. It counts the messages of other processes until the scope ends. */
export const make: Effect.Effect<SmsLimit, never, Scope.Scope> = Effect.gen(function* () {
  const { smsLimit } = yield* Settings
  if (smsLimit === null) return { take: () => Effect.void } satisfies SmsLimit
  const { messages, windowMillis } = smsLimit
  const usage = yield* RateLimitUsage
  const clock = yield* MachineClock.Clock
  const interval = windowMillis / messages
  /** By organization and SIM: when all that was sent is made up for, in milliseconds of monotonic time. */
  const sent = new Map<string, number>()
  let most = LEAST_KEPT

  const forget = (now: number): void => {
    if (sent.size < most) return
    for (const [key, until] of sent) if (until <= now) sent.delete(key)
    most = Math.max(LEAST_KEPT, 2 * sent.size)
  }

  yield* usage.watch(({ caller, cost, limit }) => {
    if (limit !== NAME) return
    const now = MonotonicTime.nowUnsafe(clock)
    forget(now)
    const until = Math.max(now, sent.get(caller) ?? now) + cost * interval
    sent.set(caller, Math.min(until, now + LARGEST_DEBT * windowMillis))
  })

  return {
    take: ({ iccid, organizationId }: Target) =>
      Effect.flatMap(MonotonicTime.now, (now) => {
        const key = `${organizationId} ${iccid}`
        const until = Math.max(now, sent.get(key) ?? now) + interval
        // Sums of fractions may be off by less than a millisecond.
        const early = until - now - windowMillis
        if (early >= 1) {
          return Effect.fail(new SmsLimited({ iccid, retryAfterSeconds: Math.max(1, Math.ceil(early / SECOND)) }))
        }
        forget(now)
        sent.set(key, until)
        usage.publish({ limit: NAME, caller: key, cost: 1 })
        return Effect.void
      })
  }
})
