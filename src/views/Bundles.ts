/**
 * The bundles of suppliers that plans are (rule P5), as hosts and callers see and set them.
 */
import { decimal } from "../domain/Amount.ts"
import type { Plan } from "../domain/Plan.ts"
import { returns, type Sim } from "../domain/Sim.ts"
import * as Sold from "../domain/SoldBundle.ts"
import * as TextLimit from "../domain/TextLimit.ts"
import { OfOrganization } from "./Organizations.ts"
import * as Samples from "./Samples.ts"
import { OfTelco } from "./Telcos.ts"
import * as View from "./View.ts"

const { field, instant, integer, label, limited, list, nested, nullOr, optional, text } = View

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

export const BundleDifference = View.answer("BundleDifference", "What differs between a plan and its bundle", {
  what: field(
    View.oneOf(Sold.differing, "BundleDifferenceKind"),
    "`bundle`: no telco sells one of this code; else in what they differ",
    "data"
  ),
  plan: field(text, "What the plan has; of countries, those that the bundle is not for", "1024 MB"),
  bundle: field(
    nullOr(text),
    "What the bundle has; of countries, those that the plan has not; null: none is sold",
    "953 MB"
  )
})

export const SetBundle = View.answer(
  "SetBundle",
  "Which bundle of a supplier a plan is now, or would be",
  {
    differences: field(
      nullOr(list(nested(BundleDifference))),
      "What differs between the plan and the bundle; null: no telco sells any, or none could be asked, or the plan is none",
      []
    )
  },
  PlanBundle
)

const dryRun = View.preset(
  false,
  optional(View.boolean, "True: the request is checked and answered, and nothing is done", true)
)

export const SetPlanBundle = View.request(
  "SetPlanBundle",
  "Which bundle of a supplier a plan is to be; what is absent is as null",
  {
    load: View.preset(null, optional(...bundle.load)),
    topUpLoad: View.preset(null, optional(...bundle.topUpLoad)),
    priceLimit: View.preset(null, optional(...bundle.priceLimit)),
    currency: View.preset(null, optional(...bundle.currency)),
    dryRun
  },
  OfPlan
)

const price = {
  price: [
    nullOr(limited(TextLimit.AMOUNT)),
    "What the organization sells the plan for, as a decimal; null: it does not say",
    Samples.price
  ],
  currency: [nullOr(View.text), "The code of ISO 4217 of the price; null: there is none", Samples.currency]
} as const

export const PlanPrice = View.answer(
  "PlanPrice",
  "What an organization sells a plan for",
  { planId, price: field(...price.price), currency: field(...price.currency) },
  OfOrganization
)

export const SetPlanPrice = View.request(
  "SetPlanPrice",
  "What a plan is to be sold for; what is absent is as null",
  {
    price: View.preset(null, optional(...price.price)),
    currency: View.preset(null, optional(...price.currency))
  },
  OfPlan
)

export const planPriceOf = ({ organizationId, planId, price: of }: Plan): View.Of<typeof PlanPrice> => ({
  organizationId,
  planId,
  price: of === null ? null : decimal(of),
  currency: of?.currency ?? null
})

const telco = field(text, "The telco's name", "simulator")

const readAt = "When this process has read what the telco sells"

export const Seller = View.answer("Seller", "A telco that sells bundles", {
  telco,
  bundles: field(nullOr(integer()), "How many it sells; null: this process has not read it yet", 10),
  readAt: field(nullOr(instant), `${readAt}; null: not yet`, Samples.used),
  failure: field(nullOr(text), "Why the last read has failed; null: it has not", null)
})

const sold = {
  code: field(text, "What a plan names it by, as its load", "esim_1GB_7D_GB_V2"),
  name: field(text, "What the telco calls it", "United Kingdom, 1 GB, 7 days"),
  kind: field(
    View.oneOf(Sold.kinds, "SoldBundleKind"),
    "`sim`: an eSIM is bought with it; `topUp`: it goes on an eSIM that is in service; `any`: both",
    "any"
  ),
  countries: field(list(text), "ISO 3166-1 alpha-2 codes of the countries", ["GB"]),
  dataBytes: field(nullOr(integer()), "How many bytes it has; null: unlimited", 1_073_741_824),
  days: field(nullOr(integer()), "How many days it lasts; null: the telco does not say so in days", 7),
  price: field(nullOr(text), "What it costs, as a decimal; null: the telco does not say", "4.50"),
  currency: field(nullOr(text), "The code of ISO 4217 of the price; null: the telco does not say", "USD")
}

export const SoldBundle = View.answer("SoldBundle", "A bundle that a telco sells", {
  ...sold,
  readAt: field(instant, readAt, Samples.used)
})

