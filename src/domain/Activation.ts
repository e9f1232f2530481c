/**
 * When an attached plan starts (rules T3 to T5, and the interface's seven `active_period` rules).
 *
 * A plan without an active period starts at its first use. A plan with one starts at `start`: a
 * recurring plan has its anchor there, a non-recurring plan has its whole window.
 */
import { Result } from "effect"
import type { ActivePeriod, Attachment } from "./Attachment.ts"
import type { PlanTerms } from "./Plan.ts"
import * as Recurrence from "./Recurrence.ts"
import { InvalidField } from "./Refusal.ts"
import type { Instant } from "./Time.ts"
import { addDays, DAY, END_OF_TIME } from "./Time.ts"

/** How far in the past a recurring plan may start (rule T5). Exactly 24 h is allowed. */
export const PAST_LIMIT = DAY

/** The active period as it was sent. */
export interface Request {
  /** Required; for a plan that recurs at most 24 h ago (rule T5). */
  readonly start: Instant | null
  /** Required for a plan that does not recur, after `start` and now (rule T4). Null: not sent. */
  readonly end: Instant | null
}

/** What the attachment stores: the period asked for, and the anchor if it is known already. */
export interface Start {
  /** Null: none was asked for. */
  readonly activePeriod: ActivePeriod | null
  /**
   * Of a recurring plan with a start. Null: known only at the first use (rule T3), or never needed.
   */
  readonly anchor: Instant | null
}

const refuse = (field: string, message: string, other?: string) =>
  Result.fail(new InvalidField({ field, message, ...(other !== undefined && { other }) }))

/** Rules T4 and T5: how a plan that is attached at `now` starts, or why the period is refused. */
export const start = (terms: PlanTerms, request: Request | null, now: Instant): Result.Result<Start, InvalidField> => {
  if (request === null) return Result.succeed({ activePeriod: null, anchor: null })
  if (request.start === null) return refuse("activePeriod.start", "is required")
  if (terms.recurrence === null) {
    if (request.end === null) return refuse("activePeriod.end", "is required for a plan that does not recur")
    if (request.end <= request.start) return refuse("activePeriod.end", "must be after", "activePeriod.start")
    if (request.end <= now) return refuse("activePeriod.end", "must be in the future")
    return Result.succeed({ activePeriod: { start: request.start, end: request.end }, anchor: null })
  }
  if (request.start < now - PAST_LIMIT) return refuse("activePeriod.start", "must be at most 24 hours in the past")
  if (!(Recurrence.expiration(terms, terms.recurrence, request.start) < END_OF_TIME)) {
    return refuse("activePeriod.start", "must let the last occurrence expire before the year 10000")
  }
  return Result.succeed({ activePeriod: { start: request.start, end: request.end }, anchor: request.start })
}

/**
 * A package that the creation of an attachment orders. `window` is null if the package starts at
 * its first use.
 */
export interface Initial {
  /** From 0. */
  readonly occurrence: number
  /** Null: from the first use, for the terms' validity. */
  readonly window: Recurrence.Window | null
  /**
   * True if the whole period was over at the creation. Such a package is recorded without a telco
   * call (rule T5).
   */
  readonly over: boolean
}

/**
 * Rule T5: the packages that are due when the attachment is created. They follow from the
 * attachment alone, so a process that takes over after a crash orders the same ones.
 */
export const initialPackages = (attachment: Attachment): ReadonlyArray<Initial> => {
  const { activePeriod, anchor, createdAt, terms } = attachment
  const { recurrence } = terms
  if (recurrence !== null && anchor !== null) {
    return Array.from({ length: Recurrence.dueCount(recurrence, anchor, createdAt) }, (_, occurrence) => {
      const window = Recurrence.window(terms, recurrence, anchor, occurrence)
      return { occurrence, window, over: Recurrence.isOver(window, createdAt) }
    })
  }
  const window =
    activePeriod === null || activePeriod.end === null ? null : { start: activePeriod.start, end: activePeriod.end }
  return [{ occurrence: 0, window, over: false }]
}

/** Rule T3: the window of a package whose first use was at `firstUse`. */
export const firstUseWindow = (terms: Pick<PlanTerms, "periodDays">, firstUse: Instant): Recurrence.Window => ({
  start: firstUse,
  end: addDays(firstUse, terms.periodDays)
})
