/**
 * How many SMS an organization sends to one of its SIMs in a time, in this process (rule W13). The first ones may come
 * together; beyond them one is let through as often as the limit says on average. A message that the telco does not take
 * counts as well.
 *
 * Time is the machine's monotonic time: a clock that is set anew lets nothing through. What is kept is bounded by the SIMs that
 * were sent to within the time.
 */
import { Clock as MachineClock, Effect } from "effect"
import { SmsLimited } from "../../domain/Refusal.ts"
import { SECOND } from "../../domain/Time.ts"
import { Settings } from "../Settings.ts"

interface Target {
  readonly organizationId: string
  readonly iccid: string
}

export interface SmsLimit {
  /** Counts a message to the SIM, or refuses it. */
  readonly take: (to: Target) => Effect.Effect<void, SmsLimited>
}

/** How many SIMs are kept before those are looked for whose time is over. */
const LEAST_KEPT = 1_024

/** By `smsLimit` of the settings. */
export const make: Effect.Effect<SmsLimit> = Effect.gen(function* () {
  const { smsLimit } = yield* Settings
  if (smsLimit === null) return { take: () => Effect.void } satisfies SmsLimit
  const { messages, windowMillis } = smsLimit
  const interval = windowMillis / messages
  /** By organization and SIM: when all that was sent is made up for, in milliseconds of monotonic time. */
  const sent = new Map<string, number>()
  let most = LEAST_KEPT

  const forget = (now: number): void => {
    if (sent.size < most) return
    for (const [key, until] of sent) if (until <= now) sent.delete(key)
    most = Math.max(LEAST_KEPT, 2 * sent.size)
  }

  return {
    take: ({ iccid, organizationId }: Target) =>
      Effect.flatMap(MachineClock.Clock, (clock) => {
        const now = Number(clock.monotonicTimeNanosUnsafe()) / 1e6
        const key = `${organizationId} ${iccid}`
        const until = Math.max(now, sent.get(key) ?? now) + interval
        // Sums of fractions may be off by less than a millisecond.
        const early = until - now - windowMillis
        if (early >= 1) {
          return Effect.fail(new SmsLimited({ iccid, retryAfterSeconds: Math.max(1, Math.ceil(early / SECOND)) }))
        }
        forget(now)
        sent.set(key, until)
        return Effect.void
      })
  }
})
