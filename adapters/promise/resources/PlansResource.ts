/**
 * Plans and their terms.
 */
import { Amount, Plan, Recurrence, TextLimit } from "simplan/ports"
import { Effect, Result, Schema } from "effect"
import { Plans } from "simplan"
import * as Arguments from "../Arguments.ts"
import type * as Types from "../types/PlansTypes.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import { Fields } from "../../fields/index.ts"
import { BundlesOperations } from "../../operations/index.ts"

export const termsOf = (of: Plan.PlanTerms): Types.Terms => ({
  name: of.name,
  coverageId: of.coverageId,
  regionCode: of.regionCode,
  label: of.label,
  dataMegaBytes: of.dataMegaBytes,
  periodDays: of.periodDays,
  throttling: of.throttling.map(({ limit, percentage }) => ({ percentage, limit })),
  recurrence: of.recurrence === null ? null : { ...of.recurrence },
  ...(of.alertThresholds && { alertThresholds: [...of.alertThresholds] })
})

const planOf = (of: Plan.Plan): Types.Plan => ({
  organizationId: of.organizationId,
  planId: of.planId,
  ...termsOf(of.terms),
  metadata: of.metadata,
  price: of.price && Amount.decimal(of.price),
  currency: of.price && of.price.currency,
  createdAt: Arguments.toDate(of.createdAt),
  archivedAt: Arguments.toDateOrNull(of.archivedAt)
})

// The domain checks the bounds of numbers and lengths (rule P1).
const decodeCreation = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    name: Arguments.Name,
    coverageId: Arguments.Id,
    dataMegaBytes: Schema.Number,
    periodDays: Schema.Number,
    throttling: Schema.optional(
      Schema.Array(Schema.Struct({ percentage: Schema.Number, limit: Fields.oneOf(Plan.throttlingLimits) }))
    ),
    recurrence: Schema.optional(
      Schema.NullOr(
        Schema.Struct({
          periodicity: Fields.oneOf(Recurrence.periodicities),
          frequency: Schema.Number,
          occurrences: Schema.Number
        })
      )
    ),
    alertThresholds: Schema.optional(Schema.Array(Schema.Number)),
    metadata: Schema.optional(Fields.storable(TextLimit.METADATA)),
    price: Schema.optional(Schema.NullOr(Fields.text(TextLimit.AMOUNT))),
    currency: Schema.optional(Schema.NullOr(Schema.String))
  })
)

/** A plan to create, checked. Throws an `InvalidFieldError`. */
const creation = (method: string, request: unknown): Plans.NewPlan => {
  const {
    alertThresholds,
    currency = null,
    metadata = "",
    organizationId,
    price: amount = null,
    recurrence = null,
    throttling = [],
    ...terms
  } = decodeCreation(method, request)
  const price = Result.getOrThrowWith(Plan.amountOf({ field: "price", amount, currency }), ({ field, message }) =>
    Arguments.invalid(method, field, message, field === "price" ? amount : currency)
  )
  return {
    organizationId,
    metadata,
    price,
    terms: { ...terms, recurrence, throttling, ...(alertThresholds && { alertThresholds }) }
  }
}

/** The host's names of the fields that the domain names otherwise. */
const fields = {
  throttlingThreshold1Percentage: "throttling[0].percentage",
  throttlingThreshold2Percentage: "throttling[1].percentage",
  throttlingThreshold3Percentage: "throttling[2].percentage",
  occurrences: "recurrence.occurrences",
  frequency: "recurrence.frequency"
} as const

const named = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, planId: Arguments.Id }))

const filter = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    archived: Schema.optional(Arguments.Flag),
    label: Schema.optional(Arguments.AnyLabel),
    search: Schema.optional(Arguments.Text),
    countries: Schema.optional(Schema.Array(Arguments.Text))
  })
)

export const make = (runtime: Runtime): Types.Plans => ({
  ...Methods.ofRows(runtime, "plans", BundlesOperations.bundles),
  create: Methods.writing(runtime, { name: "plans.create", decode: creation, fields }, (request) =>
    Methods.once(
      "Plan",
      Effect.flatMap(Plans.Plans, (plans) => plans.create(request)),
      (plan) => Effect.succeed(planOf(plan))
    )
  ),
  get: Methods.reading(runtime, { name: "plans.get", decode: named }, (of) =>
    Effect.flatMap(Plans.Plans, (plans) => Effect.map(plans.get(of), planOf))
  ),
  list: Methods.paging(
    runtime,
    { name: "plans.list", decode: filter },
    Methods.byCreation,
    ({ archived = null, countries = [], label = null, organizationId, search = null }, page) => {
      const covered = countries.length === 0 ? null : countries
      const query = { organizationId, archived, label, search, countries: covered, ...page }
      return Effect.flatMap(Plans.Plans, (plans) => plans.page(query))
    },
    planOf
  ),
  archive: Methods.writing(runtime, { name: "plans.archive", decode: named }, (of) =>
    Methods.done(Effect.flatMap(Plans.Plans, (plans) => plans.archive(of)))
  ),
  unarchive: Methods.writing(runtime, { name: "plans.unarchive", decode: named }, (of) =>
    Methods.done(Effect.flatMap(Plans.Plans, (plans) => plans.unarchive(of)))
  ),
  remove: Methods.writing(runtime, { name: "plans.remove", decode: named }, (of) =>
    Methods.done(Effect.flatMap(Plans.Plans, (plans) => plans.remove(of)))
  )
})
