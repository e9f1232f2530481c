/**
 * Histories: what a run was, from its seed to its end, as plain data that survives JSON.
 *
 * After every step the whole service is observed through its ports, and what has changed since the
 * step before is kept: lines, states, events, the telco's books and calls, webhooks. What did not
 * change is not read again: the version of a SIM guards all of its line. The same seed and commands
 * give the same history, byte for byte.
 */
import { Effect, Equal } from "effect"
import { Attachments } from "../app/subscriptions/Attachments.ts"
import type { State } from "../domain/Attachment.ts"
import type { SimAggregate } from "../domain/SimAggregate.ts"
import * as Purchase from "../domain/Purchase.ts"
import * as Stock from "../domain/Stock.ts"
import * as Time from "../domain/Time.ts"
import type { Instant } from "../domain/Time.ts"
import * as UsageBook from "../domain/UsageBook.ts"
import type { WebhookEvent } from "../domain/WebhookEvent.ts"
import type { StorageError } from "../ports/Storage.ts"
import type { OfLabel } from "../app/sims/Stock.ts"
import type { ReceivedWebhook, Simulated, TelcoCall, TelcoRecord } from "./Simulated.ts"
import * as Commands from "./Commands.ts"

/** An attachment as its organization sees it. */
export interface AttachmentView {
  /** The attachment that the rest is about. */
  readonly attachmentId: string
  /** By the clock at the end of the step (rule T2). */
  readonly state: State
  /** The anchor of a recurring attachment (rule T6). Null: not known before the first use. */
  readonly activationAt: Instant | null
  /**
   * The end of the last occurrence of a recurring attachment (rule T6). Null while the activation
   * is not known.
   */
  readonly expirationAt: Instant | null
  /** Usage of the last package that has begun; 0 if none has (rule T6). */
  readonly usedBytes: number
  /** How many packages are shown. */
  readonly packages: number
}

/** All that the book of usage has of a SIM (rule U1). */
export interface UsageOfSim {
  /** The SIM. */
  readonly iccid: string
  /** In their order; those of former subscriptions are among them. */
  readonly entries: ReadonlyArray<UsageBook.SimEntry>
  /** What the SIM's organization used, by its totals, and by its SIMs. */
  readonly ofOrganization: { readonly days: number; readonly sims: number }
}

/** How many SIMs an organization has where, and its levels (rules I11 and I12). */
export interface StockOf {
  /** Whose SIMs. */
  readonly organizationId: string
  /** By label, those that it has SIMs of or a level for. */
  readonly labels: ReadonlyArray<OfLabel>
}

/** What there is after a step, so far as it differs from what there was before it. */
export interface Changes {
  /** Whole lines of SIMs of which anything changed. */
  readonly lines: ReadonlyArray<SimAggregate>
  /** What the book of usage has of those SIMs. */
  readonly usage: ReadonlyArray<UsageOfSim>
  /** Of organizations of which it has changed. */
  readonly stock: ReadonlyArray<StockOf>
  /** Confirmed attachments of which the view has changed. */
  readonly views: ReadonlyArray<AttachmentView>
  /** New ones, of both organizations. */
  readonly events: ReadonlyArray<WebhookEvent>
  /** What the telco wrote into its books during the step, in order. */
  readonly records: ReadonlyArray<TelcoRecord>
  /** The calls to the telco that ended during the step, in order of their ends. */
  readonly calls: ReadonlyArray<TelcoCall>
  /** The webhooks that arrived during the step, in order of arrival. */
  readonly webhooks: ReadonlyArray<ReceivedWebhook>
  /** What broke in the background. */
  readonly mishaps: ReadonlyArray<string>
  /** All purchases that are outstanding, changed or not (rule I15). Absent: none is. */
  readonly purchases?: ReadonlyArray<Outstanding>
}

/** A purchase that its supplier has not answered for good. */
export interface Outstanding {
  /** What it is made by. */
  readonly purchaseId: string
  /** Whose it is. */
  readonly organizationId: string
  /** The label of the SIM. */
  readonly label: string
  /** What is bought. */
  readonly load: string
}

/** More than the book of usage has of a SIM or an organization in a simulation. */
const ENTRIES = 100_000

/** More purchases than are outstanding at once. */
const PURCHASES = 1_000

/** How many deliveries are read at once, newest first. */
const PAGE = 20

