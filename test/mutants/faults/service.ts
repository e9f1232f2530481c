/**
 * Faults in how a SIM comes into service and out of it: S1 to S5, P2.
 */
import { faultsOf, instead } from "./Fault.ts"

const ENDED = "now < expirationAt"

export const creation = faultsOf("Provisioning.ts", "creation", [
  ["S1", "any SIM takes any label", "sim.label !== plan.terms.label", "false"],
  ["P2", "archived plans are subscribed to", "if (plan.archivedAt !== null) return", "if (false) return"],
  ["P2", "archived plans are subscribed to without an ICCID", "iccid === null && plan.archivedAt !== null", "false"],
  [
    "S5",
    "a SIM that is being put into service is taken",
    '      return Result.void\n    case "Provisioning":\n',
    '    case "Provisioning":\n      return Result.void\n'
  ],
  [
    "S5",
    "a SIM that is being released is taken",
    '      return Result.void\n    case "Provisioning":\n    case "Releasing":\n',
    '    case "Releasing":\n      return Result.void\n    case "Provisioning":\n'
  ],
  ["S1", "a top-up makes another subscription", "= aggregate.subscription ?? {", "= {"],
  ["S5", "a new subscription shows before the telco has it", 'status: "Pending"\n', 'status: "Live"\n'],
  ["S5", "a new attachment shows before the telco has it", "confirmed: false,", "confirmed: true,"],
  [
    "S5",
    "a SIM is free while it is put into service",
    '{ ...sim, allocation: { _tag: "Provisioning", subscriptionId: subscription.subscriptionId } }',
    "sim"
  ],
  [
    "S1",
    "a top-up forgets the plans before",
    "[...aggregate.attachments, { attachment, packages: [] }]",
    "[{ attachment, packages: [] }]"
  ],
  [
    "T5",
    "a creation is complete once one occurrence is over",
    "initial.every(({ over }) => over)",
    "initial.some(({ over }) => over)"
  ],
  [
    "T5",
    "nothing to order is ordered",
    "initial.every(({ over }) => over)",
    "initial.length > 0 && initial.every(({ over }) => over)"
  ],
  ["T5", "a creation is made up for an hour late", "work, dueAt: now }", "work, dueAt: now + 3_600_000 }"],
  [
    "S1",
    "a top-up has the subscription's metadata",
    "metadata: attachment.metadata",
    'metadata: aggregate.subscription?.metadata ?? ""'
  ],
  ["S5", "a confirmed subscription stays pending", '{ ...subscription, status: "Live" }', "subscription"],
  ["S5", "a confirmed attachment does not show", "{ ...attachment, confirmed: true }", "attachment"],
  [
    "S5",
    "what the telco has taken is not confirmed",
    "const decision = { sim: { loaded: aggregate, next: after }, jobs }",
    "const decision = { jobs }"
  ],
  [
    "S5",
    "a confirmed SIM is still being put into service",
    'allocation: { _tag: "InService", subscriptionId }',
    'allocation: { _tag: "Provisioning", subscriptionId }'
  ],
  [
    "T5",
    "a package that was over counts as created",
    "outcome === undefined || outcome.telcoPackageId === null ? null : outcome",
    "outcome ?? null"
  ],
  [
    "T5",
    "an occurrence is left out after the creation",
    "Occurrence.next(attachment, packages.length, isFirst)",
    "Occurrence.next(attachment, packages.length + 1, isFirst)"
  ],
  ["T5", "the occurrences after the creation are not planned", "jobs: next === undefined ? [] : [next]", "jobs: []"],
  [
    "T6",
    "the period that was sent is shown, not the telco's",
    "first?.activationAt ?? activePeriod.start",
    "activePeriod.start"
  ],
  [
    "T6",
    "the end that was sent is shown, not the telco's",
    "first?.expirationAt ?? activePeriod.end",
    "activePeriod.end"
  ],
  ["T6", "a period is shown that was not sent", "activePeriod === null\n        ? null", "false\n        ? null"],
  [
    "S5",
    "an undone SIM is free before the telco has cancelled",
    'clean ? { _tag: "Free" } :',
    'true ? { _tag: "Free" } :'
  ],
  ["S5", "an undone SIM is never free", 'clean ? { _tag: "Free" } :', 'false ? { _tag: "Free" } :'],
  ["S5", "what may be at the telco is not cancelled", "jobs: clean\n", "jobs: true\n"],
  ["S5", "an undone package is cancelled, though it was used", "              isUndone: true\n", ""],
  ["S5", "what somebody else has on the SIM is cancelled", 'isOccupied ? "Review"', 'false ? "Review"'],
  ["S5", "a SIM that somebody else has is free", " && !(isOccupied && isNew)", ""],
  ["S5", "the first order of a job is like others", "packages.length, isFirst)", "packages.length)"],
  ["S5", "an undone top-up frees the SIM", "release: isNew ? (", "release: true ? ("],
  ["S5", "an undone creation keeps the SIM", "release: isNew ? (", "release: false ? ("],
  [
    "S5",
    "an undone top-up takes the subscription along",
    "isNew = isPending(aggregate.subscription)",
    "isNew = aggregate.subscription !== null"
  ],
  [
    "S5",
    "an undone attachment stays",
    "aggregate.attachments.filter((of) => of.attachment.attachmentId !== attachment.attachmentId)",
    "aggregate.attachments"
  ],
  [
    "S5",
    "an undone subscription stays",
    "subscription: isNew ? null : aggregate.subscription",
    "subscription: aggregate.subscription"
  ],
  [
    "S5",
    "only the first package is cancelled",
    "ordered.map((occurrence) => packageId(attachment.attachmentId",
    "ordered.slice(0, 1).map((occurrence) => packageId(attachment.attachmentId"
  ]
])

