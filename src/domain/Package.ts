/**
 * Packages: one allowance period at the telco (rules T5 and R1). A non-recurring attachment has exactly one package, a
 * recurring one has one per occurrence. The id `<attachment id>:<occurrence>` is also the idempotency key at the telco.
 */
import type { Instant } from "./Time.ts"

/**
 * `Created`: the telco has the package. `Refused`: the telco refused it for good. `Lapsed`: before the package could be
 * created, its whole period was over or its attachment was suspended; it was recorded without a telco call (rule T5).
 */
export const statuses = ["Created", "Refused", "Lapsed"] as const

export type Status = (typeof statuses)[number]

export interface Package {
  readonly organizationId: string
  readonly iccid: string
  readonly attachmentId: string
  /** 0-based. */
  readonly occurrence: number
  readonly status: Status
  readonly telcoPackageId: string | null
  /** Null until the first use. */
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
  readonly usedBytes: number
}

/** The package's id, which is also its idempotency key at the telco. */
export const packageId = (attachmentId: string, occurrence: number): string => `${attachmentId}:${occurrence}`
