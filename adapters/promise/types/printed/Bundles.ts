/** Printed from the views by `npm run print`: what hosts see and send. */
import type { OfOrganization } from "./Organizations.ts"
import type { OfTelco } from "./Telcos.ts"
import type { Label } from "../Label.ts"

/** `bundle`: no telco sells one of this code; else in what they differ. */
export type BundleDifferenceKind = "bundle" | "data" | "days" | "countries" | "price"

/**
 * `sim`: an eSIM is bought with it; `topUp`: it goes on an eSIM that is in service; `any`: both.
 */
export type SoldBundleKind = "sim" | "topUp" | "any"

/**
 * `pending`: the supplier is being asked; `refused`: it takes the SIM back no more; else the SIM
 * is returned, and the money was credited (`credit`), is asked for (`asked`), or does not come
 * back (`none`).
 */
export type SimReturn = "pending" | "refused" | "credit" | "asked" | "none"

/** Names a plan. */
export interface OfPlanBundle extends OfOrganization {
  /** The plan's id. */
  readonly planId: string
}

/** Which bundle of a supplier a plan is. */
export interface PlanBundle extends OfOrganization {
  /** The plan's id. */
  readonly planId: string
  /**
   * The supplier's code of the bundle that an eSIM is bought with; null: the telco goes by the
   * plan's terms.
   */
  readonly load: string | null
  /** The code of what is bought for a SIM that is in service; null: the same. */
  readonly topUpLoad: string | null
  /** What an eSIM with the bundle may cost at most, as a decimal; null: anything. */
  readonly priceLimit: string | null
  /** The code of ISO 4217 of the limit; null: there is none. */
  readonly currency: string | null
}

/** What differs between a plan and its bundle. */
export interface BundleDifference {
  /** `bundle`: no telco sells one of this code; else in what they differ. */
  readonly what: BundleDifferenceKind
  /** What the plan has; of countries, those that the bundle is not for. */
  readonly plan: string
  /** What the bundle has; of countries, those that the plan has not; null: none is sold. */
  readonly bundle: string | null
}

/** Which bundle of a supplier a plan is now, or would be. */
export interface SetBundle extends PlanBundle {
  /**
   * What differs between the plan and the bundle; null: no telco sells any, or none could be asked,
   * or the plan is none.
   */
  readonly differences: ReadonlyArray<BundleDifference> | null
}

/** Which bundle of a supplier a plan is to be; what is absent is as null. */
export interface SetPlanBundle extends OfPlanBundle {
  /**
   * The supplier's code of the bundle that an eSIM is bought with; null: the telco goes by the
   * plan's terms.
   */
  readonly load?: string | null | undefined
  /** The code of what is bought for a SIM that is in service; null: the same. */
  readonly topUpLoad?: string | null | undefined
  /** What an eSIM with the bundle may cost at most, as a decimal; null: anything. */
  readonly priceLimit?: string | null | undefined
  /** The code of ISO 4217 of the limit; null: there is none. */
  readonly currency?: string | null | undefined
  /** True: the request is checked and answered, and nothing is done. */
  readonly dryRun?: boolean | undefined
}

/** What an organization sells a plan for. */
export interface PlanPrice extends OfOrganization {
  /** The plan's id. */
  readonly planId: string
  /** What the organization sells the plan for, as a decimal; null: it does not say. */
  readonly price: string | null
  /** The code of ISO 4217 of the price; null: there is none. */
  readonly currency: string | null
}

/** What a plan is to be sold for; what is absent is as null. */
export interface SetPlanPrice extends OfPlanBundle {
  /** What the organization sells the plan for, as a decimal; null: it does not say. */
  readonly price?: string | null | undefined
  /** The code of ISO 4217 of the price; null: there is none. */
  readonly currency?: string | null | undefined
}

/** A telco that sells bundles. */
export interface Seller {
  /** The telco's name. */
  readonly telco: string
  /** How many it sells; null: this process has not read it yet. */
  readonly bundles: number | null
  /** When this process has read what the telco sells; null: not yet. */
  readonly readAt: Date | null
  /** Why the last read has failed; null: it has not. */
  readonly failure: string | null
}

