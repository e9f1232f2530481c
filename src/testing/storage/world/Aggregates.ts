/**
 * Changes of a SIM's aggregate, made of the rows that are to be written.
 */
import type { Attachment } from "../../../domain/Attachment.ts"
import type { Package } from "../../../domain/Package.ts"
import type { Sim } from "../../../domain/Sim.ts"
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import type { SimChange } from "../../../domain/SimDifference.ts"
import type { Subscription } from "../../../domain/Subscription.ts"

/** A change of a whole aggregate. */
export interface Change {
  readonly loaded: SimAggregate
  readonly next: SimAggregate
}

/** Rows that replace those with their keys. A subscription that is null is removed, with its attachments. */
export interface Written {
  readonly sim?: Partial<Sim>
  readonly subscription?: Subscription | null
  readonly attachments?: ReadonlyArray<Attachment>
  readonly packages?: ReadonlyArray<Package>
  readonly removedAttachments?: ReadonlyArray<string>
}

/** The aggregate of a SIM that nothing hangs on. */
export const alone = (sim: Sim): SimAggregate => ({ sim, subscription: null, attachments: [] })

/** The change of a SIM alone. */
export const simChange = (sim: Sim, changes: Partial<Sim> = {}): SimChange => ({
  loaded: { sim },
  next: { sim: { ...sim, ...changes } }
})

/** The change of a SIM that is put into service with this subscription, and with what else is written. */
export const subscribe = (sim: Sim, subscription: Subscription, written: Written = {}): Change => {
  const allocation = { _tag: "InService", subscriptionId: subscription.subscriptionId } as const
  return change(alone(sim), { ...written, sim: { allocation, ...written.sim }, subscription })
}

/** The change of a loaded aggregate that writes these rows. */
export const change = (loaded: SimAggregate, written: Written): Change => {
  const { attachments = [], packages = [], removedAttachments = [], subscription = loaded.subscription } = written
  const replaced = new Map(attachments.map((attachment) => [attachment.attachmentId, attachment]))
  const kept = loaded.attachments
    .filter(({ attachment }) => !removedAttachments.includes(attachment.attachmentId))
    .map((of) => ({ ...of, attachment: replaced.get(of.attachment.attachmentId) ?? of.attachment }))
  const known = new Set(kept.map(({ attachment }) => attachment.attachmentId))
  const added = attachments
    .filter(({ attachmentId }) => !known.has(attachmentId))
    .map((attachment) => ({ attachment, packages: [] }))
  const all = subscription === null ? [] : [...kept, ...added]
  return {
    loaded,
    next: {
      sim: { ...loaded.sim, ...written.sim },
      subscription,
      attachments: all.map((of) => ({ ...of, packages: withPackages(of, packages) }))
    }
  }
}

const withPackages = (
  { attachment, packages }: SimAggregate["attachments"][number],
  written: ReadonlyArray<Package>
): ReadonlyArray<Package> => {
  const own = written.filter(({ attachmentId }) => attachmentId === attachment.attachmentId)
  return [...packages.filter((pack) => own.every(({ occurrence }) => occurrence !== pack.occurrence)), ...own]
}
