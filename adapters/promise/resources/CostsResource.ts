/**
 * What suppliers have charged, and what plans were sold for.
 */
import { Effect, Schema, Stream } from "effect"
import { Costs } from "simplan"
import { Cost, UsageBook } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/CostsTypes.ts"
import { Fields } from "../../fields/index.ts"

const group = Fields.oneOf(Cost.groups)

const asked = {
  from: Schema.optional(Schema.String),
  to: Schema.optional(Schema.String),
  by: Schema.optional(Schema.Union([group, Schema.Array(group)]))
}

const ofOrganization = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, ...asked }))
const ofService = Arguments.decoder(Schema.Struct(asked))

const monthCosts = (total: Cost.Total): Types.MonthCosts => {
  const { cost, currency, month, price, telco, ...rest } = total
  const margin = Cost.margin(total)
  return {
    ...rest,
    month: UsageBook.textOfMonth(month),
    ...(telco !== undefined && { supplier: telco }),
    currency,
    cost: currency === null ? null : Cost.decimal(cost),
    price: currency === null ? null : Cost.decimal(price),
    margin: margin === null ? null : Cost.decimal(margin)
  }
}

const report = (organizationId: string | null, { by = [], from, to }: Types.CostMonths) =>
  Effect.map(Costs.Costs, (costs) => {
    const groups = typeof by === "string" ? [by] : by
    return Stream.map(costs.report({ organizationId, from, to, by: groups }), monthCosts)
  })

export const make = (runtime: Runtime): Types.Costs => ({
  ofOrganization: Methods.streaming(
    runtime,
    { name: "costs.ofOrganization", decode: ofOrganization },
    ({ organizationId, ...of }) => report(organizationId, of)
  ),
  ofService: Methods.streaming(runtime, { name: "costs.ofService", decode: ofService }, (of) => report(null, of))
})
