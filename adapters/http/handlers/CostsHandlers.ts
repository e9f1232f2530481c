/**
 * What suppliers have charged, by month: how it looks as JSON and as CSV, and its handlers.
 */
import { Effect } from "effect"
import { Costs } from "simplan"
import { Cost, UsageBook } from "simplan/ports"
import * as UsageApi from "../api/UsageApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

type MonthCosts = typeof UsageApi.MonthCosts.Type

const shape = (total: Cost.Total): MonthCosts => {
  const { cost, currency, label, month, planId, price, purchases, refunds, regionCode, sales, telco, topUps } = total
  const margin = Cost.margin(total)
  return {
    month: UsageBook.textOfMonth(month),
    ...(planId !== undefined && { plan_id: planId }),
    ...(label !== undefined && { label }),
    ...(telco !== undefined && { supplier: telco }),
    ...(regionCode !== undefined && { region_code: regionCode }),
    currency,
    cost: currency === null ? null : Cost.decimal(cost),
    price: currency === null ? null : Cost.decimal(price),
    margin: margin === null ? null : Cost.decimal(margin),
    ...{ purchases, top_ups: topUps, refunds, sales }
  }
}

const columns: Readonly<Record<Cost.Group, keyof MonthCosts>> = {
  plan: "plan_id",
  label: "label",
  supplier: "supplier",
  country: "region_code"
}

const figures = ["currency", "cost", "price", "margin", "purchases", "top_ups", "refunds", "sales"] as const

interface Asked {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly by?: string | undefined
}

const answering = Effect.map(
  Costs.Costs,
  (costs) =>
    (organizationId: string | null, { by: named, ...months }: Asked, accept: string | undefined) => {
      const asked = (named ?? "").split(",")
      const by = Cost.groups.filter((group) => asked.includes(group))
      const totals = costs.report({ organizationId, ...months, by })
      return Responses.listOrCsv(accept, totals, ["month", ...by.map((group) => columns[group]), ...figures], shape)
    }
)

/** The handlers of one organization's costs. */
export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.map(answering, (answer) =>
    Endpoints.group(UsageApi.CostsApi, guard, {
      ofOrganization: Effect.fnUntraced(function* ({ caller, query, request }) {
        yield* Query.texts(query)
        return yield* answer(caller.organizationId, query, request.headers["accept"])
      })
    })
  )

/** The handlers of the costs of all organizations that an operator sees. */
export const ofService = (guard: OperatorAuth.Guard) =>
  Effect.map(answering, (answer) =>
    Endpoints.group(UsageApi.ServiceCostsApi, guard, {
      ofService: Effect.fnUntraced(function* ({ caller, query, request }) {
        yield* Query.texts(query)
        return yield* answer(caller.organizationId, query, request.headers["accept"])
      })
    })
  )
