/**
 * What suppliers have charged, and what plans were sold for (rule C3).
 */
import type { CallOptions, List } from "./Calls.ts"
import type { OfOrganization } from "./printed/Organizations.ts"

/** What each month of costs is listed by. */
export type CostGroup = "plan" | "label" | "supplier" | "country"

/** UTC months, at most 60; this one and the one before unless they are named. */
export interface CostMonths {
  /** The first month, such as `2026-10`; the one before `to` if it is absent. */
  readonly from?: string | undefined
  /** The last month, which is included; this one if it is absent. */
  readonly to?: string | undefined
  /** What each month is listed by; by nothing else if it is absent. */
  readonly by?: CostGroup | ReadonlyArray<CostGroup> | undefined
}

/** What was charged and sold in a month in one currency, by what was asked for. */
export interface MonthCosts {
  /** The UTC month, such as `2026-11`. */
  readonly month: string
  /** The plan; null: what nobody has claimed. */
  readonly planId?: string | null
  /** The label of SIMs. */
  readonly label?: string
  /** The supplier's name among the telcos; null if there is one only, or it is not known. */
  readonly supplier?: string | null
  /**
   * The region code of the plan, of a plan for one country that country's code; null if it is not
   * known.
   */
  readonly regionCode?: string | null
  /** The code of ISO 4217; null: what no supplier has named an amount of. */
  readonly currency: string | null
  /**
   * What eSIMs and top-ups were charged at, without what came back, as a decimal; null without a
   * currency.
   */
  readonly cost: string | null
  /** What plans with a price were sold for, as a decimal; null without a currency. */
  readonly price: string | null
  /** The price without the cost, as a decimal; null if nothing was sold at a price. */
  readonly margin: string | null
  /** How many eSIMs were bought. */
  readonly purchases: number
  /** How many top-ups were bought. */
  readonly topUps: number
  /** How many purchases were credited. */
  readonly refunds: number
  /** How many plans with a price were sold. */
  readonly sales: number
}

/** What suppliers have charged, and what plans were sold for (rule C3). */
export interface Costs {
  /** An organization's costs, prices and margins by month. Errors: `InvalidFieldError`. */
  readonly ofOrganization: (of: OfOrganization & CostMonths, options?: CallOptions) => List<MonthCosts>
  /** Those of all organizations together. Errors: `InvalidFieldError`. */
  readonly ofService: (of?: CostMonths, options?: CallOptions) => List<MonthCosts>
}
