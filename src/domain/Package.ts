/**
 * Packages: one allowance period handed to the telco. A non-recurring attachment has exactly one, a recurring one has
 * one per occurrence; the id `<attachment id>:<occurrence>` is also the idempotency key at the telco.
 */
import type { Instant } from "./Time.ts"

/**
 * `Created`: the telco has it. `Refused`: the telco refused it for good. `Lapsed`: its whole period was over, or its
 * attachment suspended, before it could be created, and it was recorded without a telco call (rule T5).
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

/** The package's id, ours and the telco's idempotency key. */
export const packageId = (attachmentId: string, occurrence: number): string => `${attachmentId}:${occurrence}`
