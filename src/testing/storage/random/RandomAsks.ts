/**
 * Random imports, claims and reads, with answers made comparable: what is unordered is sorted, and what a storage may
 * number in its own way (import sequences, and the catalogue's version while it starts) is left out.
 */
import { Effect, Struct } from "effect"
import * as fc from "fast-check"
import * as Quota from "../../../domain/Quota.ts"
import { type Sim, statuses } from "../../../domain/Sim.ts"
import * as SimSearch from "../../../domain/SimSearch.ts"
import { serviceStatuses } from "../../../domain/Subscription.ts"
import { DAY, HOUR, MINUTE } from "../../../domain/Time.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import type { Pending } from "../../../ports/Jobs.ts"
import type { CreatedCursor, StorageError } from "../../../ports/Storage.ts"
import type { Side } from "./RandomCommits.ts"
import { idOf, pick, type Run } from "./RandomSteps.ts"
import * as Rows from "../world/Rows.ts"
import { items, newSim } from "../world/World.ts"

/** The numbers of a question, at one moment of machine time. */
export interface Ask {
  readonly row: number
  readonly choice: number
  readonly machineNow: number
}

type Answer = Effect.Effect<unknown, StorageError>

/** A value without the serials of SIMs. */
export const withoutImportSequences = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutImportSequences)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) =>
      key === "importSequence" ? [] : [[key, withoutImportSequences(part)]]
    )
  )
}

const byText = <A>(values: ReadonlyArray<A>, text: (value: A) => string): ReadonlyArray<A> =>
  values.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))

/** What is pending of this run: other cases' work is due half a year later. */
const ownPending = (run: Run, { dueAt, held }: Pending): Pending => ({
  dueAt: dueAt !== null && dueAt > run.now + 12 * HOUR ? null : dueAt,
  held
})

const importSims = (run: Run, { other, world }: Side, { choice, row }: Ask): Answer => {
  const count = 1 + (choice % 3)
  const sims = Array.from({ length: count }, (_, index) => {
    const of = (choice + index) % 3 === 0 ? other : world
    return newSim(of, {
      simId: world.id(),
      iccid: pick(run.iccids, row + index),
      isEsim: choice % 7 !== 6,
      lpa: choice % 7 === 6 || choice % 3 === 0 ? null : `LPA:1$smdp.example$${choice}`,
      imsi: choice % 4 === 0 ? null : `20893${choice % 2}00000000${index}`,
      msisdn: choice % 3 === 0 ? null : `4477009000${choice % 3}`,
      label: choice % 5 === 4 ? "Blue" : "Green"
    })
  })
  return world.storage.sims.import(sims)
}

const claim = (run: Run, { world }: Side, { choice, machineNow, row }: Ask) => ({
  now: world.now + (choice - 8) * MINUTE,
  machineNow,
  until: machineNow + MINUTE,
  token: pick(run.tokens, choice),
  limit: 1 + row
})

// A page of 1 to 6 after one of the first rows.
const pages = <A, Cursor>(
  { choice, row }: Ask,
  read: (after: Cursor | null, limit: number) => Effect.Effect<ReadonlyArray<A>, StorageError>,
  cursor: (value: A) => Cursor
) =>
  Effect.flatMap(read(null, 6), (first) => {
    const after = first[choice % 7]
    return Effect.map(read(after === undefined ? null : cursor(after), 1 + row), (next) => [first, next])
  })