const sameView = (left: AttachmentView, right: AttachmentView): boolean =>
  left.state === right.state &&
  left.activationAt === right.activationAt &&
  left.expirationAt === right.expirationAt &&
  left.usedBytes === right.usedBytes &&
  left.packages === right.packages

/** Observes the service; each observation has what has changed since the one before. */
export const observe = (simulated: Simulated): Effect.Effect<Changes, StorageError> => {
  const { storage } = simulated
  const versions = new Map<string, number>()
  const lastViews = new Map<string, AttachmentView>()
  const lastStock = new Map<string, ReadonlyArray<OfLabel>>()
  const events = new Set<string>()
  let [records, calls, webhooks, mishaps] = [0, 0, 0, 0]
  let observedAt = Number.NEGATIVE_INFINITY

  const changedLines = Effect.fnUntraced(function* (organizationId: string) {
    const limit = simulated.iccids(organizationId).length + 1
    const sims = yield* storage.sims.page({ organizationId, isEsim: null, label: null, after: null, limit })
    const lines: Array<SimAggregate> = []
    for (const { iccid, version } of sims) {
      if (versions.get(iccid) === version) continue
      versions.set(iccid, version)
      const line = yield* storage.simAggregates.get({ organizationId, iccid })
      if (line !== null) lines.push(line)
    }
    return lines
  })

  const book = { from: UsageBook.dayOf(simulated.start) - 100 * Time.DAY, until: Time.END_OF_TIME }
  const sum = (of: ReadonlyArray<{ readonly bytes: number }>) => of.reduce((all, { bytes }) => all + bytes, 0)

  const usageOf = Effect.fnUntraced(function* ({ sim: { iccid, organizationId } }: SimAggregate) {
    const asked = { organizationId, ...book }
    const entries = yield* storage.usage.entries({ ...asked, iccid, after: null, limit: ENTRIES })
    const days = yield* storage.usage.totals({ ...asked, by: ["day"], after: null, limit: ENTRIES })
    const sims = yield* storage.usage.sims({ ...asked, after: null, limit: ENTRIES })
    return { iccid, entries, ofOrganization: { days: sum(days), sims: sum(sims) } }
  })

  /** As the organization sees them; states change by the clock alone. */
  const changedViews = Effect.fnUntraced(function* (organizationId: string) {
    const changed: Array<AttachmentView> = []
    const limit = simulated.iccids(organizationId).length + 1
    for (const { sim } of yield* storage.subscriptions.page({ organizationId, after: null, limit })) {
      const views = yield* Effect.orDie(
        simulated.use(Attachments.use((of) => of.list({ organizationId, iccid: sim.iccid })))
      )
      for (const { activationAt, attachment, expirationAt, packages, state, usedBytes } of views) {
        const { attachmentId } = attachment
        const now = { attachmentId, state, activationAt, expirationAt, usedBytes, packages: packages.length }
        const before = lastViews.get(attachmentId)
        if (before !== undefined && sameView(before, now)) continue
        lastViews.set(attachmentId, now)
        changed.push(now)
      }
    }
    return changed
  })

  const changedStock = Effect.fnUntraced(function* (organizationId: string) {
    const set = Stock.set(yield* storage.sims.levels({ organizationIds: [organizationId] }))
    const sellAfter = Purchase.sellAfter(yield* simulated.now)
    const levels = new Map(set.map(({ label, level }) => [label, level]))
    const counted = Stock.byLabel(yield* storage.sims.counts({ organizationId, sellAfter }), set)
    const labels = counted.map((one) => ({ ...one, level: levels.get(one.label) ?? null }))
    if (Equal.equals(lastStock.get(organizationId), labels)) return []
    lastStock.set(organizationId, labels)
    return [{ organizationId, labels }]
  })

  const outstanding = Effect.fnUntraced(function* (organizationId: string) {
    const jobs = yield* storage.jobs.purchases({ organizationId, limit: PURCHASES })
    return jobs.flatMap(({ work }) =>
      work._tag === "BuySim"
        ? [{ purchaseId: work.purchaseId, organizationId, label: work.label, load: work.load }]
        : []
    )
  })

  const newEvents = Effect.fnUntraced(function* (organizationId: string) {
    const found: Array<WebhookEvent> = []
    let after: { readonly createdAt: Instant; readonly id: string } | null = null
    while (true) {
      const page = yield* Effect.suspend(() => storage.deliveries.page({ organizationId, after, limit: PAGE }))
      const fresh = page.items.filter(({ event }) => !events.has(event.eventId))
      for (const { event } of fresh) events.add(event.eventId)
      found.push(...fresh.map(({ event }) => event))
      after = page.next
      if (after === null) return found.reverse()
      // An event of the instant of the observation before may stand behind all that were there
      // then.
      if (fresh.length === 0 && after.createdAt < observedAt) return found.reverse()
    }
  })

  return Effect.gen(function* () {
    const [first, second] = simulated.organizationIds
    const lines = [...(yield* changedLines(first)), ...(yield* changedLines(second))]
    const purchases = [...(yield* outstanding(first)), ...(yield* outstanding(second))]
    const changes: Changes = {
      ...(purchases.length > 0 && { purchases }),
      lines,
      usage: yield* Effect.forEach(lines, usageOf),
      stock: [...(yield* changedStock(first)), ...(yield* changedStock(second))],
      views: [...(yield* changedViews(first)), ...(yield* changedViews(second))],
      events: [...(yield* newEvents(first)), ...(yield* newEvents(second))],
      records: simulated.telcoRecords(records),
      calls: simulated.telcoCalls(calls),
      webhooks: simulated.received(webhooks),
      mishaps: simulated.mishaps(mishaps)
    }
    observedAt = yield* simulated.now
    records += changes.records.length
    calls += changes.calls.length
    webhooks += changes.webhooks.length
    mishaps += changes.mishaps.length
    return changes
  })
}