/** A bundle that a telco sells. */
export interface SoldBundle {
  /** What a plan names it by, as its load. */
  readonly code: string
  /** What the telco calls it. */
  readonly name: string
  /**
   * `sim`: an eSIM is bought with it; `topUp`: it goes on an eSIM that is in service; `any`: both.
   */
  readonly kind: SoldBundleKind
  /** ISO 3166-1 alpha-2 codes of the countries. */
  readonly countries: ReadonlyArray<string>
  /** How many bytes it has; null: unlimited. */
  readonly dataBytes: number | null
  /** How many days it lasts; null: the telco does not say so in days. */
  readonly days: number | null
  /** What it costs, as a decimal; null: the telco does not say. */
  readonly price: string | null
  /** The code of ISO 4217 of the price; null: the telco does not say. */
  readonly currency: string | null
  /** When this process has read what the telco sells. */
  readonly readAt: Date
}

/** Which bundles of a telco are asked for. */
export interface SoldBundlesOf extends OfTelco {
  /** Words of the name or the code, in any case; null: any. */
  readonly search?: string | null | undefined
  /** ISO 3166-1 alpha-2 code of a country that it is for; null: any. */
  readonly country?: string | null | undefined
}

/** Of which bundle of a supplier a plan is to be made. */
export interface CreatePlanFromBundle extends OfOrganization {
  /** The telco that sells it. */
  readonly telco: string
  /** The telco's code of the bundle that eSIMs are bought with. */
  readonly bundle: string
  /**
   * The code of what is bought for a SIM that is in service, with the same data and days; null: the
   * same.
   */
  readonly topUpBundle?: string | null | undefined
  /** The network supply tier of the SIMs that are to take the plan. */
  readonly label: Label
  /** The plan's name; null: that of the bundle. */
  readonly name?: string | null | undefined
  /** What an eSIM with the bundle may cost at most, as a decimal; null: anything. */
  readonly priceLimit?: string | null | undefined
  /** The code of ISO 4217 of the limit; null: there is none. */
  readonly currency?: string | null | undefined
  /** Free text of the organization for the plan. */
  readonly metadata?: string | undefined
  /** True: the request is checked and answered, and nothing is done. */
  readonly dryRun?: boolean | undefined
}

/** A plan that was made of a supplier's bundle, or would be. */
export interface MadePlan extends OfOrganization {
  /** The plan's id; null: nothing was made. */
  readonly planId: string | null
  /** The plan's name. */
  readonly name: string
  /** The coverage profile's id; null: it would be made. */
  readonly coverageId: string | null
  /** The name of the coverage profile. */
  readonly regionName: string
  /** The network supply tier of the SIMs that take the plan. */
  readonly label: Label
  /** ISO 3166-1 alpha-2 codes of the countries that it covers. */
  readonly countries: ReadonlyArray<string>
  /** The data of the plan, in MB of 1,048,576 bytes. */
  readonly dataMegaBytes: number
  /** How many days it lasts. */
  readonly periodDays: number
  /** The telco's code of the bundle. */
  readonly load: string
  /** The code of what is bought for a SIM that is in service; null: the same. */
  readonly topUpLoad: string | null
  /** What the bundle costs now, as a decimal; null: the telco does not say. */
  readonly price: string | null
  /** The code of ISO 4217 of the price; null: the telco does not say. */
  readonly currency: string | null
  /** What of the bundle the plan does not have, a sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** Names an eSIM that was bought of a supplier. */
export interface OfBoughtSim extends OfOrganization {
  /** The SIM's ICCID: 18 to 20 digits. */
  readonly iccid: string
}

/** An eSIM that is returned to its supplier. */
export interface ReturnedSim extends OfOrganization {
  /** The SIM's ICCID: 18 to 20 digits. */
  readonly iccid: string
  /** The supplier's code of the bundle that it came with. */
  readonly load: string
  /**
   * `pending`: the supplier is being asked; `refused`: it takes the SIM back no more; else the SIM
   * is returned, and the money was credited (`credit`), is asked for (`asked`), or does not come
   * back (`none`).
   */
  readonly returned: SimReturn
  /** What it was charged at, as a decimal; null: the supplier does not say. */
  readonly cost: string | null
  /** The code of ISO 4217 of the cost; null: the supplier does not say. */
  readonly currency: string | null
}
