/** Selling a plan: on a free SIM of its label, or on one that is named. */
import { TextLimit } from "simplan/ports"
import * as Api from "./Api.ts"
import * as Search from "./Search.tsx"
import type { Field, Task } from "./Task.tsx"
import type * as Types from "./Types.ts"
import { counted } from "./View.tsx"
import * as Words from "./Words.ts"

export type Plan = Types.Item<"organizationPlans", "list">

type Previewed = Types.Previewed<"organizationSubscriptions", "create">

type Times = Previewed["preview"]["packages"][number]

/** Plans of an organization, and whether it has more that fit. */
export interface Offered {
  readonly plans: ReadonlyArray<Plan>
  readonly hasMore: boolean
}

/** The plans that a filter takes, of so many pages at most. */
export const plansOf = async (
  organization: string,
  filter: Readonly<Record<string, string>>,
  mostPages: number
): Promise<Offered> => {
  const query = new URLSearchParams({ ...filter, page_size: "25" })
  const plans: Array<Plan> = []
  let hasMore = true
  for (let read = 0; hasMore && read < mostPages; read += 1) {
    const { data, next_page } = await Api.page<Plan>(`${organization}/plans?${query}`)
    plans.push(...data)
    hasMore = next_page !== null
    query.set("page", next_page ?? "")
  }
  return { plans, hasMore }
}

const MOST_PAGES = 40

/** The plans of an organization that are for sale, of one label or of all. */
export const forSale = (organization: string, filter: Readonly<Record<string, string>>): Promise<Offered> =>
  plansOf(organization, { ...filter, archived: "false" }, MOST_PAGES)

/** What a plan gives, such as "5120 MB for 30 days, 12 times". */
export const termsOf = ({ data_mega_bytes, nb_occurrence = 1, period_days, recurring }: Plan): string =>
  `${Words.allowance(data_mega_bytes)} for ${counted(period_days, "day", "days")}${recurring ? `, ${counted(nb_occurrence, "time", "times")}` : ""}`

/** The field of the plan. */
export const planField = ({ hasMore, plans }: Offered): Field => ({
  name: "plan",
  label: hasMore ? `Plan (the first ${plans.length} of them; take another one by the command line)` : "Plan",
  choices: plans.map((plan) => ({ value: plan.plan_id, title: `${plan.plan_name}: ${termsOf(plan)}` }))
})

export const noteField: Field = {
  name: "metadata",
  label: "Note, such as an order number",
  optional: true,
  longest: TextLimit.METADATA
}

export const minute = (at: string): string => `${at.slice(0, 16).replace("T", " ")} UTC`

const packageOf = ({
  activation_at,
  data_mega_bytes,
  expiration_at
}: Times & { readonly data_mega_bytes?: number }) => {
  const data = data_mega_bytes === undefined ? "one" : Words.allowance(data_mega_bytes)
  const from = activation_at === null ? "from the first use on" : `from ${minute(activation_at)}`
  const to = expiration_at === null ? "" : ` to ${minute(expiration_at)}`
  return `${data} ${from}${to}`
}

const SHOWN = 5

/** What the telco would do with packages, such as "The telco would order 1 package: …". */
export const packages = (verb: string, times: ReadonlyArray<Times>): string => {
  if (times.length === 0) return `The telco would ${verb} no package.`
  const shown = times.slice(0, SHOWN).map(packageOf).join("; ")
  const more = times.length > SHOWN ? `; and ${times.length - SHOWN} more` : ""
  return `The telco would ${verb} ${times.length === 1 ? "a package" : `${times.length} packages`}: ${shown}${more}.`
}

/** What would be ordered, in sentences. */
export const ordered = ({ next_package_at: next, packages: times }: Previewed["preview"]): ReadonlyArray<string> => [
  packages("order", times),
  ...(next === null ? [] : [`The next one would be ordered at ${minute(next)}.`])
]

/** Sells a plan; which one is asked for if none is given. */
export const sale = (of: string, plan: Plan | null): Task => {
  const organization = `/organizations/${encodeURIComponent(of)}`
  const bodyOf = ({ iccid = "", metadata = "", plan: chosen }: Readonly<Record<string, string>>) => ({
    plan_id: plan?.plan_id ?? chosen,
    metadata,
    ...(iccid.trim() !== "" && { iccid: iccid.replaceAll(/\s/g, "") })
  })
  return {
    title: plan === null ? "Sell a plan" : "Sell",
    ...(plan !== null && { about: `${plan.plan_name}: ${termsOf(plan)}, on a SIM of the label ${plan.label}.` }),
    fields: async () => {
      const found = plan === null ? await forSale(organization, {}) : null
      if (found?.plans.length === 0) throw new Error("The organization has no plan that is for sale.")
      return [
        ...(found === null ? [] : [planField(found)]),
        { name: "iccid", label: "ICCID of the SIM; a free eSIM if this is empty", optional: true },
        noteField
      ]
    },
    preview: async (values) => {
      const body = bodyOf(values)
      const { esimdata, preview } = await Api.call<Previewed>("POST", `${organization}/subscription?dry_run=true`, {
        body
      })
      const sim = "iccid" in body ? `the SIM ${esimdata.iccid}` : `a free eSIM, such as ${esimdata.iccid}`
      const { purchase } = preview
      const where = purchase === undefined ? sim : `an eSIM that is bought with ${purchase.load}`
      return [`It would be sold on ${where}.`, ...ordered(preview)]
    },
    does: async (values, key) => {
      const sent = { body: bodyOf(values), key }
      const { esimdata } = await Api.call<Previewed>("POST", `${organization}/subscription`, sent)
      return {
        sentence: `The plan is sold on the SIM ${esimdata.iccid}.`,
        link: "Open it",
        to: Search.simOf({ iccid: esimdata.iccid, organization_id: of })
      }
    }
  }
}
