/**
 * Plans and their terms.
 */
import type { CallOptions, PagedList, WriteOptions } from "./Calls.ts"
import type { Label } from "./Label.ts"
import type {
  CreatePlanFromBundle,
  MadePlan,
  OfPlanBundle,
  PlanBundle,
  PlanPrice,
  SetBundle,
  SetPlanBundle,
  SetPlanPrice
} from "./printed/Bundles.ts"
import type { OfOrganization } from "./printed/Organizations.ts"

export type { Label } from "./Label.ts"
export type * from "./printed/Bundles.ts"

/** How fast a throttled package is, in Kbit/s. */
export type ThrottlingLimit = "128" | "256" | "384" | "512" | "1024" | "3072" | "5120" | "7680" | "10240" | "20480"

/** After a part of the package's volume is used, its speed is limited. */
export interface ThrottlingStep {
  /** The part of the volume in percent, 1 to 100; each step's is above the one before. */
  readonly percentage: number
  /** The speed from then on, in Kbit/s. */
  readonly limit: ThrottlingLimit
}

/** How a plan repeats (rules T1 and T5). */
export interface Recurrence {
  /** The unit of a cycle. Months are calendar months in UTC. */
  readonly periodicity: "Daily" | "Weekly" | "Monthly"
  /** How many units a cycle has, at least 1. */
  readonly frequency: number
  /** How many packages there are in all, 1 to 1,000. */
  readonly occurrences: number
}

/** What a package of a plan grants. An attachment has its own copy of it. */
export interface Terms {
  /** The name of the plan. */
  readonly name: string
  /** The coverage profile. */
  readonly coverageId: string
  /** The region code of the coverage profile. */
  readonly regionCode: string
  /** The label of the coverage profile. */
  readonly label: Label
  /** The volume of a package in MB of 1,048,576 bytes. */
  readonly dataMegaBytes: number
  /** How long a package lasts, in days of 24 h. */
  readonly periodDays: number
  /** Three steps if packages are throttled, else none. */
  readonly throttling: ReadonlyArray<ThrottlingStep>
  /** How the plan repeats; null if it does not. */
  readonly recurrence: Recurrence | null
  /**
   * At which percentages of a package `package.allowanceConsumed` is published (rule U2). Absent:
   * 50, 80 and 100.
   */
  readonly alertThresholds?: ReadonlyArray<number>
}

/** A plan. */
export interface Plan extends OfOrganization, Terms {
  /** The id, a UUID. */
  readonly planId: string
  /** The text that its creation gave; empty if it gave none. */
  readonly metadata: string
  /** What the organization sells it for, as a decimal such as `19.90`; null: it does not say. */
  readonly price: string | null
  /** The code of ISO 4217 of the price; null: there is none. */
  readonly currency: string | null
  /** When it was created. */
  readonly createdAt: Date
  /** Since when it takes no new attachments; null if it does. */
  readonly archivedAt: Date | null
}

/** What a new plan is to be (rule P1). */
export interface CreatePlan extends OfOrganization {
  /** The name, 1 to 255 characters. */
  readonly name: string
  /** The coverage profile, standard or custom; it gives the plan its label and region code. */
  readonly coverageId: string
  /** The volume of a package in MB of 1,048,576 bytes, 1 to 2,147,483,647. */
  readonly dataMegaBytes: number
  /** How long a package lasts, 1 to 3,660 days of 24 h. */
  readonly periodDays: number
  /** Three steps with rising percentages; absent or empty if packages are not throttled. */
  readonly throttling?: ReadonlyArray<ThrottlingStep> | undefined
  /**
   * How the plan repeats; absent or null if it does not. The last package has to end before the
   * year 10000.
   */
  readonly recurrence?: Recurrence | null | undefined
  /**
   * At which percentages of a package's allowance `package.allowanceConsumed` is published
   * (rule U2): up to 10 integers from 1 to 100, each taken once and in rising order. Absent: 50, 80
   * and 100. Empty: none.
   */
  readonly alertThresholds?: ReadonlyArray<number> | undefined
  /** Free text of yours, such as the id of an article: up to 4,096 characters. */
  readonly metadata?: string | undefined
  /** What you sell it for, as a decimal such as `19.90` (rule P7). Absent or null: no price. */
  readonly price?: string | null | undefined
  /** The code of ISO 4217 of the price: three capital letters. */
  readonly currency?: string | null | undefined
}

