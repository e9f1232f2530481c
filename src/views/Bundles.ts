/**
 * The bundles of suppliers that plans are (rule P5), as hosts and callers see and set them.
 */
import * as TextLimit from "../domain/TextLimit.ts"
import { OfOrganization } from "./Organizations.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, limited, nullOr, optional } = View

const code = nullOr(limited(TextLimit.LOAD))

const bundle = {
  load: [
    code,
    "The supplier's code of the bundle that an eSIM is bought with; null: the telco goes by the plan's terms",
    "esim_1GB_7D_GB_V2"
  ],
  topUpLoad: [code, "The code of what is bought for a SIM that is in service; null: the same", null],
  priceLimit: [
    nullOr(View.text),
    "What an eSIM with the bundle may cost at most, as a decimal; null: anything",
    "4.50"
  ],
  currency: [nullOr(View.text), "The code of ISO 4217 of the limit; null: there is none", "USD"]
} as const

const planId = field(View.id, "The plan's id", Samples.planId)

export const OfPlan = View.request(
  "OfPlanBundle",
  "Names a plan",
  { planId: View.named({ on: "planId" }, planId) },
  OfOrganization
)

export const PlanBundle = View.answer(
  "PlanBundle",
  "Which bundle of a supplier a plan is",
  {
    planId,
    load: field(...bundle.load),
    topUpLoad: field(...bundle.topUpLoad),
    priceLimit: field(...bundle.priceLimit),
    currency: field(...bundle.currency)
  },
  OfOrganization
)

export const SetPlanBundle = View.request(
  "SetPlanBundle",
  "Which bundle of a supplier a plan is to be; what is absent is as null",
  {
    load: View.preset(null, optional(...bundle.load)),
    topUpLoad: View.preset(null, optional(...bundle.topUpLoad)),
    priceLimit: View.preset(null, optional(...bundle.priceLimit)),
    currency: View.preset(null, optional(...bundle.currency))
  },
  OfPlan
)
