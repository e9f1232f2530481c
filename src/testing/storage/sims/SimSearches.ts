/**
 * Finding SIMs and subscriptions (rule L1): a list with a filter has what `SimSearch` says of every
 * SIM by itself.
 */
import { Effect } from "effect"
import { type Sim, statuses } from "../../../domain/Sim.ts"
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import * as SimSearch from "../../../domain/SimSearch.ts"
import { type ServiceStatus, serviceStatuses } from "../../../domain/Subscription.ts"
import { DAY } from "../../../domain/Time.ts"
import type { Filtered } from "../../../ports/Storage.ts"
import * as Suite from "../../Suite.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

/** All that a list has, read in pages. */
const whole = <A, Cursor, E>(
  what: string,
  scanLimit: number,
  read: (after: Cursor | null) => Effect.Effect<Filtered<A, Cursor>, E>
) =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let after: Cursor | null = null
    do {
      const found: Filtered<A, Cursor> = yield* read(after)
      yield* Suite.holds(`${what}: no more rows than asked for`, found.rows <= scanLimit)
      items.push(...found.items)
      after = found.next
    } while (after !== null)
    return items
  })

/**
 * How many rows a step scans: fewer than there are, so that a search finds more than that; and
 * more.
 */
const scanLimits = [3, 100] as const

/** Reads both lists in each way, and compares them with what is known of each SIM. */
const finds = (
  world: World.World,
  aggregates: ReadonlyArray<SimAggregate>,
  text: string,
  filter: Partial<SimSearch.SimFilter> = {},
  service: ServiceStatus | null = null
) =>
  Effect.gen(function* () {
    const asked = {
      isEsim: null,
      label: null,
      status: null,
      tag: null,
      createdAfter: null,
      search: SimSearch.of(text),
      ...filter
    }
    const { isEsim: _, ...ofBoth } = asked
    const ofSubscription = { ...ofBoth, status: service }
    const sims = aggregates.filter((of) => SimSearch.isAsked(of, asked)).map(({ sim }) => sim.iccid)
    const live = aggregates
      .filter((of) => SimSearch.isSubscriptionAsked(of, ofSubscription))
      .flatMap(({ subscription }) => (subscription === null ? [] : [subscription]))
      .sort((a, b) => a.createdAt - b.createdAt || (a.subscriptionId < b.subscriptionId ? -1 : 1))
      .map(({ subscriptionId }) => subscriptionId)
    for (const scanLimit of scanLimits) {
      const page = { ...World.of(world), limit: 8, scanLimit }
      const what = `${JSON.stringify({ text, service, ...filter })}, by ${scanLimit}`
      const found = yield* whole(what, scanLimit, (after: number | null) =>
        world.storage.sims.find({ ...page, ...asked, after })
      )
      yield* Suite.equals(
        `SIMs for ${what}`,
        found.map(({ iccid }) => iccid),
        sims
      )
      const subscriptions = yield* whole(what, scanLimit, (after: { createdAt: number; id: string } | null) =>
        world.storage.subscriptions.find({ ...page, ...ofSubscription, after })
      )
      yield* Suite.equals(
        `subscriptions for ${what}`,
        subscriptions.map(({ subscription }) => subscription.subscriptionId),
        live
      )
    }
  })

/**
 * Searches all organizations and each of them, and compares the hits of these worlds with what is
 * known of each SIM.
 */
const findsEverywhere = (world: World.World, aggregates: ReadonlyArray<SimAggregate>, text: string) =>
  Effect.gen(function* () {
    const search = SimSearch.of(text)
    if (search === null) return
    const organizationIds = new Set(aggregates.map(({ sim }) => sim.organizationId))
    const expected = aggregates.flatMap((of): ReadonlyArray<SimSearch.Hit> => {
      const { name } = World.organization({ ...world, organizationId: of.sim.organizationId })
      const hit = SimSearch.hitOf(of, name, search)
      return hit === null ? [] : [hit]
    })
    const sorted = expected.toSorted(SimSearch.compareHits)
    // Other tests have SIMs too.
    const limit = 10_000
    const found = yield* world.storage.sims.search({ search, organizationId: null, limit })
    yield* Suite.equals(
      `hits of all for ${JSON.stringify(text)}`,
      found.hits.filter(({ organizationId }) => organizationIds.has(organizationId)),
      sorted
    )
    for (const organizationId of organizationIds) {
      yield* Suite.equals(
        `hits of one for ${JSON.stringify(text)}`,
        yield* world.storage.sims.search({ search, organizationId, limit }),
        { hits: sorted.filter((hit) => hit.organizationId === organizationId), hasMore: false }
      )
    }
  })

/**
 * Texts that differ in their case, at the border of what is searched, and in letters that have no
 * case or an odd one.
 */
