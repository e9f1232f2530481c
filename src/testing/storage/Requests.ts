/**
 * What is stored of requests: idempotency records (rule W2), commands with their jobs (rule H1),
 * and audit entries (rule W11).
 */
import { Effect } from "effect"
import type { Outcome } from "../../domain/Idempotency.ts"
import { DAY, MINUTE } from "../../domain/Time.ts"
import * as UsageBook from "../../domain/UsageBook.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"
import * as Command from "../../domain/Command.ts"
import type { Request } from "../../domain/Command.ts"
import { type AuditEntry, type Filter, isAsked, SERVICE } from "../../domain/AuditEntry.ts"
import type { Commit } from "../../ports/Storage.ts"

const anyEntry: Filter = { from: null, to: null, actor: null, action: null, resourceId: null }

const newestFirst = (entries: ReadonlyArray<AuditEntry>): ReadonlyArray<AuditEntry> =>
  entries.toSorted((a, b) => b.createdAt - a.createdAt || (a.entryId < b.entryId ? 1 : -1))

const entriesOf = (world: World.World, filter: Partial<Filter> = {}, limit = 1_000) =>
  World.items(world.storage.auditEntries.page({ ...World.of(world), ...anyEntry, ...filter, after: null, limit }))

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("an idempotency record is put, settled and forgotten", function* (world) {
    const { organizationId, storage } = world
    const record = Rows.record(world)
    const { key } = record
    const read = storage.idempotencyRecords.get({ organizationId, key })
    yield* Suite.equals("before", yield* read, null)
    yield* storage.commit({ idempotency: { put: [{ record, replaces: world.now - DAY }] } })
    yield* Suite.equals("once it is put", yield* read, record)
    const outcome: Outcome = { _tag: "Succeeded", answer: { kind: "Done", value: null } }
    yield* storage.commit({ idempotency: { settled: [{ organizationId, key, outcome }] } })
    yield* Suite.equals("once it is settled", yield* read, { ...record, outcome })
    yield* storage.commit({ idempotency: { forgotten: [{ organizationId, key }] } })
    yield* Suite.equals("once it is forgotten", yield* read, null)
    yield* storage.commit({
      idempotency: {
        settled: [{ organizationId, key, outcome }],
        forgotten: [{ organizationId, key: world.id() }]
      }
    })
    yield* Suite.equals("a record that was not there is not settled", yield* read, null)
  }),

  scenario("an idempotency record is replaced if it is old enough, else it conflicts", function* (world) {
    const { now, organizationId, storage } = world
    const record = Rows.record(world)
    const { key } = record
    const put = (createdAt: number, replaces: number) => ({
      idempotency: { put: [{ record: { ...record, createdAt, fingerprint: `of ${createdAt}` }, replaces }] }
    })
    const read = storage.idempotencyRecords.get({ organizationId, key })
    yield* storage.commit(put(now, now - DAY))
    yield* World.conflicts(world, "a millisecond too young", put(now + DAY, now - 1), "idempotency key")
    yield* Suite.equals("fingerprint", (yield* read)?.fingerprint, `of ${now}`)
    yield* storage.commit(put(now + DAY, now))
    yield* Suite.equals("fingerprint", (yield* read)?.fingerprint, `of ${now + DAY}`)
    yield* World.conflicts(world, "the same again", put(now + DAY, now), "idempotency key")
  }),

  scenario(
    "a record of an interrupted request is replaced by who names its attempt, however young it is",
    function* (world) {
      const { now, organizationId, storage } = world
      const outcome = { _tag: "Interrupted", iccid: "8933010000000000018", attemptId: "left" } as const
      const record = Rows.record(world, { outcome })
      const put = (fingerprint: string, insteadOf?: string) => ({
        idempotency: {
          put: [
            {
              record: { ...record, fingerprint, outcome: { _tag: "Pending" as const } },
              replaces: now - DAY,
              ...(insteadOf !== undefined && { insteadOf })
            }
          ]
        }
      })
      const read = storage.idempotencyRecords.get({ organizationId, key: record.key })
      yield* storage.commit({ idempotency: { put: [{ record, replaces: now - DAY }] } })
      yield* Suite.equals("interrupted", yield* read, record)
      yield* World.conflicts(world, "no attempt", put("a"), "idempotency key")
      yield* World.conflicts(world, "another attempt", put("b", "other"), "idempotency key")
      yield* storage.commit(put("c", "left"))
      yield* Suite.equals("fingerprint", (yield* read)?.fingerprint, "c")
      // One that is held is replaced by who holds it, with what it has done.
      const kept = { results: "cur", refusals: [{ _tag: "NotFound", message: "ß", resource: "sim", id: "1" }] } as const
      const held = { ...outcome, attemptId: "mine", iccid: "", kept, heldUntil: now + 1 }
      const other = { ...record, key: `${record.key} held`, outcome: held }
      yield* storage.commit({ idempotency: { put: [{ record: other, replaces: now - DAY }] } })
      const further = { ...other, outcome: { ...held, kept: { ...kept, results: "curc" }, heldUntil: now + 2 } }
      yield* storage.commit({ idempotency: { put: [{ record: further, replaces: now - DAY, insteadOf: "mine" }] } })
      yield* Suite.equals("held", yield* storage.idempotencyRecords.get(other), further)
      yield* World.conflicts(
        world,
        "another one's",
        { idempotency: { put: [{ record: other, replaces: now - DAY, insteadOf: "left" }] } },
        "idempotency key"
      )
      yield* World.conflicts(world, "the same again", put("d", "left"), "idempotency key")
    }
  ),

  scenario("an idempotency key is an organization's own", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const [mine, theirs] = [Rows.record(world, { key: "k" }), Rows.record(other, { key: "k", fingerprint: "other" })]
    for (const record of [mine, theirs]) {
      yield* storage.commit({ idempotency: { put: [{ record, replaces: world.now - 1 }] } })
    }
    yield* storage.commit({ idempotency: { forgotten: [theirs] } })
    yield* Suite.equals("mine", yield* storage.idempotencyRecords.get(mine), mine)
    yield* Suite.equals("theirs", yield* storage.idempotencyRecords.get(theirs), null)
  }),

  scenario("every kind of outcome of an idempotency record is read as it was written", function* (world) {
    const { storage } = world
    const recurrence = { periodicity: "Monthly", frequency: 2, occurrences: 12 } as const
    const plan = Rows.plan(world, { version: 3, terms: Rows.terms(world, { name: 'Ü "100 %" \\', recurrence }) })
    const outcomes: ReadonlyArray<Outcome> = [
      { _tag: "Pending" },
      { _tag: "Succeeded", answer: { kind: "Done", value: null } },
      { _tag: "Succeeded", answer: { kind: "Plan", value: plan } },
      { _tag: "Succeeded", answer: { kind: "Region", value: Rows.region(world) } },
      { _tag: "Refused", refusal: { _tag: "NoFreeSim", message: "", label: "Voilet" } },
      {
        _tag: "Refused",
        refusal: { _tag: "RegionNameTaken", message: "Taken", regionName: "{}", missingIso2: [] }
      }
    ]
    for (const outcome of outcomes) {
      const record = Rows.record(world, { outcome })
      const pending = Rows.record(world)
      yield* storage.commit({
        idempotency: { put: [record, pending].map((one) => ({ record: one, replaces: world.now })) }
      })
      yield* Suite.equals("put", yield* storage.idempotencyRecords.get(record), record)
      yield* storage.commit({ idempotency: { settled: [{ ...pending, outcome }] } })
      yield* Suite.equals("settled", yield* storage.idempotencyRecords.get(pending), { ...pending, outcome })
    }
  }),

  scenario("a command is put with its job, or neither is", function* (world) {
    const { jobs, storage } = world
    const command = Rows.command(world)
    const { commandId } = command
    const put = { job: Rows.job(world, { work: { _tag: "RunCommand", commandId } }), lease: null }
    yield* Suite.equals("before", yield* storage.commands.get(command), null)
    yield* storage.commit({ commands: { put: [command] } })
    yield* Suite.equals("once it is put", yield* storage.commands.get(command), command)
    const again = { commands: { put: [Rows.command(world), command] }, jobs: { put: [put] } }
    yield* World.conflicts(world, "the same id again", again, "command")
    yield* Suite.equals("the jobs", yield* jobs.claim(World.claim(world)), [])
  }),

  scenario("a command is settled once", function* (world) {
    const { now, storage } = world
    const command = Rows.command(world)
    const settle = (outcome: Outcome, settledAt: number) =>
      storage.commit({ commands: { settled: [{ ...command, outcome, settledAt }] } })
    const outcome: Outcome = { _tag: "Refused", refusal: { _tag: "NoFreeSim", message: "", label: "Voilet" } }
    yield* settle(outcome, now)
    yield* Suite.equals("one that is not there is not settled", yield* storage.commands.get(command), null)
    yield* storage.commit({ commands: { put: [command] } })
    yield* settle(outcome, now + MINUTE)
    const settled = { ...command, outcome, settledAt: now + MINUTE }
    yield* Suite.equals("once it is settled", yield* storage.commands.get(command), settled)
    yield* settle({ _tag: "Succeeded", answer: { kind: "Done", value: null } }, now + 2 * MINUTE)
    yield* Suite.equals("settled again", yield* storage.commands.get(command), settled)
  }),

  scenario("a job of which no attempt was given back is cancelled once, whoever holds it", function* (world) {
    const { jobs, now, storage } = world
    const [held, given] = [Rows.job(world), Rows.job(world)]
    const token = world.id()
    yield* storage.commit({ jobs: { put: [held, given].map((job) => ({ job, lease: null })) } })
    yield* Suite.equals("those claimed", (yield* jobs.claim(World.claim(world, { token }))).length, 2)
    const retried = [{ ...World.of(world), jobId: given.jobId, token, dueAt: now + MINUTE, attempts: 1 }]
    yield* storage.commit({ jobs: { retried } })
    const cancel = (jobId: string) => ({ jobs: { cancelled: [{ ...World.of(world), jobId }] } })
    yield* World.conflicts(world, "one that has begun", cancel(given.jobId), "version")
    yield* storage.commit(cancel(held.jobId))
    yield* Suite.equals("the cancelled one", yield* storage.jobs.get(held), null)
    yield* Suite.equals("the other one", (yield* storage.jobs.get(given))?.attempts, 1)
    yield* World.conflicts(world, "again", cancel(held.jobId), "version")
    const finished = { jobs: { finished: [{ ...World.of(world), jobId: held.jobId, token }] } }
    yield* World.conflicts(world, "who held it", finished, "lease")
    const again = yield* jobs.claim(World.claim(world, { token, now: now + MINUTE }))
    yield* Suite.equals(
      "the other one, later",
      again.map(({ jobId }) => jobId),
      [given.jobId]
    )
    yield* storage.commit({ jobs: { finished: [{ ...World.of(world), jobId: given.jobId, token }] } })
  }),

  scenario("commands are listed by how they stand, oldest first", function* (world) {
    const { now, storage } = world
    const outcomes: ReadonlyArray<Outcome> = [
      { _tag: "Pending" },
      { _tag: "Succeeded", answer: { kind: "Done", value: null } },
      { _tag: "Refused", refusal: { _tag: "NoFreeSim", message: "", label: "Voilet" } }
    ]
    const stored: Array<Command.Command> = []
    for (const at of [2, 0, 1, 2]) {
      for (const outcome of outcomes) {
        const pending = Rows.command(world, { createdAt: now + at })
        yield* storage.commit({ commands: { put: [pending] } })
        const settledAt = outcome._tag === "Pending" ? null : now + MINUTE
        if (settledAt !== null) yield* storage.commit({ commands: { settled: [{ ...pending, outcome, settledAt }] } })
        stored.push({ ...pending, outcome, settledAt })
      }
    }
    const theirs = Rows.command(world, { organizationId: (yield* World.neighbour(world)).organizationId })
    yield* storage.commit({ commands: { put: [theirs] } })
    stored.sort((a, b) => a.createdAt - b.createdAt || (a.commandId < b.commandId ? -1 : 1))
    for (const state of [null, ...Command.states]) {
      const expected = stored.filter((command) => state === null || Command.stateOf(command) === state)
      const read: Array<Command.Command> = []
      while (read.length < expected.length) {
        const last = read.at(-1)
        const after = last === undefined ? null : { createdAt: last.createdAt, id: last.commandId }
        const page = yield* storage.commands.page({ ...World.of(world), after, limit: 3, state })
        yield* Suite.holds(`a page of ${state ?? "all"}`, page.length > 0 && page.length <= 3)
        read.push(...page)
      }
      yield* Suite.equals(`those that are ${state ?? "there"}`, read, expected)
    }
  }),

  scenario("every kind of command is read as it was put", function* (world) {
    const { now, storage } = world
    const iccid = world.iccid()
    const requests: ReadonlyArray<Request> = [
      {
        _tag: "CreateSubscription",
        planId: "p",
        metadata: 'Ü "100 %" \\',
        iccid,
        activePeriod: { start: now, end: null }
      },
      { _tag: "SendSms", iccid, from: "simplan", text: "Grüße\n€" },
      { _tag: "SetMobilePlan", apply: false, label: "Aqua", iccid: null }
    ]
    for (const request of requests) {
      const command = Rows.command(world, { request })
      yield* storage.commit({ commands: { put: [command] } })
      yield* Suite.equals("the command", yield* storage.commands.get(command), command)
    }
  }),

  scenario("a command of that id is an organization's own", function* (world) {
    const { now, storage } = world
    const mine = Rows.command(world)
    const theirs = { ...mine, organizationId: (yield* World.neighbour(world)).organizationId }
    for (const command of [mine, theirs]) yield* storage.commit({ commands: { put: [command] } })
    const outcome: Outcome = { _tag: "Succeeded", answer: { kind: "Done", value: null } }
    yield* storage.commit({ commands: { settled: [{ ...theirs, outcome, settledAt: now }] } })
    yield* Suite.equals("mine", yield* storage.commands.get(mine), mine)
    yield* Suite.equals("theirs", yield* storage.commands.get(theirs), { ...theirs, outcome, settledAt: now })
  }),

  scenario("audit entries are listed newest first, by each filter and by all of them", function* (world) {
    const { now, storage } = world
    const iccid = world.iccid()
    const entries = [0, 3, 1, 3, 2, 5].flatMap((offset, index) => [
      Rows.auditEntry(world, { createdAt: now + offset, actor: index < 3 ? "admin" : world.id() }),
      Rows.auditEntry(world, {
        createdAt: now + offset,
        action: "sim.report",
        resourceId: iccid,
        iccid,
        address: null,
        requestId: null
      }),
      Rows.auditEntry(world, {
        createdAt: now + offset,
        action: "subscription.delete",
        iccid,
        actor: "telco",
        reason: "Stolen, sagt er: „weg“"
      })
    ])
    yield* storage.commit({ auditEntries: entries.slice(0, 4) })
    yield* storage.commit({ auditEntries: entries.slice(4) })
    const resourceId = entries[0]?.resourceId ?? null
    const filters: ReadonlyArray<Partial<Filter>> = [
      {},
      { from: now + 1 },
      { to: now + 3 },
      { from: now + 2, to: now + 3 },
      { actor: "admin" },
      { actor: "AdMiN" },
      { action: "sim.report" },
      { resourceId: iccid },
      { resourceId },
      { from: now + 1, to: now + 5, actor: "telco", action: "subscription.delete", resourceId: iccid },
      { actor: "nobody" }
    ]
    for (const filter of filters) {
      const expected = newestFirst(entries.filter((entry) => isAsked(entry, { ...anyEntry, ...filter })))
      yield* Suite.equals(`entries by ${JSON.stringify(filter)}`, yield* entriesOf(world, filter), expected)
    }
    yield* Suite.equals("another's", yield* entriesOf(yield* World.neighbour(world)), [])
  }),

  scenario("a commit that meets a conflict leaves no audit entry", function* (world) {
    const plan = Rows.plan(world)
    yield* world.storage.commit({ plans: [plan], auditEntries: [Rows.auditEntry(world)] })
    const spoilt: Commit = { plans: [plan], auditEntries: [Rows.auditEntry(world)] }
    yield* World.conflicts(world, "writing the plan as new again", spoilt, "version")
    yield* Suite.equals("entries", (yield* entriesOf(world)).length, 1)
  }),

  scenario("an import stores its audit entry once, with the first SIM that is new", function* (world) {
    const { storage } = world
    const entry = Rows.auditEntry(world, { action: "sim.import" })
    const [first, second] = [World.newSim(world), World.newSim(world)]
    yield* storage.sims.import([first])
    yield* storage.sims.import([first], entry)
    yield* Suite.equals("entries of an import of what is there", yield* entriesOf(world), [])
    yield* storage.sims.import([first, second], entry)
    yield* Suite.equals("entries of an import of one more", yield* entriesOf(world), [entry])
    yield* storage.sims.import([World.newSim(world)], entry)
    yield* Suite.equals("entries of its next part", yield* entriesOf(world), [entry])
  }),

  scenario(
    "who made a change is found by its action, resource and instant, of several entries in the last one",
    function* (world) {
      const { now, storage } = world
      const other = yield* World.neighbour(world)
      const change = { action: "plan_attachment.suspend", resourceId: world.id(), createdAt: now } as const
      const made = (actor: string, changes: Partial<AuditEntry> = {}) =>
        Rows.auditEntry(world, { ...change, actor, ...changes })
      const [earlier = "", later = ""] = [world.id(), world.id()].toSorted()
      yield* storage.commit({
        auditEntries: [
          made("second", { entryId: later }),
          made("first", { entryId: earlier }),
          made("before", { createdAt: now - 1 }),
          made("after", { createdAt: now + 1 }),
          made("else", { action: "subscription.pause", iccid: change.resourceId }),
          made("elsewhere", { resourceId: world.id() })
        ]
      })
      const actor = (changes: Partial<Parameters<typeof storage.auditEntries.actor>[0]> = {}) =>
        storage.auditEntries.actor({ ...World.of(world), ...change, ...changes })
      const found = yield* Effect.all(
        [
          actor(),
          actor({ createdAt: now - 1 }),
          actor({ createdAt: now + 2 }),
          actor({ action: "subscription.pause" }),
          actor({ resourceId: world.id() }),
          actor(World.of(other))
        ],
        { concurrency: "unbounded" }
      )
      yield* Suite.equals("who made them", found, ["second", "before", null, "else", null, null])
    }
  ),

  scenario(
    "audit entries of months that are past their time are forgotten, those of the service itself too",
    function* (world) {
      const { now, storage } = world
      const other = yield* World.neighbour(world)
      const month = UsageBook.monthOf(now)
      const at = [month - 70 * DAY, month - DAY, month - 1, month, now, month + 90 * DAY]
      const made = (of: World.World, instants: ReadonlyArray<number>) =>
        instants.map((createdAt) => Rows.auditEntry(of, { createdAt, resourceId: world.id() }))
      const ofService = (entries: ReadonlyArray<AuditEntry>) =>
        entries.map((entry) => ({ ...entry, organizationId: SERVICE, action: "catalogue.replace" as const }))
      const [mine, theirs, its] = [made(world, at), made(other, at), ofService(made(world, at))]
      yield* storage.commit({ auditEntries: [...mine, ...theirs, ...its] })
      const found = () =>
        Effect.all([
          entriesOf(world),
          entriesOf(other),
          Effect.map(entriesOf({ ...world, organizationId: SERVICE }), (entries) =>
            entries.filter(({ resourceId }) => its.some((one) => one.resourceId === resourceId))
          )
        ])
      const since = (from: number) =>
        [mine, theirs, its].map((entries) => newestFirst(entries.filter(({ createdAt }) => createdAt >= from)))
      yield* storage.purgeAudit({ before: UsageBook.monthOf(month - 70 * DAY), now })
      yield* storage.purgeAudit({ before: UsageBook.monthOf(month - 70 * DAY), now })
      yield* Suite.equals("before", yield* found(), since(0))
      yield* storage.purgeAudit({ before: month, now })
      yield* Suite.equals("afterwards", yield* found(), since(month))
      const late = Rows.auditEntry(world, { createdAt: month - DAY })
      yield* storage.commit({ auditEntries: [late] })
      yield* Suite.equals("a late one", (yield* entriesOf(world)).at(-1), late)
      yield* storage.purgeAudit({ before: month, now })
      yield* Suite.equals("which is forgotten", (yield* found())[0], since(month)[0])
      yield* storage.purgeAudit({ before: UsageBook.monthOf(month + 31 * DAY), now: month + 90 * DAY })
      yield* Suite.equals("a month later", yield* found(), since(month + 90 * DAY))
    }
  )
]
