/**
 * Lists: keyset pages give what was there before the first page exactly once and in order, whatever
 * comes in meanwhile.
 */
import { Effect } from "effect"
import * as Quota from "../../domain/Quota.ts"
import type { Instant } from "../../domain/Time.ts"
import type { CreatedCursor, Filtered, FilteredKeyset, Keyset, OfOrganization } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import { subscribe } from "./world/World.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

type Row = readonly [id: string, of: { readonly createdAt: Instant }]

interface List {
  /** One page. */
  readonly page: (keyset: OfOrganization & Keyset<CreatedCursor>) => Effect.Effect<ReadonlyArray<Row>, unknown>
  /** Writes one row created at an instant; gives its id. */
  readonly insert: (createdAt: Instant) => Effect.Effect<string, unknown>
  readonly newestFirst?: boolean
  /** What is written before all rows. */
  readonly begin?: Effect.Effect<void, unknown>
}

// Asked after each page: pages that repeat themselves would never end.
const noneTwice = (read: ReadonlyArray<unknown>) => Suite.equals("rows read twice", read.length - new Set(read).size, 0)

/** Reads all pages, and inserts rows before, among and after what is read between them. */
const walked = (many: string, short: string, listOf: (world: World.World) => List) =>
  scenario(`pages of ${many} are complete and without repetition while ${short} come in`, function* (world) {
    const { now, random } = world
    const list = listOf(world)
    yield* list.begin ?? Effect.void
    const before: Array<{ readonly id: string; readonly createdAt: Instant }> = []
    for (let count = 0; count < 23; count++) {
      const createdAt = now + random(5)
      before.push({ id: yield* list.insert(createdAt), createdAt })
    }
    const sorted = before.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
    const inOrder = list.newestFirst === true ? sorted.toReversed() : sorted
    for (const limit of [1, 4, 7, 100]) {
      const read: Array<string> = []
      let after: CreatedCursor | null = null
      for (;;) {
        const page: ReadonlyArray<Row> = yield* list.page({ ...World.of(world), after, limit })
        yield* Suite.holds(`a page has ${page.length} rows, ${limit} at most`, page.length <= limit)
        const last = page.at(-1)
        if (last === undefined) break
        read.push(...page.map(([id]) => id))
        yield* noneTwice(read)
        after = { id: last[0], createdAt: last[1].createdAt }
        if (limit > 1 && read.length < 60) {
          const inserts = [-1, random(5), 9].map((offset) => list.insert(now + offset))
          yield* Effect.all(inserts, { concurrency: "unbounded" })
        }
      }
      const known = new Set(inOrder)
      const found = read.filter((id) => known.has(id))
      yield* Suite.equals(`with pages of ${limit}, the rows from before`, found, inOrder)
    }
    yield* World.finishAll(world)
  })

