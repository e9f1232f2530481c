/**
 * The SIM inventory of an organization: import, lists, SM-DP+ history (rules I1, I2 and I7), and
 * taking SIMs out of stock that have packages without an owner (rule S5).
 */
import { Context, Effect, Layer, Result, Stream } from "effect"
import * as Deletion from "../../domain/Deletion.ts"
import * as ActivationCode from "../../domain/ActivationCode.ts"
import type { Label } from "../../domain/Label.ts"
import * as SimSearch from "../../domain/SimSearch.ts"
import { NotFound } from "../../domain/Refusal.ts"
import * as SimRules from "../../domain/Sim.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { SimIdentities } from "../../domain/SimIdentities.ts"
import type { CurrentStatus, Entry } from "../../domain/SmdpHistory.ts"
import * as SimImport from "../../domain/SimImport.ts"
import { isFormer } from "../../domain/TelcoReport.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Conflict, type ImportOutcome, type NewSim, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Metrics from "../Metrics.ts"
import * as Paging from "../Paging.ts"

/** An error or a warning about a row. `row` counts from 1, without the header of a file. */
export interface RowMessage {
  /** From 1, counted over the whole import. */
  readonly row: number
  /** The text of the row, also if it is no ICCID. */
  readonly iccid: string
  /** A sentence that names the column. */
  readonly message: string
}

/**
 * A row whose SIM was there already with another label, kind or activation code, which stays
 * (rule I7).
 */
export interface RowDifference extends SimRules.Difference {
  /** From 1, counted over the whole import. */
  readonly row: number
  /** The SIM. */
  readonly iccid: string
}

/** What became of an import's rows. */
export interface ImportReport {
  /** Rows that are SIMs of the inventory now. */
  readonly imported: number
  /**
   * SIMs that the organization has already, and to which the import has brought something new
   * (rule I7).
   */
  readonly updated: number
  /**
   * Other rows whose ICCID the organization has already, and rows whose ICCID an earlier row of the
   * import has.
   */
  readonly duplicates: number
  /** The first 1,000 rows, updated ones or duplicates, that differ from the SIM that is there. */
  readonly differing: ReadonlyArray<RowDifference>
  /** Of all such rows, those beyond the first 1,000 too. */
  readonly differingCount: number
  /** The first 1,000 errors, by row. */
  readonly errors: ReadonlyArray<RowMessage>
  /** Of all errors, those beyond the first 1,000 too. */
  readonly errorCount: number
  /** The first 1,000 warnings, by row. */
  readonly warnings: ReadonlyArray<RowMessage>
  /** Of all warnings, those beyond the first 1,000 too. */
  readonly warningCount: number
}

/** How a phone installs an eSIM (rule I10). */
export interface Installation {
  /** The activation code, which the camera of a phone reads as a QR code. */
  readonly lpa: string
  /** The links that do the same without a camera. */
  readonly links: ActivationCode.Links
}

/** An unchecked row. */
export type ImportRow = SimImport.Row

/** What a telco lists on a SIM in stock. */
export interface ListedInStock {
  /** As `Telco.listPackages` calls them. */
  readonly packageIds: ReadonlyArray<string>
  /**
   * Whether the telco knows orders of all of them, which were cancelled. False: one may be of a
   * customer whom a restored backup does not know.
   */
  readonly areOrdered: boolean
}

/**
 * What became of a SIM of which a telco was asked what it lists on it. `NotFree`: it is not in
 * stock, or not there.
 */
export type Withheld = "Kept" | "Withheld" | "NotFree"

