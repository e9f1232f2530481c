/**
 * Packages: one allowance period at the telco (rules T5 and R1). A non-recurring attachment has
 * exactly one package, a recurring one has one per occurrence. Its id is also its idempotency key
 * at the telco. If the subscription has moved to another SIM (rule S8), what is left of a
 * package is ordered again, under another id.
 */
import { UUID } from "./Id.ts"
import type { Instant } from "./Time.ts"

/**
 * `Created`: the telco has the package. `Refused`: the telco refused it for good. `Lapsed`: before
 * the package could be created, its whole period was over or its attachment was suspended; it was
 * recorded without a telco call (rule T5).
 */
export const statuses = ["Created", "Refused", "Lapsed"] as const

/** What became of the package's order at the telco (rule T5). */
export type Status = (typeof statuses)[number]

/** A package on a SIM that its subscription has left (rule S8). */
export interface Former {
  /** The SIM. */
  readonly iccid: string
  /** How many times its attachment had moved when it was ordered there; part of its id there. */
  readonly number: number
  /** The telco's own name of it there. Null: it gave none, or was not asked. */
  readonly telcoPackageId: string | null
  /** The highest total that is known of it there, in bytes. */
  readonly usedBytes: number
  /**
   * Whether the telco was asked how much was used of it there. `awaited`: not yet, and nothing is
   * ordered of what is left. `counted`: it has said so. `assumed`: it cannot say, or does not have
   * the package any more, and the last report is taken for right.
   */
  readonly count: "awaited" | "counted" | "assumed"
  /**
   * False: the telco has not answered its order there, or there was nothing left to order; so it is
   * no news that the telco does not have it. Absent: the telco had it.
   */
  readonly isExpected?: false
  /**
   * What the telco has counted beyond what was reported, in bytes: deltas that come later are of
   * that first.
   */
  readonly unreportedBytes: number
}

/** What a package has because its subscription has moved to another SIM (rule S8). */
export interface Replacement {
  /** How many times its attachment had moved when it was ordered; part of its id. At least 1. */
  readonly number: number
  /**
   * What the order for what is left of it goes by: what was used of it on former SIMs, in bytes.
   */
  readonly usedBefore: number
  /** Whether the telco has not taken the order for what is left of it. */
  readonly isAwaited: boolean
  /** What it was on former SIMs, oldest first. Absent: it has moved before that was kept. */
  readonly former?: ReadonlyArray<Former>
}

/**
 * One allowance period at the telco: of a recurring attachment one for each occurrence, else the
 * only one.
 */
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
  /**
   * What the telco said if it refused, which may be the order for what is left of it; null if
   * it did not, and for refusals before that was kept (rule L2).
   */
  readonly refusal: string | null
  /** The telco's own name of it. Null: it gave none, or was not asked. */
  readonly telcoPackageId: string | null
  /** Null until the first use. */
  readonly activationAt: Instant | null
  /** Exclusive. Null while it is not known. */
  readonly expirationAt: Instant | null
  /**
   * The highest total that was reported, that of former SIMs included; it never falls (rule R1).
   */
  readonly usedBytes: number
  /** Null: it was ordered on the SIM that its attachment was made on. */
  readonly replacement: Replacement | null
}

/**
 * The id of a package, which is also its idempotency key at the telco:
 * `<attachment id>:<occurrence>`, and after a move of the attachment its number too (rule S8), so
 * that no order on a former SIM is taken for it.
 */
export const packageId = (attachmentId: string, occurrence: number, replacement = 0): string =>
  replacement === 0 ? `${attachmentId}:${occurrence}` : `${attachmentId}:${occurrence}:${replacement}`

/** The id of a package that is there. */
export const idOf = ({
  attachmentId,
  occurrence,
  replacement
}: Pick<Package, "attachmentId" | "occurrence" | "replacement">): string =>
  packageId(attachmentId, occurrence, replacement?.number)

const FORMAT = new RegExp(`^${UUID}(?::\\d+){1,2}$`, "i")

/**
 * Rule I13: an id that a telco names, as `idOf` has it if it is one of those in other letters.
 * Any other text stays as it is, such as the telco's own name of a package.
 */
export const canonicalId = (id: string): string => (FORMAT.test(id) ? id.toLowerCase() : id)

/**
 * What is known of the package on former SIMs. What was used before that was kept is of no SIM that
 * is known.
 */
export const formerOf = ({ replacement }: Pick<Package, "replacement">): ReadonlyArray<Former> => {
  if (replacement === null) return []
  const { former, usedBefore: usedBytes } = replacement
  if (former !== undefined || usedBytes === 0) return former ?? []
  return [{ iccid: "", number: 0, telcoPackageId: null, usedBytes, count: "assumed", unreportedBytes: 0 }]
}

/**
 * What was used of the package on former SIMs, in bytes: the telco's totals of it do not have that.
 */
export const usedOnFormer = (pack: Pick<Package, "replacement">): number =>
  formerOf(pack).reduce((sum, { usedBytes }) => Math.min(sum + usedBytes, Number.MAX_SAFE_INTEGER), 0)

/** The SIMs on which the telco was not asked yet how much was used of the package. */
export const uncountedOn = (pack: Pick<Package, "replacement">): ReadonlyArray<string> =>
  formerOf(pack).flatMap(({ count, iccid }) => (count === "awaited" ? [iccid] : []))

/**
 * What was taken to be used on former SIMs when what is left was ordered, in bytes, if a telco
 * could not say how much it was (rule S8). Null: each telco has said so, or is still to be asked.
 */
export const assumedUsedBytes = (pack: Pick<Package, "replacement">): number | null =>
  formerOf(pack).some(({ count }) => count === "assumed") && uncountedOn(pack).length === 0
    ? (pack.replacement?.usedBefore ?? null)
    : null

/** The attachment whose package the id names. */
export const attachmentIdOf = (id: string): string => id.split(":", 1)[0] ?? id

/** The occurrence that the id names; null: it names none. */
export const occurrenceOf = (id: string): number | null => {
  const [, occurrence = ""] = id.split(":")
  return /^\d{1,4}$/.test(occurrence) ? Number(occurrence) : null
}

/**
 * Whether an id is that of what is left of a package on a SIM that its attachment has moved to
 * (rule S8).
 */
export const isOfMove = (id: string): boolean => id.split(":").length > 2

/**
 * Whether the telco has taken the package, on this SIM or on a former one; what is left of it may
 * be awaited or refused (rule S8).
 */
export const isTaken = ({ status }: Pick<Package, "status">): boolean => status === "Created"

/** Whether the telco has refused the package for good, so that there never was one. */
export const isRefused = ({ status }: Pick<Package, "status">): boolean => status === "Refused"

/**
 * Whether the telco has it, and its period is not over. A package that waits for its first use is
 * not over.
 */
export const isAtTelco = ({ expirationAt, status }: Pick<Package, "expirationAt" | "status">, now: Instant): boolean =>
  isTaken({ status }) && (expirationAt === null || now < expirationAt)