const idsOf = <A, E>(read: Effect.Effect<Filtered<A>, E>, idOf: (item: A) => string) =>
  Effect.map(read, (found): Filtered<string> => ({ ...found, items: found.items.map(idOf) }))

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("what an organization has is counted up to a bound, without what is gone", function* (world) {
    const other = yield* World.neighbour(world)
    const gone = world.now + 1
    yield* world.storage.commit({
      plans: [
        Rows.plan(world),
        Rows.plan(world, { archivedAt: gone }),
        Rows.plan(world, { createdAt: gone }),
        Rows.plan(world, { deletedAt: gone }),
        Rows.plan(other)
      ],
      regions: [1, 2, 3].map(() => Rows.region(world)),
      webhookEndpoints: [
        Rows.endpoint(world),
        Rows.endpoint(world, { createdAt: gone }),
        Rows.endpoint(world, { disabled: { reason: "Organization", at: gone } }),
        Rows.endpoint(world, { deletedAt: gone })
      ],
      apiKeys: [
        Rows.apiKey(world),
        Rows.apiKey(world, { expiresAt: gone }),
        Rows.apiKey(world, { createdAt: gone }),
        Rows.apiKey(world, { revokedAt: gone })
      ]
    })
    for (const kind of Quota.kinds) {
      for (const [atMost, counted] of [
        [1, 1],
        [3, 3],
        [100, 3]
      ] as const) {
        const count = yield* world.storage.organizations.count({ ...World.of(world), kind, atMost })
        yield* Suite.equals(`${kind}, up to ${atMost}`, count, counted)
      }
      const theirs = yield* world.storage.organizations.count({ ...World.of(other), kind, atMost: 9 })
      yield* Suite.equals(`${kind} of another`, theirs, kind === "plans" ? 1 : 0)
    }
  }),

  walked("plans", "plans", (world, { storage } = world) => ({
    page: (keyset) => {
      const ofAny = { archived: null, label: null, search: null, covering: null }
      return Effect.map(storage.plans.page({ ...keyset, ...ofAny }), ({ items }) =>
        items.map((plan) => [plan.planId, plan])
      )
    },
    insert: (createdAt) => {
      const plan = Rows.plan(world, { createdAt })
      return Effect.as(storage.commit({ plans: [plan] }), plan.planId)
    }
  })),

  scenario("W13: a filter scans so many rows of a list at most, and a page says where to go on", function* (world) {
    const { storage } = world
    const organization = World.of(world)
    const endpoint = Rows.endpoint(world)
    yield* storage.commit({ webhookEndpoints: [endpoint] })
    const isTaken = (index: number) => [6, 7, 12].includes(index)
    const indexes = Array.from({ length: 13 }, (_, index) => index)
    const times = indexes.map((index) => world.now + index)
    const plans = times.map((createdAt, index) =>
      Rows.plan(world, { createdAt, archivedAt: isTaken(index) ? world.now : null })
    )
    const entries = times.map((createdAt, index) =>
      Rows.auditEntry(world, { createdAt, action: isTaken(index) ? "plan.create" : "plan.delete" })
    )
    const payload = {
      type: "subscription.esim.locationChanged" as const,
      data: { esim: world.iccid(), countryIso2: "SE", previousCountryIso2: null }
    }
    const events = times.map((createdAt, index) => Rows.event(world, { createdAt, ...(isTaken(index) && { payload }) }))
    yield* storage.commit({ plans, auditEntries: entries, events })
    const anyPlan = { label: null, search: null, covering: null }
    const anyEntry = { from: null, to: null, actor: null, resourceId: null }
    const { type } = payload
    const lists = [
      {
        name: "plans",
        page: (query: FilteredKeyset) =>
          idsOf(storage.plans.page({ ...organization, ...anyPlan, archived: true, ...query }), ({ planId }) => planId),
        ids: plans.map(({ planId }) => planId)
      },
      {
        name: "audit entries",
        page: (query: FilteredKeyset) =>
          idsOf(
            storage.auditEntries.page({ ...organization, ...anyEntry, action: "plan.create", ...query }),
            ({ entryId }) => entryId
          ),
        ids: entries.map(({ entryId }) => entryId).reverse()
      },
      {
        name: "deliveries",
        page: (query: FilteredKeyset) =>
          idsOf(storage.deliveries.page({ ...organization, type, ...query }), ({ delivery }) => delivery.deliveryId),
        ids: events.map(({ eventId }) => `${eventId}:${endpoint.endpointId}`).reverse()
      }
    ]
    for (const { ids, name, page } of lists) {
      const taken = ids.filter((_, index) => isTaken(name === "plans" ? index : 12 - index))
      for (const [scanLimit, limit] of [
        [1, 9],
        [5, 9],
        [5, 1],
        [13, 2],
        [14, 9]
      ] as const) {
        const what = `${name}, ${limit} of ${scanLimit} rows`
        const read: Array<string> = []
        let after: CreatedCursor | null = null
        let rows = 0
        do {
          const found: Filtered<string> = yield* page({ after, limit, scanLimit })
          yield* Suite.holds(`${what}: no more`, found.items.length <= limit && found.rows <= scanLimit)
          const goesOn = found.items.length === limit || found.rows === scanLimit
          yield* Suite.equals(`${what}: whether it goes on`, found.next !== null, goesOn)
          read.push(...found.items)
          rows += found.rows
          yield* Suite.equals(
            `${what}: the last row`,
            found.next?.id ?? null,
            goesOn && found.rows > 0 ? (ids[rows - 1] ?? null) : null
          )
          after = found.next
        } while (after !== null)
        yield* Suite.equals(what, read, taken)
        yield* Suite.equals(`${what}: the rows`, rows, ids.length)
      }
    }
    yield* World.finishAll(world)
  }),

  walked("regions", "regions", (world, { storage } = world) => ({
    page: (keyset) =>
      Effect.map(storage.regions.page(keyset), (regions) => regions.map((region) => [region.coverageId, region])),
    insert: (createdAt) => {
      const region = Rows.region(world, { createdAt })
      return Effect.as(storage.commit({ regions: [region] }), region.coverageId)
    }
  })),

  walked("API keys", "keys", (world, { storage } = world) => ({
    page: (keyset) => Effect.map(storage.apiKeys.page(keyset), (keys) => keys.map((key) => [key.apiKeyId, key])),
    insert: (createdAt) => {
      const key = Rows.apiKey(world, { createdAt })
      return Effect.as(storage.commit({ apiKeys: [key] }), key.apiKeyId)
    }
  })),

  walked("audit entries", "entries", (world, { storage } = world) => ({
    newestFirst: true,
    page: (keyset) => {
      const filter = { from: null, to: null, actor: null, action: "plan.create", resourceId: null } as const
      return Effect.map(storage.auditEntries.page({ ...keyset, ...filter }), ({ items }) =>
        items.map((entry) => [entry.entryId, entry])
      )
    },
    insert: (createdAt) => {
      const entry = Rows.auditEntry(world, { createdAt })
      const other = Rows.auditEntry(world, { createdAt, action: "plan.delete" })
      return Effect.as(storage.commit({ auditEntries: [other, entry] }), entry.entryId)
    }
  })),

  walked("webhook endpoints", "endpoints", (world, { storage } = world) => ({
    page: (keyset) =>
      Effect.map(storage.webhookEndpoints.page(keyset), (endpoints) =>
        endpoints.map((endpoint) => [endpoint.endpointId, endpoint])
      ),
    insert: (createdAt) => {
      const endpoint = Rows.endpoint(world, { createdAt })
      return Effect.as(storage.commit({ webhookEndpoints: [endpoint] }), endpoint.endpointId)
    }
  })),

  walked("subscriptions", "subscriptions", (world) => ({
    page: (keyset) =>
      Effect.map(world.storage.subscriptions.page(keyset), (rows) =>
        rows.map(({ subscription }) => [subscription.subscriptionId, subscription])
      ),
    insert: (createdAt) =>
      Effect.flatMap(World.stockOne(world), (sim) => {
        const subscription = Rows.subscription(world, sim, { createdAt })
        return Effect.as(world.storage.commit({ sims: [subscribe(sim, subscription)] }), subscription.subscriptionId)
      })
  })),

  walked("deliveries", "deliveries", (world, { storage } = world) => {
    const endpoint = Rows.endpoint(world)
    return {
      newestFirst: true,
      begin: storage.commit({ webhookEndpoints: [endpoint] }),
      page: (keyset) =>
        Effect.map(storage.deliveries.page(keyset), ({ items }) =>
          items.map(({ delivery }) => [delivery.deliveryId, delivery])
        ),
      insert: (createdAt) => {
        const event = Rows.event(world, { createdAt })
        return Effect.as(storage.commit({ events: [event] }), `${event.eventId}:${endpoint.endpointId}`)
      }
    }
  }),

  scenario("pages of SIMs are complete and without repetition while SIMs come in", function* (world) {
    const before = yield* World.stock(world, World.newSims(world, 30))
    for (const limit of [1, 7, 100]) {
      const read: Array<number> = []
      for (let after: number | null = null; ; after = read.at(-1) ?? null) {
        const page = yield* world.storage.sims.page({ ...World.of(world), after, limit, isEsim: null, label: null })
        if (page.length === 0) break
        read.push(...page.map((sim) => sim.importSequence))
        yield* noneTwice(read)
        if (read.length < 40) yield* world.storage.sims.import(World.newSims(world, 1))
      }
      const known = before.map((sim) => sim.importSequence)
      yield* Suite.equals(
        "import sequences rise",
        read.toSorted((a, b) => a - b),
        read
      )
      yield* Suite.equals("the rows from before", read.slice(0, known.length), known)
    }
  }),

  scenario("SIMs are listed by kind and label", function* (world) {
    const kinds = [true, false, true].flatMap((isEsim) =>
      (["Green", "Blue"] as const).map((label) => World.newSim(world, { isEsim, label }))
    )
    const sims = yield* World.stock(world, kinds)
    for (const isEsim of [null, true, false]) {
      for (const label of [null, "Green", "Blue", "Red"] as const) {
        const expected = sims.filter(
          (sim) => (isEsim === null || sim.isEsim === isEsim) && (label === null || sim.label === label)
        )
        const query = { ...World.of(world), isEsim, label }
        const first = yield* world.storage.sims.page({ ...query, after: null, limit: 1 })
        yield* Suite.equals(`first of ${isEsim} ${label}`, first, expected.slice(0, 1))
        const all = yield* world.storage.sims.page({ ...query, after: null, limit: 100 })
        yield* Suite.equals(`all of ${isEsim} ${label}`, all, expected)
      }
    }
  })
]