/**
 * When the next job or delivery is due; null if there is none. What someone holds is due at
 * once.
 */
export const nextDue = (simulated: Simulated): Effect.Effect<Instant | null, StorageError> =>
  Effect.gen(function* () {
    const now = yield* simulated.now
    const machineNow = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    const at = { now, machineNow }
    const pending = [yield* simulated.jobs.pending(at), yield* simulated.outbox.pending(at)]
    const due = pending.flatMap(({ dueAt, held }) => (held > 0 ? [now] : dueAt === null ? [] : [dueAt]))
    return due.length === 0 ? null : Math.min(...due)
  })

/** One command of a run, what came of it, and what it changed. */
export interface Step extends Commands.Ran {
  /** As it was drawn: plain data, with numbers in the place of ids. */
  readonly command: Commands.Command
  /** When it began, and when it was over. */
  readonly began: Instant
  /** Business time at which it was over. */
  readonly ended: Instant
  /** When the next job or delivery is due, as of its end; null if there is none. */
  readonly nextDue: Instant | null
  /** What differs from the end of the step before. */
  readonly changes: Changes
}

/** The SIMs that an organization began with. */
export interface Inventory {
  /** The organization that owns the SIMs. */
  readonly organizationId: string
  /** In the order of their import. */
  readonly iccids: ReadonlyArray<string>
}

/** One run: its seed, what there was at first, and each step. It survives JSON. */
export interface History {
  /** The seed of the simulation. With the same commands it gives the same history. */
  readonly seed: number
  /** Business time at which the simulation began. */
  readonly start: Instant
  /** Of the first organization and of the second. */
  readonly inventories: readonly [Inventory, Inventory]
  /** What there was before the first step. */
  readonly before: Changes
  /** One for each command, in order. */
  readonly steps: ReadonlyArray<Step>
}

/** Whether nothing is left to be done at the end of a step. */
export const isIdle = ({ ended, nextDue }: Step): boolean => nextDue === null || nextDue > ended

/** Runs the commands one after another and writes down what came of each. */
export const record = (
  simulated: Simulated,
  commands: ReadonlyArray<Commands.Command>
): Effect.Effect<History, StorageError> =>
  simulated.inItsTime(
    Effect.gen(function* () {
      const session = Commands.begin(simulated)
      const observed = observe(simulated)
      const before = yield* observed
      const [first, second] = simulated.organizationIds
      const [own, others] = [simulated.iccids(first), simulated.iccids(second)]
      const steps: Array<Step> = []
      for (const command of commands) {
        const began = yield* simulated.now
        const ran = yield* Commands.run(session, command)
        const ended = yield* simulated.now
        const changes = yield* observed
        steps.push({
          command,
          ...ran,
          began,
          ended,
          nextDue: yield* nextDue(simulated),
          changes
        })
      }
      return {
        seed: simulated.seed,
        start: simulated.start,
        inventories: [
          { organizationId: first, iccids: own },
          { organizationId: second, iccids: others }
        ],
        before,
        steps
      }
    })
  )

/** The history as JSON, in one line. */
export const toJson = (history: History): string => JSON.stringify(history)
