/**
 * The bundles of suppliers: what they sell, and which plans are (rule P5). What they sell is of the
 * service, as it has what the service pays.
 */
import { Effect, Result } from "effect"
import { Amount, Plan, Refusal } from "simplan/ports"
import { Bundles as Views, View } from "simplan/views"
import * as Operation from "./Operation.ts"

type Asked = Omit<View.Of<typeof Views.SetPlanBundle>, "dryRun">

const refuse = (field: string, message: string) => Result.fail(new Refusal.InvalidField({ field, message }))

const limitOf = ({ currency, priceLimit: amount }: Pick<Asked, "currency" | "priceLimit">) =>
  Plan.amountOf({ field: "priceLimit", amount, currency })

const bundleOf = (asked: Asked): Result.Result<Plan.Bundle | null, Refusal.InvalidField> => {
  const { load, topUpLoad } = asked
  if (load !== null) return Result.map(limitOf(asked), (limit) => ({ load, topUpLoad, limit }))
  const given = (["topUpLoad", "priceLimit", "currency"] as const).find((name) => asked[name] !== null)
  return given === undefined ? Result.succeed(null) : refuse(given, "must be absent without a load")
}

const shown = ({ bundle, organizationId, planId }: Plan.Plan) => {
  const { limit = null, load = null, topUpLoad = null } = bundle ?? {}
  const priceLimit = limit === null ? null : Amount.decimal(limit)
  return { organizationId, planId, load, topUpLoad, priceLimit, currency: limit?.currency ?? null }
}

const ofPlan = { errors: ["plan_not_found"] } as const

export const bundles = {
  createFromBundle: Operation.once({
    route: "POST /organizations/:id/plans/from-bundle",
    request: Views.CreatePlanFromBundle,
    answer: Views.MadePlan,
    kind: "MadePlan",
    role: "admin",
    errors: [
      "telco_not_found",
      "not_supported",
      "telco_refused",
      "telco_unavailable",
      "terms_refused",
      "quota_exceeded"
    ],
    title: "Make a plan of a supplier's bundle",
    text:
      "Makes the plan with the data, the days and the countries of the bundle, and a custom region if no coverage profile of the label " +
      "has exactly these countries. Data are rounded down to whole MB, and countries without a network of the label are left out: " +
      "`notes` says so. A bundle that is unlimited, does not say its days or is dearer than the limit is refused.",
    call: ({ plans }, { bundle, currency, priceLimit, topUpBundle, ...request }) =>
      Effect.flatMap(Effect.fromResult(limitOf({ currency, priceLimit })), (limit) =>
        plans.createFromBundle({ ...request, bundle: { load: bundle, topUpLoad: topUpBundle, limit } })
      )
  }),
  bundle: Operation.item({
    ...ofPlan,
    answer: Views.PlanBundle,
    route: "GET /organizations/:id/plans/:planId/bundle",
    request: Views.OfPlan,
    role: "read",
    title: "Read which bundle of a supplier a plan is",
    text: "The supplier's codes, and what an eSIM may cost. They are null if the telco goes by the plan's terms.",
    call: ({ plans }, of) => Effect.map(plans.get(of), shown)
  }),
  setBundle: Operation.item({
    ...ofPlan,
    answer: Views.SetBundle,
    errors: [...ofPlan.errors, "not_supported"],
    route: "PUT /organizations/:id/plans/:planId/bundle",
    request: Views.SetPlanBundle,
    role: "admin",
    isKept: true,
    title: "Set which bundle of a supplier a plan is",
    text:
      "From now on a subscription of the plan gets an eSIM that came with the load, and one is bought of the supplier if none is " +
      "free. What is attached stays as it was ordered. Without a load the telco goes by the plan's terms again. `differences` has what " +
      "the plan promises otherwise than the bundle; with `dry_run` nothing is set. A telco that sells no bundles is 422.",
    call: Effect.fnUntraced(function* ({ plans }, { dryRun, organizationId, planId, ...asked }) {
      const bundle = yield* Effect.fromResult(bundleOf({ organizationId, planId, ...asked }))
      const of = { organizationId, planId, bundle }
      const plan = yield* dryRun ? plans.previewSetBundle(of) : plans.setBundle(of)
      const differences = bundle === null ? null : yield* plans.differences({ ...of, bundle })
      return { ...shown(plan), differences }
    })
  }),
  setPrice: Operation.item({
    ...ofPlan,
    answer: Views.PlanPrice,
    route: "PUT /organizations/:id/plans/:planId/price",
    request: Views.SetPlanPrice,
    role: "admin",
    isKept: true,
    title: "Set what a plan is sold for",
    text:
      "What the organization sells the plan for from now on, for its books: nobody is charged by it. Without a price nothing is said " +
      "of it. It may be set anew at any time; what was sold before stays at the price of then.",
    call: ({ plans }, { currency, price: amount, ...of }) =>
      Effect.flatMap(Effect.fromResult(Plan.amountOf({ field: "price", amount, currency })), (price) =>
        Effect.map(plans.setPrice({ ...of, price }), Views.planPriceOf)
      )
  })
}

const ofSellers = { isOfService: true, role: "read" } as const

/** What suppliers sell. */
export const sold = {
  sellers: Operation.list({
    ...ofSellers,
    route: "GET /telcos/sellers",
    request: View.nothing,
    answer: Views.Seller,
    title: "List the telcos that sell bundles",
    text: "The suppliers among the telcos, with how many bundles of each this process has read, and when. Nothing is read for it.",
    call: ({ soldBundles }) =>
      Effect.map(soldBundles.sellers, (sellers) =>
        sellers.map(({ failure, read, telco }) => ({
          ...{ telco, failure },
          bundles: read?.bundles.length ?? null,
          readAt: read?.readAt ?? null
        }))
      )
  }),
  bundles: Operation.page({
    ...ofSellers,
    route: "GET /telcos/:name/bundles",
    request: Views.SoldBundlesOf,
    answer: Views.SoldBundle,
    errors: ["telco_not_found", "telco_refused", "telco_unavailable"],
    title: "List what a telco sells",
    text:
      "A page of its bundles, in its own order. A process reads them when they are first asked for, and keeps them for an hour; if they " +
      "cannot be read again, those of before are answered, with when they were read.",
    call: ({ soldBundles }, of) =>
      Effect.map(soldBundles.page(of), ({ items, next }) => ({ items: items.map(Views.soldBundleOf), next }))
  })
}

/** What was bought of suppliers. */
export const bought = {
  giveBack: Operation.item({
    route: "POST /organizations/:id/sims/:iccid/return",
    request: Views.OfBoughtSim,
    answer: Views.ReturnedSim,
    role: "admin",
    isKept: true,
    errors: ["sim_not_found", ...Refusal.codesOf("return")],
    title: "Return an eSIM to its supplier",
    text:
      "For an eSIM that was bought of a supplier and that nobody has used. It is withdrawn first, so that nobody gets it, and then its " +
      "supplier is asked to take it back, until it has answered. A refusal is a problem, and the eSIM stays withdrawn until an operator " +
      "makes it available. Again, the answer says how far it is.",
    call: ({ returns }, of) => Effect.map(returns.giveBack(of), Views.returnedSimOf)
  })
}