const reads = (run: Run, { world }: Side, ask: Ask): ReadonlyArray<Answer> => {
  const { organizationId, storage } = world
  const { choice, row } = ask
  const of = { organizationId }
  const id = idOf(run, world, row)
  const iccid = pick(run.iccids, row)
  const plans = {
    archived: pick([null, true, false], choice),
    label: pick([null, "Green", "Blue"] as const, choice),
    search: pick([null, "AL", "%", "_", "é", "a"], row),
    covering: choice % 4 === 3 ? { coverageIds: [id], iso2List: choice > 12 ? ["SE", "NO"] : ["SE"] } : null
  }
  const sims = {
    isEsim: pick([null, true, false], choice),
    label: pick([null, "Green", "Blue"] as const, row)
  }
  const today = UsageBook.dayOf(world.now)
  const days = { from: today - (choice % 3) * 20 * DAY, until: today + (1 + 20 * (row % 2)) * DAY }
  const searches = {
    status: pick([null, null, ...statuses], choice),
    createdAfter: pick([null, world.now - HOUR, world.now], choice + row),
    search: SimSearch.of(
      pick(["", iccid.slice(0, 1 + choice), iccid.slice(-1 - row), `4477009000${row}`, "M", id], choice)
    )
  }
  const service = pick([null, ...serviceStatuses], choice)
  const asked = {
    since: world.now + (choice - 5) * HOUR,
    packageIds: [`T-${choice}`],
    reportIds: ["report 0", "report 1", "report 2", "report 3"]
  }
  return [
    storage.operators.byHash(pick(run.hashes, choice)),
    storage.operators.named(pick(run.hashes, choice)),
    storage.operators.get(idOf(run, run.worlds[0], row)),
    storage.sessions.get(idOf(run, run.worlds[0], row % 3)),
    storage.apiKeys.byHash(pick(run.hashes, choice)),
    storage.apiKeys.byHash(`before ${id}`),
    storage.apiKeys.get({ ...of, apiKeyId: id }),
    pages(
      ask,
      (after: CreatedCursor | null, limit) => storage.apiKeys.page({ ...of, after, limit }),
      (key) => ({ createdAt: key.createdAt, id: key.apiKeyId })
    ),
    storage.jobs.get(`${id}:0`),
    storage.webhookEndpoints.get({ ...of, endpointId: id }),
    pages(
      ask,
      (after: CreatedCursor | null, limit) => storage.webhookEndpoints.page({ ...of, after, limit }),
      (endpoint) => ({ createdAt: endpoint.createdAt, id: endpoint.endpointId })
    ),
    storage.plans.get({ ...of, planId: id }),
    pages(
      ask,
      (after: CreatedCursor | null, limit) => items(storage.plans.page({ ...of, ...plans, after, limit })),
      (plan) => ({ createdAt: plan.createdAt, id: plan.planId })
    ),
    storage.regions.get({ ...of, coverageId: id }),
    Effect.forEach(Quota.kinds, (kind) => storage.organizations.count({ ...of, kind, atMost: 3 })),
    pages(
      ask,
      (after: CreatedCursor | null, limit) => storage.regions.page({ ...of, after, limit }),
      (region) => ({ createdAt: region.createdAt, id: region.coverageId })
    ),
    Effect.map(
      storage.regions.like({ ...of, regionName: `Region ${row}`, iso2List: pick([["NO", "SE"], ["SE"], []], choice) }),
      (regions) => byText(regions, (region) => region.coverageId)
    ),
    pages(
      ask,
      (after, limit) => storage.sims.page({ ...of, ...sims, after, limit }),
      (sim: Sim) => sim.importSequence
    ),
    storage.sims.free({ ...of, label: sims.label ?? "Green" }),
    pages(
      ask,
      (after, limit) => items(storage.sims.find({ ...of, ...sims, ...searches, after, limit })),
      (sim: Sim) => sim.importSequence
    ),
    searches.search === null
      ? Effect.succeed([])
      : storage.sims.search({ search: searches.search, organizationId, limit: 1_000 }),
    pages(
      ask,
      (after: CreatedCursor | null, limit) =>
        items(storage.subscriptions.find({ ...of, ...searches, status: service, label: sims.label, after, limit })),
      ({ subscription }) => ({ createdAt: subscription.createdAt, id: subscription.subscriptionId })
    ),
    Effect.map(storage.sims.stock({ organizationIds: [organizationId] }), (stock) =>
      byText(stock, ({ label }) => label)
    ),
    Effect.map(storage.sims.counts(of), (counts) =>
      byText(counts, ({ isEsim, label, state }) => `${label} ${isEsim} ${state}`)
    ),
    storage.sims.levels({ organizationIds: run.worlds.map((one) => one.organizationId) }),
    pages(
      ask,
      (after: CreatedCursor | null, limit) => storage.problems.page({ ...of, after, limit }),
      ({ createdAt, jobId }) => ({ createdAt, id: jobId })
    ),
    storage.sims.countFree({ ...of, label: sims.label ?? "Green", atMost: 1 + choice }),
    storage.simAggregates.get({ ...of, iccid }),
    storage.simAggregates.forAttachment({ ...of, iccid, attachmentId: id }),
    storage.simAggregates.forOccurrence({ ...of, iccid, attachmentId: id, occurrence: choice % 4 }),
    // The SIM's own attachments, and those of another one, to which they may have moved.
    Effect.forEach([iccid, pick(run.iccids, row + choice)], (holder) =>
      Effect.flatMap(storage.simAggregates.get({ ...of, iccid: holder }), (found) =>
        Effect.forEach(found?.attachments ?? [], ({ attachment: { attachmentId } }) =>
          Effect.all([
            storage.simAggregates.forAttachment({ ...of, iccid, attachmentId }),
            Effect.map(
              storage.simAggregates.forOccurrence({ ...of, iccid, attachmentId, occurrence: choice % 4 }),
              Rows.forOccurrence
            ),
            storage.subscriptions.attachments({ ...of, iccid, id: attachmentId })
          ])
        )
      )
    ),
    storage.subscriptions.get({ ...of, iccid }),
    storage.subscriptions.attachments({ ...of, iccid }),
    storage.subscriptions.attachments({ ...of, iccid, id }),
    storage.sims.get({ ...of, iccid }),
    Effect.map(
      storage.simAggregates.forReports({
        iccids: run.iccids.slice(row).map((one) => ({ ...asked, iccid: one })),
        seenSince: world.now + (choice % 6) * MINUTE
      }),
      (aggregates) =>
        byText(aggregates, ({ aggregate }) => aggregate.sim.iccid).map(({ aggregate, seen }) => ({
          aggregate: Rows.forReports(aggregate),
          seen: seen.toSorted()
        }))
    ),
    pages(
      ask,
      (after: CreatedCursor | null, limit) => storage.subscriptions.page({ ...of, after, limit }),
      ({ subscription }) => ({ createdAt: subscription.createdAt, id: subscription.subscriptionId })
    ),
    storage.sims.identities({ ...of, iccid }),
    storage.sims.smdpHistory({ ...of, iccid }),
    pages(
      ask,
      (after: CreatedCursor | null, limit) => items(storage.deliveries.page({ ...of, after, limit })),
      ({ delivery }) => ({ createdAt: delivery.createdAt, id: delivery.deliveryId })
    ),
    pages(
      ask,
      (after: UsageBook.SimEntry | null, limit) => storage.usage.entries({ ...of, ...days, iccid, after, limit }),
      (entry) => entry
    ),
    Effect.flatMap(storage.usage.entries({ ...of, ...days, iccid, after: null, limit: 6 }), (entries) =>
      Effect.map(
        storage.usage.bookings({ ...of, attachmentIds: [id, ...new Set(entries.map((entry) => entry.attachmentId))] }),
        (bookings) => byText(bookings, ({ attachmentId }) => attachmentId)
      )
    ),
    pages(
      ask,
      (before: UsageBook.SimEntry | null, limit) => storage.usage.latest({ ...of, iccid, before, limit }),
      (entry) => entry
    ),
    storage.jobs.ofSim({ ...of, iccid, after: null, limit: 1 + row }),
    Effect.forEach(UsageBook.totalGroups, (by) => storage.usage.totals({ ...of, ...days, by })),
    pages(
      ask,
      (after: string | null, limit) => storage.usage.sims({ ...of, ...days, after, limit }),
      (sim) => sim.iccid
    ),
    storage.idempotencyRecords.get({ ...of, key: `key ${row % 3}` }),
    storage.catalogues.get,
    storage.virtualClock,
    Effect.map(world.jobs.pending({ now: world.now, machineNow: ask.machineNow }), (pending) =>
      ownPending(run, pending)
    ),
    Effect.map(world.outbox.pending({ now: world.now, machineNow: ask.machineNow }), (pending) =>
      ownPending(run, pending)
    )
  ]
}

