/**
 * Lists: keyset pages give what was there before the first page exactly once and in order, whatever comes in meanwhile.
 */
import { Effect } from "effect"
import * as Quota from "../../domain/Quota.ts"
import type { Instant } from "../../domain/Time.ts"
import type { CreatedCursor, Filtered, FilteredKeyset } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import { subscribe } from "./world/World.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

interface List<Cursor> {
  /** One page of ids, with the cursor after each. */
  readonly page: (
    after: Cursor | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<readonly [string, Cursor]>, unknown>
  /** Writes one row created at an instant; gives its id. */
  readonly insert: (createdAt: Instant) => Effect.Effect<string, unknown>
  readonly newestFirst?: boolean
}

// Asked after each page: pages that repeat themselves would never end.
const noneTwice = (read: ReadonlyArray<unknown>) => Suite.equals("rows read twice", read.length - new Set(read).size, 0)

// Reads all pages, and inserts rows before, among and after what is read between them.
const walk = <Cursor>(world: World.World, list: List<Cursor>) =>
  Effect.gen(function* () {
    const { now, random } = world
    const before: Array<{ readonly id: string; readonly createdAt: Instant }> = []
    for (let count = 0; count < 23; count++) {
      const createdAt = now + random(5)
      before.push({ id: yield* list.insert(createdAt), createdAt })
    }
    const sorted = before.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
    const inOrder = list.newestFirst === true ? sorted.toReversed() : sorted
    for (const limit of [1, 4, 7, 100]) {
      const read: Array<string> = []
      let after: Cursor | null = null
      for (;;) {
        const page: ReadonlyArray<readonly [string, Cursor]> = yield* list.page(after, limit)
        yield* Suite.holds(`a page has ${page.length} rows, ${limit} at most`, page.length <= limit)
        const last = page.at(-1)
        if (last === undefined) break
        read.push(...page.map(([id]) => id))
        yield* noneTwice(read)
        after = last[1]
        if (limit > 1 && read.length < 60) {
          yield* Effect.all(
            [-1, random(5), 9].map((offset) => list.insert(now + offset)),
            {
              concurrency: "unbounded"
            }
          )
        }
      }
      const known = new Set(inOrder)
      yield* Suite.equals(
        `with pages of ${limit}, the rows from before`,
        read.filter((id) => known.has(id)),
        inOrder
      )
    }
  })

const idsOf = <A, E>(read: Effect.Effect<Filtered<A>, E>, idOf: (item: A) => string) =>
  Effect.map(read, (found): Filtered<string> => ({ ...found, items: found.items.map(idOf) }))

const created = <A extends { readonly createdAt: Instant }>(
  id: string,
  { createdAt }: A
): readonly [string, CreatedCursor] => [id, { createdAt, id }]

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("what an organization has is counted up to a bound, without what is gone", (world) =>
    Effect.gen(function* () {
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
    })
  ),

  scenario("pages of plans are complete and without repetition while plans come in", (world) =>
    walk<CreatedCursor>(world, {
      page: (after, limit) =>
        Effect.map(
          world.storage.plans.page({
            ...World.of(world),
            after,
            limit,
            archived: null,
            label: null,
            search: null,
            covering: null
          }),
          ({ items }) => items.map((plan) => created(plan.planId, plan))
        ),
      insert: (createdAt) => {
        const plan = Rows.plan(world, { createdAt })
        return Effect.as(world.storage.commit({ plans: [plan] }), plan.planId)
      }
    })
  ),

