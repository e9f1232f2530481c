/**
 * Plans (rules P1 to P3).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Operator, Plan as PlanRules, TextLimit } from "simplan/ports"
import { BundlesOperations } from "../../operations/index.ts"
import * as Operations from "./Operations.ts"
import * as Roles from "./Roles.ts"
import * as Rows from "./Rows.ts"
import * as Schemas from "./Schemas.ts"

const limit = Schema.Literals(["32", "64", ...PlanRules.throttlingLimits])

/** A threshold: its number, and the examples of its percentage and of the speed past it. */
const thresholds = {
  first: [50, "1024"],
  second: [80, "512"],
  third: [100, "128"]
} as const

const percentageOf = (which: keyof typeof thresholds) =>
  Schemas.optional(Schema.Int, `The ${which} threshold, in percent of the allowance`, thresholds[which][0])

const limitOf = (which: keyof typeof thresholds) =>
  Schemas.optional(limit, `The speed past the ${which} threshold, in Kbit/s`, thresholds[which][1])

const planFields = {
  plan_name: Schemas.string("The plan's name", "Sweden 5 GB"),
  plan_id: Schemas.planId,
  coverage_id: Schemas.coverageId,
  archived_at: Schemas.field(Schema.NullOr(Schemas.Timestamp), "When the plan was archived; null for a live one", null),
  region_code: Schemas.regionCode,
  label: Schemas.label,
  throttling: Schemas.throttling,
  recurring: Schemas.recurring,
  archive: Schemas.field(Schema.Boolean, "Whether the plan is archived: it takes no new attachments", false),
  data_mega_bytes: Schemas.dataMegaBytes,
  period_days: Schemas.periodDays,
  throttling_threshold1_perc: percentageOf("first"),
  throttling_threshold1_limit: limitOf("first"),
  throttling_threshold2_perc: percentageOf("second"),
  throttling_threshold2_limit: limitOf("second"),
  throttling_threshold3_perc: percentageOf("third"),
  throttling_threshold3_limit: limitOf("third"),
  nb_occurrence: Schemas.optional(Schema.Int, "How many packages a recurring plan has", 12),
  recurring_periodicity_type: Schemas.optional(
    Schema.Literals(["0", "1", "2"]),
    'The unit of the cycle: `"0"` (Daily), `"1"` (Weekly) or `"2"` (Monthly)',
    "2"
  ),
  recurring_periodicity_frequency: Schemas.optional(Schema.Int, "How many units a cycle has", 1),
  alert_thresholds: Schemas.optional(
    Schema.Array(Schema.Int),
    "At which percentages of a package `package.allowanceConsumed` is sent. Absent: 50, 80 and 100",
    [50, 75, 90, 100]
  ),
  metadata: Schemas.optional(Schema.String, ...Schemas.means.planMetadata),
  price: Schemas.optional(Schema.String, ...Schemas.means.planPrice),
  currency: Schemas.optional(Schema.String, ...Schemas.means.planCurrency)
}

/** A plan; fields of a feature that is off are absent, and what nobody has said. */
export const Plan = Schema.Struct(planFields).annotate({ identifier: "Plan" })

export const ListedPlan = Schema.Struct({ ...planFields, created_at: Schemas.createdAt }).annotate({
  identifier: "ListedPlan"
})

// The fields of a feature that is off may hold anything (rule P1); `handlers/Plans` checks those of
// a feature that is on.
const conditional = (description: string, feature: "recurring" | "throttling", example: unknown) =>
  Schemas.optional(Schema.Unknown, `${description}. Required where ${feature} is true`, example)

const conditionalPercentage = (step: 1 | 2 | 3, example: number) =>
  conditional(
    `Threshold ${step}: an integer of 1 to 100, in percent of the allowance, above the one before`,
    "throttling",
    example
  )

const quoted = (texts: ReadonlyArray<string>): string => texts.map((one) => `"${one}"`).join(", ")

/** What the fields that hold digits in a string must be, in refusals and in the document. */
export const PERIODICITY = 'a string: "0" (Daily), "1" (Weekly) or "2" (Monthly)'
export const SPEED = `a string: one of ${quoted(PlanRules.throttlingLimits)}`

const conditionalSpeed = (example: string) =>
  conditional(`The speed past the threshold in Kbit/s, ${SPEED}`, "throttling", example)

export const CreatePlan = Schema.Struct({
  coverage_id: Schemas.idOfBody(...Schemas.means.coverageId),
  data_MBs: Schemas.field(Schemas.integer(1, PlanRules.limits.dataMegaBytes), ...Schemas.means.dataMegaBytes),
  name: Schemas.field(Schemas.text(TextLimit.NAME), ...Schemas.means.planName),
  period_days: Schemas.field(Schemas.integer(1, PlanRules.limits.periodDays), ...Schemas.means.periodDays),
  recurring: Schemas.recurring,
  throttling: Schemas.throttling,
  nb_occurrence: conditional(`An integer of 1 to ${PlanRules.limits.occurrences}: how many packages`, "recurring", 12),
  recurring_periodicity_type: conditional(`The unit of the cycle, ${PERIODICITY}`, "recurring", "2"),
  recurring_periodicity_frequency: conditional(
    "An integer of at least 1: days, weeks or months in a cycle",
    "recurring",
    1
  ),
  throttling_threshold1_perc: conditionalPercentage(1, 50),
  throttling_threshold1_limit: conditionalSpeed("1024"),
  throttling_threshold2_perc: conditionalPercentage(2, 80),
  throttling_threshold2_limit: conditionalSpeed("512"),
  throttling_threshold3_perc: conditionalPercentage(3, 100),
  throttling_threshold3_limit: conditionalSpeed("128"),
  alert_thresholds: Schemas.optional(
    Schemas.list(Schemas.integer(1, 100), PlanRules.limits.alertThresholds),
    "At which percentages of each package's allowance `package.allowanceConsumed` is sent, each once and in rising order. " +
      "Absent: 50, 80 and 100. Empty: none",
    [50, 75, 90, 100]
  ),
  metadata: Schemas.optional(Schemas.text(TextLimit.METADATA), ...Schemas.means.planMetadata),
  price: Schemas.optional(
    Schemas.text(TextLimit.AMOUNT),
    `${Schemas.means.planPrice[0]}; needs a currency`,
    Schemas.means.planPrice[1]
  ),
  currency: Schemas.optional(Schemas.text(TextLimit.AMOUNT), ...Schemas.means.planCurrency)
}).annotate({ identifier: "CreatePlan" })

