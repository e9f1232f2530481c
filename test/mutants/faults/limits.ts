/**
 * Faults in the terms of plans, and in what bounds an organization and its requests: P1, S4, W9 and
 * W13.
 */
import { faultsIn, faultsOf, instead } from "./Fault.ts"

export const limits = [
  ...faultsOf("Quota.ts", "limits", [
    ["W13", "an organization has one more than its quota", "count < quotas[kind]", "count <= quotas[kind]"],
    ["W13", "an organization has one less than its quota", "count < quotas[kind]", "count + 1 < quotas[kind]"],
    ["W13", "every kind has the quota of plans", "count < quotas[kind]", "count < quotas.plans"]
  ]),
  ...faultsOf("Region.ts", "limits", [
    ["W9", "a region has as many codes as are sent", "request.iso2List.length > MOST_COUNTRIES", "false"],
    ["W9", "a region has one code less", "length > MOST_COUNTRIES", "length >= MOST_COUNTRIES"]
  ]),
  ...faultsOf("WebhookEvent.ts", "limits", [
    ["W9", "a filter has as many names as are sent", "if (names.length > MOST_NAMED)", "if (false)"],
    ["W9", "a filter has one name less", "names.length > MOST_NAMED", "names.length >= MOST_NAMED"]
  ]),
  ...faultsOf("Subscription.ts", "limits", [
    ["W9", "texts are measured as they are at most", " || sizeOf(attachments) <= SIZE_LIMIT", ""],
    ["W9", "a subscription has no limit", " || sizeOf(attachments) <= SIZE_LIMIT", " || true"],
    ["W9", "a subscription may be eight times as large", "SIZE_LIMIT = 1_048_576", "SIZE_LIMIT = 8 * 1_048_576"],
    ["W9", "packages that are not there yet take nothing", "terms.recurrence?.occurrences ?? 1", "1"],
    ["W13", "stored packages cost nothing", " + PACKAGE * packages.length", ""],
    ["W13", "stored metadata costs nothing", " + attachment.metadata.length", ""]
  ]),
  ...faultsOf("Attachment.ts", "limits", [
    ["S4", "attachments are read by their plan only", "attachmentId === id || planId === id", "planId === id"],
    ["S4", "attachments are read by their own id only", "attachmentId === id || planId === id", "attachmentId === id"]
  ]),
  ...faultsOf("SmsSegments.ts", "limits", [
    ["W9", "what the telco says of segments is left out", "said ?? { segments", "{ segments"]
  ]),
  ...faultsIn("src/ports", "TelcoAnswers.ts", "limits", [
    ["W9", "a telco sends nothing", "isGreaterThanOrEqualTo(1)", "isGreaterThanOrEqualTo(0)"]
  ])
]

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
