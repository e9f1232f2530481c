/**
 * Faults in what becomes of orders, commands and keys while a telco fails: S5, S6, H1, E2, W2 and
 * W7.
 */
import { faultsOf, instead, without } from "./Fault.ts"

const interrupted = faultsOf("Provisioning.ts", "creation", [
  [
    "S5",
    "an interrupted top-up takes the SIM out of service",
    "if (!isPending(subscription)) return aggregate",
    "if (subscription === null) return aggregate"
  ],
  [
    "S5",
    "an interrupted SIM is not on its way back",
    'reallocated(aggregate, "Releasing")',
    'reallocated(aggregate, "Provisioning")'
  ],
  ["S5", "a resumed SIM is still on its way back", 'reallocated(aggregate, "Provisioning")', "aggregate"],
  ["S5", "an undo leaves out what was due at the creation", "over ? [] : [occurrence]", "over ? [occurrence] : []"],
  ["S5", "an undo cancels what was over", "over ? [] : [occurrence]", "[occurrence]"]
])

const owned = faultsOf("SimAggregate.ts", "creation", [
  ["S5", "packages of a SIM that is being sold have no owner", 'case "Provisioning":\n', ""],
  ["S5", "packages of a SIM in service have no owner", "return attachments\n", "return []\n"],
  ["S5", "packages of a SIM in stock are somebody's", "return []\n", "return attachments\n"],
  [
    "T5",
    "a job of one attachment gets those of the others",
    "aggregate.attachments.filter((of) => of.attachment.attachmentId === attachmentId)",
    "aggregate.attachments"
  ],
  [
    "S5",
    "what was taken on the SIM of before counts",
    "(replacement?.number ?? 0) === replacements",
    "replacements >= 0"
  ],
  [
    "S5",
    "an order that was refused is one that was taken",
    "telcoPackageId !== null && (replacement?.number",
    "telcoPackageId !== undefined && (replacement?.number"
  ],
  [
    "S5",
    "a further plan is no first order",
    "isTakenHere ? null :",
    "isTakenHere || aggregate.attachments.length > 1 ? null :"
  ],
  ["S5", "each order is a first one", "isTakenHere ? null : ", ""]
])

const returning = faultsOf("Sim.ts", "creation", [
  ["S5", "no SIM is on its way back", 'sim.allocation._tag === "Releasing" &&', "false &&"],
  ["S5", "a SIM that was on a device is on its way back", '"Releasing" && !sim.downloaded', '"Releasing"'],
  ["S2", "a SIM that was on a device is free", '"Free" && !sim.downloaded', '"Free"'],
  ["S5", "a creation that may fail has no SIM", "sim.isEsim && isProvisioning(sim) &&", "false &&"],
  ["S5", "a SIM that was on a device is undecided", "isProvisioning(sim) && !sim.downloaded", "isProvisioning(sim)"],
  ["S5", "a physical SIM is undecided", "sim.isEsim && isProvisioning(sim)", "isProvisioning(sim)"]
])

const withheld = faultsOf("Deletion.ts", "deletion", [
  ["S5", "a SIM that was sold meanwhile is withheld", "if (isUsed(sim)) return {}", "if (false) return {}"],
  ["S5", "a withheld SIM stays in stock", "next: { ...aggregate, sim: { ...sim, allocation } } }", "next: aggregate }"],
  ["S5", "a withheld SIM never returns", 'release: areOrdered ? "Cancel" : "Review"', "release: null"],
  ["S5", "what may be a customer's is cancelled", 'areOrdered ? "Cancel" : "Review"', '"Cancel"']
])

