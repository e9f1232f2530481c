/**
 * Faults in moves to other SIMs: S8.
 */
import { faultsOf, instead, without } from "./Fault.ts"

const inReplacement = faultsOf("Replacement.ts", "replacements", [
  ["S8", "what was used is had again", "const left = Allowance.left(terms, usedBytes)", instead("usedBytes", "0")],
  [
    "S8",
    "a throttled plan ends where nothing is left",
    "left.dataMegaBytes === 0 && terms.throttling.length === 0",
    "left.dataMegaBytes === 0"
  ],
  ["S8", "a used up package is ordered", "left.dataMegaBytes === 0 && terms.throttling.length === 0", "false"],
  ["S8", "a part of a bundle is ordered", "usedBytes === 0 || terms.load !== undefined", "usedBytes === 0"],
  ["S8", "a bundle that was used moves", "usedBytes > 0 || (activationAt", "(activationAt"],
  ["S8", "a bundle that has begun moves", "activationAt <= now)", "activationAt < now)"],
  ["S8", "each package has the load of the new SIM", "of === loaded, now", "true, now"],
  ["S8", "packages keep their ids", "replacements: of.attachment.replacements + 1", without(" + 1")],
  [
    "S8",
    "what is suspended goes on",
    "attachment.suspendedAt !== null || !isAtTelco(pack, now)",
    "!isAtTelco(pack, now)"
  ],
  [
    "S8",
    "what is over is ordered",
    "attachment.suspendedAt !== null || !isAtTelco(pack, now)",
    "attachment.suspendedAt !== null"
  ],
  ["S3", "an eSIM is had again that was left", "...Deletion.left(resumed.sim, shown),", "...resumed.sim,"],
  ["S8", "usage begins anew", "usedBefore: pack.usedBytes", "usedBefore: 0"],
  ["S8", "only what recurs is ordered", "...ordered.map((of) => orderJob(of, of === loaded, now)),", ""],
  ["S8", "recurrences end", "...attachments.flatMap((of) => occurrencesOf(of, now)),", ""],
  [
    "S8",
    "the next occurrence is forgotten",
    "Recurrence.dueCount(terms.recurrence, anchor, now) + 1",
    "Recurrence.dueCount(terms.recurrence, anchor, now)"
  ],
  ["S8", "events to come are forgotten", "...Lifecycle.jobsUntil(attachments, notifiedUntil)", ""],
  ["S8", "a pause ends", "Pause.asked(taken, old.service.pausedAt, ", "Pause.asked(taken, null, "],
  ["S8", "the old SIM stays paused", "Pause.asked(old, null, pause, now)", instead("null", "old.service.pausedAt")],
  ["S8", "what is on the old SIM goes on", "packageIds: cancelled,", "packageIds: [],"],
  [
    "S8",
    "what a customer may have paid for after a backup is cancelled on the SIM that was left",
    'release: "Review"',
    'release: "Cancel"'
  ],
  [
    "S8",
    "what a deleted subscription has left of its own on the SIM of before is an operator's",
    "onlyAttachments: SimAggregate.attachmentIds(aggregate)",
    "onlyAttachments: []"
  ],
  ["S8", "what was answered is ordered again", "pack.replacement?.isAwaited === true && ", ""],
  ["S8", "what was refused is ordered again", " && pack.refusal === null", ""],
  ["S8", "what is left is ordered by the last report", "iccids.length > 0", "false"],
  [
    "S8",
    "what the telco has counted is not gone by",
    "const usedBefore = usedOnFormer(next)",
    instead("usedOnFormer(next)", "replacement.usedBefore")
  ],
  ["S8", "what is used up is awaited", "isAwaited: remainder(terms, usedBefore) !== null", "isAwaited: true"],
  [
    "S8",
    "what was ordered changes by what is counted later",
    "uncountedOn(pack).length > 0 && uncountedOn(next).length === 0",
    "uncountedOn(next).length === 0"
  ],
  ["S8", "deltas count that were counted later", "one.unreportedBytes + risen", "one.unreportedBytes"],
  [
    "S8",
    "what the telco cannot say is awaited for ever",
    'if (found === null) return "assumed"',
    'if (found === null) return "awaited"'
  ],
  [
    "S8",
    "what the telco has no longer is taken for counted",
    "isExpected !== false && !found.has(packageId(attachmentId, occurrence, number))",
    "false"
  ],
  ["S8", "what was never there is missed", "isExpected !== false && !found.has(", "!found.has("],
  ["S8", "a first use that nobody has reported is the count's", "Math.min(activationAt, now)", "now"],
  ["S8", "what is over is ordered late", "pack === undefined || !isAtTelco(pack, now)", "pack === undefined"],
  ["S8", "a suspended package is ordered", 'if (attachment.suspendedAt !== null) return { _tag: "Gone" }', ""],
  [
    "S8",
    "what was suspended meanwhile goes on",
    'outcome._tag === "Created" && of.attachment.suspendedAt !== null',
    "false"
  ],
  [
    "S8",
    "what is gone goes on",
    'outcome._tag === "Created" ? { jobs: [Occurrence.cancellation(iccid, id, now)] } : nothing',
    "nothing"
  ],
  [
    "S8",
    "what the telco has taken is asked for again",
    "{ ...pack.replacement, isAwaited: false }",
    "pack.replacement"
  ],
  [
    "S8",
    "a plan that is being attached is lost",
    "SimAggregate.confirmed(aggregate).length < aggregate.attachments.length",
    "false"
  ]
])

const inOccurrence = faultsOf("Occurrence.ts", "replacements", [
  ["S8", "the job of a former SIM goes on", "replacements === replacement ? present : null", instead("===", ">=")],
  [
    "S8",
    "occurrences have the ids of the former SIM",
    "packageId(attachmentId, occurrence, replacements)",
    "packageId(attachmentId, occurrence)"
  ]
])

const inReports = faultsOf("TelcoReport.ts", "replacements", [
  ["S8", "the telco's totals begin anew", "sum(usedOnFormer(pack), usage.bytes)", "usage.bytes"],
  [
    "S8",
    "what is known of a former SIM is added again",
    "sum(usedBytes, next.usedBytes - former.usedBytes)",
    "sum(usedBytes, usage.bytes)"
  ],
  ["S8", "deltas count that the telco has counted", "Math.min(usage.bytes, former.unreportedBytes)", "0"],
  ["S8", "late usage is booked on the new SIM", "entryOf(on, attachment", "entryOf(aggregate, attachment"],
  ["S8", "the old SIM reports what is on the new one", "return isAsItWas\n", "return true\n"],
  ["S8", "usage of another SIM counts without a name", "} else if (!there.isThere || ", "} else if ("]
])

const inDeletion = faultsOf("Deletion.ts", "replacements", [
  ["S8", "a replaced SIM is free", "allocation: { ...sim.allocation, ending: null }", 'allocation: { _tag: "Free" }'],
  [
    "S8",
    "the end of a SIM is that of its subscription",
    "`${releaseJobId(subscriptionId)}:${iccid}`",
    "releaseJobId(subscriptionId)"
  ]
])

const inLifecycle = faultsOf("Lifecycle.ts", "replacements", [
  [
    "S8",
    "what is left is notified before it is there",
    "if (replacement?.isAwaited !== true) return",
    "if (true) return"
  ],
  [
    "S8",
    "the job of a former SIM is not replaced",
    "replacements === 0 ? `notify:${attachmentId}` :",
    "true ? `notify:${attachmentId}` :"
  ]
])

export const replacements = [...inReplacement, ...inOccurrence, ...inReports, ...inDeletion, ...inLifecycle]
