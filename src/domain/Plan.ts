/**
 * Plans and their terms (rules P1 and P2): an allowance, a validity, optional throttling, optional recurrence.
 *
 * Terms are checked once, when a plan is created; an attachment carries its own copy, so that archiving or deleting a
 * plan never changes what was attached.
 */
import { Result } from "effect"
import type { Label } from "./Label.ts"
import { InvalidField, NotFound, PlanArchived } from "./Refusal.ts"
import type { Instant } from "./Time.ts"

/** Speed limits in Kbit/s that a new plan may name. */
export const throttlingLimits = ["128", "256", "384", "512", "1024", "3072", "5120", "7680", "10240", "20480"] as const

export type ThrottlingLimit = (typeof throttlingLimits)[number]

/** Past `percentage` of the package's volume, the speed is held at `limit` Kbit/s. */
export interface ThrottlingStep {
  readonly percentage: number
  readonly limit: ThrottlingLimit
}

/** `0` Daily, `1` Weekly, `2` Monthly, as the wire has them. */
export const periodicities = ["Daily", "Weekly", "Monthly"] as const

export type Periodicity = (typeof periodicities)[number]

export interface RecurrenceTerms {
  readonly periodicity: Periodicity
  /** One cycle is this many days, weeks or months. */
  readonly frequency: number
  /** How many packages there are in all. */
  readonly occurrences: number
}

/** What a package of the plan grants; the part of a plan that an attachment copies. */
export interface PlanTerms {
  readonly name: string
  readonly coverageId: string
  readonly regionCode: string
  readonly label: Label
  readonly dataMegaBytes: number
  readonly periodDays: number
  /** Three steps where the plan is throttled, none where it is not. */
  readonly throttling: ReadonlyArray<ThrottlingStep>
  readonly recurrence: RecurrenceTerms | null
}

/**
 * Terms as they are asked for. The fields of throttling and recurrence are looked at only where the feature is on
 * (rule P1), so they may hold anything.
 */
export interface TermsRequest {
  readonly name: string
  readonly coverageId: string
  readonly dataMegaBytes: number
  readonly periodDays: number
  readonly throttling: boolean
  readonly recurring: boolean
  /** Thresholds 1 to 3. */
  readonly thresholds: ReadonlyArray<{ readonly percentage: unknown; readonly limit: unknown }>
  readonly occurrences: unknown
  /** `"0"`, `"1"` or `"2"`. */
  readonly periodicity: unknown
  readonly frequency: unknown
}

export interface Plan {
  readonly organizationId: string
  readonly planId: string
  readonly terms: PlanTerms
  readonly createdAt: Instant
  readonly archivedAt: Instant | null
  readonly deletedAt: Instant | null
  readonly version: number
}

/** One megabyte in bytes (rule T1). */
export const MEGABYTE = 1_048_576

/** The allowance of one package, in bytes. */
export const allowanceBytes = (terms: PlanTerms): number => terms.dataMegaBytes * MEGABYTE

export const limits = {
  dataMegaBytes: 2 ** 31 - 1,
  periodDays: 3_660,
  occurrences: 1_000,
  frequency: 2 ** 31 - 1
} as const
