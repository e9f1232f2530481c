/**
 * Faults in how a plan starts: the seven `active_period` rules, T3 to T5.
 */
import { faultsOf } from "./Fault.ts"

const PAST = "if (request.start < now - PAST_LIMIT)"
const ORDER = "if (request.end <= request.start)"
const FUTURE = "if (request.end <= now)"
const INITIAL = "length: Recurrence.dueCount(recurrence, anchor, createdAt)"

export const activation = faultsOf("Activation.ts", "activation", [
  ["T5", "the limit of 24 h in the past at 25 h", "PAST_LIMIT = DAY", "PAST_LIMIT = DAY + 3_600_000"],
  ["T5", "the limit of 24 h in the past at 23 h", "PAST_LIMIT = DAY", "PAST_LIMIT = DAY - 3_600_000"],
  ["T5", "exactly 24 h in the past is refused", PAST, "if (request.start <= now - PAST_LIMIT)"],
  ["T5", "24 h and a millisecond in the past are taken", PAST, "if (request.start < now - PAST_LIMIT - 1)"],
  ["T5", "any past start is taken", PAST, "if (false)"],
  ["T5", "the limit of 24 h lies in the future", PAST, "if (request.start < now + PAST_LIMIT)"],
  ["T5", "a start more than 12 h ahead is refused", PAST, "if (request.start > now + PAST_LIMIT / 2)"],
  [
    "T5",
    "a plan that recurs has to have an end",
    PAST,
    `if (request.end === null) return refuse("activePeriod.end", "is required")\n  ${PAST}`
  ],
  [
    "T5",
    "the end counts for a plan that recurs",
    PAST,
    `if (request.end !== null && request.end <= request.start) return refuse("activePeriod.end", "is wrong")\n  ${PAST}`
  ],
  ["T4", "an end at the start is taken", ORDER, "if (request.end < request.start)"],
  ["T4", "an end a millisecond after the start is refused", ORDER, "if (request.end <= request.start + 1)"],
  ["T4", "an end before the start is taken", ORDER, "if (false)"],
  ["T4", "an end at this very instant is taken", FUTURE, "if (request.end < now)"],
  ["T4", "an end a millisecond ahead is refused", FUTURE, "if (request.end <= now + 1)"],
  ["T4", "an end in the past is taken", FUTURE, "if (false)"],
  ["T4", "a start in the past is refused", FUTURE, "if (request.end <= now || request.start < now)"],
  [
    "T4",
    "a period without an end is taken, and forgotten",
    'return refuse("activePeriod.end", "is required for a plan that does not recur")',
    "return Result.succeed({ activePeriod: null, anchor: null })"
  ],
  ["T4", "the start is not required", "if (request.start === null)", "if (false)"],
  [
    "T4",
    "the plan's validity overrides the end",
    "{ start: request.start, end: request.end }, anchor: null",
    "{ start: request.start, end: addDays(request.start, terms.periodDays) }, anchor: null"
  ],
  [
    "T5",
    "an end that is ignored is not shown either",
    "{ start: request.start, end: request.end }, anchor: request.start",
    "{ start: request.start, end: null }, anchor: request.start"
  ],
  ["T5", "a start is no anchor", "anchor: request.start }", "anchor: null }"],
  ["T5", "a recurrence is counted from now", "anchor: request.start }", "anchor: now }"],
  ["T5", "a start in the past is moved to now", "anchor: request.start }", "anchor: Math.max(request.start, now) }"],
  [
    "T3",
    "a plan without a period is counted from now",
    "if (request === null) return Result.succeed({ activePeriod: null, anchor: null })",
    "if (request === null) return Result.succeed({ activePeriod: null, anchor: terms.recurrence === null ? null : now })"
  ],
  ["P1", "the last occurrence may expire with the year 9999", "< END_OF_TIME)) {", "<= END_OF_TIME)) {"],
  ["P1", "the last occurrence may not expire in the last hour", "< END_OF_TIME)) {", "< END_OF_TIME - 3_600_000)) {"],
  [
    "P1",
    "the last occurrence may expire whenever it does",
    "Recurrence.expiration(terms, terms.recurrence, request.start) < END_OF_TIME",
    "request.start < END_OF_TIME"
  ],
  [
    "T5",
    "a creation makes the first occurrence only",
    INITIAL,
    `${INITIAL.replace("length: ", "length: Math.min(1, ")})`
  ],
  [
    "T5",
    "a creation makes an occurrence however far ahead",
    INITIAL,
    `${INITIAL.replace("length: ", "length: Math.max(1, ")})`
  ],
  [
    "T5",
    "a creation makes one occurrence less",
    INITIAL,
    `${INITIAL.replace("length: ", "length: Math.max(0, ")} - 1)`
  ],
  ["T5", "an occurrence that is over is ordered", "over: Recurrence.isOver(window, createdAt)", "over: false"],
  [
    "T5",
    "an occurrence that began is not ordered",
    "over: Recurrence.isOver(window, createdAt)",
    "over: window.start <= createdAt"
  ],
  [
    "T5",
    "all occurrences of a creation are of the first's time",
    "recurrence, anchor, occurrence)\n",
    "recurrence, anchor, 0)\n"
  ],
  [
    "T4",
    "a period is forgotten: the package starts at first use",
    "? null : { start: activePeriod.start, end: activePeriod.end }",
    "? null : null"
  ],
  [
    "T4",
    "a package starts no earlier than it is asked for",
    "? null : { start: activePeriod.start, end: activePeriod.end }",
    "? null : { start: Math.max(activePeriod.start, createdAt), end: activePeriod.end }"
  ],
  ["T4", "a package lasts past its end", "end: activePeriod.end }", "end: activePeriod.end + 1 }"],
  [
    "T4",
    "a period without an end is one as well",
    "activePeriod === null || activePeriod.end === null ?",
    "activePeriod === null || false ?",
    "only a plan that recurs may have no end, and with a period it has an anchor: it never comes to here"
  ],
  [
    "T5",
    "what has an anchor recurs",
    "if (recurrence !== null && anchor !== null)",
    "if (anchor !== null && recurrence)",
    "terms are an object or null: both ask the same"
  ],
  ["T3", "the first use is a millisecond late", "start: firstUse,", "start: firstUse + 1,"],
  [
    "T3",
    "a package lasts a millisecond longer from its first use",
    "addDays(firstUse, terms.periodDays)",
    "addDays(firstUse, terms.periodDays) + 1"
  ],
  [
    "T3",
    "a package lasts a day less from its first use",
    "addDays(firstUse, terms.periodDays)",
    "addDays(firstUse, terms.periodDays - 1)"
  ]
])
