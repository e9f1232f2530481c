/**
 * What was used, by day and country (rule U1): of a SIM, and of the organization. What suppliers
 * have charged, by month (rule C3): of the organization, and for operators of all together.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Cost, UsageBook } from "simplan/ports"
import * as Operations from "./Operations.ts"
import { Samples } from "simplan/views"
import * as Roles from "./Roles.ts"
import * as Schemas from "./Schemas.ts"

/** The content type of usage and of costs as tables. */
export const CSV = "text/csv"

const day = "2026-01-11"

const Day = Schemas.Parameter.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "must be a day, such as 2026-11-30" })
)

const days = {
  from: Schemas.optional(Day, "The first UTC day; 30 days up to `to` where it is absent", day),
  to: Schemas.optional(
    Day,
    `The last UTC day, which is included; today where it is absent. At most ${UsageBook.DAYS_LIMIT} days`,
    "2026-01-31"
  )
}

const simGroups = UsageBook.simGroups.join("|")

const SimGroups = Schemas.Parameter.check(
  Schema.isPattern(new RegExp(`^(?:${simGroups})(?:,(?:${simGroups})){0,2}$`, "u"), {
    message: `must be a list of ${UsageBook.simGroups.join(", ")}, separated by commas`
  })
)

const totalGroups = UsageBook.totalGroups.join("|")

const OrganizationGroups = Schemas.Parameter.check(
  Schema.isPattern(new RegExp(`^(?:sim|(?:${totalGroups})(?:,(?:${totalGroups})){0,3})$`, "u"), {
    message: `${UsageBook.NO_GROUPING}, separated by commas`
  })
)

const usedBytes = Schemas.field(Schema.Finite, "The data that was used, in bytes", 1_048_576)

const country = Schemas.optional(
  Schema.NullOr(Schema.String),
  "ISO 3166-1 alpha-2 code of the country; null where it is not known",
  "SE"
)

export const SimUsage = Schema.Struct({
  day: Schemas.optional(
    Schema.NullOr(Schema.String),
    "The UTC day; null for what was used before usage was kept by day",
    day
  ),
  country_alpha_2: country,
  plan_attachment_id: Schemas.optional(
    Schema.String,
    "The attachment, perhaps of a former subscription",
    Samples.attachmentId
  ),
  used_bytes: usedBytes
}).annotate({ identifier: "SimUsage" })

export const OrganizationUsage = Schema.Struct({
  day: Schemas.optional(Schema.String, "The UTC day", day),
  month: Schemas.optional(Schema.String, "The UTC month", "2026-01"),
  country_alpha_2: country,
  plan_id: Schemas.optional(Schema.String, ...Schemas.means.planId),
  label: Schemas.optional(Schema.String, ...Schemas.means.label),
  iccid: Schemas.optional(Schema.String, ...Schemas.means.iccid),
  used_bytes: usedBytes
}).annotate({ identifier: "OrganizationUsage" })

const listOf = <S extends Schema.Top>(item: S) =>
  [Schemas.data(Schema.Array(item)), Schema.String.pipe(HttpApiSchema.asText({ contentType: CSV }))] as const

const AS_CSV = `The list is streamed: read it as it comes. With \`Accept: ${CSV}\` it comes as a table, with a line of names first.`

/** What the management API reads too. */
export const reads = {
  ofSim: Operations.readOfOne("ofSim", "/subscriptions/:iccid/usage", Schemas.ofSim, {
    query: {
      ...days,
      by: Schemas.optional(
        SimGroups,
        "What the usage is listed by: `day`, `country` and `attachment`, separated by commas; by day where it is absent",
        "day,country"
      )
    },
    success: listOf(SimUsage),
    errors: ["invalid_field", "sim_not_found"],
    summary: "A SIM's usage by day, country and attachment",
    description:
      "What the SIM used on these days, former subscriptions included. Days without usage are left out. The days of an " +
      `attachment sum to what its packages have used. ${AS_CSV}`
  }),
  ofOrganization: Operations.readOfAll("ofOrganization", "/usage", {
    query: {
      ...days,
      by: Schemas.optional(
        OrganizationGroups,
        "What the usage is listed by: `sim`, or `day` or `month`, `country`, `plan` and `label`, separated by commas; by day where " +
          "it is absent",
        "month,country"
      )
    },
    success: listOf(OrganizationUsage),
    errors: ["invalid_field"],
    summary: "The organization's usage by day or month, country, plan, label or SIM",
    description:
      "What all SIMs of the organization used on these days. By `month`, a month of which not all days are asked for has the others " +
      `left out. ${AS_CSV}`
  })
}

