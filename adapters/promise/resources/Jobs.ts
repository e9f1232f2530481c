/**
 * Jobs that wait for their next try, and problems.
 */
import { Jobs } from "../../operations/index.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Jobs.ts"

export const makeWaitingJobs = (runtime: Runtime): Types.WaitingJobs =>
  Methods.ofRows(runtime, "waitingJobs", Jobs.waitingJobs)

export const makeProblems = (runtime: Runtime): Types.Problems => Methods.ofRows(runtime, "problems", Jobs.problems)
