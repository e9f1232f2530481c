/**
 * Plans: how they look as JSON, what a creation asks for, and their handlers. Names and codes of
 * the wire (`data_MBs`, periodicity `"0"`) end here.
 */
import { Effect, Result, Schema } from "effect"
import { Plans, type Refusal, Time } from "simplan"
import { Amount, Label, Plan } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import * as PlansApi from "../api/PlansApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Body from "../wire/Body.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

type Throttling = Pick<
  typeof PlansApi.Plan.Type,
  | "throttling_threshold1_perc"
  | "throttling_threshold1_limit"
  | "throttling_threshold2_perc"
  | "throttling_threshold2_limit"
  | "throttling_threshold3_perc"
  | "throttling_threshold3_limit"
>

const throttling = ([first, second, third]: Plan.PlanTerms["throttling"]): Throttling => ({
  ...(first && {
    throttling_threshold1_perc: first.percentage,
    throttling_threshold1_limit: first.limit
  }),
  ...(second && {
    throttling_threshold2_perc: second.percentage,
    throttling_threshold2_limit: second.limit
  }),
  ...(third && {
    throttling_threshold3_perc: third.percentage,
    throttling_threshold3_limit: third.limit
  })
})

const periodicities = { "0": "Daily", "1": "Weekly", "2": "Monthly" } as const

const periodicityCodes = { Daily: "0", Weekly: "1", Monthly: "2" } as const

/** A plan; the fields of a feature that is off are absent, and what nobody has said. */
const shape = ({ archivedAt, metadata, planId, price, terms }: Plan.Plan): typeof PlansApi.Plan.Type => ({
  plan_name: terms.name,
  plan_id: planId,
  coverage_id: terms.coverageId,
  archived_at: Responses.instant(archivedAt),
  region_code: terms.regionCode,
  label: terms.label,
  throttling: terms.throttling.length > 0,
  recurring: terms.recurrence !== null,
  archive: archivedAt !== null,
  data_mega_bytes: terms.dataMegaBytes,
  period_days: terms.periodDays,
  ...throttling(terms.throttling),
  ...(terms.recurrence && {
    nb_occurrence: terms.recurrence.occurrences,
    recurring_periodicity_type: periodicityCodes[terms.recurrence.periodicity],
    recurring_periodicity_frequency: terms.recurrence.frequency
  }),
  ...(terms.alertThresholds && { alert_thresholds: terms.alertThresholds }),
  ...(metadata !== "" && { metadata }),
  ...(price && { price: Amount.decimal(price), currency: price.currency })
})

/** A plan as an item of the list. */
const listed = (one: Plan.Plan): typeof PlansApi.ListedPlan.Type => ({
  ...shape(one),
  created_at: Time.toIso(one.createdAt)
})

/** A field that must be there, with one message for whatever is wrong with it. */
const required = <S extends Schema.Top>(schema: S, message: string) =>
  schema.annotate({ message }).pipe(Schema.annotateKey({ messageMissingKey: message }))

const count = (maximum: number) => {
  const message = `must be an integer from 1 to ${maximum}`
  const range = Schema.isBetween({ minimum: 1, maximum }, { message })
  return required(Schema.Number.annotate({ message }), message).check(Schema.isInt({ message }), range)
}

const percentage = count(100)
const speed = required(Schema.Literals(Plan.throttlingLimits), `must be ${PlansApi.SPEED}`)

const decodeRecurrence = Body.decoding(
  Schema.Struct({
    nb_occurrence: count(Plan.limits.occurrences),
    recurring_periodicity_type: required(Schema.Literals(["0", "1", "2"]), `must be ${PlansApi.PERIODICITY}`),
    recurring_periodicity_frequency: count(Number.MAX_SAFE_INTEGER)
  }),
  "body",
  "first"
)

const decodeThrottling = Body.decoding(
  Schema.Struct({
    throttling_threshold1_perc: percentage,
    throttling_threshold1_limit: speed,
    throttling_threshold2_perc: percentage,
    throttling_threshold2_limit: speed,
    throttling_threshold3_perc: percentage,
    throttling_threshold3_limit: speed
  }),
  "body",
  "first"
)

