/**
 * Faults in the polls of the SIMs of suppliers: rules T3, R1 and R4.
 */
import { faultsIn, instead } from "./Fault.ts"

const FOLDER = "adapters/telco-calls/polls"

export const polls = [
  ...faultsIn(FOLDER, "PollState.ts", "polls", [
    ["T3", "a first use is left out", "if (activationAt !== null && !was.isBegun) {", "if (false) {"],
    [
      "R1",
      "what the core has not taken counts as reported",
      "usage === undefined ? pack.reportedBytes : usage.usage.bytes",
      "pack.usedBytes"
    ],
    [
      "R1",
      "a former customer's package is reported",
      "packageIds.includes(one.packageId) ? [observe(",
      instead("packageIds.includes(one.packageId)", "true")
    ],
    [
      "R1",
      "what was known of a former purchase stays known",
      "state.purchaseId === purchaseId ? state",
      "true ? state"
    ],
    [
      "R4",
      "an end is not remembered",
      'pack.overAt ?? (taken.some(({ _tag }) => _tag === "End") ? now : null)',
      "pack.overAt"
    ],
    ["R4", "an end is left out", "if (end !== null && was.overAt === null) {", "if (false) {"],
    ["R4", "a SIM is gone that one poll has missed", "now - since >= MISSED", "true"],
    ["R4", "a SIM that is missing is never gone", "now - since >= MISSED", "false"],
    [
      "R4",
      "a SIM that has come back counts as missing",
      "(before.missingSince ?? now) : undefined",
      "(before.missingSince ?? now) : before.missingSince"
    ],
    ["R4", "a SIM is gone that the core has not taken as gone", "(gone !== null && isTaken(gone))", "gone !== null"],
    ["R4", "a SIM that is gone is polled on", "if (isGone === true) return null", ""],
    [
      "R4",
      "a SIM in stock is polled no more",
      "if (all.length === 0) return now + STOCK",
      "if (all.length === 0) return null"
    ],
    [
      "R4",
      "a package that no poll has known is not searched for",
      "packageIds.some((id) => own.packages[id] === undefined) ||",
      "false ||"
    ],
    ["R4", "what is over is searched for", "|| next(own, limits, lag, now) !== null", "|| true"]
  ]),
  ...faultsIn(FOLDER, "Polls.ts", "polls", [
    ["R4", "a SIM in stock is polled as often as one in use", "begin(iccid, PollState.STOCK)", "begin(iccid, fastest)"],
    ["R1", "a SIM is not polled from its first package on", "begin(iccid, fastest)", "begin(iccid, slowest * 1_000)"]
  ]),
  ...faultsIn(FOLDER, "Sweep.ts", "polls", [
    ["R4", "a SIM that was found is not polled", "yield* add(iccid, now)", ""],
    [
      "R4",
      "SIMs are searched for once",
      "dueAt: last === null ? now + every : now",
      "dueAt: last === null ? null : now"
    ]
  ])
]
