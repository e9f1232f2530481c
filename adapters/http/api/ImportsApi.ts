/**
 * The management API's import of SIMs, as JSON or as CSV, and of the catalogue.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SimImport, TextLimit } from "simplan/ports"
import * as Roles from "./Roles.ts"
import { Coverage, Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"

type Column = (typeof SimImport.columns)[keyof typeof SimImport.columns]

const texts = {
  lpa: Schemas.optional(Schema.NullOr(Schemas.text(TextLimit.LPA)), ...Schemas.means.lpa),
  imsi: Schemas.optional(
    Schema.NullOr(Schema.String),
    "The IMSI (ITU-T E.212) by which the network knows the SIM, 6 to 15 digits",
    Samples.imsi
  ),
  msisdn: Schemas.optional(
    Schema.NullOr(Schema.String),
    "The phone number (ITU-T E.164), 1 to 15 digits, which may follow a plus sign",
    Samples.msisdn
  ),
  subscriber_id: Schemas.optional(
    Schema.NullOr(Schemas.text(TextLimit.SUBSCRIBER_ID)),
    "The telco's own id of the SIM",
    Samples.subscriberId
  )
} satisfies { readonly [Name in Column]: Schema.Top }

const ImportSims = Schema.Struct({
  sims: Schemas.field(
    Schema.Array(
      Schema.Struct({
        iccid: Schemas.iccid,
        label: Schemas.label,
        is_esim: Schemas.isEsim,
        ...texts
      })
    ),
    "The SIMs to import; each is a row, counted from 1"
  )
}).annotate({ identifier: "ImportSims" })

const SimsFile = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })).annotate({
  description: `A header with the columns iccid, label, is_esim and perhaps ${SimImport.columnNames}, in any order; then a row per SIM`
})

const rowMessages = Schema.Array(
  Schema.Struct({
    row: Schemas.field(Schema.Int, "Counted from 1, the header not included", 7),
    line: Schemas.field(
      Schema.NullOr(Schema.Int),
      "The line of the body on which the row begins, counted from 1, the header included; null where that is not known",
      8
    ),
    iccid: Schemas.iccid,
    message: Schemas.string("What is wrong with the row", "iccid must have 18 to 20 digits")
  })
)

const kept = Schema.Struct({
  label: Schemas.optional(Schemas.label, "The label, if it differs", "Green"),
  is_esim: Schemas.optional(Schema.Boolean, "The kind, if it differs", true),
  lpa: Schemas.optional(Schema.String, "The activation code, if it differs", Samples.lpa)
})

const rowDifferences = Schema.Array(
  Schema.Struct({
    row: Schemas.field(Schema.Int, "Counted from 1, the header not included", 7),
    line: Schemas.field(Schema.NullOr(Schema.Int), "The line of the body, as for errors", 8),
    iccid: Schemas.iccid,
    stored: Schemas.field(kept, "What the SIM has, and keeps"),
    given: Schemas.field(kept, "What the row has in its place")
  })
)

const ImportReportItem = Schemas.data(
  Schema.Struct({
    imported: Schemas.field(Schema.Int, "How many SIMs were imported", 998),
    updated: Schemas.field(
      Schema.Int,
      "How many SIMs were there already, and got an `imsi`, `msisdn`, `subscriber_id` or missing `lpa`",
      0
    ),
    duplicates: Schemas.field(Schema.Int, "How many other rows name a SIM that the organization has already", 1),
    differing: Schemas.optional(
      rowDifferences,
      "The first 1,000 updated rows and duplicates whose SIM has another label, kind or activation code; absent where there is none"
    ),
    differing_count: Schemas.optional(Schema.Int, "How many such rows there are; absent where there is none"),
    errors: Schemas.field(rowMessages, "The first 1,000 errors, by row"),
    error_count: Schemas.field(Schema.Int, "How many rows had an error", 1),
    warnings: Schemas.field(rowMessages, "The first 1,000 warnings, by row"),
    warning_count: Schemas.field(Schema.Int, "How many warnings there are about imported rows", 1)
  }).annotate({ identifier: "ImportReport" })
)

const Name = Schemas.text(TextLimit.NAME)
const Uuid = Schema.String.annotate({ format: "uuid" })
const name = Schemas.field(Name, ...Schemas.means.countryOrOperator)

/** A catalogue file; `CatalogueFile` of the catalogue adapter checks its content. */
export const CatalogueFile = Schema.Struct({
  countries: Schemas.optional(
    Schema.Array(Schema.Struct({ iso2: Schemas.countryCode, iso3: Schemas.countryCode3, name })),
    "The countries; those of ISO 3166-1 where they are absent"
  ),
  operators: Schemas.field(
    Schema.Array(
      Schema.Struct({
        operator_id: Schemas.optional(Uuid, ...Schemas.means.operatorId),
        name,
        country: Schemas.string("The `iso2` of one of the countries", "SE"),
        supported_rats: Schemas.radioTechnologies,
        mcc_mnc: Schemas.networkCodes,
        labels: Schemas.labels
      })
    ),
    "The operators, each of one country"
  ),
  profiles: Schemas.field(
    Schema.Array(
      Schema.Struct({
        coverage_id: Schemas.optional(Uuid, ...Schemas.means.coverageId),
        label: Schemas.label,
        region_name: Schemas.field(Name, ...Schemas.means.regionName),
        region_code: Schemas.field(Name, ...Schemas.means.regionCode),
        iso2_list: Schemas.field(
          Schema.Array(Schema.String),
          "The countries of the profile, each with an operator of its label",
          ["SE"]
        )
      })
    ),
    "The standard coverage profiles"
  )
}).annotate({
  identifier: "Catalogue",
  description: "Countries, operators and coverage profiles",
  examples: [Samples.catalogue]
})

