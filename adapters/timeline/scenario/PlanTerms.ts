/**
 * Plan terms in a scenario file, with the names of `POST /v3/plans`, and their conversion to the service's request.
 *
 * The schema checks types and codes; the service checks the values (rule P1).
 */
import { Result, Schema } from "effect"
import { Refusal } from "simplan"
import { Plan } from "simplan/ports"
import * as Fields from "./Fields.ts"

const number = Schema.Finite.annotate({ message: "must be a number" })
const optionalNumber = Schema.optionalKey(number)

const PERIODICITY = 'must be a string: "0" (Daily), "1" (Weekly) or "2" (Monthly)'

const periodicities = { "0": "Daily", "1": "Weekly", "2": "Monthly" } as const

const periodicity = Schema.optionalKey(Schema.Literals(["0", "1", "2"]).annotate({ message: PERIODICITY }))

const LIMIT = `must be a string: ${Plan.throttlingLimits.map((one) => `"${one}"`).join(", ")}`

const limit = Schema.optionalKey(Schema.Literals(Plan.throttlingLimits).annotate({ message: LIMIT }))

/** The terms in a scenario file. By default a plan does not recur and is not throttled. */
export const PlanTerms = Schema.Struct({
  name: Schema.optionalKey(Fields.Text),
  coverage_id: Schema.optionalKey(Fields.Text),
  data_MBs: number,
  period_days: number,
  recurring: Schema.optionalKey(Fields.Truth),
  nb_occurrence: optionalNumber,
  recurring_periodicity_type: periodicity,
  recurring_periodicity_frequency: optionalNumber,
  throttling: Schema.optionalKey(Fields.Truth),
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

// The service refuses NaN.
const orNone = (value: number | undefined): number => value ?? Number.NaN

const missing = (field: string, message: string) => Result.fail(new Refusal.InvalidField({ field, message }))

/**
 * The service's request; `name` and `coverageId` are the defaults. Fails where a periodicity or a limit is missing.
 */
export const toRequest = (
  terms: PlanTerms,
  name: string,
  coverageId: string
): Result.Result<Plan.TermsRequest, Refusal.InvalidField> =>
  Result.gen(function* () {
    // Without a number of occurrences the service refuses that first.
    const type = terms.recurring === true && terms.nb_occurrence !== undefined ? terms.recurring_periodicity_type : "0"
    if (type === undefined) return yield* missing("periodicity", PERIODICITY)
    const throttling: Array<Plan.ThrottlingStep> = []
    for (const step of terms.throttling === true ? ([1, 2, 3] as const) : []) {
      const known = terms[`throttling_threshold${step}_limit`]
      if (known === undefined) return yield* missing(`throttlingThreshold${step}Limit`, LIMIT)
      throttling.push({ percentage: orNone(terms[`throttling_threshold${step}_perc`]), limit: known })
    }
    return {
      name: terms.name ?? name,
      coverageId: terms.coverage_id ?? coverageId,
      dataMegaBytes: terms.data_MBs,
      periodDays: terms.period_days,
      throttling,
      recurrence:
        terms.recurring === true
          ? {
              periodicity: periodicities[type],
              frequency: orNone(terms.recurring_periodicity_frequency),
              occurrences: orNone(terms.nb_occurrence)
            }
          : null
    }
  })