const CreatedPlan = Schema.Struct({
  error: Schemas.hasFailed(false),
  message: Schemas.message,
  plan_id: Schemas.planId
}).annotate({ identifier: "CreatedPlan" })

const ofPlan = { planId: Schemas.idOfPath(...Schemas.means.planId) }

/** What the management API reads too. */
export const reads = {
  list: Operations.readOfAll("list", "/plans", {
    query: {
      archived: Schemas.optional(
        Schemas.Flag,
        "`true`: only archived plans, `false`: only live ones; both where absent",
        "false"
      ),
      ...Schemas.paging(25, 10),
      label: Schemas.optional(Schemas.Parameter, ...Schemas.means.onlyLabel),
      search_query: Schemas.optional(
        Schemas.Parameter.check(Schemas.within(TextLimit.NAME)),
        "A part of the name, in any case",
        "sweden"
      ),
      country_iso_2: Schemas.optional(
        Schemas.Parameter,
        "Only plans that cover the country of this ISO 3166-1 alpha-2 code, such as DE, or all of several, such as DE,FR",
        "DK,SE"
      )
    },
    success: Schemas.page(ListedPlan),
    errors: ["invalid_field"],
    summary: "List plans, oldest first",
    description: "A page of the organization's plans."
  }),
  get: Operations.readOfOne("get", "/plans/:planId", ofPlan, {
    success: Schemas.data(Plan),
    errors: ["plan_not_found"],
    summary: "Get a plan",
    description: "The plan's terms, archived or not."
  })
}

const REMOVAL = [
  "Delete a plan; its attachments go on",
  "Deletes the plan. Attachments keep a copy of its terms and go on."
] as const

/** What the management API does too. */
export const writes = {
  create: Operations.creation("create", "/plans", {
    role: "admin",
    payload: CreatePlan,
    success: CreatedPlan.pipe(HttpApiSchema.status(201)),
    errors: ["coverage_profile_not_found", "not_supported", "terms_refused", "quota_exceeded"],
    summary: "Create a plan",
    description: "Makes a plan. Its label is that of its coverage profile. Fields of a feature that is off are ignored."
  }),
  remove: {
    v3: HttpApiEndpoint.delete("remove", "/plans/:planId", {
      params: ofPlan,
      success: Schemas.Done,
      error: Schemas.problems(...Schemas.always, "key_read_only", "plan_not_found")
    }).annotateMerge(Schemas.operation(...REMOVAL)),
    managed: HttpApiEndpoint.delete("remove", "/organizations/:id/plans/:planId", {
      params: { ...Schemas.ofOrganization, ...ofPlan },
      success: Schemas.Done,
      error: Operations.removalErrors(["plan_not_found"]).managed
    }).annotateMerge(Roles.operation(Operator.ofDeletion, ...REMOVAL))
  },
  archive: Operations.task("archive", "/plans/:planId/archive", ofPlan, {
    role: "admin",
    success: Schemas.Done,
    errors: ["plan_not_found"],
    summary: "Archive a plan",
    description: "An archived plan takes no new attachments (409). Archiving it again changes nothing."
  }),
  unarchive: Operations.task("unarchive", "/plans/:planId/unarchive", ofPlan, {
    role: "admin",
    success: Schemas.Done,
    errors: ["plan_not_found"],
    summary: "Restore an archived plan",
    description: "Makes an archived plan available again. Restoring a live plan changes nothing."
  })
}

export class PlansApi extends HttpApiGroup.make("plans")
  .add(reads.list.v3, writes.create.v3, reads.get.v3, writes.remove.v3, writes.archive.v3, writes.unarchive.v3)
  .annotateEndpointsMerge(Schemas.byApiKey)
  .annotateMerge(
    Schemas.group("Plans", "What can be sold: an allowance, a validity, and perhaps throttling and recurrence.")
  )
  .prefix("/v3") {}

export class BoughtSimsApi extends Rows.group("boughtSims", BundlesOperations.bought)
  .annotateMerge(Schemas.group("Management: bought eSIMs", "The eSIMs that were bought of suppliers."))
  .prefix("/admin/v1") {}

export class BundlesApi extends Rows.group("bundles", BundlesOperations.bundles)
  .annotateMerge(Schemas.group("Management: bundles", "Which bundles of suppliers plans are."))
  .prefix("/admin/v1") {}
