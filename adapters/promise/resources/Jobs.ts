/**
 * Jobs that wait for their next try, and problems.
 */
import { problems, waitingJobs } from "../../operations/Jobs.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Jobs.ts"

export const makeWaitingJobs = (runtime: Runtime): Types.WaitingJobs =>
  Methods.ofRows(runtime, "waitingJobs", waitingJobs)

export const makeProblems = (runtime: Runtime): Types.Problems => Methods.ofRows(runtime, "problems", problems)
