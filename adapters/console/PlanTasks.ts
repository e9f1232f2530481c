/** What is done with plans: they are made, archived, put back for sale and deleted. */
import { Operator, TextLimit } from "simplan/ports"
import * as Api from "./Api.ts"
import * as Selling from "./Selling.ts"
import type { Task } from "./Task.tsx"
import type * as Types from "./Types.ts"

type Profile = Types.Item<"organizationCoverage", "list">

type Values = Readonly<Record<string, string>>

const REPEATS = [
  { value: "", title: "not at all" },
  { value: "0", title: "each day" },
  { value: "1", title: "each week" },
  { value: "2", title: "each month" }
]

/** The speeds past thresholds, such as `50 1024, 80 512, 100 128`. */
const throttlingOf = (text: string): object => {
  const pairs = [...text.matchAll(/(\d+)\D+(\d+)/g)]
  return Object.fromEntries(
    pairs.flatMap(([, percentage, limit], at) => [
      [`throttling_threshold${at + 1}_perc`, Number(percentage)],
      [`throttling_threshold${at + 1}_limit`, limit]
    ])
  )
}

/** The price and the currency, such as `19.90 EUR`; empty for none. */
const priceOf = (text: string): { readonly price?: string; readonly currency?: string } => {
  const [price = "", currency = ""] = text.trim().split(/\s+/)
  return { ...(price !== "" && { price }), ...(currency !== "" && { currency }) }
}

const PRICE = "What it is sold for, such as 19.90 EUR, for your books"

const bodyOf = ({
  coverage,
  data,
  days,
  metadata = "",
  name,
  price = "",
  repeats = "",
  throttling = "",
  times
}: Values) => ({
  name,
  coverage_id: coverage,
  data_MBs: Number(data),
  period_days: Number(days),
  recurring: repeats !== "",
  ...(repeats !== "" && {
    recurring_periodicity_type: repeats,
    recurring_periodicity_frequency: 1,
    nb_occurrence: Number(times)
  }),
  throttling: throttling.trim() !== "",
  ...throttlingOf(throttling),
  ...(metadata !== "" && { metadata }),
  ...priceOf(price)
})

/** Makes a plan. `label`: of which coverage; empty: of any. */
export const creation = (organization: string, label: string): Task => ({
  title: "Make a plan",
  fields: async () => {
    const query = label === "" ? "" : `?${new URLSearchParams({ label })}`
    const profiles = await Api.read<ReadonlyArray<Profile>>(`${organization}/coverage-profiles${query}`)
    const named = profiles.map(({ coverage_id, label: of, region_code, region_name }) => ({
      value: coverage_id,
      title: `${region_name} (${region_code}), ${of}`
    }))
    return [
      { name: "name", label: "Name", longest: TextLimit.NAME },
      { name: "coverage", label: "Where it may be used, and by which label", choices: named },
      { name: "data", label: "Data, in MB" },
      { name: "days", label: "For how many days" },
      { name: "repeats", label: "Repeats", choices: REPEATS },
      { name: "times", label: "How many times in all", optional: true },
      {
        name: "throttling",
        label: "Slower past these percentages, in Kbit/s, such as 50 1024, 80 512, 100 128; never if this is empty",
        optional: true
      },
      { name: "price", label: PRICE, optional: true },
      { name: "metadata", label: "Note, such as your article's number", optional: true, longest: TextLimit.METADATA }
    ]
  },
  preview: (values) => {
    const { nb_occurrence, ...body } = bodyOf(values)
    const often = nb_occurrence === undefined ? "" : `, ${nb_occurrence} times`
    return Promise.resolve([
      `It would give ${body.data_MBs} MB for ${body.period_days} days${often}.`,
      "It is for sale at once. What it gives never changes: archive it to sell it no more."
    ])
  },
  does: async (values, key) => {
    await Api.call("POST", `${organization}/plans`, { body: bodyOf(values), key })
    return "The plan is made."
  }
})

/** The tasks of a plan that the operator may do. */
export const of = (organizationId: string, plan: Selling.Plan): ReadonlyArray<Task> => {
  const path = `/organizations/${encodeURIComponent(organizationId)}/plans/${encodeURIComponent(plan.plan_id)}`
  const { archived_at, currency, plan_name: name, price } = plan
  const pricing: Task = {
    title: "Set the price",
    about: name,
    fields: () =>
      Promise.resolve([
        { name: "price", label: PRICE, optional: true, ...(price !== undefined && { initial: `${price} ${currency}` }) }
      ]),
    preview: ({ price: text = "" }) => {
      const asked = priceOf(text)
      return Promise.resolve([
        asked.price === undefined
          ? "Nothing would be said of what it is sold for."
          : `It would be sold for ${asked.price} ${asked.currency ?? ""}. What was sold before stays at the price of then.`
      ])
    },
    does: async ({ price: text = "" }) => {
      await Api.call("PUT", `${path}/price`, { body: priceOf(text) })
      return "The price is set."
    }
  }
  const archival: Task = {
    title: archived_at === null ? "Archive" : "Put back for sale",
    about: name,
    preview: () =>
      Promise.resolve([
        archived_at === null ? "It would be sold no more. Whoever has it keeps it." : "It would be for sale again."
      ]),
    does: async (_, key) => {
      await Api.call("POST", `${path}/${archived_at === null ? "archive" : "unarchive"}`, { key })
      return archived_at === null ? "The plan is archived." : "The plan is for sale."
    }
  }
  const removal: Task = {
    title: "Delete",
    about: name,
    preview: () => Promise.resolve(["It would be gone for good. Whoever has it keeps it."]),
    typed: () => name,
    does: async () => {
      await Api.call("DELETE", path)
      return "The plan is deleted."
    }
  }
  return [
    ...(archived_at === null && Api.allows("support") ? [Selling.sale(organizationId, plan)] : []),
    ...(Api.allows("admin") ? [pricing, archival] : []),
    ...(Api.allows(Operator.ofDeletion) ? [removal] : [])
  ]
}
