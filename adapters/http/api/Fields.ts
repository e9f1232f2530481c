/**
 * The fields and parameters that several resources have, each declared once. A field of one resource stands in its definition.
 */
import { Schema } from "effect"
import * as Samples from "./Samples.ts"
import * as Schemas from "./Schemas.ts"

/** What fields mean that requests and answers check differently: a description and an example. */
export const about = {
  iccid: ["The SIM's ICCID (ITU-T E.118): 18 to 20 digits", Samples.iccid],
  label: ["The network supply tier of the SIM and of the plans that it can carry", "Green"],
  lpa: ["The activation code (LPA) of an eSIM; null for a physical SIM", Samples.lpa],
  planId: ["The plan's id", Samples.planId],
  planName: ["The name", "Sweden 5 GB"],
  coverageId: ["The coverage profile's id", Samples.coverageId],
  regionName: ["The region's name", "Sweden"],
  regionCode: ["The region's code: an ISO 3166-1 code for a country, a generated one for a custom region", "SE"],
  dataMegaBytes: ["The data allowance of a package, in MB of 1,048,576 bytes", 5_120],
  periodDays: ["The validity of a package, in days of 24 h", 30],
  metadata: ["Free text of the caller", "order 4711"],
  operatorId: ["The operator's id", Samples.operatorId],
  countryOrOperator: ["The name of the country or of the operator", "Sweden"],
  organizationId: ["The organization's id", Samples.organizationId],
  endpointId: ["The endpoint's id", Samples.endpointId],
  onlyLabel: ["Only those of this label", "Green"]
} as const

export const iccid = Schemas.string(...about.iccid)
export const label = Schemas.string(...about.label)
export const chosenLabel = Schemas.field(Schemas.Label, ...about.label)
export const lpa = Schemas.field(Schema.NullOr(Schema.String), ...about.lpa)
export const simId = Schemas.string("The SIM's id, of an eSIM or of a physical SIM", Samples.simId)
export const isEsim = Schemas.field(Schema.Boolean, "True for an eSIM, false for a physical SIM", true)
export const planId = Schemas.string(...about.planId)
export const coverageId = Schemas.string(...about.coverageId)
export const regionName = Schemas.string(...about.regionName)
export const regionCode = Schemas.string(...about.regionCode)
export const throttling = Schemas.field(Schema.Boolean, "Whether the speed is limited past thresholds", false)
export const recurring = Schemas.field(Schema.Boolean, "Whether the plan recurs", false)
export const dataMegaBytes = Schemas.field(Schema.Int, ...about.dataMegaBytes)
export const periodDays = Schemas.field(Schema.Int, ...about.periodDays)
export const metadata = Schemas.string(...about.metadata)
export const countryCode = Schemas.string("ISO 3166-1 alpha-2 code", "SE")
export const countryCode3 = Schemas.string("ISO 3166-1 alpha-3 code", "SWE")
export const radioTechnologies = Schemas.field(Schema.Array(Schema.String), "The radio access technologies", [
  "4G",
  "5G"
])
export const networkCodes = Schemas.field(Schema.Array(Schema.String), "The MCC-MNC codes, in the form `<mcc>-<mnc>`", [
  "240-01"
])
export const labels = Schemas.field(Schema.Array(Schema.String), "The labels whose profiles have the operator", [
  "Green",
  "Aqua"
])
export const organizationId = Schemas.string(...about.organizationId)
export const createdAt = Schemas.field(Schemas.Timestamp, "When it was made", Samples.bought)
export const lastMessage = Schemas.string("What the telco said last", "unknown package")

/** Fields of a request that is repeated until `has_more` is false, and of its answer. */
export const after = Schemas.optional(Schema.String, "The `next` of the answer before; absent at first", Samples.cursor)
export const hasMore = Schemas.field(Schema.Boolean, "Whether more are left, for another request", false)
export const next = Schemas.field(
  Schema.NullOr(Schema.String),
  "Where to go on, for the field `after`; null where none are left",
  null
)

/** Parameters of paths. */
export const ofSim = { iccid: Schemas.string("The SIM's ICCID", Samples.iccid) }
export const ofOrganization = { id: organizationId }
