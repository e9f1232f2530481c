/**
 * Plans as the host gets them.
 */
import type { Plan } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import type * as Types from "../types/Plans.ts"

export const terms = (of: Plan.PlanTerms): Types.Terms => ({
  name: of.name,
  coverageId: of.coverageId,
  regionCode: of.regionCode,
  label: of.label,
  dataMegaBytes: of.dataMegaBytes,
  periodDays: of.periodDays,
  throttling: of.throttling.map(({ limit, percentage }) => ({ percentage, limit })),
  recurrence: of.recurrence === null ? null : { ...of.recurrence }
})

export const plan = (of: Plan.Plan): Types.Plan => ({
  organizationId: of.organizationId,
  planId: of.planId,
  ...terms(of.terms),
  createdAt: Arguments.toDate(of.createdAt),
  archivedAt: Arguments.toDateOrNull(of.archivedAt)
})