/** Everything that can be read. */
export const readAll = (run: Run, side: Side, ask: Ask): Answer => Effect.all(reads(run, side, ask))

const handBack = (run: Run, { world }: Side, { choice, row }: Ask): Answer =>
  Effect.gen(function* () {
    const { organizationId } = world
    const token = pick(run.tokens, choice)
    const held = run.iccids.slice(row).map((iccid) => ({ iccid, token }))
    yield* world.storage.sims.release({ organizationId, reservations: held })
    const logged = yield* items(world.storage.deliveries.page({ organizationId, after: null, limit: 6 }))
    yield* world.jobs.handBack([row, row + 1].map((index) => ({ jobId: `${idOf(run, world, index)}:0`, token })))
    yield* world.outbox.handBack(
      logged.slice(row).map(({ delivery: { deliveryId } }) => ({ organizationId, deliveryId, token }))
    )
  })

/** What is asked, and how often it is drawn. */
const asks = {
  import: { often: 1, answer: importSims },
  "claim SIM": {
    often: 2,
    answer: (run: Run, { world }: Side, { choice, machineNow, row }: Ask) =>
      world.storage.sims.reserve({
        organizationId: world.organizationId,
        label: choice % 9 === 8 ? "Blue" : "Green",
        purpose: row === 5 ? "mobile plan" : "subscription",
        token: pick(run.tokens, choice),
        count: 1 + (choice % 3),
        machineNow,
        until: machineNow + (1 + (choice % 10)) * MINUTE
      })
  },
  "claim jobs": { often: 2, answer: (run: Run, side: Side, ask: Ask) => side.world.jobs.claim(claim(run, side, ask)) },
  "claim deliveries": {
    often: 2,
    answer: (run: Run, side: Side, ask: Ask) => side.world.outbox.claim(claim(run, side, ask))
  },
  release: {
    often: 1,
    answer: (run: Run, side: Side, ask: Ask) =>
      ask.choice <= 4
        ? Effect.andThen(side.world.jobs.release(side.world), side.world.outbox.release(side.world))
        : handBack(run, side, ask)
  },
  purge: {
    often: 1,
    answer: (_: Run, { world: { now, storage } }: Side, { choice, row }: Ask) =>
      choice % 4 === 0
        ? storage.purgeReports({ before: UsageBook.dayOf(now) + (row % 3) * DAY, now })
        : storage.purge({
            idempotencyBefore: now + choice * MINUTE,
            commandsBefore: now + (choice % 3) * MINUTE,
            sessionsBefore: now + (choice % 5) * MINUTE
          })
  },
  read: {
    often: 3,
    answer: (run: Run, side: Side, ask: Ask) => pick(reads(run, side, ask), ask.choice + 25 * ask.row)
  }
} satisfies Readonly<
  Record<string, { readonly often: number; readonly answer: (run: Run, side: Side, ask: Ask) => Answer }>
>

/** The name of what is asked. */
export type Name = keyof typeof asks

/** What is asked. */
export const name: fc.Arbitrary<Name> = fc.constantFrom(
  ...Struct.keys(asks).flatMap((name) => Array.from({ length: asks[name].often }, () => name))
)

/** The answer to a question. */
export const answer = (run: Run, side: Side, name: Name, ask: Ask): Answer => asks[name].answer(run, side, ask)
