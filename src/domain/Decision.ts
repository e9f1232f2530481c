/**
 * The result of a decision about a SIM's aggregate: the new state, webhook events and jobs. They
 * are committed together or not at all.
 */
import type * as Cost from "./Cost.ts"
import type { Work } from "./Job.ts"
import type { Plan } from "./Plan.ts"
import type { SimChange } from "./SimDifference.ts"
import type { Entry } from "./SmdpHistory.ts"
import type { Instant } from "./Time.ts"
import type { Payload } from "./WebhookEvent.ts"

/** Work to be done at `dueAt`. The id names the work, so the same work cannot be stored twice. */
export interface NewJob {
  readonly jobId: string
  readonly work: Work
  readonly dueAt: Instant
}

export interface Decision {
  /** The SIM's aggregate as it was loaded and as it becomes. Absent: no SIM is written. */
  readonly sim?: SimChange
  /** The SIM that the subscription of `sim` leaves (rule S8). Absent: it has not moved. */
  readonly movedFrom?: SimChange
  /** The plan that the decision relies on: it must still be stored in this version. */
  readonly unchangedPlan?: Plan
  readonly smdpEntries?: ReadonlyArray<Entry>
  readonly payloads?: ReadonlyArray<Payload>
  readonly jobs?: ReadonlyArray<NewJob>
  /** What it adds to the ledger of costs (rule C1). Absent: nothing. */
  readonly ledger?: Cost.Booking
}

/** A decision that changes nothing. */
export const nothing: Decision = {}
