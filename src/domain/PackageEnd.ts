/**
 * Ends of packages that the telco decides (rule R4): a supplier's bundle ends when its data are
 * used up, when the supplier says so, and when it was not used for long enough. What a package is
 * by its own times is in `Package`.
 */
import { isAtTelco, type Package } from "./Package.ts"
import type { Instant } from "./Time.ts"

/**
 * `depleted`: its data are used up, and nothing throttles it. `expired`: its time is over.
 * `revoked`: the telco has taken it back. `lapsed`: it was never used, and may not be any more.
 */
export const reasons = ["depleted", "expired", "revoked", "lapsed"] as const

/** Why a package has ended. */
export type Reason = (typeof reasons)[number]

/** Whether an end says that the package had begun. */
export const isOfUsed = (reason: Reason): boolean => reason === "depleted" || reason === "expired"

/** Whether a package was over before it began, so that no use begins it any more. */
export const isUnbegun = ({ activationAt, expirationAt }: Pick<Package, "activationAt" | "expirationAt">): boolean =>
  expirationAt !== null && (activationAt === null || expirationAt < activationAt)

/** Whether a package waits for its first use. */
export const isWaiting = ({ activationAt, expirationAt }: Pick<Package, "activationAt" | "expirationAt">): boolean =>
  activationAt === null && expirationAt === null

/**
 * When a package ends that the telco has ended at `at`: not after `now`, and not before it has
 * begun if it has. Null: it was over before, and its first end is the one that counts.
 */
export const endOf = (pack: Package, at: Instant, now: Instant): Instant | null => {
  if (!isAtTelco(pack, now)) return null
  const { activationAt } = pack
  const end = Math.min(at, now)
  return activationAt === null || now < activationAt ? end : Math.max(end, activationAt)
}