const keys = faultsOf("Idempotency.ts", "creation", [
  ["W2", "a key is kept a millisecond longer", "record.createdAt > now - RETENTION", instead(">", ">=")],
  [
    "S5",
    "another request goes on with the attempt",
    'record.outcome._tag === "Interrupted" && record.fingerprint === request.fingerprint',
    'record.outcome._tag === "Interrupted"'
  ],
  ["S5", "an attempt is undone before its request may come", "retryAfterSeconds * SECOND + WAIT_LIMIT", "WAIT_LIMIT"],
  [
    "S5",
    "an attempt is undone as its request may come",
    "retryAfterSeconds * SECOND + WAIT_LIMIT",
    "retryAfterSeconds * SECOND"
  ],
  [
    "S5",
    "the attempt of before is resumed",
    'record?.outcome._tag === "Pending" && record.outcome.attemptId === attemptId',
    'record?.outcome._tag === "Pending"'
  ],
  ["W2", "another request gets the answer", "if (record.fingerprint !== request.fingerprint)", "if (false)"],
  [
    "W2",
    "JSON that is written in another way is another request",
    "CanonicalJson.text(value, (text, field) => (NAMES.test(field) ? named(text) : text))",
    "JSON.stringify(value)"
  ],
  [
    "W2",
    "a refusal of the later request is marked as replayed",
    '(answered.failure._tag !== "IdempotencyKeyReused" &&',
    "("
  ]
])

const canonical = faultsOf("CanonicalJson.ts", "creation", [
  ["W2", "fields count in the order that they are written in", "names.sort().reverse()", "names.reverse()"],
  ["W2", "a list is written from its end", "isList ? names.reverse()", "isList ? names"],
  ["W2", "a list and an object are the same", 'parts.push(isList ? "[" : "{")', 'parts.push("{")'],
  ["W2", "names of fields do not count", "if (!isList) parts.push", "if (false) parts.push"],
  ["W2", "a number that is too large is null", 'typeof value === "number" && !Number.isFinite(value)', "false"]
])

const refusals = faultsOf("Refusal.ts", "creation", [
  ["W2", "that a twin is under way is kept under a key", 'is not done yet",\n    retry: "Soon",', 'is not done yet",'],
  [
    "W2",
    "that there were too many SMS is kept under a key",
    'sent to the SIM ${iccid}; try again later`,\n    retry: "Soon",',
    "sent to the SIM ${iccid}; try again later`,"
  ],
  [
    "W2",
    "a quota is kept under a key",
    'may have no more of them`,\n    retry: "OnChange"',
    "may have no more of them`"
  ],
  [
    "H1",
    "SIMs that return settle a command",
    'being released; try again later`,\n    retry: "Soon"',
    'being released; try again later`,\n    retry: "OnChange"'
  ],
  [
    "H1",
    "too many SMS settle a command",
    'sent to the SIM ${iccid}; try again later`,\n    retry: "Soon"',
    'sent to the SIM ${iccid}; try again later`,\n    retry: "OnChange"'
  ]
])

const commands = faultsOf("Command.ts", "creation", [
  ["H1", "a command that has begun is cancelled", "job === null || job.attempts > 0", "job === null"],
  [
    "H1",
    "a command without a job is cancelled",
    "job === null || job.attempts > 0",
    "job !== null && job.attempts > 0"
  ],
  ["H1", "every refusal is the host's", ' && outcome.refusal._tag === "CommandCancelled"', ""],
  ["E1", "a message keeps what no storage takes", '.replaceAll("\\0", "\\uFFFD")', ""],
  ["H1", "a command is tried before the telco asks for it", "now + afterSeconds * SECOND", "now"]
])

const jobs = faultsOf("Job.ts", "creation", [
  ["S6", "a problem waits", "job.waiting !== null && job.endedAt === null", "job.waiting !== null"],
  ["S6", "each try begins the wait anew", "job.waiting?.since ?? now", "now"],
  ["S6", "those without a telco are asked for in vain", '(job.waiting.telco ?? "")', "job.waiting.telco"]
])

const groups = faultsOf("Overview.ts", "creation", [
  ["S6", "the job that waits shortest is counted", "Math.min(since, group.since)", "group.since"],
  ["S6", "the last of those that wait is next", "Math.min(nextAt, group.nextAt)", "group.nextAt"],
  ["S6", "groups of several telcos count as one job each", "count: count + group.count", "count: count + 1"]
])

const problems = faultsOf("Problem.ts", "lifecycle", [
  ["E2", "one failure holds up a SIM", "retryStep >= FAILURES", "retryStep >= FAILURES - 1"],
  ["E2", "it takes a third failure", "retryStep >= FAILURES", "retryStep > FAILURES"],
  ["E2", "what was handled holds up its SIM", "!isPending(delivery) || !mayHoldUp", "!mayHoldUp"],
  [
    "S6",
    "an event that is held up is handed out as a job",
    "message },\n    endedAt: now\n  }\n}\n\n/** Whether the job has been a problem",
    "message },\n    endedAt: null\n  }\n}\n\n/** Whether the job has been a problem"
  ]
])

