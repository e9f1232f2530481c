/**
 * What was used, by day and country: how it looks as JSON and as CSV, and its handlers.
 */
import { Effect } from "effect"
import { Usage } from "simplan"
import { UsageBook } from "simplan/ports"
import * as UsageApi from "../api/UsageApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

const shapeOfSim = ({ attachmentId, bytes, countryAlpha2, day }: UsageBook.SimSum): typeof UsageApi.SimUsage.Type => ({
  ...(day !== undefined && { day: day === null ? null : UsageBook.dateOf(day) }),
  ...(countryAlpha2 !== undefined && { country_alpha_2: countryAlpha2 }),
  ...(attachmentId !== undefined && { plan_attachment_id: attachmentId }),
  used_bytes: bytes
})

type OrganizationUsage = typeof UsageApi.OrganizationUsage.Type

const shapeOfTotal = (total: UsageBook.Total): OrganizationUsage => {
  const { bytes, countryAlpha2, day, iccid, label, month, planId } = total
  return {
    ...(day !== undefined && { day: UsageBook.dateOf(day) }),
    ...(month !== undefined && { month: UsageBook.textOfMonth(month) }),
    ...(countryAlpha2 !== undefined && { country_alpha_2: countryAlpha2 }),
    ...(planId !== undefined && { plan_id: planId }),
    ...(label !== undefined && { label }),
    ...(iccid !== undefined && { iccid }),
    used_bytes: bytes
  }
}

const BYTES = "used_bytes"

const simColumns: Readonly<Record<UsageBook.SimGroup, keyof typeof UsageApi.SimUsage.Type>> = {
  day: "day",
  country: "country_alpha_2",
  attachment: "plan_attachment_id"
}

const totalColumns: Readonly<Record<UsageBook.OrganizationGroup, keyof OrganizationUsage>> = {
  day: "day",
  month: "month",
  country: "country_alpha_2",
  plan: "plan_id",
  label: "label",
  sim: "iccid"
}

/** The handlers of usage. */
export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const usage = yield* Usage.Usage

    return Endpoints.group(UsageApi.UsageApi, guard, {
      ofSim: Effect.fnUntraced(function* ({ caller, params, query, request }) {
        yield* Query.texts(query)
        const named = (query.by ?? "day").split(",")
        const by = UsageBook.simGroups.filter((group) => named.includes(group))
        const { organizationId } = caller
        const sums = usage.ofSim({ organizationId, iccid: params.iccid, ...query, by })
        const columns = [...by.map((group) => simColumns[group]), BYTES] as const
        return yield* Responses.listOrCsv(request.headers["accept"], sums, columns, shapeOfSim)
      }),
      ofOrganization: Effect.fnUntraced(function* ({ caller: { organizationId }, query, request }) {
        yield* Query.texts(query)
        const named = (query.by ?? "day").split(",")
        const by = UsageBook.organizationGroups.filter((group) => named.includes(group))
        const totals = usage.ofOrganization({ organizationId, ...query, by })
        const columns = [...by.map((group) => totalColumns[group]), BYTES] as const
        return yield* Responses.listOrCsv(request.headers["accept"], totals, columns, shapeOfTotal)
      })
    })
  })
