/**
 * Faults in what support finds, and is told: L1 to L3.
 */
import { faultsOf } from "./Fault.ts"

export const search = faultsOf("SimSearch.ts", "state", [
  [
    "L1",
    "the last digits find nothing",
    "sim.iccid.startsWith(iccid) || sim.iccid.endsWith(iccid)",
    "sim.iccid.startsWith(iccid)"
  ],
  ["L1", "digits find any part of an ICCID", "sim.iccid.startsWith(iccid) ||", "sim.iccid.includes(iccid) ||"],
  ["L1", "metadata are searched as they are", "found += lowered.get(character) ?? character", "found += character"],
  ["L1", "one character less is searched", "if (++count > most) break", "if (++count >= most) break"],
  [
    "L1",
    "any part of metadata is found",
    "folded(metadata).startsWith(search.metadata)",
    "folded(metadata).includes(search.metadata)"
  ],
  ["L1", "one word of several is enough", "search.words.every((word)", "search.words.some((word)"],
  [
    "L1",
    "what is no word finds all",
    "if (search.words.length === 0) return false",
    "if (search.words.length === 0) return true"
  ],
  ["L1", "the words of the first 64 characters are found", "lower(text, WORDS)", "lower(text, METADATA)"],
  [
    "L4",
    "a hit has the plan of the oldest attachment",
    "other.createdAt - one.createdAt",
    "one.createdAt - other.createdAt"
  ],
  [
    "L4",
    "a hit has its subscription's metadata, whatever was found",
    "notes(of).find((metadata) => hasText(metadata, search)) ?? own",
    "own"
  ],
  [
    "L1",
    "paused subscriptions are taken for active ones",
    "filter.status === serviceStatus(of.sim)",
    "filter.status !== serviceStatus(of.sim)"
  ]
])

export const numbers = faultsOf("CallingCodes.ts", "state", [
  ["L1", "a zero before a number stays", "code + digits.slice(trunk.length)", "code + digits"],
  [
    "L1",
    "a number with a plus sign is looked for in every country",
    "isInternational || digits.length < SHORTEST",
    "digits.length < SHORTEST"
  ],
  ["L1", "two zeros are no plus sign", 'digits.startsWith("00") ? [digits.slice(2)] : []', "[]"],
  ["L1", "a zero in parentheses is dialled", 'text.replace("(0)", "")', "text"]
])

export const reasons = faultsOf("Reason.ts", "state", [
  [
    "L2",
    "a package that begins now gives no service",
    "pack.activationAt !== null && pack.activationAt <= now",
    "pack.activationAt !== null && pack.activationAt < now"
  ],
  [
    "L2",
    "a package that ends now gives service",
    "pack.activationAt <= now && isAtTelco(pack, now)",
    'pack.activationAt <= now && pack.status === "Created" && (pack.expirationAt === null || now <= pack.expirationAt)'
  ],
  [
    "L2",
    "a package that the telco refused gives service",
    "pack.activationAt <= now && isAtTelco(pack, now)",
    "pack.activationAt <= now && (pack.expirationAt === null || now < pack.expirationAt)"
  ],
  ["L2", "an order is looked for that is not due", "now < next.dueAt || of.packages", "of.packages"],
  [
    "L2",
    "a suspended attachment waits for an order",
    'state === "SUSPENDED" || state === "EXPIRED"',
    'state === "EXPIRED"'
  ],
  [
    "L2",
    "a paused subscription gives service",
    'return pausedAt === null ? null : { _tag: "Paused", at: pausedAt }',
    "return null"
  ],
  [
    "L2",
    "the first use of a paused subscription is waited for",
    '{ _tag: "WaitsForFirstUse", pausedAt }',
    '{ _tag: "WaitsForFirstUse", pausedAt: null }'
  ],
  [
    "L2",
    "a package with all data used gives service",
    "isActive(pack, now) && !Allowance.isUsedUp(terms, pack))",
    "isActive(pack, now))"
  ],
  ["L2", "what is used up is over", "of.packages.some((one) => isActive(one, now))", "false"],
  [
    "L2",
    "after all data was used nothing follows",
    'return { _tag: "DataUsed", nextAt }',
    'return { _tag: "DataUsed", nextAt: null }'
  ],
  ["L2", "a plan is throttled beside one of full speed", "speeds.includes(null) ?", "false ?"],
  [
    "L2",
    "a suspension is confirmed that is not",
    "telco: Confirmation.of(known.suspension)",
    "telco: Confirmation.of(null)"
  ]
])

const used = faultsOf("Allowance.ts", "threshold", [
  ["L2", "a throttled plan gives no service at its end", "throttling.length === 0 && used >= ", "used >= "],
  ["L2", "the last byte is not used", "used >= dataMegaBytes", "used > dataMegaBytes"],
  ["L2", "what was used on SIMs before counts for what was ordered", " - usedOnFormer(pack) }", " }"],
  ["L2", "what was ordered after a move is all of the plan", "before === 0 ? terms : left(terms, before)", "terms"],
  [
    "L5",
    "the first step of a throttling stays",
    "throttling.findLast(({ percentage }) =>",
    "throttling.find(({ percentage }) =>"
  ]
])

const confirmations = faultsOf("Confirmation.ts", "state", [
  ["L5", "what was not asked yet is confirmed", 'waiting === null ? { _tag: "Asked" }', "waiting === null ? confirmed"],
  ["L5", "what is refused for good waits", "if (endedAt !== null) return", "if (false) return"]
])

