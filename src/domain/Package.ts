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

/** What became of the package's order at the telco (rule T5). */
export type Status = (typeof statuses)[number]

/** One allowance period at the telco: of a recurring attachment one for each occurrence, else the only one. */
export interface Package {
  /** The organization that owns it. */
  readonly organizationId: string
  /** 18 to 20 digits (rule I1). */
  readonly iccid: string
  /** The attachment whose package it is. */
  readonly attachmentId: string
  /** 0-based. */
  readonly occurrence: number
  /** It never changes: a package is recorded when the telco has answered, or need not be asked. */
  readonly status: Status
  /** What the telco said where it refused; null where it did not, and for refusals before that was kept (rule L2). */
  readonly refusal: string | null
  /** The telco's own name of it. Null: it gave none, or was not asked. */
  readonly telcoPackageId: string | null
  /** Null until the first use. */
  readonly activationAt: Instant | null
  /** Exclusive. Null while it is not known. */
  readonly expirationAt: Instant | null
  /** The highest total that was reported; it never falls (rule R1). */
  readonly usedBytes: number
}

/** The package's id, which is also its idempotency key at the telco. */
export const packageId = (attachmentId: string, occurrence: number): string => `${attachmentId}:${occurrence}`

/** Whether the telco has it, and its period is not over. A package that waits for its first use is not over. */
export const isAtTelco = ({ expirationAt, status }: Pick<Package, "expirationAt" | "status">, now: Instant): boolean =>
  status === "Created" && (expirationAt === null || now < expirationAt)
