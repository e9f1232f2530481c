/**
 * Jobs that wait for their next try, problems, and what operators see first.
 */
import { Jobs, Overview } from "../../operations/index.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Jobs.ts"
import type { Overviews } from "../types/Overview.ts"

export const makeWaitingJobs = (runtime: Runtime): Types.WaitingJobs =>
  Methods.ofRows(runtime, "waitingJobs", Jobs.waitingJobs)

export const makeProblems = (runtime: Runtime): Types.Problems => Methods.ofRows(runtime, "problems", Jobs.problems)

export const makeOverview = (runtime: Runtime): Overviews => Methods.ofRows(runtime, "overview", Overview.overview)