const judgements = faultsOf("Verdict.ts", "state", [
  [
    "L5",
    "a pause comes before a deleted profile",
    '  "profile_deleted",\n  "paused",',
    '  "paused",\n  "profile_deleted",'
  ],
  [
    "L5",
    "a plan that works comes before a profile that is switched off",
    '  "profile_disabled",\n  "works",',
    '  "works",\n  "profile_disabled",'
  ],
  ["L5", "all data used comes before a plan that waits for its first use", '  "waits_for_first_use",\n', ""],
  ["L5", "a paused SIM works as before", '...(service._tag === "Running" ? [] : [service])', ""],
  ["L5", "who has the SIM is of no account", '...(standing._tag === "InService" ? [] : [standing]),', ""],
  ["L5", "the profile is of no account", "...ofProfile(profile),", ""],
  ["L5", "the last of equals is given", "order(one) < order(other)", "order(one) > order(other)"],
  [
    "L5",
    "a pause holds before the telco has confirmed it",
    'verdict.telco._tag === "Confirmed" ? false : null',
    "false"
  ],
  [
    "L5",
    "a suspension holds before the telco has confirmed it",
    ' && reason.telco._tag !== "Confirmed") return null',
    " && false) return null"
  ],
  ["L5", "what waits for its first use does not work", 'return reason._tag === "WaitsForFirstUse"', "return false"],
  ["L5", "a throttled plan goes at full speed", "return speed === null ?", "return true ?"],
  ["L5", "a state counts that the phone has disproved", "lastActivityAt === null || lastActivityAt <= at", "true"],
  ["L5", "a state of the instant of the last use does not count", "lastActivityAt <= at", "lastActivityAt < at"],
  ["L5", "a card has a profile", 'if (!isEsim) return { _tag: "Installed" }\n', ""],
  [
    "L5",
    "an installation that succeeded has failed",
    "!SmdpHistory.isSuccessful(last.modificationResult) &&",
    "",
    "the last report that succeeded is the profile's state, and a deletion is no installation"
  ],
  ["L5", "any report that failed is an installation", 'last?.state === "BPP Installation" &&', "last !== null &&"],
  [
    "L5",
    "the first report of a profile is its last",
    "one.modifiedAt >= newest.modifiedAt",
    "one.modifiedAt < newest.modifiedAt"
  ],
  ["L5", "a profile that works has failed on another phone", '(smdp === null || smdp.state === "Delete")', "true"],
  [
    "L5",
    "a change of the service is confirmed from the start",
    "Sim.changeOfService(service) === null ? Confirmation.confirmed : job",
    "Confirmation.confirmed"
  ],
  ["L5", "what is refused never leads to the problems", "problems.has(attachment.attachmentId)", "false"],
  ["L5", "a change without a job is done", 'job === null ? { _tag: "Asked" }', "job === null ? Confirmation.confirmed"]
])

const sentences = faultsOf("VerdictSummary.ts", "state", [
  ["L5", "no sentence says what to do", "message: `${what} ${next}`,", "message: what,"],
  ["L5", "what is refused always leads to the problems", "return hasProblem\n", "return true\n"]
])

const problems = faultsOf("Problem.ts", "state", [
  ["S6", "a refusal after a move stays among the problems", " || pack.refusal !== null)", ")"],
  [
    "S6",
    "only a refusal after a move ends",
    "isRefused(pack) || pack.refusal !== null",
    "!isRefused(pack) && pack.refusal !== null"
  ]
])

const moves = faultsOf("Moves.ts", "state", [
  ["S8", "each move of a subscription is its first", "before?.number ?? 0", "0"],
  ["L3", "each stay begins with the creation", "before?.at ?? createdAt", "createdAt"],
  ["S8", "a SIM forgets the moves before", "[...moves, move]", "[move]"],
  ["L3", "a stay before is taken for the last one", "const last = moves.findLast(", "const last = moves.find("],
  ["L3", "a deletion ends nothing", "{ ...move, endedAt }", "move"],
  ["L3", "moves of others count", "move.subscriptionId === subscriptionId && (move.to", "(move.to"],
  ["L3", "the SIM that was left says whether the stay has ended", "move.to === iccid || ", ""],
  ["L3", "moves come in any order", "one.number - other.number", "0"],
  ["L3", "what is sold again is still the subscription's", "sim?.movedTo === to && ", ""],
  ["L3", "nothing of a SIM that was left counts", "isStillLeft(next) ? null : next.at", "next.at"],
  ["L3", "the first SIM is left out", "stay(first.number - 1, first.from, first.since, first, null),", ""]
])

export const verdicts = [...used, ...confirmations, ...judgements, ...sentences, ...problems, ...moves]

export const history = faultsOf("SimHistory.ts", "state", [
  [
    "L3",
    "of an instant what was given comes again",
    '{ createdAt: createdAt + 1, id: "" } : { createdAt, id: "" }',
    '{ createdAt: createdAt + 1, id: "" } : { createdAt: createdAt + 1, id: "" }'
  ],
  ["L3", "of an instant what was not given is left out", "rank < reached ?", "rank > reached ?"],
  ["L3", "what lies before a place that was not reached is given", "stop === null ? all :", "stop !== null ? all :"],
  [
    "L3",
    "an event is an entry for each page that has some of its deliveries",
    "startsWith(`${last.event.eventId}:`)",
    "startsWith(`${last.event.eventId}?`)"
  ],
  ["L3", "an event does not say what of it matters most", 'word === "" ? [] : [word]', 'word !== "" ? [] : [word]'],
  ["L3", "what is to come has happened", "instant === null || instant > now", "instant === null"]
])
