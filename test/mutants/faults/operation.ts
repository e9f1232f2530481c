/**
 * Faults in what processes say of themselves, in the secrets and uses of API keys, and in edits of
 * versions: W3 and W16. The tests of these find them; no random run goes by them.
 */
import { faultsIn, faultsOf, instead, without } from "./Fault.ts"

const inProcesses = [
  ...faultsIn("src/domain", "Process.ts", "operation", [
    ["processes", "the newest are shown first", "a.startedAt - b.startedAt", "b.startedAt - a.startedAt"],
    ["processes", "all are shown", ".slice(0, SHOWN)", ""],
    ["processes", "those that start together swap places", "? -1 : 1", "? 1 : -1"]
  ]),
  ...faultsIn("src/domain", "Rates.ts", "operation", [
    ["processes", "spans are added by their places", " + (first.from - other.from) / SPAN", ""],
    ["processes", "spans are moved the other way", "first.from - other.from", "other.from - first.from"],
    [
      "processes",
      "what failed counts as all",
      'failed: sum(kind, "failed")',
      instead('sum(kind, "failed")', 'sum(kind, "all")')
    ]
  ]),
  ...faultsIn("src/app/engine", "Processes.ts", "operation", [
    [
      "processes",
      "one that was killed is never forgotten",
      "silentSince: process.beatAt - Rules.SILENCE",
      "silentSince: 0"
    ],
    [
      "processes",
      "one that was killed is shown until another says something",
      "since: own.beatAt - Rules.SILENCE",
      "since: 0"
    ],
    ["processes", "a process is shown twice", ".filter((one) => one.processId !== processId)", ""],
    [
      "processes",
      "a process sees itself as it last said",
      "[own, ...all.filter((one) => one.processId !== processId)]",
      "all"
    ],
    ["processes", "jobs count as deliveries", "held.length - heldJobs", "held.length"],
    ["processes", "deliveries count as jobs", 'held.filter(({ _tag }) => _tag === "Job").length', "held.length"],
    [
      "processes",
      "what it runs is said half a minute later",
      "            running.add(own)\n            changed.openUnsafe()",
      without("\n            changed.openUnsafe()")
    ],
    ["processes", "what it has run is said for ever", "running.delete(own)", "false"],
    ["processes", "what it runs twice is said twice", "[...new Set([...running].flat())]", "[...running].flat()"],
    ["processes", "what it runs is said in any order", ".flat())].toSorted()", without(".toSorted()")],
    ["processes", "it says nothing after half a minute", "changed.await, Rules.BEAT", "changed.await, 2 * Rules.BEAT"],
    ["processes", "it says nothing after a storage that failed", "Effect.ignore(beat)", "beat"],
    ["processes", "one that stops takes no leave", "storage.forgetProcess(processId)", "Effect.void"],
    ["processes", "it goes by its own clock", "now + offset", "now"],
    ["processes", "it started when it is asked", "        startedAt,\n", "        startedAt: yield* machineNow,\n"]
  ]),
  ...faultsIn("adapters/rows", "RowStorage.ts", "operation", [
    [
      "processes",
      "what it said before stays beside",
      'store.put("process", process, null)',
      'store.put("process", { ...process, processId: `${process.processId} ${process.beatAt}` }, null)'
    ],
    ["processes", "the silent stay", '        store.purge("process", silentSince, EVERYTHING)\n', ""],
    ["processes", "one that takes its leave stays", 'if (found !== null) store.remove("process", found)', ""],
    ["processes", "the silent are listed", 'list("process", "", { createdAt: since, id: "" })', instead("since", "0")]
  ])
]

