/**
 * Faults in what the telco's reports come to: R1, R3, T3, I2, S2.
 */
import { faultsOf, instead } from "./Fault.ts"

const AHEAD = "report.occurredAt > now + AHEAD_LIMIT"
const DELTA = "report.occurredAt < now - DELTA_AGE"
const SERVED = "suspendedAt === null || at < suspendedAt"
const BORN = "createdAt - AHEAD_LIMIT <= at"
const ACTIVE = "pack.activationAt !== null && pack.activationAt <= at && at < end(pack)"
const EARLIER = "end(pack) < end(active.pack)"

const RAISED = "fact, usedBytes - pack.usedBytes)"
const COUNTRY = "countryAlpha2 ?? codeOf(Location.countryAt(sim.location, occurredAt))"

const book = [
  ...faultsOf("TelcoReport.ts", "reports", [
    ["U1", "the total is booked, not what it rises by", RAISED, "fact, usedBytes)"],
    [
      "U1",
      "usage is booked when it is committed",
      "UsageBook.dayOf(occurredAt)",
      "UsageBook.dayOf(sim.lastActivityAt ?? 0)"
    ],
    ["U1", "a report's own country does not count", COUNTRY, "codeOf(Location.countryAt(sim.location, occurredAt))"],
    ["U1", "where the SIM was does not count", COUNTRY, "countryAlpha2 ?? null"],
    [
      "U1",
      "usage is where the SIM was last seen at all",
      COUNTRY,
      "countryAlpha2 ?? sim.location?.countryAlpha2 ?? null"
    ]
  ]),
  ...faultsOf("UsageBook.ts", "reports", [
    ["U1", "a day ends an hour early", "Math.floor(instant / DAY)", "Math.floor((instant + 3_600_000) / DAY)"],
    ["U1", "of two reports of a day the last one counts", "plus(known.bytes, entry.bytes)", "entry.bytes"],
    ["U1", "of a group's entries the last one counts", "plus(found.get(key)?.bytes ?? 0, bytes)", "bytes"],
    ["U1", "the days of a month are apart", "month: monthOf(day)", "month: day"],
    ["U1", "every month has 31 days", "monthOf(addDays(month, 31))", "addDays(month, 31)"],
    ["U1", "days and months make one list", ' && !(list.includes("day") && list.includes("month"))', ""],
    ["U1", "SIMs stand beside other groups", 'groups === "sim" ? groups', 'groups.endsWith("sim") ? "sim"'],
    ["U1", "a country that is not known comes last", 'Total) => countryAlpha2 ?? ""', 'Total) => countryAlpha2 ?? "~"']
  ]),
  ...faultsOf("UsageReconciliation.ts", "reports", [
    ["U1", "bytes of an attachment that is gone move", "?? Number.POSITIVE_INFINITY", "?? 0"],
    ["U1", "what was used today goes back", "let back = now - today.least", "let back = now"],
    ["U1", "whatever is too much goes to today", "let ahead = today.most - now", "let ahead = today.most"],
    ["U1", "bytes are taken and not given", "add({ ...entry, ...to, bytes })", "void to"],
    ["U1", "bytes stay where they were as well", "add({ ...entry, bytes: -bytes })", "void 0"],
    ["U1", "a SIM has used before it was there", "&& bornOn(entry) <= to)", "&& bornOn(entry) < Infinity)"],
    ["U1", "a country gets more than the telco has", ", usedIn(to) - bookedIn(to))", ", usedIn(to))"],
    ["U1", "the oldest attachments go first", "bornOn(right) - bornOn(left)", "bornOn(left) - bornOn(right)"],
    [
      "U1",
      "a day that cannot be compared is skipped",
      "let day = wanted; day < from",
      "let day = wanted + DAY; day < from"
    ],
    ["U1", "what our book has of it is not listed", "sum(entries.filter((entry) => entry.day === day))", "0"]
  ]),
  ...faultsOf("Location.ts", "reports", [
    ["U1", "of several visits in a country the newest is kept", "place - 1 : place", "place : place"],
    ["U1", "a SIM is in a country after it was seen there", "last.at <= at ? last", "last.at < at ? last"]
  ])
]

