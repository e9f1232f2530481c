/**
 * The book of usage (rule U1): what a commit adds to it, what is read of it, what outlives a
 * subscription, and what is forgotten by age.
 */
import { Effect } from "effect"
import type { Attachment } from "../../../domain/Attachment.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import { DAY } from "../../../domain/Time.ts"
import * as Suite from "../../Suite.ts"
import { simChange, subscribe } from "../world/World.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

/** A SIM in service with two attachments. */
const used = (world: World.World) =>
  Effect.gen(function* () {
    const sim = yield* World.stockOne(world)
    const subscription = Rows.subscription(world, sim)
    const attachments = [1, 2].map((offset) => Rows.attachment(world, subscription, { createdAt: world.now + offset }))
    yield* world.storage.commit({ sims: [subscribe(sim, subscription, { attachments })] })
    const [first, second] = attachments
    return { sim, first: yield* World.given("the first", first), second: yield* World.given("the second", second) }
  })

/** Commits usage as a commit of reports does, with the SIMs that it is of. */
const add = (world: World.World, usage: ReadonlyArray<UsageBook.Entry>) =>
  Effect.gen(function* () {
    const sims = yield* Effect.forEach([...new Set(usage.map(({ iccid }) => iccid))], (iccid) =>
      World.aggregate(world, iccid)
    )
    yield* world.storage.commit({ sims: sims.map(({ sim }) => simChange(sim)), reports: { usage } })
  })

const read = ({ attachmentId, bytes, countryAlpha2, day }: UsageBook.Entry): UsageBook.SimEntry => ({
  attachmentId,
  bytes,
  countryAlpha2,
  day
})

const around = ({ now }: World.World) => ({
  from: UsageBook.dayOf(now) - 100 * DAY,
  until: UsageBook.dayOf(now) + 100 * DAY
})

/** What an organization used by these groups, with the groups in the order of `totalGroups`. */
const totals = (
  { organizationId, storage }: World.World,
  days: UsageBook.Days,
  by: ReadonlyArray<UsageBook.TotalGroup>,
  page: { readonly after: UsageBook.Total | null; readonly limit: number } = { after: null, limit: 1_000 }
) => storage.usage.totals({ organizationId, ...days, by, ...page })