/** Imports and reads the inventory. */
export class Sims extends Context.Service<
  Sims,
  {
    /**
     * By order of import; the cursor is an import sequence. Filtered by more than its kind and its
     * label (rule L1), a page may be short while others follow (rule W10).
     */
    readonly page: (
      of: SimSearch.Asked<SimRules.Status> & {
        readonly organizationId: string
        readonly isEsim?: boolean | null | undefined
        readonly limit: number
        readonly after: number | null
      }
    ) => Effect.Effect<{ readonly items: ReadonlyArray<Sim>; readonly next: number | null }, StorageError>
    /**
     * The SIMs of all organizations that a text finds, or of one (rule L4), those first that it
     * names alone. A blank text finds none. `hasMore`: it finds more than `SimSearch.MOST_HITS`, or
     * may.
     */
    readonly search: (of: {
      readonly text: string
      readonly organizationId: string | null
    }) => Effect.Effect<{ readonly hits: ReadonlyArray<SimSearch.Hit>; readonly hasMore: boolean }, StorageError>
    /** By ICCID; a SIM of another organization is `NotFound`. */
    readonly get: (of: {
      readonly organizationId: string
      readonly iccid: string
    }) => Effect.Effect<Sim, NotFound | StorageError>
    /**
     * How a SIM is installed (rule I10); one without an activation code, as a physical one, is
     * `NotFound`.
     */
    readonly installation: (of: {
      readonly organizationId: string
      readonly iccid: string
    }) => Effect.Effect<Installation, NotFound | StorageError>
    /** The history of an eSIM's profile; a physical SIM is `NotFound`. */
    readonly smdpInfo: (of: {
      readonly organizationId: string
      readonly iccid: string
    }) => Effect.Effect<
      { readonly history: ReadonlyArray<Entry>; readonly current: CurrentStatus | null },
      NotFound | StorageError
    >
    /**
     * Imports row by row. A bad row stops no other. Memory does not grow with the number of rows.
     * With `dryRun` the report says what would come of them now, and nothing is written (rule S9):
     * a row then does not see those that are more than a batch before it.
     */
    readonly importRows: <E>(request: {
      readonly organizationId: string
      readonly rows: Stream.Stream<ImportRow, E>
      readonly dryRun?: boolean
    }) => Effect.Effect<ImportReport, E | NotFound | StorageError>
    /**
     * Rule S5: takes a SIM out of stock on which its telco lists anything of ours. If it knows
     * all orders of that, the SIM is on its way back as after a deletion, and free when all that is
     * listed was cancelled; else it is a problem at once, and an operator decides. `list` asks the
     * telco while the SIM is free, and again if the SIM has changed meanwhile. A SIM that is sold
     * meanwhile stays with its customer; a request that has it reserved gets another one.
     */
    readonly withhold: <E, R>(of: {
      readonly organizationId: string
      readonly iccid: string
      readonly list: Effect.Effect<ListedInStock | null, E, R>
    }) => Effect.Effect<Withheld, E | StorageError, R>
  }
>()("simplan/Sims") {}

/** How many rows are stored at once. */
const IMPORT_BATCH = 1_000

/**
 * How many SIMs are read at once for a preview: what one statement reads. Reads of others go
 * between.
 */
const READS = 100

/** How many errors, and how many warnings, a report lists one by one. */
const MOST_MESSAGES = 1_000

const NOTHING_STORED: ImportOutcome = { imported: [], updated: [], taken: [], differing: [] }

const nothing: ImportReport = {
  imported: 0,
  updated: 0,
  duplicates: 0,
  differing: [],
  differingCount: 0,
  errors: [],
  errorCount: 0,
  warnings: [],
  warningCount: 0
}

