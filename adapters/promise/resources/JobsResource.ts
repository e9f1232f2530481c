/**
 * Jobs that wait for their next try, problems, and what operators see first.
 */
import { JobsOperations, OverviewOperations } from "../../operations/index.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/JobsTypes.ts"
import type { Overviews } from "../types/OverviewTypes.ts"

export const makeWaitingJobs = (runtime: Runtime): Types.WaitingJobs =>
  Methods.ofRows(runtime, "waitingJobs", JobsOperations.waitingJobs)

export const makeProblems = (runtime: Runtime): Types.Problems =>
  Methods.ofRows(runtime, "problems", JobsOperations.problems)

export const makeOverview = (runtime: Runtime): Overviews =>
  Methods.ofRows(runtime, "overview", OverviewOperations.overview)
