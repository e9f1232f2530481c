/**
 * Faults in which occurrences there are, when they are due and what becomes of them: T1 and T5.
 */
import { faultsOf, instead } from "./Fault.ts"

const LEAD = "LEAD = 12 * HOUR"
const LAST = "recurrence.occurrences - 1).end"
const MONTHS = "addMonths(anchor, cycles)"
const OVER = "if (suspendedAt !== null || Recurrence.isOver(window, now))"
const RECORDED = "packages.some((pack) => pack.occurrence === occurrence)"
const STOPPED = "if (suspendedAt !== null && suspendedAt < dueAt)"
const TIMES = "reported?.activationAt ?? window?.start ?? null"

const times = faultsOf("Recurrence.ts", "recurrence", [
  ["T5", "the lead of 12 h at 11", LEAD, "LEAD = 11 * HOUR"],
  ["T5", "the lead of 12 h at 13", LEAD, "LEAD = 13 * HOUR"],
  ["T5", "the lead a millisecond short", LEAD, "LEAD = 12 * HOUR - 1"],
  ["T5", "the lead a millisecond long", LEAD, "LEAD = 12 * HOUR + 1"],
  ["T5", "12 h after, not before", "occurrence) - PROVISIONING_LEAD", "occurrence) + PROVISIONING_LEAD"],
  ["T5", "no lead at all", "occurrence) - PROVISIONING_LEAD", "occurrence)"],
  ["T5", "what ends at this instant is not over", "window.end <= now", "window.end < now"],
  ["T5", "what ends in a millisecond is over", "window.end <= now", "window.end <= now + 1"],
  ["T5", "what began is over", "window.end <= now", "window.start <= now"],
  ["T5", "the frequency is ignored", "= occurrence * recurrence.frequency", "= occurrence"],
  [
    "T5",
    "the first occurrence is a cycle late",
    "= occurrence * recurrence.frequency",
    "= (occurrence + 1) * recurrence.frequency"
  ],
  ["T5", "the frequency is added", "= occurrence * recurrence.frequency", "= occurrence + recurrence.frequency - 1"],
  ["T1", "weeks of six days", "7 * cycles", "6 * cycles"],
  ["T1", "weeks are days", "7 * cycles", "cycles"],
  ["T1", "months of 30 days", MONTHS, "addDays(anchor, 30 * cycles)"],
  [
    "T1",
    "months are accumulated",
    MONTHS,
    "Array.from({ length: cycles }).reduce<Instant>((at) => addMonths(at, 1), anchor)"
  ],
  ["T5", "a package lasts a day more", "addDays(start, terms.periodDays)", "addDays(start, terms.periodDays + 1)"],
  ["T5", "a package lasts a millisecond less", "addDays(start, terms.periodDays)", instead(")", ") - 1")],
  [
    "T5",
    "a package lasts until the next one",
    "addDays(start, terms.periodDays)",
    "Math.min(addDays(start, terms.periodDays), activation(recurrence, anchor, occurrence + 1))"
  ],
  ["T5", "what is due at this instant is not due", "middle) <= now", "middle) < now"],
  [
    "T5",
    "the last occurrence is never due",
    "let high = recurrence.occurrences",
    "let high = recurrence.occurrences - 1"
  ],
  [
    "T5",
    "an occurrence more than there are",
    "let high = recurrence.occurrences",
    "let high = recurrence.occurrences + 1"
  ],
  ["T5", "the first occurrence is always due", "let low = 0", "let low = 1"],
  ["T5", "an occurrence is skipped in the search", "else high = middle", "else high = middle - 1"],
  ["T6", "an attachment expires a cycle late", LAST, "recurrence.occurrences).end"],
  ["T6", "an attachment expires with its first occurrence", LAST, "0).end"],
  ["T6", "an attachment expires when its last occurrence begins", LAST, "recurrence.occurrences - 1).start"]
])