const first = <A>(all: ReadonlyArray<A>, more: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.length >= MOST_MESSAGES || more.length === 0 ? all : [...all, ...more].slice(0, MOST_MESSAGES)

const sum = (before: ImportReport, batch: ImportReport): ImportReport => ({
  imported: before.imported + batch.imported,
  updated: before.updated + batch.updated,
  duplicates: before.duplicates + batch.duplicates,
  differing: first(before.differing, batch.differing),
  differingCount: before.differingCount + batch.differingCount,
  errors: first(before.errors, batch.errors),
  errorCount: before.errorCount + batch.errorCount,
  warnings: first(before.warnings, batch.warnings),
  warningCount: before.warningCount + batch.warningCount
})

/**
 * How rows differ from what is stored now: each from what was there, or else from what the first
 * row of its ICCID brought.
 */
const differences = (
  given: ReadonlyArray<readonly [row: number, SimImport.Parsed]>,
  sims: ReadonlyMap<string, SimRules.Kept>,
  outcome: ImportOutcome
): ReadonlyArray<RowDifference> => {
  const stored = new Map(outcome.differing.map((sim) => [sim.iccid, sim]))
  return given.flatMap(([row, sim]) => {
    const kept = stored.get(sim.iccid) ?? sims.get(sim.iccid)
    const difference = kept === undefined ? null : SimRules.difference(kept, sim)
    return difference === null ? [] : [{ row, iccid: sim.iccid, ...difference }]
  })
}

/** A SIM of an import, and what is there of its ICCID. */
interface Found {
  readonly sim: NewSim
  /** Null: nobody has it. */
  readonly owner: { readonly organizationId: string } | null
  /** Null: the organization does not have it. */
  readonly stored: (SimRules.Kept & SimIdentities) | null
}

/** The outcome with that of one more SIM. */
const withFound = (before: ImportOutcome, { owner, sim, stored }: Found): ImportOutcome => {
  const { iccid } = sim
  if (owner === null) return { ...before, imported: [...before.imported, iccid] }
  const taken = [...before.taken, { iccid, organizationId: owner.organizationId }]
  if (stored === null) return { ...before, taken }
  const { isEsim, label, lpa } = stored
  const differing =
    SimRules.difference(stored, sim) === null ? before.differing : [...before.differing, { iccid, isEsim, label, lpa }]
  return SimRules.isUnchangedByImport(stored, SimRules.importedAgain(stored, sim))
    ? { ...before, taken, differing }
    : { ...before, updated: [...before.updated, iccid], differing }
}

const byImport = ({ importSequence }: Sim): number => importSequence

type Needs = Storage | BusinessClock | Commits | Ids | Paging.FilteredLists

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Sims, never, Needs> = Layer.effect(
  Sims,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const ids = yield* Ids
    const lists = yield* Paging.FilteredLists

    const get = Effect.fnUntraced(function* (of: { readonly organizationId: string; readonly iccid: string }) {
      return (yield* storage.sims.get(of)) ?? (yield* new NotFound({ resource: "sim", id: of.iccid }))
    })

    /** Rule I12: more eSIMs of these labels are free. */
    const checkStock = Effect.fnUntraced(function* (organizationId: string, labels: Iterable<Label>, importId: string) {
      const now = yield* clock.now
      const changed = Array.from(labels, (label) => ({ label, cause: importId }))
      const jobs = yield* commits.stockChecks(organizationId, changed, now)
      if (jobs.length === 0) return
      const commit = yield* commits.prepare(organizationId, { jobs }, now)
      yield* commits.retryOnConflict(commits.write(commit))
    })

    /**
     * What is stored of a SIM, with its identities; of one of another organization, whose it is.
     */
    const found = Effect.fnUntraced(function* (sim: NewSim) {
      const owner = yield* storage.simAggregates.owner(sim.iccid)
      if (owner?.organizationId !== sim.organizationId) return { sim, owner, stored: null }
      const [stored, identities] = yield* Effect.all([storage.sims.get(sim), storage.sims.identities(sim)], {
        concurrency: "unbounded"
      })
      return { sim, owner, stored: stored === null ? null : { ...stored, ...identities } }
    })

    /** What storing them would come to now (rule I7). */
    const foreseen = Effect.fnUntraced(function* (sims: ReadonlyArray<NewSim>) {
      return (yield* Effect.forEach(sims, found, { concurrency: READS })).reduce(withFound, NOTHING_STORED)
    })

    const importBatch = Effect.fnUntraced(function* (
      organizationId: string,
      rows: ReadonlyArray<readonly [ImportRow, number]>,
      labels: Set<Label>,
      store: (sims: ReadonlyArray<NewSim>) => Effect.Effect<ImportOutcome, StorageError>
    ): Effect.fn.Return<ImportReport, StorageError> {
      const errors: Array<RowMessage> = []
      const warnings: Array<RowMessage> = []
      const sims = new Map<string, NewSim>()
      const rowOf = new Map<string, number>()
      const given: Array<readonly [row: number, SimImport.Parsed]> = []
      let duplicates = 0
      const now = yield* clock.now
      for (const [row, index] of rows) {
        const parsed = SimImport.parse(row)
        if (Result.isFailure(parsed)) {
          errors.push({ row: index + 1, iccid: SimImport.name(row), message: parsed.failure })
          continue
        }
        const { iccid, warnings: rowWarnings, ...sim } = parsed.success
        given.push([index + 1, parsed.success])
        const earlier = sims.get(iccid)
        if (earlier !== undefined) {
          duplicates += 1
          sims.set(iccid, SimRules.importedAgain(earlier, parsed.success))
          continue
        }
        rowOf.set(iccid, index + 1)
        for (const message of rowWarnings) warnings.push({ row: index + 1, iccid, message })
        const simId = yield* ids.next(now, organizationId)
        sims.set(iccid, SimRules.imported({ ...sim, organizationId, iccid, simId, purchase: null, createdAt: now }))
      }
      const outcome = sims.size === 0 ? NOTHING_STORED : yield* store([...sims.values()])
      for (const { iccid, organizationId: owner } of outcome.taken) {
        if (owner === organizationId) duplicates += 1
        else {
          errors.push({ row: rowOf.get(iccid) ?? 0, iccid, message: "the iccid is already in use" })
          sims.delete(iccid)
        }
      }
      const differing = differences(given, sims, outcome)
      const imported = new Set(outcome.imported)
      for (const iccid of imported) {
        const label = sims.get(iccid)?.label
        if (label !== undefined) labels.add(label)
      }
      const warned = warnings.filter(({ iccid }) => imported.has(iccid))
      return {
        imported: imported.size,
        updated: outcome.updated.length,
        duplicates,
        differing,
        differingCount: differing.length,
        errors: errors.sort((left, right) => left.row - right.row),
        errorCount: errors.length,
        warnings: warned,
        warningCount: warned.length
      }
    })

    return Sims.of({
      get,
      page: ({ after, isEsim = null, limit, organizationId, ...asked }) => {
        const filter = SimSearch.filterOf(asked)
        if (filter === null) return Effect.succeed({ items: [], next: null })
        const { label } = filter
        const isPlain = SimSearch.isWhole({ ...filter, label: null })
        return Metrics.traced(
          "Sims.page",
          {},
          isPlain
            ? Effect.map(storage.sims.page({ organizationId, isEsim, label, after, limit: limit + 1 }), (found) =>
                Paging.page(found, limit, byImport)
              )
            : lists.page(
                { organizationId, after, limit },
                (step) =>
                  storage.sims.find({
                    organizationId,
                    isEsim,
                    ...filter,
                    ...step,
                    ...Paging.searching(filter.search)
                  }),
                byImport
              )
        )
      },
      search: Effect.fn("Sims.search")(function* ({ organizationId, text }) {
        const search = SimSearch.of(text)
        if (search === null) return { hits: [], hasMore: false }
        return yield* storage.sims.search({ search, organizationId, limit: SimSearch.MOST_HITS })
      }),
      installation: Effect.fn("Sims.installation")(function* (of) {
        const { lpa } = yield* get(of)
        if (lpa === null) return yield* new NotFound({ resource: "activation code", id: of.iccid })
        return { lpa, links: ActivationCode.linksOf(lpa) }
      }),
      smdpInfo: Effect.fn("Sims.smdpInfo")(function* (of) {
        const sim = yield* get(of)
        if (!sim.isEsim) return yield* new NotFound({ resource: "sim", id: of.iccid })
        const history = yield* storage.sims.smdpHistory(of)
        return { history: history.filter(({ modifiedAt }) => !isFormer(modifiedAt, sim)), current: sim.smdp }
      }),
      withhold: ({ list, ...of }) =>
        commits.retryOnConflict(
          Effect.gen(function* (): Effect.fn.Return<
            Withheld,
            Effect.Error<typeof list> | Conflict | StorageError,
            Effect.Services<typeof list>
          > {
            const aggregate = yield* storage.simAggregates.get(of)
            if (aggregate === null || SimRules.isUsed(aggregate.sim)) return "NotFree"
            const listed = yield* list
            if (listed === null || listed.packageIds.length === 0) return "Kept"
            const now = yield* clock.now
            const releaseId = yield* ids.next(now, of.organizationId)
            const decision = Deletion.withheld(aggregate, releaseId, listed, now)
            yield* commits.write(yield* commits.prepare(of.organizationId, decision, now))
            yield* Effect.logWarning(
              "the telco lists packages on a SIM in stock, which is not sold until they are gone",
              {
                ...of,
                packageIds: listed.packageIds
              }
            )
            return "Withheld"
          })
        ),
      importRows: Effect.fn("Sims.importRows")(function* ({ dryRun = false, organizationId, rows }) {
        const organization = yield* storage.organizations.get(organizationId)
        if (organization === null) return yield* new NotFound({ resource: "organization", id: organizationId })
        const now = yield* clock.now
        const resourceId = yield* ids.next(now, organizationId)
        const auditEntry = yield* commits.entry({ organizationId, action: "sim.import", resourceId, iccid: null }, now)
        const labels = new Set<Label>()
        const store = (sims: ReadonlyArray<NewSim>) => (dryRun ? foreseen(sims) : storage.sims.import(sims, auditEntry))
        const report = yield* rows.pipe(
          Stream.zipWithIndex,
          Stream.grouped(IMPORT_BATCH),
          Stream.mapEffect((batch) => importBatch(organizationId, batch, labels, store)),
          Stream.runFold(() => nothing, sum)
        )
        if (!dryRun) yield* checkStock(organizationId, labels, resourceId)
        return report
      })
    })
  })
)
