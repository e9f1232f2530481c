/**
 * SIM aggregates: a SIM with its present subscription, that subscription's attachments and their
 * packages.
 */
import { Effect } from "effect"
import * as Attachments from "../../../domain/Attachment.ts"
import type { Attachment } from "../../../domain/Attachment.ts"
import * as Moves from "../../../domain/Moves.ts"
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import type { Sim } from "../../../domain/Sim.ts"
import type { Subscription, SubscriptionWithSim } from "../../../domain/Subscription.ts"
import * as Suite from "../../Suite.ts"
import type { Written } from "../world/World.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"
import { scenario } from "../world/World.ts"

const live = (world: World.World, changes: Partial<Subscription> = {}) =>
  Effect.gen(function* () {
    const stocked = yield* World.stockOne(world)
    const subscription = Rows.subscription(world, stocked, changes)
    yield* World.write(world, stocked, { sim: Rows.inService(stocked, subscription), subscription })
    const { sim } = yield* World.aggregate(world, stocked.iccid)
    return { sim, subscription }
  })

const isAggregate = Effect.fnUntraced(function* (
  world: World.World,
  what: string,
  { iccid }: Sim,
  expected: Omit<SimAggregate, "sim">
) {
  const { storage } = world
  const ofSim = { ...World.of(world), iccid }
  const { attachments, sim, subscription } = yield* World.aggregate(world, iccid)
  yield* Suite.equals(what, { attachments, subscription }, expected)
  yield* Suite.equals(`the SIM alone of ${what}`, yield* storage.sims.get(ofSim), sim)
  const isLive = expected.subscription?.status === "Live"
  const shown = yield* storage.subscriptions.attachments(ofSim)
  const ofLive = (attachments: typeof expected.attachments) =>
    isLive ? { pausedAt: sim.service.pausedAt, attachments } : null
  yield* Suite.equals(`the attachments of ${what}`, shown, ofLive(expected.attachments))
  const ids = expected.attachments.map(({ attachment }) => attachment)
  for (const id of [world.id(), ...ids.flatMap(({ attachmentId, planId }) => [attachmentId, planId])]) {
    const alone = expected.attachments.filter(({ attachment }) => attachment.attachmentId === id)
    const view = yield* storage.simAggregates.forAttachment({ ...ofSim, attachmentId: id })
    yield* Suite.equals(`one attachment of ${what}`, view, { sim, subscription, attachments: alone })
    const named = expected.attachments.filter(({ attachment }) => Attachments.isNamed(attachment, id))
    const found = yield* storage.subscriptions.attachments({ ...ofSim, id })
    yield* Suite.equals(`what has one name of ${what}`, found, ofLive(named))
  }
})

const listed = (world: World.World) =>
  world.storage.subscriptions.page({ organizationId: world.organizationId, after: null, limit: 100 })

/** What is seen of it, by the list of all and by its SIM. */
const isSeen = Effect.fnUntraced(function* (
  world: World.World,
  what: string,
  { iccid }: Sim,
  expected: SubscriptionWithSim | null
) {
  yield* Suite.equals(`listed ${what}`, yield* listed(world), expected === null ? [] : [expected])
  const found = yield* world.storage.subscriptions.get({ organizationId: world.organizationId, iccid })
  yield* Suite.equals(`looked up ${what}`, found, expected)
})

