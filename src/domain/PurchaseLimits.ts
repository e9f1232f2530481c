/**
 * How much may be bought of suppliers (rule I16), as the operator of the service says it of the
 * route that a load is bought by. What is outstanding counts as bought: it may have been sold.
 *
 * Purchases begin at once in several processes. Each is stored first, and counts all that are
 * stored after that; the supplier is asked only if they are within the limits. Of too many that
 * begin at once the last withdraw, and the first wait until they have.
 */
import type { Amount } from "./Amount.ts"
import { millionths, type Spent } from "./Cost.ts"
import { isPurchase, isPurchaseOf, type Job } from "./Job.ts"
import type { Label } from "./Label.ts"
import { DAY, type Instant, SECOND } from "./Time.ts"
import { dayOf } from "./UsageBook.ts"

/** What purchases of a load are held to. */
export interface Limits {
  /**
   * How many eSIMs with the load an organization may have of a label that are free or outstanding,
   * at least 1; null: any number.
   */
  readonly unsold: number | null
  /**
   * What an organization may spend at the supplier of the load in a UTC day, for whatever it buys
   * there; null: any amount.
   */
  readonly spendingPerDay: Amount | null
}

/** Anything may be bought. */
export const none: Limits = { unsold: null, spendingPerDay: null }

/** Whether there is any limit. */
export const isNone = ({ spendingPerDay, unsold }: Limits): boolean => unsold === null && spendingPerDay === null

/** Which eSIMs are bought. */
export interface OfLoad {
  /** Whose stock they are for. */
  readonly organizationId: string
  /** The label that they get. */
  readonly label: Label
  /** The supplier's code of the bundle that they come with. */
  readonly load: string
}

/** What one eSIM costs, as far as is known. */
export interface Priced {
  /** The price in the catalogue; null: it is not known. */
  readonly price: Amount | null
  /** What it may cost at most; null: nothing is said of that. */
  readonly most: Amount | null
}

/** An outstanding purchase. */
export interface PricedPurchase extends Priced {
  /** The id of its job. */
  readonly jobId: string
  /** Null: it is not known. */
  readonly supplier: string | null
}

/** What an organization spends at a supplier in a day, in millionths of the limit's currency. */
export interface Spending {
  /** The most that it may spend. */
  readonly limit: bigint
  /** What the supplier has charged. */
  readonly charged: bigint
  /** What its outstanding purchases cost, by the ids of their jobs; null: it is not known. */
  readonly prices: ReadonlyMap<string, bigint | null>
  /** What one more costs; null: it is not known. */
  readonly price: bigint | null
}

/** A price in another currency than the limit is not known. */
const priceIn = (currency: string, { most, price }: Priced): bigint | null => {
  const known = price ?? most
  return known?.currency === currency ? millionths(known) : null
}

/** What counts for the limit of a day. What is of no known supplier counts for each of them. */
export const spending = (
  limit: Amount,
  supplier: string | null,
  spent: ReadonlyArray<Spent>,
  outstanding: ReadonlyArray<PricedPurchase>,
  one: Priced
): Spending => {
  const { currency } = limit
  const isOfSupplier = (name: string | null) => name === null || supplier === null || name === supplier
  const counting = spent.filter((row) => row.currency === currency && isOfSupplier(row.telco))
  const there = outstanding.filter((purchase) => isOfSupplier(purchase.supplier))
  return {
    limit: millionths(limit),
    charged: counting.reduce((sum, row) => sum + row.sum, 0n),
    prices: new Map(there.map((purchase) => [purchase.jobId, priceIn(currency, purchase)])),
    price: priceIn(currency, one)
  }
}

/** In how many seconds the next UTC day begins, at least 1. */
export const secondsOfDay = (now: Instant): number => Math.ceil((dayOf(now) + DAY - now) / SECOND)

/** What an organization has bought. */
export interface Counted {
  /** How many eSIMs with the load are free, counted up to the limit. */
  readonly free: number
  /** All its outstanding purchases, by creation and id. */
  readonly outstanding: ReadonlyArray<Job>
  /** Null: there is no limit of a day. */
  readonly spending: Spending | null
}

const isTooMany = ({ unsold }: Limits, count: number): boolean => unsold !== null && count > unsold

/** Whether one more costs too much beside others. What is not known is too much. */
const isTooDear = (spending: Spending | null, others: ReadonlyArray<Job>): boolean => {
  if (spending === null) return false
  const { charged, limit, price, prices } = spending
  const all = [price, ...others.map(({ jobId }) => prices.get(jobId) ?? (prices.has(jobId) ? null : 0n))]
  return all.includes(null) || all.reduce<bigint>((sum, one) => sum + (one ?? 0n), charged) > limit
}

/** Whether one more is beyond the limits beside other purchases that are outstanding. */
const isBeyond = (
  limits: Limits,
  of: OfLoad,
  { free, spending }: Omit<Counted, "outstanding">,
  others: ReadonlyArray<Job>
): boolean =>
  isTooMany(limits, free + others.filter((job) => isPurchaseOf(job, of)).length + 1) || isTooDear(spending, others)

/**
 * Whether one more may be bought. `Full`: not while others are unsold or outstanding. `Spent`: not
 * in this day, and nothing is outstanding that may yet be refused.
 */
export const room = (limits: Limits, of: OfLoad, counted: Counted): "Room" | "Full" | "Spent" => {
  const { outstanding, spending } = counted
  const others = outstanding.filter(isPurchase)
  if (!isBeyond(limits, of, counted, others)) return "Room"
  const isAlone = !others.some(({ jobId }) => spending?.prices.has(jobId))
  return isAlone && isTooDear(spending, []) ? "Spent" : "Full"
}

const isBefore = (left: Job, right: Job): boolean =>
  left.createdAt < right.createdAt || (left.createdAt === right.createdAt && left.jobId < right.jobId)

/**
 * What becomes of a purchase that is outstanding, and of which the supplier was not asked. It is
 * made if all together are within the limits. It is withdrawn if those before it leave no room,
 * else it waits for those after it to be withdrawn.
 */
export const admission = (limits: Limits, of: OfLoad, job: Job, counted: Counted): "Made" | "Withdrawn" | "Waits" => {
  const others = counted.outstanding.filter((one) => one.jobId !== job.jobId && isPurchase(one))
  if (!isBeyond(limits, of, counted, others)) return "Made"
  const before = others.filter((one) => isBefore(one, job))
  return isBeyond(limits, of, counted, before) ? "Withdrawn" : "Waits"
}