const inKeys = [
  ...faultsIn("src/domain", "ApiKey.ts", "operation", [
    ["W3", "the secret before goes on for ever", " && now < previousUntil", ""],
    ["W3", "the secret before is good at its end", "now < previousUntil", "now <= previousUntil"],
    [
      "W3",
      "the secret before ends at once",
      " || (asked === previousHash && previousUntil !== null && now < previousUntil)",
      ""
    ],
    ["W3", "a key never expires", "if (expiresAt !== null && now >= expiresAt) return false", ""],
    ["W3", "a key is good at its end", "now >= expiresAt", "now > expiresAt"],
    ["W3", "a revoked key is good", "key.revokedAt === null && isGood", "isGood"],
    ["W3", "a revoked key is revoked again", "key.revokedAt ?? now", "now"],
    ["W3", "a revoked key gets a secret", "if (key.revokedAt !== null) return", "if (false) return"],
    ["W3", "the secret before is kept where it ends at once", "overlap === 0 ? null : hash", "hash"],
    ["W3", "the secret before goes on for minutes, not hours", "overlapHours * HOUR", "overlapHours * (HOUR / 60)"],
    ["W3", "an overlap has no bound", " || overlapHours > LONGEST_OVERLAP_HOURS", ""],
    [
      "W3",
      "the longest overlap is refused",
      "overlapHours > LONGEST_OVERLAP_HOURS",
      "overlapHours >= LONGEST_OVERLAP_HOURS"
    ],
    ["W3", "an overlap may be a part of an hour", "!Number.isInteger(overlapHours) || ", ""],
    ["W3", "a new key has expired", "expiresAt === null || now < expiresAt", "true"]
  ]),
  ...faultsIn("src/app/organizations", "KeyLookup.ts", "operation", [
    [
      "W3",
      "only the first use is noted",
      "if (known !== undefined && at < known.at + SECOND) return",
      "if (known !== undefined) return"
    ],
    ["W3", "an earlier use takes the place of a later one", "known !== undefined && at < known.at + SECOND", "false"],
    ["W3", "each use is written at once", "    Effect.delay(WRITTEN_AFTER),\n", ""],
    [
      "W3",
      "uses are written though none are noted",
      "isPlanned = noted.size > 0",
      "isPlanned = true",
      "each two minutes it then finds nothing to write"
    ],
    ["W3", "what could not be written is given up", "isPlanned = noted.size > 0", "isPlanned = false"],
    ["W3", "what was written is written again", "noted.delete(use.apiKeyId)", "noted.has(use.apiKeyId)"],
    ["W3", "a use during a write is lost", "if (noted.get(use.apiKeyId) === use) noted", "noted"],
    ["W3", "all keys are one statement", "WRITTEN_AT_ONCE = 1_000", "WRITTEN_AT_ONCE = 1_000_000"],
    [
      "W3",
      "the last uses are lost when the service stops",
      "Effect.ignore(Effect.timeoutOption(write, LAST_WRITE))",
      "Effect.void"
    ],
    ["W3", "what is noted does not count", "at === null || (key.lastUsedAt !== null && key.lastUsedAt >= at)", "true"],
    [
      "W3",
      "what is noted counts for a later use of another process",
      " || (key.lastUsedAt !== null && key.lastUsedAt >= at)",
      ""
    ],
    [
      "W3",
      "what is stored hides what is noted",
      "key.lastUsedAt !== null && key.lastUsedAt >= at",
      "key.lastUsedAt !== null"
    ]
  ]),
  ...faultsIn("adapters/rows", "Writes.ts", "operation", [
    [
      "W3",
      "an earlier use of a key takes the place of a later one",
      "stored !== null && stored.at >= use.at ? stored : use",
      "use"
    ],
    [
      "W3",
      "a later use of a key is not kept",
      "stored !== null && stored.at >= use.at ? stored : use",
      "stored ?? use"
    ],
    [
      "W16",
      "any version of the catalogue is replaced",
      "catalogueVersion === undefined || catalogueVersion === version",
      "true"
    ]
  ])
]

const inVersions = faultsIn("src/domain", "Version.ts", "operation", [
  [
    "W16",
    "an edit that names no version is refused",
    "expected === undefined || expected.includes(version)",
    "expected?.includes(version) === true"
  ],
  ["W16", "an edit of any version passes", "expected === undefined || expected.includes(version)", "true"],
  ["W16", "only the first version that is named counts", "expected.includes(version)", "expected[0] === version"]
])

/** A comparison of both books goes by what is wanted, and an operator decides about it: S6. */
const inComparisons = [
  ...faultsOf("Correction.ts", "operation", [
    [
      "S6",
      "a pause that is under way differs",
      "isInService(sim) && changeOfService(sim.service) === null",
      "isInService(sim)"
    ],
    ["S6", "service of a SIM that nobody has differs", "isInService(sim) && changeOfService", "changeOfService"],
    [
      "S6",
      "a mobile plan that is being changed differs",
      "changeOfPlan(mobilePlan) === null ? mobilePlan.applied : null",
      "mobilePlan.applied"
    ]
  ]),
  ...faultsOf("Problem.ts", "operation", [
    ["S6", "an operator's word on a SIM cancels nothing", 'release: "Confirmed" }', 'release: "Review" }'],
    ["S6", "a problem without a correction is done by a job", "return correction === undefined ? null :", "return"],
    ["S6", "what is being cancelled is listed by another problem", "work.packageIds.includes(packageId)", "false"]
  ])
]

export const operation = [...inProcesses, ...inKeys, ...inVersions, ...inComparisons]