const texts = [
  "Order 4711",
  "order 4712",
  "ORDER 47",
  "Größe Ö",
  "ΣΊΣΥΦΟΣ",
  "Щука 1",
  "İstanbul ı",
  "100%_\\",
  `${"a".repeat(63)}😀b`,
  `${"a".repeat(64)}c`,
  "\u{10ffff}\u{10ffff}x",
  "\ud7ffx",
  "89",
  "",
  "Table 4, Größe Ö <anna.Müller+vip@example.com>; „order“ 4711",
  `{"shop":"Щука","mail":"ANNA@example.com","order":"4711/12"}`,
  `${"😀".repeat(250)} Σ 4711`,
  `\t${String.raw`back\slash`}\n\v\f\r'quoted'\u00a0"x"…`
] as const

/** Words inside texts, in another order too, and what is none. */
const inside = [
  "anna",
  "ANNA.müller+vip@EXAMPLE.com",
  "example com",
  "4711 anna",
  "4711 order",
  "order 4712 4711",
  "größe",
  "ΣΊΣΥΦΟΣ x",
  "щука 1",
  "σ",
  "471",
  "ann",
  "slash back",
  "x quoted",
  "1",
  "…",
  "<>"
] as const

const tags = [[], ["VIP", "vip 2"], ["a", "Été"], [], ["vip"]]