export const CatalogueItem = Schemas.data(CatalogueFile).mapFields((fields) => ({
  ...fields,
  version: Schemas.version
}))

export class ImportsApi extends HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.post("importSims", "/organizations/:id/sims", {
      params: Schemas.ofOrganization,
      query: {
        dry_run: Schemas.optional(
          Schemas.Flag,
          "True: says what would come of the rows now, and changes nothing. A row does not see those that are a thousand before it",
          "true"
        )
      },
      payload: [ImportSims, SimsFile],
      success: ImportReportItem,
      error: Schemas.problems(...Schemas.restricted, ...Schemas.withBody, "malformed_csv", "organization_not_found")
    }).annotateMerge(
      Roles.operation(
        "admin",
        "Import SIMs; a bad row stops no other",
        "Adds SIMs to the inventory, as JSON or as CSV of at most 64 MiB and 3,000,000 rows. A SIM that the " +
          "organization has already gets the `imsi`, `msisdn` and `subscriber_id` of its row, and the `lpa` if it " +
          "is an eSIM without one; it is a duplicate otherwise. Its label, its kind and an activation code that it has stay: " +
          "rows that differ in them are listed with both values. One of another organization is an error."
      )
    ),
    HttpApiEndpoint.put("replaceCatalogue", "/catalogue", {
      query: {
        dry_run: Schemas.optional(
          Schemas.Flag,
          "True: answers the catalogue as it would be, and changes nothing",
          "true"
        )
      },
      payload: CatalogueFile,
      success: CatalogueItem,
      error: Schemas.problems(...Schemas.restricted, "route_not_found", ...Schemas.withBody, "changed_meanwhile")
    }).annotateMerge(
      Roles.ofService(
        "admin",
        "Replace the catalogue",
        "Replaces all countries, operators and standard coverage profiles at once, by at most 4 MiB and 200,000 " +
          "values."
      )
    ),
    HttpApiEndpoint.get("catalogue", "/catalogue", {
      success: CatalogueItem,
      error: Schemas.problems(...Schemas.managing, "route_not_found")
    }).annotateMerge(
      Roles.ofService("read", "Read the catalogue", "The catalogue that is in use, in the form that replaces it.")
    ),
    HttpApiEndpoint.get("catalogueUses", "/catalogue/uses", {
      success: Schemas.data(Schema.Array(Views.answer(Coverage.CatalogueUse))),
      error: Schemas.problems(...Schemas.managing, "route_not_found")
    }).annotateMerge(
      Roles.ofService(
        "read",
        "How many plans use each coverage profile",
        "The plans of all organizations, counted by what they cover: what a catalogue without a profile or a country would be noticed by."
      )
    )
  )
  .annotateMerge(Schemas.group("Management: imports", "SIMs for an organization, and the catalogue for all."))
  .prefix("/admin/v1") {}