export const deletion = faultsOf("Deletion.ts", "deletion", [
  ["S3", "an eSIM on a device is deleted", "if (sim.isEsim && sim.downloaded)", "if (false)"],
  ["S3", "a physical SIM that was used is not deleted", "if (sim.isEsim && sim.downloaded)", "if (sim.downloaded)"],
  ["S5", "what is being created is deleted", "if (!isLive(subscription)) {", "if (subscription === null) {"],
  [
    "S5",
    "a subscription is deleted while a plan is added",
    "if (SimAggregate.confirmed(aggregate).length < aggregate.attachments.length)",
    "if (false)"
  ],
  [
    "S3",
    "a deleted SIM is free before the telco has cancelled",
    'allocation: { _tag: "Releasing", subscriptionId },',
    'allocation: { _tag: "Free" },'
  ],
  ["S2", "a recycled SIM counts as never used", "recycledAt: now,", ""],
  ["S3", "an eSIM is sold again whose code was handed out", "sim.isEsim && !downloads ?", "false ?"],
  ["S3", "a SIM card counts as downloaded", "sim.isEsim && !downloads ?", "!downloads ?"],
  ["S3", "a SIM whose load was used is sold with it", "isLoadUsed ? { ...sim, downloaded: true } : sim", "sim"],
  ["S3", "a deleted subscription stays", '{ ...subscription, status: "Deleted" }', "subscription"],
  ["S3", "a deleted SIM is never free", '? { release: "Cancel" } :', "? { release: null } :"],
  [
    "S5",
    "what may be another customer's is cancelled with a deletion",
    "return onlyAttachments === null ?",
    "return onlyAttachments !== undefined ?"
  ],
  [
    "S3",
    "nothing is cancelled",
    "packageIds: aggregate.attachments.flatMap((of) => packageIdsAtTelco(of, now))",
    "packageIds: []"
  ],
  [
    "S3",
    "only the first plan is cancelled",
    "packageIds: aggregate.attachments.flatMap(",
    "packageIds: aggregate.attachments.slice(0, 1).flatMap("
  ],
  [
    "S3",
    "an occurrence that may be under way is not cancelled",
    "if (known === undefined) return packageId(attachmentId, occurrence, replacements)",
    "if (known === undefined) return []"
  ],
  [
    "S3",
    "only the packages that are known are cancelled",
    "? Recurrence.dueCount(terms.recurrence, anchor, now)",
    "? packages.length"
  ],
  [
    "S3",
    "a SIM in service is freed",
    "if (releaseJobOf(sim) === null) return {}",
    'if (releaseJobOf(sim) === null) return { sim: { loaded: { sim }, next: { sim: { ...sim, allocation: { _tag: "Free" } } } } }'
  ],
  ["S3", "a released SIM is not freed", 'return { ...sim, allocation: { _tag: "Free" } }', "return sim"]
])

export const packages = faultsOf("Package.ts", "deletion", [
  ["S3", "refused packages are cancelled", "isTaken({ status }) &&", ""],
  ["S3", "what ends at this instant is cancelled", ENDED, "now <= expirationAt"],
  ["S3", "what is over is cancelled", `expirationAt === null || ${ENDED}`, "true"],
  ["S3", "what waits for its first use is not cancelled", "expirationAt === null ||", "expirationAt !== null &&"]
])

export const previews = faultsOf("Preview.ts", "creation", [
  ["S9", "a package that is over counts as ordered", ".filter(isTaken)", ""],
  ["S9", "no package follows", "decision.jobs?.[0]?.dueAt ?? null", "null"],
  ["S9", "the refusal of a deletion is not foreseen", "    refusal,\n", "    refusal: null,\n"],
  ["S9", "an activation that is ahead counts", "activationAt !== null && activationAt <= now", "activationAt !== null"],
  ["S9", "a first use is not seen", "usedBytes > 0", "usedBytes > 1"],
  ["S9", "a package that is not recorded yet is left out", "packageId: id, activationAt: null", instead("id", "NIL")],
  ["S9", "a second suspension would stop packages again", "decision.sim === undefined ? undefined : ", ""],
  [
    "S9",
    "packages that exist count as never made",
    "recurrence.occurrences - own.packages.length",
    "recurrence.occurrences"
  ],
  ["S9", "a pause would change nothing", "isChanged: change !== undefined", "isChanged: false"],
  [
    "S9",
    "a pause is shown as it is before",
    "(change?.next.sim.service ?? aggregate.sim.service)",
    "aggregate.sim.service"
  ]
])