/** The terms of a creation. The fields of a feature that is off are not read (rule P1). */
const terms = (body: typeof PlansApi.CreatePlan.Type): Result.Result<Plan.TermsRequest, Refusal.InvalidField> =>
  Result.gen(function* () {
    const recurrence = body.recurring ? yield* decodeRecurrence(body) : null
    const throttling = body.throttling ? yield* decodeThrottling(body) : null
    return {
      name: body.name,
      coverageId: body.coverage_id,
      dataMegaBytes: body.data_MBs,
      periodDays: body.period_days,
      throttling:
        throttling === null
          ? []
          : [
              { percentage: throttling.throttling_threshold1_perc, limit: throttling.throttling_threshold1_limit },
              { percentage: throttling.throttling_threshold2_perc, limit: throttling.throttling_threshold2_limit },
              { percentage: throttling.throttling_threshold3_perc, limit: throttling.throttling_threshold3_limit }
            ],
      recurrence: recurrence && {
        periodicity: periodicities[recurrence.recurring_periodicity_type],
        frequency: recurrence.recurring_periodicity_frequency,
        occurrences: recurrence.nb_occurrence
      },
      ...(body.alert_thresholds && { alertThresholds: body.alert_thresholds })
    }
  })

/** What a creation says of the plan beside its terms. */
const offer = ({ currency, metadata = "", price: amount }: typeof PlansApi.CreatePlan.Type) =>
  Result.map(Plan.amountOf({ field: "price", amount: amount ?? null, currency: currency ?? null }), (price) => ({
    metadata,
    price
  }))

const PAGE_SIZE = 10

const decodeCreation = Body.decoder(PlansApi.CreatePlan)

interface OfPlan {
  readonly caller: Auth.Tenant
  readonly params: { readonly planId: string }
}

const planOf = ({ caller, params }: OfPlan) => ({
  organizationId: caller.organizationId,
  planId: params.planId
})

export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const once = yield* Idempotency.make
    const plans = yield* Plans.Plans

    return Endpoints.group(PlansApi.PlansApi, guard, {
      list: Effect.fnUntraced(function* ({ caller: { organizationId }, query }) {
        yield* Query.texts(query)
        const after = yield* Effect.fromResult(Query.createdCursor(query.page))
        const countries = yield* Query.countries("country_iso_2", query.country_iso_2)
        const label = query.label ?? null
        // An unknown label is on no plan.
        if (label !== null && !Label.isLabel(label)) return Responses.page([], null)
        const page = yield* plans.page({
          organizationId,
          archived: Fields.flag(query.archived),
          label,
          search: query.search_query ?? null,
          countries,
          limit: Query.pageSize(query.page_size, PAGE_SIZE),
          after
        })
        return Responses.page(page.items.map(listed), Query.createdToken(page.next))
      }),
      create: Effect.fnUntraced(function* (call) {
        const { organizationId } = call.caller
        const sent = yield* Body.read(call.request)
        const run = Effect.flatMap(decodeCreation(sent.value), (body) =>
          Effect.flatMap(Effect.fromResult(Result.all([terms(body), offer(body)])), ([asked, said]) =>
            plans.create({ organizationId, terms: asked, ...said })
          )
        )
        return yield* once("Plan", call, sent, run, ({ planId }) => ({
          ...Responses.message("Plan created successfully"),
          plan_id: planId
        }))
      }),
      get: Effect.fnUntraced(function* (call) {
        const found = yield* plans.get(planOf(call))
        return Responses.data(shape(found))
      }),
      remove: Effect.fnUntraced(function* (call) {
        yield* plans.remove(planOf(call))
        return Responses.message("Plan deleted successfully")
      }),
      archive: Effect.fnUntraced(function* (call) {
        const sent = yield* Body.readUnasked(call.request)
        const run = plans.archive(planOf(call))
        return yield* once("Done", call, sent, Effect.as(run, null), () =>
          Responses.message("Plan archived successfully")
        )
      }),
      unarchive: Effect.fnUntraced(function* (call) {
        const sent = yield* Body.readUnasked(call.request)
        const run = plans.unarchive(planOf(call))
        return yield* once("Done", call, sent, Effect.as(run, null), () =>
          Responses.message("Plan unarchived successfully")
        )
      })
    })
  })
