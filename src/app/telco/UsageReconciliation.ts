/**
 * Reconciles the book of usage of a SIM with the one that its telco keeps (rule U1), in one commit.
 * The telco's adapter reads the telco's book, and decides when.
 */
import { Context, Effect, Layer } from "effect"
import type { SimChange } from "../../domain/SimDifference.ts"
import { DAY, MINUTE } from "../../domain/Time.ts"
import * as UsageBook from "../../domain/UsageBook.ts"
import * as Reconciling from "../../domain/UsageReconciliation.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"

/** What is reconciled: a SIM, with what its telco has of it. */
export interface Asked {
  /** The ICCID of the SIM. */
  readonly iccid: string
  /** The days that are compared, and what the telco has of them. */
  readonly book: Reconciling.TelcoBook
}

/** What comes of it: of days that were compared, and of those that cannot be. */
export interface Outcome extends Reconciling.Reconciled {
  /** By day; empty if the telco's book of all days was read. */
  readonly unread: ReadonlyArray<Reconciling.Unread>
}

/** Moves usage to the day and country in which the telco has it (rule U1). */
export class UsageReconciliation extends Context.Service<
  UsageReconciliation,
  {
    /**
     * Moves bytes of the SIM's entries to where the telco has them, and returns the days whose
     * totals are others even so, and those of which the telco's book cannot be read. None if
     * there is no such SIM.
     */
    readonly reconcile: (of: Asked) => Effect.Effect<Outcome, StorageError>
  }
>()("simplan/UsageReconciliation") {}

/** By how much a telco's clock may be off, in milliseconds. */
const SKEW = 15 * MINUTE

/** How many entries are read at once. */
const PAGE = 1_000

type Booking = Pick<UsageBook.Booking, "planId" | "label" | "createdAt">

const NOTHING: Outcome = { moved: [], differences: [], unread: [] }

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<UsageReconciliation, never, Storage | BusinessClock | Commits> = Layer.effect(
  UsageReconciliation,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits

    const entriesOf = Effect.fnUntraced(function* (of: UsageBook.Days & { organizationId: string; iccid: string }) {
      const found: Array<UsageBook.SimEntry> = []
      while (true) {
        const page = yield* storage.usage.entries({ ...of, after: found.at(-1) ?? null, limit: PAGE })
        found.push(...page)
        if (page.length < PAGE) return found
      }
    })

    /**
     * Those of the SIM, and of attachments that were used on it and have moved to another one
     * (rule S8).
     */
    const withMoved = Effect.fnUntraced(function* (
      organizationId: string,
      entries: ReadonlyArray<UsageBook.SimEntry>,
      present: ReadonlyMap<string, Booking>
    ) {
      const moved = new Set(entries.map(({ attachmentId }) => attachmentId).filter((id) => !present.has(id)))
      if (moved.size === 0) return present
      const found = yield* storage.usage.bookings({ organizationId, attachmentIds: [...moved] })
      return new Map([...present, ...found.map((one) => [one.attachmentId, one] as const)])
    })

    const attempt = Effect.fnUntraced(function* ({ book, iccid }: Asked) {
      const now = yield* clock.now
      const asked = { iccid, since: now, packageIds: [], reportIds: [] }
      // The SIM is read before its entries, so that its version guards them: no commit adds to them
      // without it.
      const [found] = yield* storage.simAggregates.forReports({ iccids: [asked], seenSince: now })
      if (found === undefined) return NOTHING
      const { attachments, sim } = found.aggregate
      const { label, organizationId } = sim
      const from = book.wanted ?? book.from
      const entries = yield* entriesOf({ organizationId, iccid, from, until: book.until + DAY })
      const bookings = new Map(
        attachments.map(({ attachment }) => [attachment.attachmentId, { ...attachment, label }] as const)
      )
      const bookingOf = yield* withMoved(organizationId, entries, bookings)
      const since = new Map(
        Array.from(bookingOf, ([attachmentId, { createdAt }]) => [attachmentId, UsageBook.dayOf(createdAt - SKEW)])
      )
      const reconciled = Reconciling.reconcile(entries, since, book)
      const usage = reconciled.moved.flatMap((entry): ReadonlyArray<UsageBook.Entry> => {
        const booking = bookingOf.get(entry.attachmentId)
        if (booking === undefined) return []
        return [{ ...entry, organizationId, iccid, label: booking.label, planId: booking.planId }]
      })
      if (usage.length > 0) {
        const change: SimChange = { loaded: found.aggregate, next: found.aggregate }
        yield* commits.write({ sims: [change], reports: { usage } })
      }
      return { ...reconciled, unread: Reconciling.unread(entries, book) }
    })

    return UsageReconciliation.of({
      reconcile: Effect.fn("UsageReconciliation.reconcile")((of) => commits.retryOnConflict(attempt(of)))
    })
  })
)
