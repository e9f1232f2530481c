/**
 * Plan terms by their names on the wire (`POST /v3/plans`), and what the service calls them.
 *
 * Only the kinds of values are looked at here: what they may be is the service's own rule (P1).
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

/** The terms as a scenario has them; a plan neither recurs nor is throttled unless they say so. */
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
  frequency: "recurring_periodicity_frequency",
  throttlingThreshold1Percentage: "throttling_threshold1_perc",
  throttlingThreshold2Percentage: "throttling_threshold2_perc",
  throttlingThreshold3Percentage: "throttling_threshold3_perc",
  throttlingThreshold1Limit: "throttling_threshold1_limit",
  throttlingThreshold2Limit: "throttling_threshold2_limit",
  throttlingThreshold3Limit: "throttling_threshold3_limit"
}

/** What the wire calls a field of the service. */
export const toWire = (field: string): string => names[field] ?? field

/** What the service is asked for. */
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