const ends = [
  ...faultsOf("PackageEnd.ts", "reports", [
    ["R4", "an end moves one that was taken before", "if (!isAtTelco(pack, now)) return null", ""],
    ["R4", "an end lies ahead of the clock", "Math.min(at, now)", "at"],
    ["R4", "what is in use ends before it began", "Math.max(end, activationAt)", "end"],
    [
      "R4",
      "what has not begun ends when it begins",
      "activationAt === null || now < activationAt ?",
      "activationAt === null ?"
    ],
    ["R4", "what lapsed was in use", 'reason === "depleted" || reason === "expired"', 'reason !== "revoked"'],
    ["R4", "what was taken back was in use", 'reason === "depleted" || reason === "expired"', 'reason !== "lapsed"'],
    ["R4", "what is depleted was never in use", 'reason === "depleted" || reason', "reason"],
    [
      "R4",
      "what has expired was never in use",
      'reason === "depleted" || reason === "expired"',
      'reason === "depleted"'
    ],
    [
      "R4",
      "what ended before it began waits for its first use",
      "activationAt === null && expirationAt === null",
      "activationAt === null"
    ]
  ]),
  ...faultsOf("TelcoReport.ts", "reports", [
    ["R4", "an end has no instant", ", expirationAt: end })", " })"],
    [
      "R4",
      "what was in use does not begin with its end",
      "isBegun ? activate(of, pack, end)",
      "isBegun && false ? activate(of, pack, end)"
    ],
    ["R4", "the end of the first package plans no occurrence", "jobs: begun.jobs", "jobs: NONE"],
    [
      "R4",
      "an end of one in use is no sign of a download",
      "isBegun ? withActivity(aggregate.sim, end) :",
      "isBegun ? aggregate.sim :"
    ]
  ]),
  ...faultsOf("Lifecycle.ts", "lifecycle", [
    ["R4", "an early end is not notified", "causes.push(...unnotified(known, of, until))", ""],
    ["R4", "an early end notifies again", "left.has(type) && ", ""],
    ["R4", "an early end and its job notify both", "&& !(isGoingOn && until <= at))", ")"],
    ["R4", "the job goes on after an early end", " || !milestones(own).some(({ at }) => at === from)", ""],
    ["R4", "what never began has no end", "expirationAt !== null && PackageEnd.isUnbegun(times)", "false"]
  ])
]

const spellings = [
  ...faultsOf("Iccid.ts", "reports", [
    ["I1", "an ICCID with a pad is none", "F?|", "|"],
    ["I1", "18 digits with a pad of two are none", "|(\\d{18})FF", ""],
    ["I1", "an ICCID with space around it is none", "text.trim()", "text"],
    ["I1", "the pad stays", "parse(text) ?? text", "text"]
  ]),
  ...faultsOf("Id.ts", "reports", [
    ["I13", "an id in capitals is another one", "text.toLowerCase() : text", "text : text"],
    ["I13", "a pair of ids is none", "(?::${UUID})*", ""]
  ]),
  ...faultsOf("Package.ts", "reports", [
    ["I13", "a package's id in capitals is another one", "id.toLowerCase() : id", "id : id"],
    ["S8", "what was counted counts as assumed", 'count === "assumed") &&', 'count !== "awaited") &&'],
    ["S8", "a move assumes what it waits for", " && uncountedOn(pack).length === 0", ""]
  ])
]

