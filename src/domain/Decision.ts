/**
 * The result of a decision about a SIM and what hangs on it: new facts, webhook events and jobs. They are committed
 * together or not at all.
 */
import type { Attachment } from "./Attachment.ts"
import type { Work } from "./Job.ts"
import type { Package } from "./Package.ts"
import type { Plan } from "./Plan.ts"
import type { Loaded, Sim } from "./Sim.ts"
import type { Entry } from "./SmdpHistory.ts"
import type { Subscription } from "./Subscription.ts"
import type { Instant } from "./Time.ts"
import type { Payload } from "./WebhookEvent.ts"

/** Work to be done at `dueAt`. The id names the work, so the same work cannot be stored twice. */
export interface NewJob {
  readonly jobId: string
  readonly work: Work
  readonly dueAt: Instant
}

/** What the telco has taken (rule S5), with its SIM as it was loaded. */
export interface Confirmed extends Loaded {
  readonly subscriptionId: string
  readonly attachmentId: string
}

export interface Decision {
  /** The SIM as it is to be, with the version that was loaded: its guard. */
  readonly sim?: Sim
  /** The SIM as it was loaded, where it stays so and something else of its line changes: its guard likewise. */
  readonly touched?: Loaded
  /** The attachment is to be seen from now on, its subscription live and its SIM in service. */
  readonly confirmed?: Confirmed
  /** The plan that it rests on, which stays as it is: its version is a guard. */
  readonly plan?: Plan
  readonly subscription?: Subscription
  readonly attachments?: ReadonlyArray<Attachment>
  readonly packages?: ReadonlyArray<Package>
  readonly removedSubscription?: Subscription
  readonly removedAttachment?: Attachment
  readonly smdpEntries?: ReadonlyArray<Entry>
  readonly payloads?: ReadonlyArray<Payload>
  readonly jobs?: ReadonlyArray<NewJob>
}

/** A decision that changes nothing. */
export const nothing: Decision = {}
