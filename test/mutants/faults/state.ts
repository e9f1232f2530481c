/**
 * Faults in the state of an attachment, in all that is shown of it and in what is notified of it:
 * T2, T6, T7, S4 and E1.
 */
import { faultsOf } from "./Fault.ts"

const SUSPENDED = "if (of.attachment.suspendedAt !== null)"
const ENDED = "if (expirationAt !== null && expirationAt <= now)"
const BEGUN = "if (now < activationAt)"
const EXPIRY = "Recurrence.expiration(terms, terms.recurrence, anchor)"

const view = faultsOf("Attachment.ts", "state", [
  ["T2", "a suspension does not show", SUSPENDED, "if (false)"],
  [
    "T2",
    "a suspension shows a millisecond late",
    SUSPENDED,
    "if (of.attachment.suspendedAt !== null && of.attachment.suspendedAt < now)"
  ],
  [
    "T2",
    "a final state is left: what is suspended expires",
    SUSPENDED,
    "if (of.attachment.suspendedAt !== null && now < (times(of).expirationAt ?? Number.POSITIVE_INFINITY))"
  ],
  [
    "T2",
    "a final state is left: what expired is active a day later",
    ENDED,
    "if (expirationAt !== null && expirationAt <= now && now < expirationAt + 86_400_000)"
  ],
  [
    "T2",
    "what waits for its first use is not suspended",
    SUSPENDED,
    "if (of.attachment.suspendedAt !== null && times(of).activationAt !== null)"
  ],
  ["T2", "what has no package waits for its first use", "of.packages.length > 0", "of.packages.length >= 0"],
  ["T2", "nothing waits for its first use", "of.packages.length > 0", "of.packages.length > 1"],
  [
    "T2",
    "what waits for its first use is active",
    'if (activationAt === null) return of.packages.length > 0 ? "PENDING_FOR_FIRST_USE" : "CREATED"',
    'if (activationAt === null) return "ACTIVE"'
  ],
  ["T2", "active a millisecond late", BEGUN, "if (now <= activationAt)"],
  ["T2", "active a millisecond early", BEGUN, "if (now < activationAt - 1)"],
  ["T2", "active from the creation on", BEGUN, "if (false)"],
  ["T2", "active 12 h early, with the package", BEGUN, "if (now < activationAt - Recurrence.PROVISIONING_LEAD)"],
  ["T2", "expired a millisecond late", ENDED, "if (expirationAt !== null && expirationAt < now)"],
  ["T2", "expired a millisecond early", ENDED, "if (expirationAt !== null && expirationAt <= now + 1)"],
  ["T2", "nothing expires", ENDED, "if (false)"],
  ["T2", "what has no expiry is expired", ENDED, "if (expirationAt === null || expirationAt <= now)"],
  [
    "T6",
    "a recurring attachment's activation is its first package's",
    "activationAt: anchor,",
    "activationAt: packages[0]?.activationAt ?? null,"
  ],
  [
    "T6",
    "a recurring attachment has no activation before a package",
    "activationAt: anchor,",
    "activationAt: packages.length > 0 ? anchor : null,"
  ],
  ["T6", "a recurring attachment expires with its latest package", EXPIRY, "(packages.at(-1)?.expirationAt ?? null)"],
  [
    "T6",
    "a recurring attachment expires with its first package",
    EXPIRY,
    "Recurrence.window(terms, terms.recurrence, anchor, 0).end"
  ],
  ["T6", "an attachment that does not recur has no activation", "only?.activationAt ?? null", "null"],
  ["T6", "an attachment that does not recur has no expiry", "only?.expirationAt ?? null", "null"],
  ["T6", "a recurring attachment shows what was used of its first package", ": packages.findLast(", ": packages.find("],
  [
    "T6",
    "a recurring attachment shows what was used of its latest package, begun or not",
    " && pack.activationAt <= now)\n",
    ")\n"
  ],
  ["T6", "a package has begun a millisecond late", "pack.activationAt <= now)\n", "pack.activationAt < now)\n"],
  ["T6", "a refused package shows what was used", "!isRefused(pack) && pack", "pack"],
  ["T6", "nothing is used", "counted?.usedBytes ?? 0", "0"],
  ["T6", "refused packages are shown", "of.packages.filter((pack) => !isRefused(pack))", "of.packages"],
  [
    "T6",
    "packages that lapsed are not shown",
    "of.packages.filter((pack) => !isRefused(pack))",
    'of.packages.filter((pack) => pack.status === "Created")'
  ],
  [
    "T6",
    "packages are shown newest first",
    "of.packages.filter((pack) => !isRefused(pack))",
    "of.packages.filter((pack) => !isRefused(pack)).toReversed()"
  ],
  ["S4", "an attachment is not found by its id", "if (byId !== undefined) return byId", ""],
  ["S4", "the oldest of several active ones is found", "ofPlan.findLast((candidate)", "ofPlan.find((candidate)"],
  ["S4", "the newest is found, active or not", 'state(candidate, now) === "ACTIVE"', "true"],
  ["S4", "the oldest is found where none is active", "?? ofPlan.at(-1)", "?? ofPlan[0]"],
  ["S4", "nothing is found where none is active", " ?? ofPlan.at(-1)", ""]
])

