/**
 * Faults in the allowance thresholds and in what is used: R2, U2, T1.
 */
import { faultsOf } from "./Fault.ts"

const LEVELS = "[50, 80, 100] as const"
const REACHED = "usedBytes * 100 >= bytesOf(terms) * threshold"
const LAST = "crossed.at(-1) ??"
const KEPT = "{ ...activated.attachment, lastThresholdNotified: crossed.at(-1) ?? attachment.lastThresholdNotified }"
const CROSSED = "Allowance.crossed(attachment.terms, attachment.lastThresholdNotified, usedBytes)"

const RISES = "!isReached(allowance, percentage, from) && isReached(allowance, percentage, to)"
const ALERTS = "{ from: pack.usedBytes, to: usedBytes }"

const alerting = [
  ...faultsOf("Allowance.ts", "threshold", [
    ["U2", "a percentage is notified again with each report", RISES, "isReached(allowance, percentage, to)"],
    ["U2", "a percentage of a package is reached a byte late", "bytes * 100 >= allowance", "bytes * 100 > allowance"],
    ["U2", "the percentages of the plan are ignored", "(terms.alertThresholds ?? thresholds)", "thresholds"],
    [
      "U2",
      "a plan that names none notifies none",
      "(terms.alertThresholds ?? thresholds)",
      "(terms.alertThresholds ?? [])"
    ]
  ]),
  ...faultsOf("TelcoReport.ts", "threshold", [
    ["U2", "a package notifies all that it has ever reached", ALERTS, "{ from: 0, to: usedBytes }"],
    [
      "U2",
      "the first occurrence is named for all",
      "packageId: idOf(pack)\n    }",
      "packageId: idOf({ ...pack, occurrence: 0 })\n    }"
    ]
  ]),
  ...faultsOf("Plan.ts", "threshold", [
    ["U2", "percentages stay in the order named", ".sort((left, right) => left - right)", ""],
    ["U2", "a percentage is kept twice", "[...new Set(percentages)]", "[...percentages]"],
    ["U2", "eleven percentages are taken", "alertThresholds: 10", "alertThresholds: 11"],
    ["U2", "0 % is taken", "percentage >= 1 && percentage <= 100", "percentage >= 0 && percentage <= 100"]
  ])
]

const crossing = faultsOf("Allowance.ts", "threshold", [
  ["R2", "80 % is skipped", LEVELS, "[50, 100] as const"],
  ["R2", "50 % is skipped", LEVELS, "[80, 100] as const"],
  ["R2", "100 % is skipped", LEVELS, "[50, 80] as const"],
  ["R2", "80 % at 81", LEVELS, "[50, 81, 100] as const"],
  ["R2", "90 % is notified as well", LEVELS, "[50, 80, 90, 100] as const"],
  ["R2", "thresholds are notified from the highest on", LEVELS, "[100, 80, 50] as const"],
  ["R2", "a threshold is notified again", "threshold > lastNotified &&", "threshold >= lastNotified &&"],
  ["R2", "all thresholds are notified each time", "threshold > lastNotified &&", ""],
  ["R2", "a threshold is reached a byte late", REACHED, REACHED.replace(">=", ">")],
  ["R2", "a threshold is reached a byte early", REACHED, REACHED.replace("usedBytes", "(usedBytes + 1)")],
  ["R2", "percentages are rounded", REACHED, "Math.round((usedBytes * 100) / bytesOf(terms)) >= threshold"],
  ["R2", "only the highest threshold is notified", "* threshold)", "* threshold).slice(-1)"],
  ["R2", "only the lowest threshold is notified", "* threshold)", "* threshold).slice(0, 1)"],
  ["R2", "a plan that recurs notifies thresholds", "terms.recurrence !== null", "false"],
  ["R2", "no plan notifies thresholds", "terms.recurrence !== null", "true"]
])

const notifying = faultsOf("TelcoReport.ts", "threshold", [
  ["R2", "the first of the thresholds notified is kept", LAST, "crossed[0] ??"],
  ["R2", "what was notified is not kept", KEPT, "activated.attachment"],
  [
    "R2",
    "a report that crosses none forgets what was notified",
    KEPT,
    KEPT.replace("attachment.lastThresholdNotified", "0")
  ],
  ["R2", "a threshold is notified with the next report", CROSSED, CROSSED.replace("usedBytes)", "pack.usedBytes)")],
  ["R2", "what was notified does not count", CROSSED, CROSSED.replace("attachment.lastThresholdNotified", "0")],
  [
    "R2",
    "the percentage that was used is notified",
    "usagePercentage: threshold",
    "usagePercentage: Math.floor((100 * usedBytes) / (attachment.terms.dataMegaBytes * 1_048_576))"
  ],
  ["R2", "what was used before the report is notified", "dataUsageBytes: usedBytes", "dataUsageBytes: pack.usedBytes"],
  ["R2", "thresholds are notified falling", "...crossed.map(", "...crossed.toReversed().map("],
  [
    "W5",
    "the plan's id is notified as the attachment's",
    "attachmentId: attachment.attachmentId,\n    subscriptionId",
    "attachmentId: attachment.planId,\n    subscriptionId"
  ],
  ["R1", "the last total counts, not the highest", "Math.max(usedBytes, total)", "total"],
  ["R1", "totals are added up", "sum(usedOnFormer(pack), usage.bytes)", "usedBytes + usage.bytes"],
  ["R1", "deltas replace what was used", ": sum(usedBytes, usage.bytes)", ": usage.bytes"],
  [
    "R1",
    "clamping removed: a sum of deltas is no whole number any more",
    "Math.min(one + other, Number.MAX_SAFE_INTEGER)",
    "one + other"
  ],
  ["R1", "a first use clears what was used", "fact === null ? pack :", "fact === null ? { ...pack, usedBytes: 0 } :"]
])

const megabytes = faultsOf("Allowance.ts", "threshold", [
  ["T1", "megabytes of a million bytes", "MEGABYTE = 1_048_576", "MEGABYTE = 1_000_000"],
  ["T1", "megabytes a byte short", "MEGABYTE = 1_048_576", "MEGABYTE = 1_048_575"]
])

export const threshold = [...crossing, ...alerting, ...notifying, ...megabytes]