const stocked = (world: World.World) =>
  Effect.gen(function* () {
    const numbers = (index: number) => ({
      imsi: index % 3 === 0 ? null : `20893000000000${index % 4}`,
      msisdn: index % 4 === 0 ? null : index % 4 === 1 ? `3361234567${index % 5}` : `4670123456${index % 5}`
    })
    const made = Array.from({ length: 28 }, (_, index) =>
      World.newSim(world, {
        isEsim: index % 5 !== 4,
        lpa: null,
        label: index % 2 === 0 ? "Green" : "Blue",
        createdAt: world.now + (index % 3) * DAY,
        tags: tags[index % tags.length] ?? [],
        ...numbers(index)
      })
    )
    const sims: ReadonlyArray<Sim> = yield* World.stock(world, made)
    const at = (index: number) => texts[index % texts.length] ?? ""
    for (const [index, sim] of sims.entries()) {
      if (index % 7 === 6) continue
      const subscription = Rows.subscription(world, sim, {
        metadata: at(index),
        createdAt: world.now + (index % 5) * DAY,
        status: index % 7 === 5 ? "Pending" : "Live"
      })
      const attachments = [
        Rows.attachment(world, subscription, { metadata: at(index) }),
        Rows.attachment(world, subscription, { metadata: at(index + 3), confirmed: index % 2 === 0 })
      ]
      const allocation =
        subscription.status === "Live"
          ? { _tag: "InService" as const, subscriptionId: subscription.subscriptionId }
          : { _tag: "Provisioning" as const, subscriptionId: subscription.subscriptionId }
      const pausedAt = subscription.status === "Live" && index % 3 === 1 ? world.now : null
      const service =
        index % 2 === 0
          ? { _tag: "Settled" as const, pausedAt }
          : { _tag: "Changing" as const, pausedAt, changeId: world.id(), active: pausedAt !== null }
      const change = World.subscribe(sim, subscription, { sim: { allocation, service }, attachments })
      yield* world.storage.commit({ sims: [change] })
    }
    // One whose subscription is gone, and which is on its way back to stock.
    const [first] = sims
    if (first !== undefined) {
      const { sim } = yield* World.aggregate(world, first.iccid)
      const allocation = { _tag: "Releasing" as const, subscriptionId: world.id() }
      yield* World.write(world, sim, { sim: { allocation }, subscription: null })
    }
    return yield* Effect.forEach(sims, ({ iccid }) => World.aggregate(world, iccid))
  })

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("L1: a search finds what each SIM says by itself, and nothing of another organization", function* (world) {
    const aggregates = yield* stocked(world)
    yield* stocked(yield* World.neighbour(world))
    const [one, other] = aggregates.slice(8)
    if (one === undefined || other === undefined) return
    const { iccid } = one.sim
    const named = [
      iccid,
      `${iccid}F`,
      iccid.slice(0, 6),
      iccid.slice(-2),
      iccid.slice(-1),
      `${iccid.slice(0, 4)} ${iccid.slice(4, 8)}`,
      one.sim.imsi ?? "",
      `+${one.sim.msisdn}`,
      "06 12 34 56 70",
      "612345671",
      "+33 (0)6.12.34.56.72",
      "0033 612345673",
      "070/12345 63",
      `${other.sim.msisdn}`,
      `+${one.sim.imsi}`,
      one.subscription?.subscriptionId ?? "",
      aggregates[5]?.subscription?.subscriptionId ?? "",
      "nothing has this"
    ]
    const written = texts.flatMap((text) => [text.toUpperCase(), `${text}z`])
    for (const text of [...named, ...written, ...inside]) yield* finds(world, aggregates, text.toWellFormed())
  }),

  scenario(
    "L1, I14: lists are filtered by label, tag, kind, status and the instant of creation, alone and with a search",
    function* (world) {
      const aggregates = yield* stocked(world)
      const filters: ReadonlyArray<Partial<SimSearch.SimFilter>> = [
        { label: "Blue" },
        { label: "Red" },
        { isEsim: false },
        ...statuses.map((status) => ({ status })),
        ...[-1, 0, DAY - 1, DAY, 4 * DAY].map((after) => ({ createdAfter: world.now + after })),
        ...["vip", "été", "vi", "vip 2", "vip\\", "%", ""].map((tag) => ({ tag })),
        { label: "Green", isEsim: true, status: "in_use", createdAfter: world.now, tag: "vip" }
      ]
      for (const filter of filters) {
        for (const text of ["", "8", "order"]) yield* finds(world, aggregates, text, filter)
      }
    }
  ),

  scenario(
    "L1: subscriptions are listed that are paused, or that are not, alone and with other filters",
    function* (world) {
      const aggregates = yield* stocked(world)
      yield* stocked(yield* World.neighbour(world))
      for (const status of serviceStatuses) {
        for (const filter of [{}, { label: "Blue" }, { createdAfter: world.now + DAY }] as const) {
          for (const text of ["", "8", "order"]) yield* finds(world, aggregates, text, filter, status)
        }
      }
      const [paused] = aggregates.filter(({ sim }) => sim.service.pausedAt !== null)
      if (paused === undefined) return
      yield* World.write(world, paused.sim, { sim: { service: { _tag: "Settled", pausedAt: null } } })
      const after = yield* Effect.forEach(aggregates, ({ sim }) => World.aggregate(world, sim.iccid))
      for (const status of serviceStatuses) yield* finds(world, after, "", {}, status)
    }
  ),

  scenario("L1: a search finds what has changed", function* (world) {
    const [sim] = yield* World.stock(world, [World.newSim(world, { msisdn: null })])
    if (sim === undefined) return
    const check = (text: string) =>
      Effect.flatMap(World.aggregate(world, sim.iccid), (aggregate) => finds(world, [aggregate], text))
    yield* world.storage.sims.import([World.newSim(world, { iccid: sim.iccid, msisdn: "46701234567" })])
    yield* check("+46 70 123 45 67")
    const subscription = Rows.subscription(world, sim, { metadata: "first", status: "Pending" })
    const attachment = Rows.attachment(world, subscription, { metadata: "first", confirmed: false })
    yield* world.storage.commit({ sims: [World.subscribe(sim, subscription, { attachments: [attachment] })] })
    yield* check("first")
    const pending = yield* World.aggregate(world, sim.iccid)
    yield* World.write(world, pending.sim, {
      subscription: { ...subscription, status: "Live" },
      attachments: [{ ...attachment, confirmed: true }]
    })
    yield* check("first")
    yield* check("top-up")
    const live = yield* World.aggregate(world, sim.iccid)
    yield* World.write(world, live.sim, {
      attachments: [Rows.attachment(world, subscription, { metadata: "Top-Up 2" })]
    })
    yield* check("top-up")
    const full = yield* World.aggregate(world, sim.iccid)
    yield* World.write(world, full.sim, { sim: { allocation: { _tag: "Free" } }, subscription: null })
    yield* check("first")
    yield* check(subscription.subscriptionId)
  }),

  scenario("L4: a search over organizations finds each SIM once, by the first of the places", function* (world) {
    const [aggregates, other] = [yield* stocked(world), yield* World.neighbour(world)]
    const all = [...aggregates, ...(yield* stocked(other))]
    const [one] = aggregates.slice(8)
    if (one === undefined) return
    const { iccid, imsi, msisdn } = one.sim
    const named = [iccid, iccid.slice(0, 9), iccid.slice(-3), imsi ?? "", `+${msisdn}`, `${msisdn}`]
    const ids = [one.subscription?.subscriptionId ?? "", aggregates[5]?.subscription?.subscriptionId ?? ""]
    const written = texts.flatMap((text) => [text, text.toUpperCase(), `${text}z`])
    for (const text of [...named, ...ids, ...written, ...inside, "0612345671", "8", "order 47"]) {
      yield* findsEverywhere(world, all, text.toWellFormed())
    }
  }),

  scenario("L4: of more than are asked for, those of the first places are taken", function* (world) {
    const sims = yield* World.stock(
      world,
      Array.from({ length: 6 }, () => World.newSim(world, { msisdn: null }))
    )
    const [first, second] = sims
    if (first === undefined || second === undefined) return
    // The text is the metadata of all, and the phone number of the last that is imported.
    const text = world.iccid().slice(-15)
    for (const sim of sims) {
      const subscription = Rows.subscription(world, sim, { metadata: text })
      const allocation = { _tag: "InService" as const, subscriptionId: subscription.subscriptionId }
      yield* world.storage.commit({ sims: [World.subscribe(sim, subscription, { sim: { allocation } })] })
    }
    yield* world.storage.sims.import([World.newSim(world, { iccid: second.iccid, msisdn: text })])
    const search = SimSearch.of(text)
    if (search === null) return
    const places = (limit: number) =>
      Effect.map(world.storage.sims.search({ search, organizationId: null, limit }), ({ hasMore, hits }) => [
        ...hits.map(({ place }) => place),
        hasMore
      ])
    yield* Suite.equals("one hit", yield* places(1), ["msisdn", true])
    yield* Suite.equals("three hits", yield* places(3), ["msisdn", "metadata", "metadata", true])
    yield* Suite.equals("all hits", (yield* places(7)).at(-1), false)
  })
]
