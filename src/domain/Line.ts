/**
 * A line: a SIM with its present subscription, that subscription's attachments and their packages.
 *
 * The line is what decisions about a SIM are made on, and its SIM's version guards all of it: every commit that
 * changes any part of a line names the version it saw.
 */
import type { Attachment } from "./Attachment.ts"
import type { Package } from "./Package.ts"
import type { Sim } from "./Sim.ts"
import type { Subscription } from "./Subscription.ts"

export interface AttachmentWithPackages {
  readonly attachment: Attachment
  /** By occurrence, ascending. */
  readonly packages: ReadonlyArray<Package>
}

export interface Line {
  readonly sim: Sim
  /** The pending or live one; null where there is none. */
  readonly subscription: Subscription | null
  /** Those of that subscription, oldest first, unconfirmed ones included. */
  readonly attachments: ReadonlyArray<AttachmentWithPackages>
}