export class UsageApi extends HttpApiGroup.make("usage")
  .add(reads.ofSim.v3, reads.ofOrganization.v3)
  .annotateEndpointsMerge(Schemas.byApiKey)
  .annotateMerge(Schemas.group("Usage", "What was used, by day and country."))
  .prefix("/v3") {}

const lastMonth = "2026-11"

const Month = Schemas.Parameter.check(
  Schema.isPattern(/^\d{4}-(?:0[1-9]|1[0-2])$/u, { message: "must be a month, such as 2026-11" })
)

const costGroups = Cost.groups.join("|")

const CostGroups = Schemas.Parameter.check(
  Schema.isPattern(new RegExp(`^(?:${costGroups})(?:,(?:${costGroups})){0,3}$`, "u"), {
    message: `must be a list of ${Cost.groups.join(", ")}, separated by commas`
  })
)

const costQuery = {
  from: Schemas.optional(Month, "The first UTC month; the one before `to` where it is absent", "2026-10"),
  to: Schemas.optional(
    Month,
    `The last UTC month, which is included; this one where it is absent. At most ${Cost.MONTHS_LIMIT} months`,
    lastMonth
  ),
  by: Schemas.optional(
    CostGroups,
    "What each month is listed by: `plan`, `label`, `supplier` and `country`, separated by commas; by nothing else where it is absent",
    "supplier"
  )
}

const amount = (meaning: string, example: string) =>
  Schemas.field(Schema.NullOr(Schema.String), `${meaning}, as a decimal; null where there is no currency`, example)

const count = (meaning: string, example: number) => Schemas.field(Schema.Finite, meaning, example)

export const MonthCosts = Schema.Struct({
  month: Schemas.field(Schema.String, "The UTC month", lastMonth),
  plan_id: Schemas.optional(Schema.NullOr(Schema.String), "The plan; null: what nobody has claimed", Samples.planId),
  label: Schemas.optional(Schema.String, ...Schemas.means.label),
  supplier: Schemas.optional(
    Schema.NullOr(Schema.String),
    "The supplier's name among the telcos; null where there is one only, or it is not known",
    "esim-go"
  ),
  region_code: Schemas.optional(
    Schema.NullOr(Schema.String),
    "The region code of the plan, of a plan for one country that country's code; null where it is not known",
    "FR"
  ),
  currency: Schemas.field(
    Schema.NullOr(Schema.String),
    "The code of ISO 4217; null: what no supplier has named an amount of",
    "USD"
  ),
  cost: amount("What eSIMs and top-ups were charged at, without what came back", "190.00"),
  price: amount("What plans with a price were sold for", "410.00"),
  margin: Schemas.field(
    Schema.NullOr(Schema.String),
    "The price without the cost, as a decimal; null where nothing was sold at a price",
    "220.00"
  ),
  purchases: count("How many eSIMs were bought", 100),
  top_ups: count("How many top-ups were bought", 4),
  refunds: count("How many purchases were credited", 1),
  sales: count("How many plans with a price were sold", 98)
}).annotate({ identifier: "MonthCosts" })

const EXACT =
  "Amounts are exact. What was charged counts in the month of the charge, also if it was claimed later, and a price in the month of the " +
  "sale. Groups without anything are left out."

/** What of the ledger the management API reads too. */
export const costReads = {
  ofOrganization: Operations.readOfAll("ofOrganization", "/costs", {
    query: costQuery,
    success: listOf(MonthCosts),
    errors: ["invalid_field"],
    summary: "Costs, prices and margins by month, plan, label, supplier and country",
    description: `What suppliers have charged the organization, and what its plans were sold for. ${EXACT} ${AS_CSV}`
  })
}

export class CostsApi extends HttpApiGroup.make("costs")
  .add(costReads.ofOrganization.v3)
  .annotateEndpointsMerge(Schemas.byApiKey)
  .annotateMerge(Schemas.group("Costs", "What suppliers have charged, and what was earned."))
  .prefix("/v3") {}

export class ServiceCostsApi extends HttpApiGroup.make("serviceCosts")
  .add(
    HttpApiEndpoint.get("ofService", "/costs", {
      query: costQuery,
      success: listOf(MonthCosts),
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      Roles.operation(
        "read",
        "Costs, prices and margins of all organizations by month",
        `What suppliers have charged, and what plans were sold for, in the organizations that the operator sees. ${EXACT} ${AS_CSV}`
      )
    )
  )
  .annotateMerge(Schemas.group("Management: costs", "What suppliers have charged, and what was earned."))
  .prefix("/admin/v1") {}
