/**
 * Faults in the engine: the fetch loops, claims, slots, leases, wake-ups, commits, reserved SIMs, calls to the telco, and
 * the leases of the memory storage. The simulation of several processes has to find them.
 *
 * None is about an order of locks: memory has no locks. The conformance suites of PostgreSQL look after those.
 */
import { type Fault, type Row, faultsIn } from "./Fault.ts"

const engine = (file: string, rows: ReadonlyArray<Row>): ReadonlyArray<Fault> =>
  faultsIn("src/app", file, "engine", rows)

const memory = (file: string, rows: ReadonlyArray<Row>): ReadonlyArray<Fault> =>
  faultsIn("adapters/memory", file, "engine", rows)

export const inEngine: ReadonlyArray<Fault> = [
  ...engine("engine/FetchLoop.ts", [
    ["S5", "a slot is never freed", "      underWay -= 1\n", ""],
    ["S5", "a full loop is not told of a free slot", "      slotFree.openUnsafe()\n", ""],
    ["S5", "work is not released when it has ended", "      return leases.release(lease)", "      return Effect.void"],
    ["S5", "leases are not renewed", "      yield* leases.hold(held.map(({ lease }) => lease))\n", ""],
    ["S5", "the last piece of a claim is not begun", "of held) {", "of held.slice(0, Math.max(1, held.length - 1))) {"],
    [
      "S5",
      "work that is due does not end the sleep",
      'woken === "TimedOut" && until === dueAt',
      "false",
      "the loop then looks at storage once more, and finds the same work due"
    ],
    [
      "S5",
      "work that was notified is not claimed",
      'woken === "Notified" ||',
      "",
      "the loop then looks at storage once more, and finds the same work due"
    ],
    [
      "S5",
      "the loop sleeps until the next poll",
      "isStandingClock ? poll : Math.min(dueAt, poll)",
      "true ? poll : Math.min(dueAt, poll)"
    ],
    [
      "S5",
      "work that is due now is slept through",
      "      if (isDue && dueAt !== null) {",
      "      if (isDue && dueAt === null) {"
    ],
    ["S5", "storage that fails once stops the loop", "Effect.sleep(RECOVERY)", "Effect.never"],
    [
      "S5",
      "the loop claims before there is a free slot",
      "    while (underWay >= slots) {",
      "    while (false) {",
      "a claim without a free slot gets nothing, and the loop claims again 10 ms later"
    ],
    [
      "clock",
      "an advance ends while work is under way",
      "    if (!isDue && underWay === 0) {",
      "    if (!isDue) {",
      "storage counts that work as held, and the advance looks again"
    ],
    [
      "clock",
      "an advance ends before due work is begun",
      "if (!isDue && underWay",
      "if (underWay",
      "an advance goes on for as long as any work is due"
    ]
  ]),
  ...engine("engine/WakeUps.ts", [
    ["S5", "a wake-up is lost", "      if (dueAt < awaited) latch.openUnsafe()\n", ""],
    ["S5", "an earlier due time is forgotten for a later one", "earliest <= dueAt", "earliest >= dueAt"],
    ["S5", "a wake-up before the sleep is lost", "if (!isNotified() && !isInterrupted()) {", "if (!isInterrupted()) {"],
    [
      "S5",
      "a sleep has no end of its own",
      "yield* Effect.forkChild(Effect.delay(timeOut, millis))",
      "yield* Effect.forkChild(Effect.never)"
    ],
    [
      "S5",
      "a time-out is not told",
      "        isTimedOut = true\n",
      "",
      "the loop then looks at storage once more, and finds the same work due"
    ]
  ]),
  ...engine("engine/Worker.ts", [
    ["S5", "jobs are not notified", "            jobLoop.wake(jobsDueAt)\n", ""],
    ["W7", "deliveries are not notified", "            deliveryLoop.wake(deliveriesDueAt)\n", ""],
    ["S5", "jobs are not done", "          yield* Effect.forkScoped(jobLoop.run)\n", ""],
    ["W7", "deliveries are not sent", "          yield* Effect.forkScoped(deliveryLoop.run)\n", ""],
    [
      "clock",
      "an advance does not wait for jobs",
      "const job = yield* jobLoop.idle",
      "const job = { dueAt: null, held: 0 }"
    ],
    [
      "clock",
      "an advance does not wait for deliveries",
      "const delivery = yield* deliveryLoop.idle",
      "const delivery = { dueAt: null, held: 0 }"
    ],
    ["clock", "an advance does not wait for other processes", "if (job.held + delivery.held === 0) return", "return"],
    [
      "clock",
      "deliveries go before the jobs of their instant",
      "isStandingClock ? Effect.asVoid(jobLoop.idle) : Effect.void",
      "Effect.void"
    ]
  ]),
  ...engine("engine/FairClaims.ts", [
    [
      "W7",
      "a partition that has too much keeps the others waiting",
      "!source.isStrict) mayNeedTurns = true",
      "false) mayNeedTurns = true"
    ],
    [
      "S5",
      "work before the place that was reached is lost",
      "reached = Number.isFinite(dueAt) ? place : undefined",
      "void place"
    ],
    [
      "S5",
      "claims never start from the beginning",
      "terms.machineNow >= nextFullScan ? undefined : reached",
      "false ? undefined : reached"
    ],
    [
      "S5",
      "a claim passes over work",
      "isBefore(reached, place)) reached = place",
      "isBefore(reached, place)) reached = { ...place, dueAt: place.dueAt + 1_000 }"
    ],
    ["W7", "a partition loses its turn while it has work", "of.count < count ? []", "of.count <= count ? []"]
  ]),
  ...engine("engine/DeliverySlots.ts", [
    ["W7", "an organization takes all slots", "Math.max(2, organizations.size", "Math.max(1, organizations.size"],
    ["W7", "a delivery's slot is never freed", "      add(partition, -1, (of?.slow ?? 0) > 0, now)\n", ""]
  ]),
  ...engine("engine/DeliveryDispatcher.ts", [
    [
      "W7",
      "a delivery without a slot is kept",
      "    yield* Effect.ignore(commits.write({ deliveries: { settled: left } }))\n",
      ""
    ],
    [
      "W7",
      "the outcome of an attempt is not stored",
      "Effect.flatMap(attempt(due), (outcome) => settle(due, token, outcome))",
      "attempt(due)"
    ],
    ["W7", "endpoints without slots do not take turns", "    claims.takeTurns()\n", ""],
    ["W5", "deliveries about one SIM overtake each other", "        before === undefined\n", "        true\n"],
    ["W5", "the next delivery about a SIM is not begun", "        Deferred.doneUnsafe(done, Exit.void)\n", ""]
  ]),
  ...engine("engine/Leases.ts", [
    ["S5", "a lease is never renewed", "if (!age.isNew) old.push(lease)", "if (false) old.push(lease)"],
    ["S5", "leases of jobs are not renewed", "if (heldJobs.length > 0) yield*", "if (false) yield*"],
    ["W7", "leases of deliveries are not renewed", "if (heldDeliveries.length > 0) yield*", "if (false) yield*"],
    [
      "S5",
      "a lease is renewed into the past",
      "(yield* MachineClock.currentTimeMillis) + leaseMillis",
      "(yield* MachineClock.currentTimeMillis) - leaseMillis"
    ],
    [
      "S5",
      "leases are renewed once only",
      "Effect.andThen(Effect.delay(renewOrLog, leaseMillis / RENEWALS), renewals)",
      "Effect.delay(renewOrLog, leaseMillis / RENEWALS)"
    ],
    [
      "S5",
      "jobs are not handed back by a process that stops",
      "if (of.jobs.length > 0) yield* jobs.handBack(of.jobs)",
      "if (false) yield* jobs.handBack(of.jobs)"
    ]
  ]),
  ...engine("engine/BackgroundTasks.ts", [
    [
      "S5",
      "a process that stops does not hand back its work",
      "yield* Effect.timeoutOption(leases.handBack(held), PATIENCE)",
      "void held"
    ],
    ["S5", "a lease is over as it begins", "until: now + leaseMillis", "until: now"],
    [
      "S5",
      "a request that is gone takes its job along",
      "Effect.forkDetach(Effect.interruptible(effect))",
      "Effect.forkChild(Effect.interruptible(effect))"
    ]
  ]),
  ...engine("engine/JobRunner.ts", [
    [
      "S5",
      "the lease of a request's job is not renewed",
      "Effect.andThen(leases.hold([lease]), Effect.ensuring(effect, leases.release(lease)))",
      "effect"
    ]
  ]),
  ...engine("commit/Commits.ts", [
    ["S5", "a conflict is not decided again", 'if (error.on === "lease" || made >= ATTEMPTS) {', "if (true) {"],
    [
      "S5",
      "a lost lease is asked for again and again",
      'error.on === "lease" || made',
      "made",
      "it is refused a hundred times, and then fails as it does at once"
    ],
    ["S5", "a job is put without the lease of its request", "lease: lease ?? null", "lease: null"],
    [
      "W2",
      "a job does not know whose answer it makes",
      "isAwaited(job.work) ? (context?.request.key ?? null) : null",
      "null"
    ],
    ["W2", "a key that is taken counts as free", "Effect.die(new IdempotencyContext.KeyTaken())", "Effect.void"],
    [
      "W2",
      "the first commit has no idempotency record",
      "context === null || outcome === undefined\n          ? commit",
      "true\n          ? commit"
    ]
  ]),
  ...engine("fast/SimReservationPool.ts", [
    [
      "S2",
      "reserved SIMs that nobody asked for are kept",
      "      releaseStale(now)\n      release(ahead.splice(target))\n",
      ""
    ],
    [
      "S2",
      "a reserved SIM is never released",
      "begin(Effect.ignore(storage.sims.release({ organizationId, reservations: held })))",
      "void held"
    ],
    [
      "S2",
      "a request is told that none is left while one is reserved",
      'exit.value.shortage === "None"',
      "exit.value.shortage !== null"
    ],
    ["S2", "a SIM is given twice", "const reservation = ahead.shift()", "const reservation = ahead[0]"],
    [
      "S2",
      "requests that wait are forgotten",
      "      const next = waiting.shift()\n",
      "      const next = undefined as Waiting | undefined\n"
    ],
    ["S2", "a pool reserves only once", "    isReserving = false\n", ""]
  ]),
  ...engine("telco/TelcoCall.ts", [
    [
      "S5",
      "a telco that does not answer is waited for",
      "duration: telcoTimeoutMillis",
      "duration: 1_000 * telcoTimeoutMillis"
    ],
    ["S5", "a job that is done stays", "finished: [{ jobId: held.job.jobId, token: held.token }]", "finished: []"],
    ["S5", "a retry does not count", "const attempts = job.attempts + 1", "const attempts = Math.max(1, job.attempts)"],
    ["S5", "a job is retried at once", "Math.max(next.dueAt, now + wait)", "now"],
    ["W2", "the answer of a job is not recorded", ": settling(held, outcome)", ": {}"],
    [
      "W2",
      "a request that failed is not forgotten",
      'outcome === "forget" ? forgetting(held)',
      'outcome === "forget" ? {}'
    ]
  ]),
  ...memory("Queue.ts", [
    ["S5", "a lease is not checked by a claim", "lease !== null && lease.until > machineNow", "false"],
    ["S5", "a lease never ends", "lease !== null && lease.until > machineNow", "lease !== null"],
    [
      "S5",
      "a claim is given without a lease",
      "for (const value of taken) this.put(value, { token, until })",
      "for (const value of taken) this.put(value, null)"
    ],
    [
      "S5",
      "a lease is renewed with another's token",
      "if (row?.lease?.token === token) this.put",
      "if (row !== undefined) this.put"
    ],
    [
      "S5",
      "work is claimed before it is due",
      "if (row.place.dueAt > now) return",
      "if (row.place.dueAt > now + 60_000) return"
    ]
  ]),
  ...memory("Commits.ts", [
    ["S5", "a commit under a lost lease is let through", 'if (!leasesHold(tables, commit)) return "lease"\n', ""],
    ["S1", "a commit on an old version is let through", "!versionsHold(tables, commit) || ", ""],
    [
      "W2",
      "an idempotency key is given twice",
      'idempotencyKeysAreFree(tables, commit) ? null : "idempotency key"',
      "null"
    ],
    [
      "S5",
      "a retried job keeps its lease",
      "{ ...known.value, ...given }, null)",
      "{ ...known.value, ...given }, known.lease)"
    ]
  ]),
  ...memory("Sims.ts", [
    [
      "S2",
      "a reserved SIM is reserved again",
      ".filter(({ reservation }) => reservation === null || reservation.until <= machineNow)\n",
      ""
    ],
    [
      "S2",
      "a reservation never ends",
      "reservation === null || reservation.until <= machineNow",
      "reservation === null"
    ],
    ["S2", "another's reservation is released", "if (row?.reservation?.token === token) row", "if (row) row"]
  ])
]