  scenario("W13: a filter scans so many rows of a list at most, and a page says where to go on", (world) =>
    Effect.gen(function* () {
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
      const events = times.map((createdAt, index) =>
        Rows.event(world, { createdAt, ...(isTaken(index) && { payload }) })
      )
      yield* storage.commit({ plans, auditEntries: entries, events })
      const anyPlan = { label: null, search: null, covering: null }
      const anyEntry = { from: null, to: null, actor: null, resourceId: null }
      const { type } = payload
      const lists = [
        {
          name: "plans",
          page: (query: FilteredKeyset) =>
            idsOf(
              storage.plans.page({ ...organization, ...anyPlan, archived: true, ...query }),
              ({ planId }) => planId
            ),
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
    })
  ),

  scenario("pages of regions are complete and without repetition while regions come in", (world) =>
    walk<CreatedCursor>(world, {
      page: (after, limit) =>
        Effect.map(world.storage.regions.page({ ...World.of(world), after, limit }), (regions) =>
          regions.map((region) => created(region.coverageId, region))
        ),
      insert: (createdAt) => {
        const region = Rows.region(world, { createdAt })
        return Effect.as(world.storage.commit({ regions: [region] }), region.coverageId)
      }
    })
  ),

  scenario("pages of API keys are complete and without repetition while keys come in", (world) =>
    walk<CreatedCursor>(world, {
      page: (after, limit) =>
        Effect.map(world.storage.apiKeys.page({ ...World.of(world), after, limit }), (keys) =>
          keys.map((key) => created(key.apiKeyId, key))
        ),
      insert: (createdAt) => {
        const key = Rows.apiKey(world, { createdAt })
        return Effect.as(world.storage.commit({ apiKeys: [key] }), key.apiKeyId)
      }
    })
  ),

  scenario("pages of audit entries are complete and without repetition while entries come in", (world) =>
    walk<CreatedCursor>(world, {
      newestFirst: true,
      page: (after, limit) => {
        const filter = { from: null, to: null, actor: null, action: "plan.create", resourceId: null }
        return Effect.map(
          world.storage.auditEntries.page({ ...World.of(world), ...filter, after, limit }),
          ({ items }) => items.map((entry) => created(entry.entryId, entry))
        )
      },
      insert: (createdAt) => {
        const entry = Rows.auditEntry(world, { createdAt })
        const other = Rows.auditEntry(world, { createdAt, action: "plan.delete" })
        return Effect.as(world.storage.commit({ auditEntries: [other, entry] }), entry.entryId)
      }
    })
  ),

  scenario("pages of webhook endpoints are complete and without repetition while endpoints come in", (world) =>
    walk<CreatedCursor>(world, {
      page: (after, limit) =>
        Effect.map(world.storage.webhookEndpoints.page({ ...World.of(world), after, limit }), (endpoints) =>
          endpoints.map((endpoint) => created(endpoint.endpointId, endpoint))
        ),
      insert: (createdAt) => {
        const endpoint = Rows.endpoint(world, { createdAt })
        return Effect.as(world.storage.commit({ webhookEndpoints: [endpoint] }), endpoint.endpointId)
      }
    })
  ),

  scenario("pages of subscriptions are complete and without repetition while subscriptions come in", (world) =>
    walk<CreatedCursor>(world, {
      page: (after, limit) =>
        Effect.map(world.storage.subscriptions.page({ ...World.of(world), after, limit }), (rows) =>
          rows.map(({ subscription }) => created(subscription.subscriptionId, subscription))
        ),
      insert: (createdAt) =>
        Effect.flatMap(World.stockOne(world), (sim) => {
          const subscription = Rows.subscription(world, sim, { createdAt })
          return Effect.as(world.storage.commit({ sims: [subscribe(sim, subscription)] }), subscription.subscriptionId)
        })
    })
  ),

  scenario("pages of deliveries are complete and without repetition while deliveries come in", (world) => {
    const endpoint = Rows.endpoint(world)
    return world.storage.commit({ webhookEndpoints: [endpoint] }).pipe(
      Effect.andThen(
        walk<CreatedCursor>(world, {
          newestFirst: true,
          page: (after, limit) =>
            Effect.map(world.storage.deliveries.page({ ...World.of(world), after, limit }), ({ items }) =>
              items.map(({ delivery }) => created(delivery.deliveryId, delivery))
            ),
          insert: (createdAt) => {
            const event = Rows.event(world, { createdAt })
            return Effect.as(world.storage.commit({ events: [event] }), `${event.eventId}:${endpoint.endpointId}`)
          }
        })
      ),
      Effect.andThen(World.finishAll(world))
    )
  }),

  scenario("pages of SIMs are complete and without repetition while SIMs come in", (world) =>
    Effect.gen(function* () {
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
    })
  ),

  scenario("SIMs are listed by kind and label", (world) =>
    Effect.gen(function* () {
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
  )
]