export const soldBundleOf = ({
  price,
  ...bundle
}: Sold.SoldBundle & { readonly readAt: number }): View.Of<typeof SoldBundle> => ({
  ...bundle,
  price: price === null ? null : decimal(price),
  currency: price?.currency ?? null
})

export const SoldBundlesOf = View.request(
  "SoldBundlesOf",
  "Which bundles of a telco are asked for",
  {
    search: View.preset(
      null,
      optional(nullOr(limited(TextLimit.NAME)), "Words of the name or the code, in any case; null: any", "1GB")
    ),
    country: View.preset(
      null,
      optional(nullOr(text), "ISO 3166-1 alpha-2 code of a country that it is for; null: any", "GB")
    )
  },
  OfTelco
)

const planName = [limited(TextLimit.NAME), "The plan's name", "United Kingdom, 1 GB, 7 days"] as const

export const CreatePlanFromBundle = View.request(
  "CreatePlanFromBundle",
  "Of which bundle of a supplier a plan is to be made",
  {
    telco: field(text, "The telco that sells it", "simulator"),
    bundle: field(
      limited(TextLimit.LOAD),
      "The telco's code of the bundle that eSIMs are bought with",
      "sim_1GB_7D_GB"
    ),
    topUpBundle: View.preset(
      null,
      optional(
        nullOr(limited(TextLimit.LOAD)),
        "The code of what is bought for a SIM that is in service, with the same data and days; null: the same",
        null
      )
    ),
    label: field(label, "The network supply tier of the SIMs that are to take the plan", "Green"),
    name: View.preset(
      null,
      optional(nullOr(planName[0]), "The plan's name; null: that of the bundle", "United Kingdom, 1 GB, 7 days")
    ),
    priceLimit: View.preset(null, optional(...bundle.priceLimit)),
    currency: View.preset(null, optional(...bundle.currency)),
    metadata: View.preset(
      "",
      optional(limited(TextLimit.METADATA), "Free text of the organization for the plan", Samples.planMetadata)
    ),
    dryRun
  },
  OfOrganization
)

export const MadePlan = View.answer(
  "MadePlan",
  "A plan that was made of a supplier's bundle, or would be",
  {
    planId: field(nullOr(View.id), "The plan's id; null: nothing was made", Samples.planId),
    name: field(...planName),
    coverageId: field(nullOr(View.id), "The coverage profile's id; null: it would be made", Samples.coverageId),
    regionName: field(text, "The name of the coverage profile", "United Kingdom"),
    label: field(label, "The network supply tier of the SIMs that take the plan", "Green"),
    countries: field(list(text), "ISO 3166-1 alpha-2 codes of the countries that it covers", ["GB"]),
    dataMegaBytes: field(integer(1), "The data of the plan, in MB of 1,048,576 bytes", 1024),
    periodDays: field(integer(1), "How many days it lasts", 7),
    load: field(limited(TextLimit.LOAD), "The telco's code of the bundle", "sim_1GB_7D_GB"),
    topUpLoad: field(...bundle.topUpLoad),
    price: field(nullOr(text), "What the bundle costs now, as a decimal; null: the telco does not say", "1.90"),
    currency: field(nullOr(text), "The code of ISO 4217 of the price; null: the telco does not say", "USD"),
    notes: field(list(text), "What of the bundle the plan does not have, a sentence each", [])
  },
  OfOrganization
)

const iccid = field(View.iccid, "The SIM's ICCID: 18 to 20 digits", Samples.boughtIccid)

export const OfBoughtSim = View.request(
  "OfBoughtSim",
  "Names an eSIM that was bought of a supplier",
  { iccid: View.named({ on: "iccid" }, iccid) },
  OfOrganization
)

export const ReturnedSim = View.answer(
  "ReturnedSim",
  "An eSIM that is returned to its supplier",
  {
    iccid,
    load: field(limited(TextLimit.LOAD), "The supplier's code of the bundle that it came with", "esim_1GB_7D_GB_V2"),
    returned: field(
      View.oneOf(returns, "SimReturn"),
      "`pending`: the supplier is being asked; `refused`: it takes the SIM back no more; else the SIM is returned, and the money " +
        "was credited (`credit`), is asked for (`asked`), or does not come back (`none`)",
      "credit"
    ),
    cost: field(nullOr(text), "What it was charged at, as a decimal; null: the supplier does not say", "1.90"),
    currency: field(nullOr(text), "The code of ISO 4217 of the cost; null: the supplier does not say", "USD")
  },
  OfOrganization
)

export const returnedSimOf = ({ iccid, organizationId, purchase }: Sim): View.Of<typeof ReturnedSim> => ({
  organizationId,
  iccid,
  load: purchase?.load ?? "",
  returned: purchase?.returned ?? "pending",
  cost: purchase?.cost == null ? null : decimal(purchase.cost),
  currency: purchase?.cost?.currency ?? null
})
