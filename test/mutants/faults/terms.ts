/**
 * Faults in which terms a plan may have: P1.
 */
import { faultsOf, instead } from "./Fault.ts"

export const terms = faultsOf("Plan.ts", "terms", [
  ["P1", "0 is at least 1", "value >= 1", "value >= 0"],
  ["P1", "1 is not at least 1", "value >= 1", "value > 1"],
  ["P1", "an upper bound is out of bounds", "value <= maximum", "value < maximum"],
  ["P1", "no upper bounds", "&& value <= maximum", ""],
  ["P1", "fractions of days", "Number.isInteger(value) && ", ""],
  ["P1", "a validity of 3,661 days", "periodDays: 3_660", "periodDays: 3_661"],
  ["P1", "1,001 occurrences", "occurrences: 1_000", "occurrences: 1_001"],
  ["P1", "an allowance of 2^31", "2 ** 31 - 1", "2 ** 31"],
  ["P1", "thresholds may be equal", "if (percentage <= above)", "if (percentage < above)"],
  ["P1", "thresholds may fall", "if (percentage <= above)", "if (false)"],
  ["P1", "a threshold of 101 %", "percentage, 100)", "percentage, 101)"],
  ["P1", "two throttling steps", "steps.length !== 3", "steps.length < 2"],
  ["P1", "a name of blanks", 'request.name.trim() === ""', 'request.name === ""'],
  ["P1", "a package may expire with the year 9999", "(addDays(now, periodDays) < END_OF_TIME)", instead("<", "<=")],
  ["P1", "a last occurrence may expire with the year 9999", "recurrence, now) < END_OF_TIME", instead("<", "<=")],
  ["P1", "a last occurrence may expire whenever it does", "if (recurrence !== null && !", "if (false && !"]
])
