/**
 * The SIM's aggregate: a SIM with its current subscription, that subscription's attachments and their packages.
 *
 * Decisions about a SIM are made on its aggregate. The SIM's version guards the whole aggregate: every commit that changes
 * a part of it names the version that was loaded.
 */
import type * as Attachment from "./Attachment.ts"
import type { Sim } from "./Sim.ts"
import type { Subscription } from "./Subscription.ts"

export interface SimAggregate {
  readonly sim: Sim
  /** The pending or live subscription; null if there is none. */
  readonly subscription: Subscription | null
  /** The subscription's attachments, oldest first, unconfirmed ones included. */
  readonly attachments: ReadonlyArray<Attachment.WithPackages>
}

interface Attachments<Of> {
  readonly attachments: ReadonlyArray<Of>
}

/** Rule S5: the visible attachments, those whose telco outcome is committed. */
export const confirmed = <Of extends { readonly attachment: { readonly confirmed: boolean } }>(
  line: Attachments<Of>
): ReadonlyArray<Of> => line.attachments.filter(({ attachment }) => attachment.confirmed)

export const attachment = (line: SimAggregate, attachmentId: string): Attachment.WithPackages | undefined =>
  line.attachments.find((of) => of.attachment.attachmentId === attachmentId)

/** The aggregate with one attachment replaced. */
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

/** The packages with one of them replaced. */
export const withPackage = <P extends { readonly occurrence: number }>(
  packages: ReadonlyArray<P>,
  next: P
): ReadonlyArray<P> => packages.map((pack) => (pack.occurrence === next.occurrence ? next : pack))
