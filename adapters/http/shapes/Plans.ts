/**
 * Plans as the wire shows them, and as it asks for them.
 */
import { type Plan, type Recurrence, Time } from "simplan"
import type * as PlansApi from "../api/PlansApi.ts"
import * as Instants from "./Instants.ts"

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

const periodicities = { Daily: "0", Weekly: "1", Monthly: "2" } as const satisfies Record<
  Recurrence.Periodicity,
  string
>

/** A plan; the fields of a feature that is off are absent. */
export const plan = ({ archivedAt, planId, terms }: Plan.Plan): typeof PlansApi.Plan.Type => ({
  plan_name: terms.name,
  plan_id: planId,
  coverage_id: terms.coverageId,
  archived_at: Instants.toWire(archivedAt),
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
    recurring_periodicity_type: periodicities[terms.recurrence.periodicity],
    recurring_periodicity_frequency: terms.recurrence.frequency
  })
})

/** A plan as an item of the list. */
export const listed = (one: Plan.Plan): typeof PlansApi.ListedPlan.Type => ({
  ...plan(one),
  created_at: Time.toIso(one.createdAt)
})

/** The terms that a creation asks for. */
export const terms = (body: typeof PlansApi.CreatePlan.Type): Plan.TermsRequest => ({
  name: body.name,
  coverageId: body.coverage_id,
  dataMegaBytes: body.data_MBs,
  periodDays: body.period_days,
  throttling: body.throttling,
  recurring: body.recurring,
  thresholds: [
    { percentage: body.throttling_threshold1_perc, limit: body.throttling_threshold1_limit },
    { percentage: body.throttling_threshold2_perc, limit: body.throttling_threshold2_limit },
    { percentage: body.throttling_threshold3_perc, limit: body.throttling_threshold3_limit }
  ],
  occurrences: body.nb_occurrence,
  periodicity: body.recurring_periodicity_type,
  frequency: body.recurring_periodicity_frequency
})