const changes = faultsOf("MobilePlan.ts", "creation", [
  [
    "S5",
    "a change is turned back to what was asked",
    "target: sim.mobilePlan.applied }",
    "target: sim.mobilePlan.target }"
  ],
  ["S5", "the change is made again under its key", "iccid: sim.iccid, changeId: undoId }", without(": undoId")]
])

const deliveries = faultsOf("Delivery.ts", "lifecycle", [
  ["W7", "a delivery is given up an attempt early", "delivery.retryStep + 1 >= attempts", instead("1", "2")],
  ["W7", "a delivery is never given up", "delivery.retryStep + 1 >= attempts", "false"],
  [
    "W7",
    "a receiver that asks for a pause is called as scheduled",
    "Math.max(scheduled * longer, asked)",
    "scheduled * longer"
  ],
  [
    "W7",
    "a receiver that asks for a short pause is called sooner",
    "Math.max(scheduled * longer, asked)",
    "asked || scheduled * longer"
  ],
  [
    "W7",
    "a receiver holds up its deliveries for ever",
    "Math.min(askedWait(attempt) * longer, LONGEST_ASKED)",
    "askedWait(attempt) * longer"
  ],
  [
    "W7",
    "the longest wait that is asked for is lengthened",
    "Math.min(askedWait(attempt) * longer, LONGEST_ASKED)",
    "Math.min(askedWait(attempt), LONGEST_ASKED) * longer"
  ],
  ["W7", "a 503 asks for nothing", "new Set([429, 503])", "new Set([429])"],
  [
    "W7",
    "any answer may ask for a pause",
    'attempt._tag === "Responded" && BUSY.has(attempt.status)',
    'attempt._tag === "Responded"'
  ],
  ["E2", "the last wait does not go on", "(waits[delivery.retryStep] ?? waits.at(-1))", "waits[delivery.retryStep]"],
  ["E2", "a schedule without waits is tried again", "own.length === 0 ? 1 :", "false ? 1 :"],
  ["E2", "a wait of nothing is taken", "wait >= 1 && wait <= LONGEST_WAIT", "wait >= 0 && wait <= LONGEST_WAIT"],
  ["W7", "a replay counts for good", "retryStep === 1 && attempts > 1", "attempts > 1"],
  ["W7", "every first attempt is a replay", "retryStep === 1 && attempts > 1", "retryStep === 1"],
  ["W7", "an attempt that had no answer counts as none", '? "untried" : answerClass', '? "none" : answerClass'],
  [
    "W7",
    "a delivery that waits is under way",
    "nextAttemptAt !== null && nextAttemptAt <= now",
    "nextAttemptAt !== null"
  ]
])

const endpoints = faultsOf("WebhookEndpoint.ts", "lifecycle", [
  ["W7", "a success ends a failure at once", "(isReplay || now - endpoint.failingSince >= RECOVERY)", "true"],
  [
    "W7",
    "a replay ends no failure",
    "(isReplay || now - endpoint.failingSince >= RECOVERY)",
    "now - endpoint.failingSince >= RECOVERY"
  ],
  ["W7", "the endpoint that failed last is notified", "reduce((a, b) => Math.min(a, b))", instead("min", "max")],
  ["W6", "a token without a name is shown", "|(?<=[?&])[^=&]+(?=&|$)", ""],
  ["W6", "a fragment hides the query", "if (hash >= 0 && hash < from) return shown", "if (hash >= 0) return shown"],
  ["W6", "a user is shown", 'url.replace(USER, "***")', "url"],
  ["W6", "what is shown replaces what is there", "asked === shownUrl(url) ? url : asked", "asked"],
  ["W6", "an event shows the URL as it is", "url: shownUrl(url), reason", "url, reason"]
])

export const outages = [
  ...interrupted,
  ...owned,
  ...returning,
  ...withheld,
  ...keys,
  ...canonical,
  ...refusals,
  ...commands,
  ...jobs,
  ...groups,
  ...problems,
  ...changes,
  ...deliveries,
  ...endpoints
]
