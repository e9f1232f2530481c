/**
 * Reading the business clock, and moving a virtual one: an advance goes from due instant to due instant and returns
 * when all work due by then, its consequences included, is done in due order.
 */
import { Context, type Effect } from "effect"
import type { ClockRefused, InvalidField } from "../domain/Refusal.ts"
import type { Instant } from "../domain/Time.ts"
import type { StorageError } from "../ports/Storage.ts"

export class Clock extends Context.Service<
  Clock,
  {
    readonly read: Effect.Effect<{ readonly now: Instant; readonly virtual: boolean }>
    /** To now is allowed; to an earlier instant is refused, as is a second advance meanwhile. */
    readonly advanceTo: (to: Instant) => Effect.Effect<Instant, ClockRefused | InvalidField | StorageError>
    /** By milliseconds. */
    readonly advanceBy: (millis: number) => Effect.Effect<Instant, ClockRefused | InvalidField | StorageError>
  }
>()("simplan/Clock") {}