/** What deletes a subscription. */
const deleted = (subscription: Subscription): Written => ({
  sim: { allocation: { _tag: "Releasing", subscriptionId: subscription.subscriptionId } },
  subscription: { ...subscription, status: "Deleted" }
})

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("an ICCID leads to whose SIM it is, and of which label", function* (world) {
    const { storage } = world
    const other = yield* World.neighbour(world)
    const own = yield* World.stockOne(world, { label: "Green" })
    const theirs = yield* World.stockOne(other, { label: "Blue" })
    const ownerOf = storage.simAggregates.owner
    yield* Suite.equals("the own one", yield* ownerOf(own.iccid), { ...World.of(world), label: "Green" })
    yield* Suite.equals("the other's", yield* ownerOf(theirs.iccid), { ...World.of(other), label: "Blue" })
    yield* Suite.equals("an unknown one", yield* ownerOf(world.iccid()), null)
  }),

  scenario("an aggregate has its attachments oldest first and their packages by occurrence", function* (world) {
    const { sim, subscription } = yield* live(world)
    const attachments = [3, 1, 2, 1].map((offset) =>
      Rows.attachment(world, subscription, { createdAt: world.now + offset, confirmed: offset !== 2 })
    )
    const packages = attachments.flatMap((attachment, index) =>
      [10, 2, 0, 11, 1].slice(index).map((occurrence) => Rows.pack(world, attachment, occurrence))
    )
    yield* World.write(world, sim, { attachments, packages })
    const expected = {
      subscription,
      attachments: attachments
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.attachmentId < b.attachmentId ? -1 : 1))
        .map((attachment) => ({
          attachment,
          packages: packages
            .filter((pack) => pack.attachmentId === attachment.attachmentId)
            .sort((a, b) => a.occurrence - b.occurrence)
        }))
    }
    yield* isAggregate(world, "the aggregate", sim, expected)
  }),

  scenario(
    "an occurrence is recorded or not, and there as long as its attachment's subscription is",
    function* (world) {
      const { storage } = world
      const { sim, subscription } = yield* live(world)
      const [attachment, other] = [
        Rows.attachment(world, subscription, { anchor: world.now, suspendedAt: world.now + 1 }),
        Rows.attachment(world, subscription)
      ]
      const packages = [3, 1].map((occurrence) =>
        Rows.pack(world, attachment, occurrence, { status: occurrence === 3 ? "Refused" : "Created" })
      )
      yield* World.write(world, sim, { attachments: [attachment, other], packages })
      const { attachmentId, iccid, organizationId } = attachment
      const named = { organizationId, iccid }
      const { confirmed, suspendedAt, terms, lastThresholdNotified } = attachment
      const state = { confirmed, anchor: world.now, suspendedAt, lastThresholdNotified, replacements: 0 }
      for (const occurrence of [0, 1, 2, 3, 4]) {
        const found = yield* storage.simAggregates.forOccurrence({ ...named, attachmentId, occurrence })
        const [{ attachment: seen, packages: recorded }] = yield* Effect.map(
          World.given(`occurrence ${occurrence}`, found),
          (view) => view.attachments
        )
        yield* Suite.equals("the version", found?.sim.version, sim.version + 1)
        const actual = {
          ...{ organizationId: seen.organizationId, iccid: seen.iccid, attachmentId: seen.attachmentId },
          ...{ terms: seen.terms, confirmed: seen.confirmed, anchor: seen.anchor, suspendedAt: seen.suspendedAt },
          ...{ lastThresholdNotified: seen.lastThresholdNotified, replacements: seen.replacements }
        }
        yield* Suite.equals("the attachment", actual, { ...named, attachmentId, terms, ...state })
        const expected = packages.filter((pack) => pack.occurrence === occurrence)
        yield* Suite.equals(`the package of occurrence ${occurrence}`, recorded, expected)
      }
      const occurring = { ...named, attachmentId, occurrence: 1 }
      const ofOther = yield* storage.simAggregates.forOccurrence({ ...occurring, attachmentId: other.attachmentId })
      yield* Suite.equals("another attachment's", ofOther?.attachments[0].packages, [])
      for (const [what, elsewhere] of [
        ["no attachment", { attachmentId: world.id() }],
        ["another SIM's", { iccid: (yield* World.stockOne(world)).iccid }],
        ["another organization's", { organizationId: world.id() }]
      ] as const) {
        yield* Suite.equals(what, yield* storage.simAggregates.forOccurrence({ ...occurring, ...elsewhere }), null)
      }
      yield* World.write(world, sim, deleted(subscription))
      yield* Suite.equals("of a deleted subscription", yield* storage.simAggregates.forOccurrence(occurring), null)
    }
  ),

  scenario("subscriptions, attachments and packages change by their ids", function* (world) {
    const { sim, subscription } = yield* live(world, { status: "Pending" })
    const attachment = Rows.attachment(world, subscription, { confirmed: false })
    const packages = [0, 1, 2].map((occurrence) => Rows.pack(world, attachment, occurrence))
    yield* World.write(world, sim, { attachments: [attachment], packages })
    yield* isAggregate(world, "the pending aggregate", sim, { subscription, attachments: [{ attachment, packages }] })
    yield* isSeen(world, "while it is pending", sim, null)

    const confirmed: Subscription = { ...subscription, status: "Live" }
    const changed: Attachment = {
      ...attachment,
      confirmed: true,
      anchor: world.now,
      suspendedAt: world.now + 1,
      lastThresholdNotified: 80
    }
    const used = packages
      .slice(1, 2)
      .map((pack) => ({ ...pack, activationAt: null, expirationAt: world.now + 5, usedBytes: 7 }))
    yield* World.write(world, sim, { subscription: confirmed, attachments: [changed], packages: used })
    yield* isAggregate(world, "the live aggregate", sim, {
      subscription: confirmed,
      attachments: [
        { attachment: changed, packages: packages.map((pack, index) => (index === 1 ? (used[0] ?? pack) : pack)) }
      ]
    })
    const now = (yield* World.aggregate(world, sim.iccid)).sim
    yield* Suite.equals("the version", now.version, sim.version + 2)
    yield* isSeen(world, "once it is live", sim, { subscription: confirmed, sim: now })

    const back = { ...changed, anchor: null, suspendedAt: null, lastThresholdNotified: 0 }
    yield* World.write(world, sim, { attachments: [back] })
    const [left] = (yield* World.aggregate(world, sim.iccid)).attachments
    yield* Suite.equals("what goes back to nothing", left?.attachment, back)
  }),

  scenario(
    "S8: a subscription that moves is on its new SIM, with its attachments and packages, and not on the old one",
    function* (world) {
      const { storage } = world
      const { sim, subscription } = yield* live(world)
      const free = yield* World.stockOne(world)
      const attachment = Rows.attachment(world, subscription, { anchor: world.now, metadata: world.id() })
      const other = Rows.attachment(world, subscription, { suspendedAt: world.now, createdAt: world.now + 1 })
      const expirationAt = world.now + 9
      const packages = [0, 1].map((occurrence) =>
        Rows.pack(world, attachment, occurrence, { telcoPackageId: `T-${occurrence}`, usedBytes: 5, expirationAt })
      )
      yield* World.write(world, sim, { attachments: [attachment, other], packages })
      const { iccid } = free
      const former = [
        {
          iccid: sim.iccid,
          number: 0,
          telcoPackageId: "T-1",
          usedBytes: 5,
          count: "awaited",
          unreportedBytes: 0
        } as const
      ]
      const replacement = { number: 1, usedBefore: 5, isAwaited: true, former }
      const moved = packages.map((pack, index) => ({
        ...pack,
        iccid,
        ...(index === 1 && { telcoPackageId: null, replacement })
      }))
      const attachments = [
        { attachment: { ...attachment, iccid, replacements: 1 }, packages: moved },
        { attachment: { ...other, iccid, replacements: 1 }, packages: [] }
      ]
      const old = yield* World.aggregate(world, sim.iccid)
      const { subscriptionId } = subscription
      const left = {
        ...old.sim,
        allocation: { _tag: "Withdrawn", reason: "replaced", ending: subscriptionId } as const,
        movedTo: iccid,
        moves: [Moves.made(sim, iccid, subscription, world.now)]
      }
      const taken = { ...Rows.inService(free, subscription), moves: left.moves }
      const next = { sim: taken, subscription: { ...subscription, iccid }, attachments }
      yield* storage.commit({
        sims: [
          { loaded: old, next: { sim: left, subscription: null, attachments: [] } },
          { loaded: { sim: free, subscription: null, attachments: [] }, next }
        ]
      })
      const gone = yield* World.aggregate(world, sim.iccid)
      yield* Suite.equals("the old SIM", gone.sim, { ...left, version: left.version + 1 })
      yield* isAggregate(world, "what is left there", sim, { subscription: null, attachments: [] })
      const there = { ...taken, version: taken.version + 1 }
      yield* Suite.equals("the new SIM", (yield* World.aggregate(world, iccid)).sim, there)
      yield* isAggregate(world, "what has moved", free, { subscription: next.subscription, attachments })
      yield* isSeen(world, "on the new SIM", free, { subscription: next.subscription, sim: there })
      const ofOld = { organizationId: world.organizationId, iccid: sim.iccid }
      yield* Suite.equals("the subscription of the old SIM", yield* storage.subscriptions.get(ofOld), null)
      const occurring = { organizationId: world.organizationId, attachmentId: attachment.attachmentId, occurrence: 1 }
      const occurrence = storage.simAggregates.forOccurrence
      yield* Suite.equals("an occurrence on the old SIM", yield* occurrence({ ...occurring, iccid: sim.iccid }), null)
      const view = (yield* occurrence({ ...occurring, iccid }))?.attachments[0]
      yield* Suite.equals("it on the new one", [view?.attachment.replacements, view?.packages], [1, moved.slice(1)])
      const asked = { since: world.now + 10, packageIds: [`${attachment.attachmentId}:1:1`, "T-0"], reportIds: [] }
      const [reported] = yield* storage.simAggregates.forReports({
        iccids: [{ iccid, ...asked }],
        seenSince: world.now
      })
      yield* Suite.equals(
        "what reports find by its new id, and by the telco's",
        reported?.aggregate.attachments.flatMap((one) => one.packages),
        moved
      )
      const late = { iccid: sim.iccid, since: 0, packageIds: [], reportIds: [] }
      const [onOld] = yield* storage.simAggregates.forReports({ iccids: [late], seenSince: world.now })
      yield* Suite.equals(
        "where reports of the old SIM count",
        [onOld?.aggregate.sim.movedTo, onOld?.aggregate.attachments],
        [iccid, []]
      )
      const counted = former.map((one) => ({ ...one, usedBytes: 8, count: "counted" as const, unreportedBytes: 3 }))
      const taking = moved.map((pack) => ({
        ...pack,
        ...(pack.replacement !== null && {
          telcoPackageId: "T-2",
          usedBytes: 8,
          replacement: { ...replacement, isAwaited: false, former: counted }
        })
      }))
      const known = yield* World.given("the view", yield* occurrence({ ...occurring, iccid }))
      const [{ attachment: state }] = known.attachments
      yield* storage.commit({
        sims: [{ loaded: known, next: { ...known, attachments: [{ attachment: state, packages: taking.slice(1) }] } }]
      })
      const last = (yield* World.aggregate(world, iccid)).attachments
      yield* Suite.equals("what the telco has taken", last[0]?.packages, taking)
    }
  ),

  scenario("a deleted subscription and its attachments are no longer on the aggregate, nor listed", function* (world) {
    const { sim, subscription } = yield* live(world)
    const attachment = Rows.attachment(world, subscription)
    yield* World.write(world, sim, { attachments: [attachment], packages: [Rows.pack(world, attachment, 0)] })
    yield* World.write(world, sim, deleted(subscription))
    yield* isAggregate(world, "the aggregate", sim, { subscription: null, attachments: [] })
    yield* isSeen(world, "once it is deleted", sim, null)

    const next = Rows.subscription(world, sim)
    const other = Rows.attachment(world, next)
    const { allocation } = Rows.inService(sim, next)
    yield* World.write(world, sim, { sim: { allocation }, subscription: next, attachments: [other] })
    yield* isAggregate(world, "the SIM's next aggregate", sim, {
      subscription: next,
      attachments: [{ attachment: other, packages: [] }]
    })
    const rows = (yield* listed(world)).map((row) => row.subscription)
    yield* Suite.equals("listed", rows, [next])
  }),

  scenario("a removed attachment takes its packages along", function* (world) {
    const { sim, subscription } = yield* live(world)
    const [kept, removed] = [Rows.attachment(world, subscription), Rows.attachment(world, subscription)]
    const packages = [kept, removed].map((attachment) => Rows.pack(world, attachment, 0))
    yield* World.write(world, sim, { attachments: [kept, removed], packages })
    yield* World.write(world, sim, { removedAttachments: [removed.attachmentId] })
    const left = { attachment: kept, packages: packages.slice(0, 1) }
    yield* isAggregate(world, "the aggregate", sim, { subscription, attachments: [left] })
    const later = { ...removed, createdAt: world.now + 1 }
    yield* World.write(world, sim, { attachments: [later] })
    yield* isAggregate(world, "the aggregate with the attachment written anew", sim, {
      subscription,
      attachments: [left, { attachment: later, packages: [] }]
    })
  }),

  scenario("a removed subscription takes its attachments along", function* (world) {
    const { sim, subscription } = yield* live(world)
    const attachment = Rows.attachment(world, subscription)
    yield* World.write(world, sim, { attachments: [attachment], packages: [Rows.pack(world, attachment, 0)] })
    yield* World.write(world, sim, { sim: { allocation: { _tag: "Free" } }, subscription: null })
    yield* isAggregate(world, "the aggregate", sim, { subscription: null, attachments: [] })
    yield* Suite.equals("listed", yield* listed(world), [])
    const { allocation } = Rows.inService(sim, subscription)
    yield* World.write(world, sim, { sim: { allocation }, subscription })
    yield* isAggregate(world, "the aggregate with the subscription written anew", sim, {
      subscription,
      attachments: []
    })
  }),

  scenario("an aggregate is read as of one moment while it is being changed", function* (world) {
    const { sim, subscription } = yield* live(world)
    const attachment = Rows.attachment(world, subscription)
    yield* World.write(world, sim, { attachments: [attachment] })
    const first = (yield* World.aggregate(world, sim.iccid)).sim
    const write = (step: number) =>
      World.write(world, sim, {
        attachments: [{ ...attachment, lastThresholdNotified: step + 1 }],
        packages: [Rows.pack(world, attachment, 0, { usedBytes: step + 1 })]
      })
    const read = Effect.flatMap(World.aggregate(world, sim.iccid), (aggregate) => {
      const [only] = aggregate.attachments
      const notified = only?.attachment.lastThresholdNotified ?? 0
      const used = only?.packages[0]?.usedBytes ?? 0
      const version = aggregate.sim.version - first.version
      return Suite.equals("version, threshold and usage of one moment", [notified, used], [version, version])
    })
    yield* Effect.all(
      [
        Effect.forEach(
          Array.from({ length: 25 }, (_, step) => step),
          write,
          { discard: true }
        ),
        ...Array.from({ length: 3 }, () => Effect.repeat(Effect.andThen(read, Effect.yieldNow), { times: 25 }))
      ],
      { concurrency: "unbounded", discard: true }
    )
    yield* read
  })
]
