/**
 * Faults in what bounds an organization and its requests: W9 and W13.
 */
import { faultsOf } from "./Fault.ts"

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
    ["W9", "what the telco says of segments is left out", 'typeof reported === "number" &&', "false &&"],
    ["W9", "a telco sends nothing", "Number.isInteger(reported) && reported >= 1", "Number.isInteger(reported)"]
  ])
]
