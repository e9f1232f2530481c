/**
 * Allowances and their thresholds. Of a non-recurring plan's attachment 50, 80 and 100 % are
 * notified (rule R2); of every package the percentages that its plan names (rule U2). Each one is
 * notified once, in order.
 */
import { type Package, usedOnFormer } from "./Package.ts"
import type * as Plan from "./Plan.ts"

/** One megabyte in bytes (rule T1). */
export const MEGABYTE = 1_048_576

/** The allowance of one package, in bytes. */
export const bytesOf = (terms: Pick<Plan.PlanTerms, "dataMegaBytes">): number => terms.dataMegaBytes * MEGABYTE

/** In percent of a package's allowance (rule R2). */
export const thresholds = [50, 80, 100] as const

const NONE: ReadonlyArray<never> = []

/**
 * Rules R2 and U2: all percentages at which an event may fire for a package of the plan, in rising
 * order.
 */
export const eventThresholds = ({
  alertThresholds = thresholds,
  recurrence
}: Pick<Plan.PlanTerms, "alertThresholds" | "recurrence">): ReadonlyArray<number> =>
  recurrence !== null
    ? alertThresholds
    : [...new Set([...thresholds, ...alertThresholds])].sort((left, right) => left - right)

/**
 * The thresholds above `lastNotified` that `usedBytes` has reached, in rising order. `lastNotified`
 * is the last threshold notified, in percent. A recurring plan has none.
 *
 * The comparison is exact to the byte. The largest allowance is 2^51 bytes, so both products can
 * exceed 2^53 and be rounded. Rounding errors stay below the smallest difference between two
 * unequal products, which is 20.
 */
export const crossed = (
  terms: Pick<Plan.PlanTerms, "recurrence" | "dataMegaBytes">,
  lastNotified: number,
  usedBytes: number
): ReadonlyArray<number> =>
  terms.recurrence !== null
    ? []
    : thresholds.filter((threshold) => threshold > lastNotified && usedBytes * 100 >= bytesOf(terms) * threshold)

const isReached = (allowance: number, percentage: number, bytes: number): boolean =>
  bytes * 100 >= allowance * percentage

/**
 * Rule U2: the plan's percentages that a package reaches as its usage rises `from` so many bytes
 * `to` so many, in rising order. Its usage never falls, so no percentage is reached twice, and none
 * has to be remembered.
 */
export const reachedBetween = (
  terms: Pick<Plan.PlanTerms, "alertThresholds" | "dataMegaBytes">,
  { from, to }: { readonly from: number; readonly to: number }
): ReadonlyArray<number> => {
  if (from === to) return NONE
  const allowance = bytesOf(terms)
  return (terms.alertThresholds ?? thresholds).filter(
    (percentage) => !isReached(allowance, percentage, from) && isReached(allowance, percentage, to)
  )
}

/** The data that is left of a package, and its throttling counted from there. */
export interface Left {
  /** In whole MB, rounded up; 0 if nothing is left. */
  readonly dataMegaBytes: number
  /** Of several steps that fall on the same percentage, the last one stays. */
  readonly throttling: ReadonlyArray<Plan.ThrottlingStep>
}

/** Rule S8: what is left of a package of which so much was used. */
export const left = (terms: Pick<Plan.PlanTerms, "dataMegaBytes" | "throttling">, usedBytes: number): Left => {
  const allowance = bytesOf(terms)
  const dataMegaBytes = Math.ceil(Math.max(0, allowance - usedBytes) / MEGABYTE)
  const bytes = Math.max(1, dataMegaBytes) * MEGABYTE
  const steps = new Map<number, Plan.ThrottlingStep>()
  for (const { limit, percentage } of terms.throttling) {
    const until = (allowance * percentage) / 100 - usedBytes
    const at = Math.min(100, Math.max(1, Math.ceil((until * 100) / bytes)))
    steps.set(at, { percentage: at, limit })
  }
  return { dataMegaBytes, throttling: [...steps.values()] }
}

type Metered = Pick<Plan.PlanTerms, "dataMegaBytes" | "throttling">

/** What the telco was asked for of a package, and what was used of that, in bytes (rule S8). */
const metered = (
  terms: Metered,
  pack: Pick<Package, "usedBytes" | "replacement">
): Left & { readonly used: number } => {
  const before = pack.replacement?.usedBefore ?? 0
  const { dataMegaBytes, throttling } = before === 0 ? terms : left(terms, before)
  return { dataMegaBytes, throttling, used: pack.usedBytes - usedOnFormer(pack) }
}

/** Whether all data of a package is used, so that it gives no service. A throttled one goes on. */
export const isUsedUp = (terms: Metered, pack: Pick<Package, "usedBytes" | "replacement">): boolean => {
  const { dataMegaBytes, throttling, used } = metered(terms, pack)
  return throttling.length === 0 && used >= dataMegaBytes * MEGABYTE
}

/** The speed that a package is limited to by what was used of it; null: by none. */
export const speedOf = (
  terms: Metered,
  pack: Pick<Package, "usedBytes" | "replacement">
): Plan.ThrottlingLimit | null => {
  const { dataMegaBytes, throttling, used } = metered(terms, pack)
  const allowance = Math.max(1, dataMegaBytes) * MEGABYTE
  return throttling.findLast(({ percentage }) => isReached(allowance, percentage, used))?.limit ?? null
}
