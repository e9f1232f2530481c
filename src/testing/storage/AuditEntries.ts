/**
 * Audit entries: they come back as they were written, filtered and newest first, and go when they are old enough.
 */
import { Effect } from "effect"
import { type AuditEntry, type Filter, isAsked, SERVICE } from "../../domain/AuditEntry.ts"
import type { Commit } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

const all: Filter = { from: null, to: null, actor: null, action: null, resourceId: null }

const newestFirst = (entries: ReadonlyArray<AuditEntry>): ReadonlyArray<AuditEntry> =>
  entries.toSorted((a, b) => b.createdAt - a.createdAt || (a.entryId < b.entryId ? 1 : -1))

const listed = (world: World.World, filter: Partial<Filter> = {}, limit = 1_000) =>
  World.items(world.storage.auditEntries.page({ ...World.of(world), ...all, ...filter, after: null, limit }))

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("audit entries are listed newest first, by each filter and by all of them", (world) =>
    Effect.gen(function* () {
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
        Rows.auditEntry(world, { createdAt: now + offset, action: "subscription.delete", iccid, actor: "telco" })
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
        { action: "sim.report" },
        { resourceId: iccid },
        { resourceId },
        { from: now + 1, to: now + 5, actor: "telco", action: "subscription.delete", resourceId: iccid },
        { actor: "nobody" }
      ]
      for (const filter of filters) {
        const expected = newestFirst(entries.filter((entry) => isAsked(entry, { ...all, ...filter })))
        yield* Suite.equals(`entries by ${JSON.stringify(filter)}`, yield* listed(world, filter), expected)
      }
      yield* Suite.equals("another's", yield* listed(yield* World.neighbour(world)), [])
    })
  ),

  scenario("a commit that meets a conflict leaves no audit entry", (world) =>
    Effect.gen(function* () {
      const plan = Rows.plan(world)
      yield* world.storage.commit({ plans: [plan], auditEntries: [Rows.auditEntry(world)] })
      const spoilt: Commit = { plans: [plan], auditEntries: [Rows.auditEntry(world)] }
      yield* World.conflicts(world, "writing the plan as new again", spoilt, "version")
      yield* Suite.equals("entries", (yield* listed(world)).length, 1)
    })
  ),

  scenario("an import stores its audit entry once, with the first SIM that is new", (world) =>
    Effect.gen(function* () {
      const { storage } = world
      const entry = Rows.auditEntry(world, { action: "sim.import" })
      const [first, second] = [World.newSim(world), World.newSim(world)]
      yield* storage.sims.import([first])
      yield* storage.sims.import([first], entry)
      yield* Suite.equals("entries of an import of what is there", yield* listed(world), [])
      yield* storage.sims.import([first, second], entry)
      yield* Suite.equals("entries of an import of one more", yield* listed(world), [entry])
      yield* storage.sims.import([World.newSim(world)], entry)
      yield* Suite.equals("entries of its next part", yield* listed(world), [entry])
    })
  ),

  scenario("entries of the service itself are listed and purged, though no organization has their id", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      while ((yield* storage.purgeAudit({ before: now, limit: 1_000 })) > 0);
      const entries = [-2, 0].map((at) =>
        Rows.auditEntry(world, {
          organizationId: SERVICE,
          createdAt: now + at,
          action: "catalogue.replace",
          resourceId: world.id()
        })
      )
      yield* storage.commit({ auditEntries: entries })
      const ofService = () => listed({ ...world, organizationId: SERVICE }, { from: now - 2, to: now + 1 })
      yield* Suite.equals("entries", yield* ofService(), newestFirst(entries))
      yield* Suite.equals("how many went", yield* storage.purgeAudit({ before: now - 1, limit: 1_000 }), 1)
      yield* Suite.equals("what is left", yield* ofService(), entries.slice(1))
    })
  ),

  scenario("audit entries are purged in steps once they are old enough, the oldest of an organization first", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const other = yield* World.neighbour(world)
      while ((yield* storage.purgeAudit({ before: now, limit: 1_000 })) > 0);
      const made = (of: World.World) => [-4, -2, -3, 0, 1].map((at) => Rows.auditEntry(of, { createdAt: now + at }))
      const [mine, theirs] = [made(world), made(other)]
      yield* storage.commit({ auditEntries: [...mine, ...theirs] })
      const steps: Array<number> = []
      for (let step = 0; step < 4; step++) steps.push(yield* storage.purgeAudit({ before: now - 1, limit: 4 }))
      yield* Suite.equals("how many went in each step", steps, [4, 2, 0, 0])
      const kept = (entries: ReadonlyArray<AuditEntry>) => newestFirst(entries.slice(3))
      yield* Suite.equals("what is left", yield* listed(world), kept(mine))
      yield* Suite.equals("what is left of another's", yield* listed(other), kept(theirs))
      const boundary = Rows.auditEntry(world, { createdAt: now - 1 })
      yield* storage.commit({ auditEntries: [boundary] })
      yield* Suite.equals("what is of the instant itself", yield* storage.purgeAudit({ before: now - 1, limit: 4 }), 0)
    })
  )
]
