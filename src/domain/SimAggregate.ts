/**
 * A line: a SIM with its present subscription, that subscription's attachments and their packages.
 *
 * The line is what decisions about a SIM are made on, and its SIM's version guards all of it: every commit that
 * changes any part of a line names the version it saw.
 */
import type * as Attachment from "./Attachment.ts"
import type { Sim } from "./Sim.ts"
import type { Subscription } from "./Subscription.ts"

export interface SimAggregate {
  readonly sim: Sim
  /** The pending or live one; null where there is none. */
  readonly subscription: Subscription | null
  /** Those of that subscription, oldest first, unconfirmed ones included. */
  readonly attachments: ReadonlyArray<Attachment.WithPackages>
}

interface Attachments<Of> {
  readonly attachments: ReadonlyArray<Of>
}

/** The attachments that are to be seen: those whose telco outcome is committed (rule S5). */
export const confirmed = <Of extends { readonly attachment: { readonly confirmed: boolean } }>(
  line: Attachments<Of>
): ReadonlyArray<Of> => line.attachments.filter(({ attachment }) => attachment.confirmed)

export const attachment = (line: SimAggregate, attachmentId: string): Attachment.WithPackages | undefined =>
  line.attachments.find((of) => of.attachment.attachmentId === attachmentId)

/** The line with one attachment replaced by its successor. */
export const withAttachment = <
  L extends Attachments<Of>,
  Of extends { readonly attachment: { readonly attachmentId: string } }
>(
  line: L,
  next: Of
): L => ({
  ...line,
  attachments: line.attachments.map((of) => (of.attachment.attachmentId === next.attachment.attachmentId ? next : of))
})

/** The packages with one replaced by its successor. */
export const withPackage = <P extends { readonly occurrence: number }>(
  packages: ReadonlyArray<P>,
  next: P
): ReadonlyArray<P> => packages.map((pack) => (pack.occurrence === next.occurrence ? next : pack))
