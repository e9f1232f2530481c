/**
 * Plans (rules P1 to P3).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Plan as PlanRules, TextLimit } from "simplan/ports"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

const limit = Schema.Literals(["32", "64", ...PlanRules.throttlingLimits])

const planFields = {
  plan_name: Schema.String,
  plan_id: Schema.String,
  coverage_id: Schema.String,
  archived_at: Schema.NullOr(Schemas.Timestamp),
  region_code: Schema.String,
  label: Schema.String,
  throttling: Schema.Boolean,
  recurring: Schema.Boolean,
  archive: Schema.Boolean,
  data_mega_bytes: Schema.Int,
  period_days: Schema.Int,
  throttling_threshold1_perc: Schema.optionalKey(Schema.Int),
  throttling_threshold1_limit: Schema.optionalKey(limit),
  throttling_threshold2_perc: Schema.optionalKey(Schema.Int),
  throttling_threshold2_limit: Schema.optionalKey(limit),
  throttling_threshold3_perc: Schema.optionalKey(Schema.Int),
  throttling_threshold3_limit: Schema.optionalKey(limit),
  nb_occurrence: Schema.optionalKey(Schema.Int),
  recurring_periodicity_type: Schema.optionalKey(Schema.Literals(["0", "1", "2"])),
  recurring_periodicity_frequency: Schema.optionalKey(Schema.Int)
}

/** A plan; fields of a feature that is off are absent. */
export const Plan = Schema.Struct(planFields).annotate({ identifier: "Plan" })

export const ListedPlan = Schema.Struct({ ...planFields, created_at: Schemas.Timestamp }).annotate({
  identifier: "ListedPlan"
})

// The fields of a feature that is off may hold anything (rule P1); `handlers/Plans` checks those of a feature that is on.
// The generator of the document leaves out the annotations of an unknown value, and keeps those of its key.
const conditional = (description: string) =>
  Schema.optionalKey(Schema.Unknown).pipe(Schema.annotateKey({ description }))

const percentage = (step: 1 | 2 | 3) =>
  conditional(
    `Threshold ${step}: an integer of 1 to 100, in percent of the allowance, above the one before. Required where throttling is true`
  )

const quoted = (texts: ReadonlyArray<string>): string => texts.map((one) => `"${one}"`).join(", ")

/** What the fields that hold digits in a string must be, in refusals and in the document. */
export const PERIODICITY = 'a string: "0" (Daily), "1" (Weekly) or "2" (Monthly)'
export const SPEED = `a string: one of ${quoted(PlanRules.throttlingLimits)}`

const speed = conditional(`The speed past the threshold in Kbit/s, ${SPEED}. Required where throttling is true`)

export const CreatePlan = Schema.Struct({
  coverage_id: Schemas.text(TextLimit.ID),
  data_MBs: Schemas.integer(1, PlanRules.limits.dataMegaBytes),
  name: Schemas.text(TextLimit.NAME),
  period_days: Schemas.integer(1, PlanRules.limits.periodDays),
  recurring: Schema.Boolean,
  throttling: Schema.Boolean,
  nb_occurrence: conditional(
    `An integer of 1 to ${PlanRules.limits.occurrences}: how many packages. Required where recurring is true`
  ),
  recurring_periodicity_type: conditional(`The unit of the cycle, ${PERIODICITY}. Required where recurring is true`),
  recurring_periodicity_frequency: conditional(
    "An integer of at least 1: days, weeks or months in a cycle. Required where recurring is true"
  ),
  throttling_threshold1_perc: percentage(1),
  throttling_threshold1_limit: speed,
  throttling_threshold2_perc: percentage(2),
  throttling_threshold2_limit: speed,
  throttling_threshold3_perc: percentage(3),
  throttling_threshold3_limit: speed
}).annotate({ identifier: "CreatePlan" })

export const CreatedPlan = Schema.Struct({
  error: Schema.Literal(false),
  message: Schema.String,
  plan_id: Schema.String
}).annotate({ identifier: "CreatedPlan" })

export const PlanItem = Schemas.data(Plan)
export const PlanPage = Schemas.page(ListedPlan)

const ofPlan = { planId: Schema.String }

const named = Schemas.problems(...Schemas.writing, "plan_not_found", "request_in_progress", "idempotency_key_reused")

export class PlansApi extends HttpApiGroup.make("plans")
  .add(
    HttpApiEndpoint.get("list", "/plans", {
      query: {
        archived: Schema.optionalKey(
          Schemas.Flag.annotate({
            description: "`true`: only archived plans, `false`: only live ones; both where absent"
          })
        ),
        page_size: Schema.optionalKey(Schemas.pageSize(25, 10)),
        page: Schema.optionalKey(Schemas.Parameter),
        label: Schema.optionalKey(Schemas.Parameter.annotate({ description: "Only those of this label" })),
        search_query: Schema.optionalKey(
          Schemas.Parameter.check(Schemas.within(TextLimit.NAME)).annotate({
            description: "A part of the name, in any case"
          })
        ),
        country_iso_2: Schema.optionalKey(
          Schemas.Parameter.annotate({
            description:
              "Only plans that cover the country of this ISO 3166-1 alpha-2 code, such as DE, or all of several, such as DE,FR"
          })
        )
      },
      success: PlanPage,
      error: Schemas.problems(...Schemas.reading)
    }).annotateMerge(OpenApi.annotations({ summary: "List plans, oldest first" })),
    HttpApiEndpoint.post("create", "/plans", {
      payload: CreatePlan,
      success: CreatedPlan.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.posting, "coverage_profile_not_found", "terms_refused", "quota_exceeded")
    }).annotateMerge(OpenApi.annotations({ summary: "Create a plan" })),
    HttpApiEndpoint.get("get", "/plans/:planId", {
      params: ofPlan,
      success: PlanItem,
      error: Schemas.problems(...Schemas.always, "plan_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Get a plan" })),
    HttpApiEndpoint.delete("remove", "/plans/:planId", {
      params: ofPlan,
      success: Schemas.Done,
      error: Schemas.problems(...Schemas.always, "key_read_only", "plan_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Delete a plan; its attachments go on" })),
    HttpApiEndpoint.post("archive", "/plans/:planId/archive", {
      params: ofPlan,
      success: Schemas.Done,
      error: named
    }).annotateMerge(OpenApi.annotations({ summary: "Archive a plan" })),
    HttpApiEndpoint.post("unarchive", "/plans/:planId/unarchive", {
      params: ofPlan,
      success: Schemas.Done,
      error: named
    }).annotateMerge(OpenApi.annotations({ summary: "Restore an archived plan" }))
  )
  .annotateEndpointsMerge(Security.byApiKey)
  .annotateMerge(OpenApi.annotations({ title: "Plans" }))
  .prefix("/v3") {}