const intake = faultsOf("TelcoReport.ts", "reports", [
  ["R1", "5 minutes ahead at 6", "AHEAD_LIMIT = 5 * MINUTE", "AHEAD_LIMIT = 6 * MINUTE"],
  ["R1", "exactly 5 minutes ahead is refused", AHEAD, "report.occurredAt >= now + AHEAD_LIMIT"],
  ["R1", "a millisecond more than 5 minutes ahead is taken", AHEAD, "report.occurredAt > now + AHEAD_LIMIT + 1"],
  ["R1", "an id is known for two days anyway", "KNOWN_ANYWAY = DAY", "KNOWN_ANYWAY = 2 * DAY"],
  ["R1", "what came ahead of the clock is not known any more", "occurredAt - AHEAD_LIMIT)", "occurredAt)"],
  [
    "R1",
    "the ids of one report are looked up",
    "since = Math.min(since, occurredAt",
    "since = Math.min(now, occurredAt"
  ],
  ["R1", "late reports are known for longer", "return Math.max(since, now - ID_RETENTION)", "return since"],
  ["R1", "ids are forgotten within their last day", "UsageBook.dayOf(now - ID_RETENTION)", "now - ID_RETENTION"],
  ["R1", "deltas of 36 days are taken", "DELTA_AGE = 35 * DAY", "DELTA_AGE = 36 * DAY"],
  ["R1", "a delta of exactly 35 days is refused", DELTA, "report.occurredAt <= now - DELTA_AGE"],
  ["R1", "any delta is taken", DELTA, "false"],
  ["R1", "totals grow too old as well", 'fact.usage._tag === "Delta" &&', ""],
  ["R1", "used data may be less than nothing", "|| fact.usage.bytes < 0", ""],
  ["R1", "a byte may be cut", "!Number.isSafeInteger(fact.usage.bytes) ||", ""],
  ["R1", "a package is not found by the telco's id", "there.telcoPackageId === named ||", ""],
  ["R1", "a package is not found by our id", "|| there.id === ours", ""],
  ["I13", "our id is not found in capitals", "|| there.id === ours", "|| there.id === named"],
  ["R1", "usage of what the telco does not have", "if (!isTaken(pack)) continue", ""],
  ["S8", "usage counts for what the telco refused after a move", "(former === null && pack.refusal !== null)", "false"],
  ["S5", "usage of what is not to be seen", "SimAggregate.confirmed(aggregate)", "aggregate.attachments"],
  ["R1", "usage at the suspension counts", SERVED, SERVED.replace("at <", "at <=")],
  ["R1", "usage after a suspension counts", SERVED, "true"],
  ["R1", "usage before a suspension does not count", SERVED, "suspendedAt === null"],
  ["R1", "a first use starts a plan of later", BORN, "true"],
  ["R1", "a first use exactly 5 minutes before the plan does not start it", BORN, BORN.replace("<=", "<")],
  ["R1", "a first use has to come after its plan", BORN, "createdAt <= at"],
  ["R1", "usage at the activation does not count", ACTIVE, ACTIVE.replace("activationAt <= at", "activationAt < at")],
  ["R1", "usage at the expiry counts", ACTIVE, ACTIVE.replace("at < end", "at <= end")],
  ["R1", "usage before the activation counts", ACTIVE, "pack.activationAt !== null && at < end(pack)"],
  ["R1", "usage after the expiry counts", ACTIVE, "pack.activationAt !== null && pack.activationAt <= at"],
  ["R1", "usage goes to what expires last", EARLIER, EARLIER.replace("<", ">")],
  ["R1", "usage goes to the newer of two that expire together", EARLIER, EARLIER.replace("<", "<=")],
  ["T3", "a first use goes to what is active", "(waiting ?? active) :", "(active ?? waiting) :"],
  ["R1", "usage goes to what waits before what is active", ": (active ?? waiting)", ": (waiting ?? active)"],
  [
    "T3",
    "a later first use counts again",
    "const activated = PackageEnd.isWaiting(pack)",
    'const activated = report.fact._tag === "FirstUse"'
  ],
  [
    "T3",
    "usage is no first use",
    "const activated = PackageEnd.isWaiting(pack)",
    (right) => `${right} && fact === null`
  ],
  ["T3", "a first use is no anchor", "{ ...attachment, anchor: firstUse }", "attachment"],
  ["T3", "the anchor is a millisecond late", "{ ...attachment, anchor: firstUse }", instead("}", "+ 1 }")],
  [
    "T3",
    "the occurrence after a first use is not planned",
    "jobs: following === undefined ? [] : [following]",
    "jobs: []"
  ],
  ["T3", "an occurrence is left out after a first use", "pack.occurrence + 1)", "pack.occurrence + 2)"],
  ["T3", "a first use has no expiry", "expirationAt: window.end }", "expirationAt: null }"],
  ["S2", "a use is no sign of a download", "  downloaded: true,\n", ""],
  ["R3", "the last activity moves back", "Math.max(sim.lastActivityAt ?? at, at)", "at"],
  ["R3", "the first activity stays the last", "Math.max(sim.lastActivityAt ?? at, at)", "sim.lastActivityAt ?? at"],
  ["R3", "every location is a change", "location.countryAlpha2 !== before?.countryAlpha2", "true"],
  [
    "R3",
    "the first country is no change",
    "location.countryAlpha2 !== before?.countryAlpha2",
    "before !== null && location.countryAlpha2 !== before.countryAlpha2"
  ],
  [
    "R3",
    "the country reported is notified, not the last one",
    "const changed = location.countryAlpha2 !==",
    "const changed = countryAlpha2 !=="
  ],
  [
    "R3",
    "every successful SM-DP+ report is a change",
    "smdp !== null && smdp.state !== before?.state",
    "smdp !== null && smdp !== before"
  ],
  ["I2", "a failed SM-DP+ report is not kept", "smdpEntries: [entry]", "smdpEntries: smdp === before ? [] : [entry]"],
  [
    "S2",
    "a failed SM-DP+ report is a sign of a download",
    "aggregate.sim.downloaded || SmdpHistory.isSuccessful(modificationResult)",
    "true"
  ],
  [
    "S2",
    "an SM-DP+ report takes a sign of a download back",
    "aggregate.sim.downloaded || SmdpHistory.isSuccessful(modificationResult)",
    "SmdpHistory.isSuccessful(modificationResult)"
  ],
  ["I2", "a physical SIM has SM-DP+ states", "return aggregate.sim.isEsim\n", "return aggregate !== null\n"]
])