/** Names a plan. */
export interface OfPlan extends OfOrganization {
  /** The plan's id. */
  readonly planId: string
}

/** Which plans a list has. An absent field filters nothing. */
export interface PlanFilter extends OfOrganization {
  /** Only archived plans, or only live ones. */
  readonly archived?: boolean | undefined
  /** Only plans of this label. */
  readonly label?: Label | undefined
  /** Only plans with this text in their name, in any case. */
  readonly search?: string | undefined
  /** Only plans that cover all of these countries, by ISO 3166-1 alpha-2 code in any case. */
  readonly countries?: ReadonlyArray<string> | undefined
}

/** Plans of an organization (rules P1 to P4). */
export interface Plans {
  /**
   * Creates a plan. Errors: `InvalidFieldError`, `NotFoundError` (organization, coverage profile),
   * `NotSupportedError`, `TermsRefusedError`, `QuotaExceededError`.
   */
  readonly create: (request: CreatePlan, options?: WriteOptions) => Promise<Plan>
  /** Reads a plan. Errors: `NotFoundError`, also if it was deleted. */
  readonly get: (of: OfPlan, options?: CallOptions) => Promise<Plan>
  /** Plans, oldest first. */
  readonly list: (of: PlanFilter, options?: CallOptions) => PagedList<Plan>
  /**
   * Makes the plan take no new attachments. Those there are stay as they are (rule P2). Errors:
   * `NotFoundError`.
   */
  readonly archive: (of: OfPlan, options?: WriteOptions) => Promise<void>
  /** Makes the plan take new attachments again (rule P2). Errors: `NotFoundError`. */
  readonly unarchive: (of: OfPlan, options?: WriteOptions) => Promise<void>
  /** Which bundle of a supplier the plan is (rule P5). Errors: `NotFoundError`. */
  readonly bundle: (of: OfPlanBundle, options?: CallOptions) => Promise<PlanBundle>
  /**
   * Says which bundle of a supplier the plan is from now on (rule P5): a subscription of it gets an
   * eSIM that came with the load, and one is bought if none is free. Without a load it is none.
   * What is attached stays as it was ordered. `differences` has what the plan promises otherwise
   * than the bundle (rule P6); with `dryRun` nothing is set. Errors: `NotFoundError`,
   * `InvalidFieldError`, `NotSupportedError` if the telco sells no bundles.
   */
  readonly setBundle: (of: SetPlanBundle, options?: WriteOptions) => Promise<SetBundle>
  /**
   * Says what the plan is sold for from now on (rule P7): nobody is charged by it. Without a price
   * nothing is said of it. Errors: `NotFoundError`, `InvalidFieldError`.
   */
  readonly setPrice: (of: SetPlanPrice, options?: WriteOptions) => Promise<PlanPrice>
  /**
   * Makes a plan of a supplier's bundle, and a custom region if no coverage profile of the label
   * has exactly its countries (rule P6). With `dryRun` nothing is made, and an idempotency key is
   * ignored.
   *
   * Errors: `InvalidFieldError`, `NotFoundError` (organization, telco), `NotSupportedError`,
   * `TermsRefusedError`, `QuotaExceededError`, `TelcoRefusedError`, `TelcoUnavailableError`,
   * `InsideTransactionError`.
   */
  readonly createFromBundle: (request: CreatePlanFromBundle, options?: WriteOptions) => Promise<MadePlan>
  /**
   * Deletes the plan. Attachments keep their copy of its terms (rule P2). Errors: `NotFoundError`.
   */
  readonly remove: (of: OfPlan, options?: WriteOptions) => Promise<void>
}
