/**
 * What was used, by day and country (rule U1): of a SIM, and of the organization.
 */
import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { UsageBook } from "simplan/ports"
import * as Operations from "./Operations.ts"
import { Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"

/** The content type of usage as a table. */
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