const states = [
  ...faultsOf("Location.ts", "reports", [
    ["R3", "an older location counts", "...(isOlder ? last : report)", "...report"],
    ["R3", "a location of the same instant does not count", "report.at < last.at", "report.at <= last.at"],
    ["R3", "the first location stays", "report.at < last.at", "true"],
    ["R3", "a last operator is shown for 8 days", "7 * DAY", "8 * DAY"],
    [
      "R3",
      "a last operator is not shown at the 7th day's end",
      "now - lastActivityAt > ACTIVITY_WINDOW",
      "now - lastActivityAt >= ACTIVITY_WINDOW"
    ],
    ["R3", "a last operator is shown forever", "now - lastActivityAt > ACTIVITY_WINDOW", "false"]
  ]),
  ...faultsOf("SmdpHistory.ts", "reports", [
    ["R3", "failed states count", "if (!isSuccessful(entry.modificationResult)) return current", ""],
    ["R3", "older states count", "entry.modifiedAt < current.modifiedAt", "false"],
    ["R3", "a state of the same instant does not count", "entry.modifiedAt < current.modifiedAt", instead("<", "<=")]
  ]),
  ...faultsOf("SimAggregate.ts", "reports", [
    [
      "R1",
      "all packages are replaced by the one that was used",
      "pack.occurrence === next.occurrence ? next : pack",
      "next"
    ],
    [
      "R1",
      "all attachments are replaced by the one that was used",
      "of.attachment.attachmentId === next.attachment.attachmentId ? next : of",
      "next"
    ]
  ])
]

export const reports = [...intake, ...ends, ...spellings, ...states, ...book]
