/**
 * The stock of SIMs: how many there are of each label and where they stand (rule I11), and the
 * levels below which the organization is notified (rule I12).
 *
 * Counting reads all SIMs of an organization. If that takes long, the counts are kept for ten
 * times as long, so that it takes a process a tenth of its time at most, whoever asks how often.
 */
import { Context, Effect, Fiber, Layer } from "effect"
import { differences } from "../../domain/AuditEntry.ts"
import * as Purchase from "../../domain/Purchase.ts"
import type { InvalidField, NotFound } from "../../domain/Refusal.ts"
import * as StockRules from "../../domain/Stock.ts"
import * as Clocks from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Organizations } from "../organizations/Organizations.ts"

/** The SIMs of a label, and its level; null if it has none. */
export interface OfLabel extends StockRules.OfLabel {
  /** Rule I12. */
  readonly level: number | null
}

/** Counts SIMs, and keeps the levels of free eSIMs. */
export class Stock extends Context.Service<
  Stock,
  {
    /**
     * By label, those that the organization has SIMs of or a level for. Of large inventories it may
     * be some seconds old.
     */
    readonly get: (of: { readonly organizationId: string }) => Effect.Effect<ReadonlyArray<OfLabel>, StorageError>
    /** By label. */
    readonly levels: (of: {
      readonly organizationId: string
    }) => Effect.Effect<ReadonlyArray<StockRules.LevelRequest>, StorageError>
    /** Sets the levels that are named, and ends all others (rule I12). */
    readonly setLevels: (request: {
      readonly organizationId: string
      readonly levels: ReadonlyArray<{ readonly label: string; readonly level: number }>
    }) => Effect.Effect<ReadonlyArray<StockRules.LevelRequest>, InvalidField | NotFound | StorageError>
  }
>()("simplan/Stock") {}

/**
 * What is counted in this time is counted each time, in milliseconds, and how many times as long
 * the rest is kept.
 */
const CHEAP = 100
const KEPT = 10

type Counts = ReadonlyArray<StockRules.Count>

interface Counted {
  readonly counts: Counts
  readonly until: number
}

type Needs = Storage | Clocks.BusinessClock | Commits | Organizations

/**
 * The implementation that `Services.layer` provides. It keeps the counts of large inventories for
 * some seconds.
 */
export const layer: Layer.Layer<Stock, never, Needs> = Layer.effect(
  Stock,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* Clocks.BusinessClock
    const commits = yield* Commits
    const organizations = yield* Organizations
    const kept = new Map<string, Counted>()
    const underWay = new Map<string, Fiber.Fiber<Counts, StorageError>>()

    const count = Effect.fnUntraced(function* (organizationId: string) {
      const began = yield* Clocks.monotonicNow
      const sellAfter = Purchase.sellAfter(yield* clock.now)
      const counts = yield* storage.sims.counts({ organizationId, sellAfter })
      const ended = yield* Clocks.monotonicNow
      for (const [id, { until }] of kept) if (until <= ended) kept.delete(id)
      if (ended - began >= CHEAP) kept.set(organizationId, { counts, until: ended + KEPT * (ended - began) })
      return counts
    })

    /**
     * One count of an organization is under way at a time. Who asks meanwhile gets the one after
     * it, which has begun later than they have asked: `isLater` says that so has the one that is
     * under way.
     */
    const counted = Effect.fnUntraced(function* (
      organizationId: string,
      isLater = false
    ): Effect.fn.Return<Counts, StorageError> {
      const known = kept.get(organizationId)
      if (known !== undefined && known.until > (yield* Clocks.monotonicNow)) return known.counts
      const other = underWay.get(organizationId)
      if (other !== undefined) {
        const exit = yield* Fiber.await(other)
        return yield* isLater ? exit : counted(organizationId, true)
      }
      const fiber = yield* Effect.forkDetach(count(organizationId), { startImmediately: true })
      underWay.set(organizationId, fiber)
      fiber.addObserver(() => underWay.delete(organizationId))
      return yield* yield* Fiber.await(fiber)
    })

    const levels = ({ organizationId }: { readonly organizationId: string }) =>
      Effect.map(storage.sims.levels({ organizationIds: [organizationId] }), StockRules.set)

    const requests = (of: ReadonlyArray<StockRules.Level>): ReadonlyArray<StockRules.LevelRequest> =>
      of.map(({ label, level }) => ({ label, level }))

    return Stock.of({
      levels: (of) => Effect.map(levels(of), requests),
      get: Effect.fn("Stock.get")(function* (of) {
        const set = yield* levels(of)
        const found = StockRules.byLabel(yield* counted(of.organizationId), set)
        return found.map((one) => ({ ...one, level: set.find(({ label }) => label === one.label)?.level ?? null }))
      }),
      setLevels: Effect.fn("Stock.setLevels")(function* ({ levels: asked, organizationId }) {
        yield* organizations.check({ organizationId })
        return yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const stored = yield* storage.sims.levels({ organizationIds: [organizationId] })
            const stockLevels = yield* Effect.fromResult(StockRules.withLevels(organizationId, stored, asked))
            const now = yield* clock.now
            const changed = stockLevels.map(({ label, version }) => ({ label, cause: `set ${version}` }))
            const jobs = yield* commits.stockChecks(organizationId, changed, now)
            const { jobs: put = {} } = yield* commits.prepare(organizationId, { jobs }, now)
            const change = {
              organizationId,
              action: "sim.set_stock_levels",
              resourceId: organizationId,
              iccid: null,
              changed: differences(StockRules.facts(stored, stockLevels), StockRules.facts(stockLevels, stockLevels))
            } as const
            const commit = yield* commits.audited({ stockLevels, jobs: put }, change, now)
            yield* commits.write(stockLevels.length === 0 ? {} : commit)
            return requests(StockRules.set(yield* storage.sims.levels({ organizationIds: [organizationId] })))
          })
        )
      })
    })
  })
)
