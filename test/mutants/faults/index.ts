/**
 * All faults that are planted in the domain, one by one.
 */
import { activation } from "./activation.ts"
import { calendar } from "./calendar.ts"
import { corrections } from "./corrections.ts"
import { inEngine, list } from "./engine.ts"
import type { Fault } from "./Fault.ts"
import { history, numbers, reasons, search, verdicts } from "./finding.ts"
import { limits, terms } from "./limits.ts"
import { operation } from "./operation.ts"
import { outages } from "./outages.ts"
import { pauses } from "./pauses.ts"
import { recurrence } from "./recurrence.ts"
import { replacements } from "./replacements.ts"
import { reports } from "./reports.ts"
import { creation, deletion, packages, previews } from "./service.ts"
import { sessions } from "./sessions.ts"
import { lifecycle, state } from "./state.ts"
import { polls, purchases, stock } from "./stock.ts"
import { threshold } from "./threshold.ts"

export { list }

export const faults: ReadonlyArray<Fault> = [
  ...activation,
  ...recurrence,
  ...state,
  ...threshold,
  ...calendar,
  ...terms,
  ...reports,
  ...creation,
  ...deletion,
  ...packages,
  ...previews,
  ...search,
  ...numbers,
  ...reasons,
  ...verdicts,
  ...history,
  ...lifecycle,
  ...pauses,
  ...replacements,
  ...stock,
  ...purchases,
  ...corrections,
  ...outages,
  ...limits,
  ...operation,
  ...sessions,
  ...polls,
  ...inEngine
]
