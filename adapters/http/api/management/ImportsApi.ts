/**
 * The management API's import of SIMs, as JSON or as CSV, and of the catalogue.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { TextLimit } from "simplan/ports"
import * as Schemas from "../Schemas.ts"
import * as Security from "../Security.ts"

const ImportSims = Schema.Struct({
  sims: Schema.Array(
    Schema.Struct({
      iccid: Schema.String,
      label: Schema.String,
      is_esim: Schema.Boolean,
      lpa: Schema.optionalKey(Schema.NullOr(Schemas.text(TextLimit.LPA))),
      imsi: Schema.optionalKey(Schema.NullOr(Schema.String)),
      msisdn: Schema.optionalKey(Schema.NullOr(Schema.String)),
      subscriber_id: Schema.optionalKey(Schema.NullOr(Schemas.text(TextLimit.SUBSCRIBER_ID)))
    })
  )
}).annotate({ identifier: "ImportSims" })

const SimsFile = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })).annotate({
  description:
    "A header with the columns iccid, label, is_esim and perhaps lpa, imsi, msisdn and subscriber_id, in any order; then a row per SIM"
})

const rowMessages = Schema.Array(
  Schema.Struct({
    row: Schema.Int.annotate({ description: "Counted from 1, the header not included" }),
    line: Schema.NullOr(Schema.Int).annotate({
      description:
        "The line of the body on which the row begins, counted from 1, the header included; null where that is not known"
    }),
    iccid: Schema.String,
    message: Schema.String
  })
)

export const ImportReportItem = Schemas.data(
  Schema.Struct({
    imported: Schema.Int,
    updated: Schema.Int,
    duplicates: Schema.Int,
    errors: rowMessages.annotate({ description: "The first 1,000 errors, by row" }),
    error_count: Schema.Int.annotate({ description: "How many rows had an error" }),
    warnings: rowMessages.annotate({ description: "The first 1,000 warnings, by row" }),
    warning_count: Schema.Int.annotate({ description: "How many warnings there are about imported rows" })
  }).annotate({ identifier: "ImportReport" })
)

const Name = Schemas.text(TextLimit.NAME)
const Uuid = Schema.String.annotate({ format: "uuid" })

/** A catalogue file; `CatalogueFile` of the catalogue adapter checks its content. */
export const CatalogueFile = Schema.Struct({
  countries: Schema.optionalKey(
    Schema.Array(Schema.Struct({ iso2: Schema.String, iso3: Schema.String, name: Name })).annotate({
      description: "The countries; those of ISO 3166-1 where they are absent"
    })
  ),
  operators: Schema.Array(
    Schema.Struct({
      operator_id: Schema.optionalKey(Uuid),
      name: Name,
      country: Schema.String.annotate({ description: "The `iso2` of one of the countries" }),
      supported_rats: Schema.Array(Schema.String),
      mcc_mnc: Schema.Array(Schema.String),
      labels: Schema.Array(Schema.String)
    })
  ).annotate({ description: "The operators, each of one country" }),
  profiles: Schema.Array(
    Schema.Struct({
      coverage_id: Schema.optionalKey(Uuid),
      label: Schema.String,
      region_name: Name,
      region_code: Name,
      iso2_list: Schema.Array(Schema.String)
    })
  ).annotate({ description: "The standard coverage profiles" })
}).annotate({ identifier: "Catalogue", description: "Countries, operators and coverage profiles" })

export const CatalogueItem = Schemas.data(CatalogueFile)

export class ImportsApi extends HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.post("importSims", "/organizations/:id/sims", {
      params: { id: Schema.String },
      payload: [ImportSims, SimsFile],
      success: ImportReportItem,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody, "malformed_csv", "organization_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Import SIMs; a bad row stops no other" })),
    HttpApiEndpoint.put("replaceCatalogue", "/catalogue", {
      payload: CatalogueFile,
      success: CatalogueItem,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody)
    }).annotateMerge(OpenApi.annotations({ summary: "Replace the catalogue" })),
    HttpApiEndpoint.get("catalogue", "/catalogue", {
      success: CatalogueItem,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(OpenApi.annotations({ summary: "Read the catalogue" }))
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: imports" }))
  .prefix("/admin/v1") {}
