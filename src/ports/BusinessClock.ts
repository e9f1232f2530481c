/**
 * The business clock: the time that the rules go by. Leases, time-outs and rate limits go by Effect's own `Clock`.
 */
import { Context, type Effect } from "effect"
import type { Instant } from "../domain/Time.ts"

/** The time that the rules go by; `simplan/virtual-clock` has both kinds. */
export class BusinessClock extends Context.Service<
  BusinessClock,
  {
    /** In UTC milliseconds (rule T1). */
    readonly now: Effect.Effect<Instant>
    /** How to move the clock where it is a virtual one that stands still until moved; null for the machine's. */
    readonly set: ((instant: Instant) => Effect.Effect<void>) | null
  }
>()("simplan/BusinessClock") {}
