/**
 * Plan terms in a scenario file, with the names of `POST /v3/plans`, and their conversion to the service's request.
 *
 * The schema checks only types; the service checks the values (rule P1).
 */
import { Schema } from "effect"
import { Plan } from "simplan"
import * as Words from "./Words.ts"

const number = Schema.Finite.annotate({ message: "must be a number" })
const optionalNumber = Schema.optionalKey(number)

const periodicity = Schema.optionalKey(
  Schema.String.annotate({ message: 'must be a string: "0" (Daily), "1" (Weekly) or "2" (Monthly)' })
)

const limit = Schema.optionalKey(
  Schema.String.annotate({ message: `must be a string: ${Plan.throttlingLimits.map((one) => `"${one}"`).join(", ")}` })
)

/** The terms in a scenario file. By default a plan does not recur and is not throttled. */
export const PlanTerms = Schema.Struct({
  name: Schema.optionalKey(Words.Text),
  coverage_id: Schema.optionalKey(Words.Text),
  data_MBs: number,
  period_days: number,
  recurring: Schema.optionalKey(Words.Truth),
  nb_occurrence: optionalNumber,
  recurring_periodicity_type: periodicity,
  recurring_periodicity_frequency: optionalNumber,
  throttling: Schema.optionalKey(Words.Truth),
  throttling_threshold1_perc: optionalNumber,
  throttling_threshold1_limit: limit,
  throttling_threshold2_perc: optionalNumber,
  throttling_threshold2_limit: limit,
  throttling_threshold3_perc: optionalNumber,
  throttling_threshold3_limit: limit
}).annotate({ message: "must be an object with data_MBs and period_days" })

export type PlanTerms = typeof PlanTerms.Type

const names: Readonly<Record<string, string>> = {
  name: "name",
  coverageId: "coverage_id",
  dataMegaBytes: "data_MBs",
  periodDays: "period_days",
  occurrences: "nb_occurrence",
  periodicity: "recurring_periodicity_type",
  frequency: "recurring_periodicity_frequency"
}

/** The file's name of a field of the service. */
export const toWire = (field: string): string => {
  const [, index, part] = /^throttlingThreshold(\d)(Percentage|Limit)$/.exec(field) ?? []
  if (index !== undefined) return `throttling_threshold${index}_${part === "Limit" ? "limit" : "perc"}`
  return names[field] ?? field
}

/** The service's request; `name` and `coverageId` are the defaults. */
export const toRequest = (terms: PlanTerms, name: string, coverageId: string): Plan.TermsRequest => ({
  name: terms.name ?? name,
  coverageId: terms.coverage_id ?? coverageId,
  dataMegaBytes: terms.data_MBs,
  periodDays: terms.period_days,
  throttling: terms.throttling ?? false,
  recurring: terms.recurring ?? false,
  thresholds: [
    { percentage: terms.throttling_threshold1_perc, limit: terms.throttling_threshold1_limit },
    { percentage: terms.throttling_threshold2_perc, limit: terms.throttling_threshold2_limit },
    { percentage: terms.throttling_threshold3_perc, limit: terms.throttling_threshold3_limit }
  ],
  occurrences: terms.nb_occurrence,
  periodicity: terms.recurring_periodicity_type,
  frequency: terms.recurring_periodicity_frequency
})
