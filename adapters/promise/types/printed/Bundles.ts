/** Printed from the views by `npm run print`: what hosts see and send. */
import type { OfOrganization } from "./Organizations.ts"

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
}