const chain = faultsOf("Occurrence.ts", "recurrence", [
  [
    "T5",
    "an occurrence more than there are is planned",
    "occurrence >= terms.recurrence.occurrences",
    "occurrence > terms.recurrence.occurrences"
  ],
  [
    "T5",
    "the last occurrence is not planned",
    "occurrence >= terms.recurrence.occurrences",
    "occurrence >= terms.recurrence.occurrences - 1"
  ],
  [
    "T5",
    "an occurrence is planned for its activation",
    "Recurrence.dueAt(terms.recurrence, anchor, occurrence)",
    "Recurrence.activation(terms.recurrence, anchor, occurrence)"
  ],
  [
    "T5",
    "an occurrence is planned a millisecond late",
    "Recurrence.dueAt(terms.recurrence, anchor, occurrence)",
    "Recurrence.dueAt(terms.recurrence, anchor, occurrence) + 1"
  ],
  [
    "T7",
    "what was due at the suspension is not recorded",
    STOPPED,
    "if (suspendedAt !== null && suspendedAt <= dueAt)"
  ],
  ["T7", "a suspension stops what was due long before", STOPPED, "if (suspendedAt !== null)"],
  ["T7", "a recurrence goes on after a suspension", STOPPED, "if (false)"],
  ["T5", "an occurrence is ordered again", 'if (isRecorded(of, occurrence)) return { _tag: "Nothing" }', ""],
  ["T5", "what is over is ordered", OVER, "if (suspendedAt !== null)"],
  ["T7", "what is suspended is ordered", OVER, "if (Recurrence.isOver(window, now))"],
  ["T5", "what began is not ordered", OVER, "if (suspendedAt !== null || window.start <= now)"],
  [
    "S3",
    "what is gone is taken for done",
    'if (present === null) return { _tag: "Gone" }',
    'if (present === null) return { _tag: "Nothing" }'
  ],
  ["T5", "every other occurrence is skipped", "next(attachment, occurrence + 1,", "next(attachment, occurrence + 2,"],
  ["S5", "the second order of a SIM is a first one", ' && outcome._tag !== "Created")', ")"],
  ["S5", "only the first try of a first order is one", "work.isFirst === true && ", "false && "],
  ["T5", "a recurrence ends with its second occurrence", "following === undefined ? [] : [following]", "[]"],
  [
    "T5",
    "a refusal ends the recurrence",
    "following === undefined ? [] : [following]",
    'following === undefined || outcome._tag === "Refused" ? [] : [following]'
  ],
  ["T5", "an occurrence is recorded again", "if (isRecorded(of, occurrence)) return { jobs }", ""],
  ["T5", "what is recorded is not seen", RECORDED, "packages.length > 1"],
  ["T5", "a refused occurrence is one like others", 'status: "Refused", refusal', 'status: "Created", refusal'],
  [
    "T5",
    "a refused occurrence is not recorded",
    "packages: [...of.packages, added]",
    'packages: outcome._tag === "Refused" ? of.packages : [...of.packages, added]'
  ],
  ["T5", "what lapsed is recorded as created", 'telco === null ? "Lapsed" : "Created"', '"Created"'],
  [
    "S3",
    "what was created after a deletion stays at the telco",
    "{ jobs: [cancellation(iccid, id, now)] } : {}",
    "{} : {}"
  ],
  [
    "T7",
    "what was created during a suspension goes on",
    'if (outcome._tag === "Created" && suspendedAt !== null)',
    "if (false)"
  ],
  [
    "T7",
    "what may have been created before a suspension goes on",
    'if (outcome._tag === "Lapsed" && suspendedAt !== null && !Recurrence.isOver(window, now))',
    "if (false)"
  ],
  ["T6", "the telco's activation is not taken", TIMES, "window?.start ?? reported?.activationAt ?? null"],
  [
    "T6",
    "the telco's expiry is not taken",
    "(reported?.expirationAt ?? window?.end ??",
    "(window?.end ?? reported?.expirationAt ??"
  ],
  [
    "T3",
    "a recurring package takes an activation before its first use",
    "window !== null || attachment.terms.recurrence === null ? telco : null",
    "telco"
  ],
  [
    "T3",
    "a package that was not used has an expiry",
    "expirationAt: activationAt === null ? null :",
    "expirationAt: activationAt === null ? 0 :"
  ]
])

export const recurrence = [...times, ...chain]
