/**
 * The intake of telco reports (rule R1). An event that does not decode is rejected alone, so the
 * definition checks none, and has a schema of events for the document only; `handlers/Reports`
 * checks them.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PackageEnd, SmdpHistory, TextLimit } from "simplan/ports"
import { Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"

const text = { type: "string", minLength: 1, maxLength: TextLimit.REPORTED }
const bytes = { type: "integer", minimum: 0 }

const explained = (schema: object, description: string, example: unknown) => ({
  ...schema,
  description,
  examples: [example]
})

const fields = {
  id: explained(text, "The report's id; a report counts once", "report-1"),
  iccid: explained(text, ...Schemas.means.iccid),
  occurred_at: explained({ type: "string", format: "date-time" }, "When it happened", Samples.used),
  package_id: explained(
    text,
    "The package, by our id or the telco's; where it is absent, the one in use",
    Samples.packageId
  ),
  total_bytes: explained(bytes, "The package's usage so far, in bytes; it only rises", 1_048_576),
  delta_bytes: explained(bytes, "The usage since the last report, in bytes", 4_096),
  country_alpha_2: explained(
    { type: "string", pattern: "^[A-Za-z]{2}$" },
    "ISO 3166-1 alpha-2 code of the country",
    "SE"
  ),
  operator: explained(text, "The operator's name", "Telia"),
  rat: explained(text, "The radio access technology", "5G"),
  imei: explained(text, "The device's IMEI", "490154203237518"),
  state: explained({ type: "string", enum: SmdpHistory.states }, "The state that the profile has reached", "Enable"),
  reason: explained({ type: "string", enum: PackageEnd.reasons }, "Why the package has ended", "depleted"),
  modification_result: explained(text, "Whether the change succeeded, as the SM-DP+ put it", "Success")
}

type Field = keyof typeof fields

/** An event of a type, with the fields that all have and these. */
const event = (type: string, description: string, own: ReadonlyArray<Field>, optional: ReadonlyArray<Field> = []) => {
  const names = ["id", "iccid", "occurred_at", ...own] as const
  return {
    type: "object",
    description,
    properties: {
      type: explained({ type: "string", const: type }, "What is reported", type),
      ...Object.fromEntries(names.map((name) => [name, fields[name]]))
    },
    required: ["type", ...names.filter((name) => !optional.some((one) => one === name))]
  }
}

const USAGE = "What a package has used: exactly one of `total_bytes` and `delta_bytes`"

/** The schema of an event, for the document. */
export const TelcoEvent = {
  description: "Something that the telco saw of a SIM",
  oneOf: [
    event("usage", USAGE, ["package_id", "country_alpha_2", "total_bytes"], ["package_id", "country_alpha_2"]),
    event("usage", USAGE, ["package_id", "country_alpha_2", "delta_bytes"], ["package_id", "country_alpha_2"]),
    event("first_use", "A package was used for the first time", ["package_id"], ["package_id"]),
    event("package_end", "The telco has ended a package before its time", ["package_id", "reason"]),
    event("location", "The SIM was seen by an operator", ["country_alpha_2", "operator", "rat", "imei"]),
    event(
      "smdp_state",
      "The SM-DP+ changed the state of an eSIM's profile",
      ["state", "modification_result"],
      ["modification_result"]
    )
  ]
}

/** The largest number of events in a request. */
export const EVENTS_LIMIT = 1_000

export const ReportEvents = Schema.Struct({
  events: Schemas.field(Schemas.list(Schema.Unknown, EVENTS_LIMIT), "The reports, in any order")
}).annotate({ identifier: "ReportEvents" })

export const ReportOutcome = Schema.Struct({
  accepted: Schemas.field(Schema.Int, "How many reports were taken", 1),
  duplicates: Schemas.field(Schema.Int, "How many reports had been taken before, by their ids", 0),
  rejected: Schemas.field(
    Schema.Array(
      Schema.Struct({
        index: Schemas.field(Schema.Int, "The report's place in the request, from 0", 1),
        id: Schemas.field(Schema.NullOr(Schema.String), "The report's id; null where it has none", "report-2"),
        message: Schemas.string("What is wrong with the report", "iccid names no SIM")
      })
    ),
    "The reports that were not taken, and why"
  )
}).annotate({ identifier: "ReportOutcome" })

export class ReportsApi extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.post("take", "/events", {
      payload: ReportEvents,
      success: ReportOutcome,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody)
    }).annotateMerge(
      Schemas.operation(
        "Report usage, first use, ends of packages, locations and SM-DP+ states",
        "Takes what the telco saw. A report counts once, by its id, and a bad one stops no other: the answer " +
          "names it."
      )
    )
  )
  .annotateEndpointsMerge(Schemas.byTelcoToken)
  .annotateMerge(Schemas.group("Telco", "What the underlying system reports."))
  .prefix("/telco/v1") {}
