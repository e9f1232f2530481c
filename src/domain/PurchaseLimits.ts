/**
 * How much may be bought of suppliers (rule I16), as the operator of the service says it of the
 * route that a load is bought by. What is outstanding counts as bought: it may have been sold.
 *
 * Purchases begin at once in several processes. Each is stored first, and counts all that are
 * stored after that; the supplier is asked only if they are within the limits. Of too many that
 * begin at once the last withdraw, and the first wait until they have.
 */
import { isPurchaseOf, type Job } from "./Job.ts"
import type { Label } from "./Label.ts"

/** What purchases of a load are held to. */
export interface Limits {
  /**
   * How many eSIMs with the load an organization may have of a label that are free or outstanding,
   * at least 1; null: any number.
   */
  readonly unsold: number | null
}

/** Anything may be bought. */
export const none: Limits = { unsold: null }

/** Whether there is any limit. */
export const isNone = ({ unsold }: Limits): boolean => unsold === null

/** Which eSIMs are bought. */
export interface OfLoad {
  /** Whose stock they are for. */
  readonly organizationId: string
  /** The label that they get. */
  readonly label: Label
  /** The supplier's code of the bundle that they come with. */
  readonly load: string
}

/** What an organization has bought and not sold. */
export interface Unsold {
  /** How many eSIMs with the load are free, counted up to the limit. */
  readonly free: number
  /** All its outstanding purchases, by creation and id. */
  readonly outstanding: ReadonlyArray<Job>
}

const isBeyond = ({ unsold }: Limits, count: number): boolean => unsold !== null && count > unsold

/** Whether one more may be bought. */
export const hasRoom = (limits: Limits, of: OfLoad, { free, outstanding }: Unsold): boolean =>
  !isBeyond(limits, free + outstanding.filter((job) => isPurchaseOf(job, of)).length + 1)

const isBefore = (left: Job, right: Job): boolean =>
  left.createdAt < right.createdAt || (left.createdAt === right.createdAt && left.jobId < right.jobId)

/**
 * What becomes of a purchase that is outstanding, and of which the supplier was not asked. It is
 * made if all together are within the limits. It is withdrawn if those before it leave no room,
 * else it waits for those after it to be withdrawn.
 */
export const admission = (
  limits: Limits,
  of: OfLoad,
  job: Job,
  { free, outstanding }: Unsold
): "Made" | "Withdrawn" | "Waits" => {
  const others = outstanding.filter((one) => one.jobId !== job.jobId && isPurchaseOf(one, of))
  if (!isBeyond(limits, free + others.length + 1)) return "Made"
  const before = others.filter((one) => isBefore(one, job)).length
  return isBeyond(limits, free + before + 1) ? "Withdrawn" : "Waits"
}