const suspending = faultsOf("Suspension.ts", "state", [
  [
    "T7",
    "a final state is left: what expired is suspended",
    'case "EXPIRED":\n      return Result.fail(new AttachmentExpired({ attachmentId }))',
    'case "EXPIRED":'
  ],
  [
    "T7",
    "again moves the suspension",
    "return Result.succeed(nothing)",
    "return Result.succeed({ sim: aggregate.sim, attachments: [{ ...of.attachment, suspendedAt: now }] })"
  ],
  [
    "T7",
    "again is refused",
    "return Result.succeed(nothing)",
    "return Result.fail(new AttachmentExpired({ attachmentId }))"
  ],
  [
    "T7",
    "what is not active is not suspended",
    'case "CREATED":',
    'case "CREATED":\n      return Result.succeed(nothing)'
  ],
  ["T7", "suspended a millisecond late", "suspendedAt: now }", "suspendedAt: now + 1 }"],
  ["T7", "the telco is called an hour late", "dueAt: now", "dueAt: now + 3_600_000"],
  [
    "T7",
    "another attachment is suspended at the telco",
    "iccid: aggregate.sim.iccid, attachmentId }",
    'iccid: aggregate.sim.iccid, attachmentId: aggregate.attachments[0]?.attachment.attachmentId ?? "" }'
  ],
  [
    "S5",
    "what is not to be seen is suspended",
    "found === undefined || !found.attachment.confirmed",
    "found === undefined"
  ]
])

export const state = [...view, ...suspending]

export const lifecycle = faultsOf("Lifecycle.ts", "lifecycle", [
  ["E1", "the notice comes a day late", "expirationAt - NOTICE", "expirationAt"],
  [
    "E1",
    "the notice may come before the activation",
    "Math.max(activationAt, expirationAt - NOTICE)",
    "expirationAt - NOTICE"
  ],
  ["E1", "what is due now is notified later", "from <= at && at <= now)", "from <= at && at < now)"],
  ["E1", "what was notified before is notified again", "from <= at && ", ""],
  ["E1", "nothing follows the activation", "nextAt: all.find(({ at }) => at > now)?.at ?? null", "nextAt: null"],
  ["E1", "an unconfirmed attachment is notified", "of?.attachment.confirmed === true", "of !== undefined"],
  [
    "E1",
    "every change of an attachment notifies of its activation",
    "known !== undefined && milestones(known).length > 0",
    "false"
  ],
  ["E1", "a suspended attachment is followed on", "&& attachment.suspendedAt === null", ""],
  ["E1", "what was not notified before a suspension is dropped", "causes.push(...late(of), {", "causes.push({"],
  [
    "E1",
    "what was not notified before a deletion is dropped",
    ".filter(isFollowed).flatMap(late)",
    ".flatMap(() => NONE)"
  ],
  ["E1", "a deletion notifies late of a suspended attachment", "isFollowed(of) && (isDeleted", "(isDeleted"],
  ["E1", "a refused package is notified as created", 'Refused: "package.refused"', 'Refused: "package.created"'],
  ["E1", "a lapsed package is notified as created", "Lapsed: null", 'Lapsed: "package.created"'],
  ["E1", "every commit of packages notifies all of them", "|| type === stored.get(pack.occurrence)", ""],
  ["E1", "each change of a subscription notifies of its creation", 'to === "Live" && from !== "Live"', 'to === "Live"']
])