/** The same by one group: what the total is of, and its bytes. */
const sumsBy = (world: World.World, by: UsageBook.TotalGroup, days: UsageBook.Days = around(world)) =>
  Effect.map(totals(world, days, [by]), (found) =>
    found.map(({ bytes, countryAlpha2, day, label, month, planId }) => [
      day === undefined ? (month ?? planId ?? label ?? countryAlpha2) : UsageBook.dateOf(day),
      bytes
    ])
  )

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("usage adds up by SIM, attachment, day and country", function* (world) {
    const { organizationId, storage } = world
    const { first, second, sim } = yield* used(world)
    const today = UsageBook.dayOf(world.now)
    const entryOf = (changes: Partial<UsageBook.Entry>, attachment = first) =>
      Rows.usage(world, sim, attachment, changes)
    const days = [today - 40 * DAY, today - DAY, today]
    const entries = days.flatMap((day) =>
      [null, "FR", "SE"].flatMap((countryAlpha2) => [
        entryOf({ day, countryAlpha2 }),
        entryOf({ day, countryAlpha2 }, second)
      ])
    )
    yield* add(world, entries.toReversed())
    yield* add(world, [entryOf({ bytes: 7 }), entryOf({ day: today - DAY, countryAlpha2: null, bytes: 2 ** 50 })])
    const expected = entries
      .map((entry) => {
        const isFirst = entry.attachmentId === first.attachmentId
        if (isFirst && entry.day === today && entry.countryAlpha2 === "SE") return { ...entry, bytes: 1_007 }
        const isLarge = isFirst && entry.day === today - DAY && entry.countryAlpha2 === null
        return isLarge ? { ...entry, bytes: 1_000 + 2 ** 50 } : entry
      })
      .map(read)
      .sort(UsageBook.compare)
    const asked = { organizationId, iccid: sim.iccid, ...around(world) }
    yield* Suite.equals("all", yield* storage.usage.entries({ ...asked, after: null, limit: 1_000 }), expected)
    const paged: Array<UsageBook.SimEntry> = []
    while (true) {
      const page = yield* storage.usage.entries({ ...asked, after: paged.at(-1) ?? null, limit: 5 })
      paged.push(...page)
      if (page.length < 5) break
    }
    yield* Suite.equals("page by page", paged, expected)
    const some = { ...asked, from: today - DAY, until: today, after: null, limit: 1_000 }
    const yesterday = expected.filter(({ day }) => day === today - DAY)
    yield* Suite.equals("of one day", yield* storage.usage.entries(some), yesterday)
    const newest = { organizationId, iccid: sim.iccid }
    const latest: Array<UsageBook.SimEntry> = []
    while (true) {
      const page = yield* storage.usage.latest({ ...newest, before: latest.at(-1) ?? null, limit: 5 })
      latest.push(...page)
      if (page.length < 5) break
    }
    yield* Suite.equals("newest first, page by page", latest, expected.toReversed())
    const before = { attachmentId: "", day: today, countryAlpha2: null }
    yield* Suite.equals(
      "before a day",
      yield* storage.usage.latest({ ...newest, before, limit: 1_000 }),
      expected.filter(({ day }) => day !== today).toReversed()
    )
    const unknown = { ...asked, iccid: world.iccid(), after: null, limit: 1_000 }
    yield* Suite.equals("of an unknown SIM", yield* storage.usage.entries(unknown), [])
  }),

  scenario(
    "an organization's usage is summed by day, country, plan, label and SIM, and no other's is in it",
    function* (world) {
      const { organizationId, storage } = world
      const other = yield* World.neighbour(world)
      const [one, two, theirs] = [yield* used(world), yield* used(world), yield* used(other)]
      const today = UsageBook.dayOf(world.now)
      const entries = [
        Rows.usage(world, one.sim, one.first, { bytes: 1 }),
        Rows.usage(world, one.sim, one.second, { bytes: 2, countryAlpha2: null }),
        Rows.usage(world, two.sim, two.first, { bytes: 4, label: "Blue" }),
        Rows.usage(world, two.sim, two.first, { bytes: 8, day: today - 40 * DAY, countryAlpha2: "FR", label: "Blue" })
      ]
      yield* add(world, entries)
      yield* add(other, [Rows.usage(other, theirs.sim, theirs.first, { bytes: 16 })])
      yield* add(world, entries.slice(0, 1))
      yield* Suite.equals("by day", yield* sumsBy(world, "day"), [
        [UsageBook.dateOf(today - 40 * DAY), 8],
        [UsageBook.dateOf(today), 8]
      ])
      yield* Suite.equals("by country", yield* sumsBy(world, "country"), [
        [null, 2],
        ["FR", 8],
        ["SE", 6]
      ])
      yield* Suite.equals("by label", yield* sumsBy(world, "label"), [
        ["Blue", 12],
        ["Green", 4]
      ])
      const plans = [
        [one.first.planId, 2],
        [one.second.planId, 2],
        [two.first.planId, 12]
      ]
      const byKey = plans.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1))
      yield* Suite.equals("by plan", yield* sumsBy(world, "plan"), byKey)
      const now = { from: today, until: today + DAY }
      yield* Suite.equals("on one day", yield* sumsBy(world, "country", now), [
        [null, 2],
        ["SE", 6]
      ])
      const sims = [
        { iccid: one.sim.iccid, bytes: 4 },
        { iccid: two.sim.iccid, bytes: 12 }
      ].sort((left, right) => (left.iccid < right.iccid ? -1 : 1))
      const asked = { organizationId, ...around(world) }
      yield* Suite.equals("by SIM", yield* storage.usage.sims({ ...asked, after: null, limit: 10 }), sims)
      const first = yield* storage.usage.sims({ ...asked, after: null, limit: 1 })
      yield* Suite.equals("the first SIM", first, sims.slice(0, 1))
      const after = first[0]?.iccid ?? null
      yield* Suite.equals("the SIMs after it", yield* storage.usage.sims({ ...asked, after, limit: 10 }), sims.slice(1))
    }
  ),

  scenario(
    "S8: what usage is booked under is found on whichever SIM its attachment is, until that is deleted",
    function* (world) {
      const { organizationId, storage } = world
      const other = yield* World.neighbour(world)
      const [one, theirs] = [yield* used(world), yield* used(other)]
      const free = yield* World.stockOne(world)
      const asked = [one.first, one.second, theirs.first].map(({ attachmentId }) => attachmentId)
      const found = (attachmentIds: ReadonlyArray<string>) =>
        Effect.map(storage.usage.bookings({ organizationId, attachmentIds }), (all) =>
          all.toSorted((left, right) => left.createdAt - right.createdAt)
        )
      const booked = ({ attachmentId, createdAt, planId, terms }: Attachment): UsageBook.Booking => ({
        attachmentId,
        planId,
        label: terms.label,
        createdAt
      })
      const expected = [booked(one.first), booked(one.second)]
      yield* Suite.equals("on their first SIM", yield* found([...asked, world.id()]), expected)
      const loaded = yield* World.aggregate(world, one.sim.iccid)
      const subscription = yield* World.given("the subscription", loaded.subscription)
      const { iccid } = free
      const attachments = loaded.attachments.map(({ attachment, packages }) => ({
        attachment: { ...attachment, iccid, replacements: 1 },
        packages
      }))
      const { subscriptionId } = subscription
      const left = {
        ...loaded.sim,
        allocation: { _tag: "Withdrawn", reason: "replaced", ending: subscriptionId } as const
      }
      const next = { sim: Rows.inService(free, subscription), subscription: { ...subscription, iccid }, attachments }
      yield* storage.commit({
        sims: [
          { loaded, next: { sim: left, subscription: null, attachments: [] } },
          { loaded: { sim: free, subscription: null, attachments: [] }, next }
        ]
      })
      yield* Suite.equals("on the next one", yield* found(asked), expected)
      yield* Suite.equals("of one", yield* found([one.second.attachmentId]), expected.slice(1))
      yield* Suite.equals("of none", yield* found([]), [])
      yield* World.write(world, free, { subscription: { ...next.subscription, status: "Deleted" } })
      yield* Suite.equals("of a deleted subscription", yield* found(asked), [])
    }
  ),

  scenario(
    "usage is added once with its commit or not at all, and stays when the subscription is gone",
    function* (world) {
      const { organizationId, storage } = world
      const { first, sim } = yield* used(world)
      const entry = Rows.usage(world, sim, first)
      yield* add(world, [entry])
      const stale = { sims: [simChange(sim)], reports: { usage: [entry] } }
      yield* World.conflicts(world, "usage of a SIM that has changed", stale, "version")
      const asked = { organizationId, iccid: sim.iccid, ...around(world), after: null, limit: 10 }
      yield* Suite.equals("after a conflict", yield* storage.usage.entries(asked), [read(entry)])
      yield* World.write(world, sim, { sim: { allocation: { _tag: "Free" } }, subscription: null })
      yield* Suite.equals("without the subscription", yield* storage.usage.entries(asked), [read(entry)])
      const today = UsageBook.dateOf(UsageBook.dayOf(world.now))
      yield* Suite.equals("the total", yield* sumsBy(world, "day"), [[today, 1_000]])
    }
  ),

  scenario(
    "totals by several groups are in their order, page by page, and sum to those of fewer groups",
    function* (world) {
      const { first, second, sim } = yield* used(world)
      const month = UsageBook.monthOf(world.now)
      const days = [month - 40 * DAY, month - DAY, month, month + DAY]
      const entries = days.flatMap((day, at) =>
        [null, "FR", "SE"].flatMap((countryAlpha2, place) => [
          Rows.usage(world, sim, first, { day, countryAlpha2, bytes: 1 + 4 ** at }),
          Rows.usage(world, sim, second, { day, countryAlpha2, bytes: 5 ** place, label: "Blue" })
        ])
      )
      yield* add(world, entries)
      const asked = { from: month - DAY, until: month + 2 * DAY }
      const meant = entries.flatMap((entry) =>
        entry.day === null || entry.day < asked.from ? [] : [{ ...entry, day: entry.day }]
      )
      const all = meant.reduce((sum, { bytes }) => sum + bytes, 0)
      for (const by of UsageBook.totalGroupings) {
        const whole = yield* totals(world, asked, by)
        yield* Suite.equals(`by ${by}`, whole, UsageBook.totals(meant, by))
        const sum = whole.reduce((before, { bytes }) => before + bytes, 0)
        yield* Suite.equals(`the sum by ${by}`, sum, all)
        const paged: Array<UsageBook.Total> = []
        while (true) {
          const page = yield* totals(world, asked, by, { after: paged.at(-1) ?? null, limit: 2 })
          paged.push(...page)
          if (page.length < 2) break
        }
        yield* Suite.equals(`by ${by}, page by page`, paged, whole)
      }
    }
  ),

  scenario("commits at once that add to the same sums all count", function* (world) {
    const sims = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => used(world))
    const planId = world.id()
    const entries = sims.flatMap(({ first, sim }) =>
      ["SE", "FR", null].map((countryAlpha2) => Rows.usage(world, sim, first, { planId, countryAlpha2, bytes: 3 }))
    )
    const each = sims.map(({ sim: { iccid } }) => entries.filter((entry) => entry.iccid === iccid))
    const orders = each.map((own, index) => (index % 2 === 0 ? own : own.toReversed()))
    yield* Effect.forEach(orders, (usage) => add(world, usage), { concurrency: "unbounded", discard: true })
    yield* Suite.equals("the sums", yield* sumsBy(world, "country"), [
      [null, 18],
      ["FR", 18],
      ["SE", 18]
    ])
  }),

  scenario("bytes that a commit takes from one entry and adds to another leave nothing behind", function* (world) {
    const { organizationId, storage } = world
    const { first, second, sim } = yield* used(world)
    const [yesterday, today] = [UsageBook.dayOf(world.now) - DAY, UsageBook.dayOf(world.now)]
    const entryOf = (day: number, countryAlpha2: string | null, bytes: number, attachment = first) =>
      Rows.usage(world, sim, attachment, { day, countryAlpha2, bytes })
    const left = entryOf(today, "SE", 7, second)
    yield* add(world, [entryOf(yesterday, "SE", 30), entryOf(today, "SE", 50), entryOf(today, null, 100), left])
    const moves = [entryOf(yesterday, "SE", 40), entryOf(yesterday, "FR", 60), entryOf(today, null, -100)]
    yield* add(world, moves)
    const asked = { organizationId, iccid: sim.iccid, ...around(world), after: null, limit: 10 }
    const expected = [entryOf(yesterday, "FR", 60), entryOf(yesterday, "SE", 70), entryOf(today, "SE", 50), left]
    const entries = expected.map(read).sort(UsageBook.compare)
    yield* Suite.equals("the entries", yield* storage.usage.entries(asked), entries)
    yield* Suite.equals("by day", yield* sumsBy(world, "day"), [
      [UsageBook.dateOf(yesterday), 130],
      [UsageBook.dateOf(today), 57]
    ])
    yield* Suite.equals("by country", yield* sumsBy(world, "country"), [
      ["FR", 60],
      ["SE", 127]
    ])
    yield* Suite.equals("by label", yield* sumsBy(world, "label"), [[sim.label, 187]])
    const stale = { sims: [simChange(sim)], reports: { usage: moves } }
    yield* World.conflicts(world, "moves of a SIM that has changed", stale, "version")
    yield* Suite.equals("after a conflict", yield* storage.usage.entries(asked), entries)
    yield* add(world, [entryOf(today, "SE", -50), entryOf(today, "SE", -7, second), entryOf(yesterday, "SE", 57)])
    const ofToday = { organizationId, from: today, until: today + DAY }
    yield* Suite.equals("nobody's day", yield* storage.usage.sims({ ...ofToday, after: null, limit: 10 }), [])
    yield* Suite.equals("its sums", yield* sumsBy(world, "country", ofToday), [])
    yield* add(world, [entryOf(today, "SE", 9)])
    yield* Suite.equals("its sums again", yield* sumsBy(world, "country", ofToday), [["SE", 9]])
  }),

  scenario("commits at once that move bytes between the same sums all count", function* (world) {
    const sims = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => used(world))
    const planId = world.id()
    const entryOf = (index: number, countryAlpha2: string | null, bytes: number) => {
      const { first, sim } = sims[index % sims.length] ?? { first: undefined, sim: undefined }
      return first === undefined ? [] : [Rows.usage(world, sim, first, { planId, countryAlpha2, bytes })]
    }
    const all = sims.map((_, index) => index)
    yield* Effect.forEach(all, (index) => add(world, entryOf(index, null, 10)), { discard: true })
    const moves = all.map((index) =>
      index % 2 === 0
        ? [...entryOf(index, null, -10), ...entryOf(index, "SE", 10)]
        : [...entryOf(index, "FR", 4), ...entryOf(index, null, -4)]
    )
    yield* Effect.forEach(moves, (usage) => add(world, usage), { concurrency: "unbounded", discard: true })
    yield* Suite.equals("the sums", yield* sumsBy(world, "country"), [
      [null, 18],
      ["FR", 12],
      ["SE", 30]
    ])
  }),

  scenario("sums that are larger than any real one stay where they are, and fail no commit", function* (world) {
    const { first, sim } = yield* used(world)
    const entry = Rows.usage(world, sim, first, { bytes: Number.MAX_SAFE_INTEGER })
    for (const _ of [1, 2, 3]) yield* add(world, [entry])
    yield* Suite.equals("the sum", yield* sumsBy(world, "day"), [
      [UsageBook.dateOf(UsageBook.dayOf(world.now)), Number.MAX_SAFE_INTEGER]
    ])
  }),

  scenario("usage of months that are past their time is forgotten, and that of others is not", function* (world) {
    const { organizationId, storage } = world
    const { first, sim } = yield* used(world)
    const month = UsageBook.monthOf(world.now)
    const days = [month - 70 * DAY, month - DAY, month, UsageBook.dayOf(world.now), month + 90 * DAY]
    const entries = [...new Set(days)].map((day) => Rows.usage(world, sim, first, { day }))
    yield* add(world, entries)
    const asked = { organizationId, iccid: sim.iccid, ...around(world), after: null, limit: 10 }
    yield* storage.purgeUsage({ before: UsageBook.monthOf(month - 70 * DAY), now: world.now })
    yield* Suite.equals("before", yield* storage.usage.entries(asked), entries.map(read))
    yield* add(world, entries)
    const twice = entries.map((entry) => ({ ...entry, bytes: 2 * entry.bytes }))
    yield* Suite.equals("once more", yield* storage.usage.entries(asked), twice.map(read))
    yield* storage.purgeUsage({ before: month, now: world.now })
    const left = twice.filter(({ day }) => day !== null && day >= month)
    yield* Suite.equals("afterwards", yield* storage.usage.entries(asked), left.map(read))
    yield* Suite.equals("the total", yield* sumsBy(world, "label"), [[sim.label, 2_000 * left.length]])
  })
]
