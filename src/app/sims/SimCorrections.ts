/**
 * Corrections of SIMs, one or many at once (rules I8 and I9).
 *
 * A batch of rows is one commit, which the versions of its SIMs guard. After a conflict each row is
 * corrected by itself, so that a SIM that changes all the time delays no other. Whoever sends the
 * same rows again goes on where the first time ended: what is corrected already stays as it is.
 * Batches of all requests take turns, by organization, one in a process: however many rows are
 * sent, others wait for one batch.
 */
import { Context, Effect, Layer, Result, Semaphore, Stream } from "effect"
import type { AuditEntry } from "../../domain/AuditEntry.ts"
import * as Iccid from "../../domain/Iccid.ts"
import type { Interrupted } from "../../domain/Idempotency.ts"
import { type ChangedMeanwhile, InvalidField, NotFound, type Refusing, toPlain } from "../../domain/Refusal.ts"
import type { Sim } from "../../domain/Sim.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import * as SimImport from "../../domain/SimImport.ts"
import * as SimCorrection from "../../domain/SimCorrection.ts"
import type { SimChange } from "../../domain/SimDifference.ts"
import * as Stock from "../../domain/Stock.ts"
import * as Version from "../../domain/Version.ts"
import { BusinessClock, monotonicNow } from "../../ports/Clocks.ts"
import { type Conflict, Storage, StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { CurrentIdempotency } from "../commit/Served.ts"
import { Ids } from "../commit/Ids.ts"
import * as FairSlots from "../FairSlots.ts"

/** What a SIM is to become. */
export interface Request extends SimCorrection.Unchecked {
  /** The SIM that is corrected. */
  readonly iccid: string
  /** The versions of the SIM that it may be of (rule W16). */
  readonly ifVersion?: Version.Expected
}

/** Why a SIM is not corrected. */
export type Refused = ChangedMeanwhile | InvalidField | NotFound | Refusing<"correction">

/**
 * A row whose columns could not be read. Its ICCID is null if that is no text, but a number for
 * one.
 */
interface UnreadableRow {
  readonly iccid: string | null
  readonly problem: InvalidField
}

/** A row: a correction, or one whose columns could not be read. */
export type Row = Request | UnreadableRow

/** The row of a record: `correction` is what its other columns say, or what is wrong with them. */
export const rowOf = (iccid: unknown, correction: Result.Result<SimCorrection.Unchecked, InvalidField>): Row => {
  const given = iccid ?? ""
  if (typeof given !== "string")
    return { iccid: null, problem: new InvalidField({ field: "iccid", message: "must be text" }) }
  return Result.isSuccess(correction)
    ? { ...correction.success, iccid: given }
    : { iccid: given, problem: correction.failure }
}

/** What came of a row. */
export interface RowResult {
  /** From 1, counted over all rows. */
  readonly row: number
  /** One that is none as it was sent, at most 40 characters. */
  readonly iccid: string
  /** `unchanged`: the SIM was so already. */
  readonly result: SimCorrection.Outcome
  /** Null: it is not refused. */
  readonly refusal: Refused | null
}

/** What a correction would do (rule S9). */
export interface Preview {
  /** The SIM as it would be. */
  readonly sim: Sim
  /** What would change of it; nothing if it is so already. */
  readonly changed: ReadonlyArray<SimCorrection.Field>
}

/** Corrects the inventory. */
export class SimCorrections extends Context.Service<
  SimCorrections,
  {
    /** The SIM as it is afterwards. If it is so already nothing is written. */
    readonly correct: (
      request: Request & { readonly organizationId: string }
    ) => Effect.Effect<Sim, Refused | StorageError>
    /** What `correct` would do now, or its refusal (rule S9). */
    readonly previewCorrect: (
      request: Request & { readonly organizationId: string }
    ) => Effect.Effect<Preview, Refused | StorageError>
    /**
     * Corrects row by row, and says what came of each, in their order. A refused row stops no
     * other. Memory does not grow with the number of rows. With `dryRun` nothing is written, and a
     * row does not see what an earlier part of them would change.
     */
    readonly correctAll: <E>(request: {
      readonly organizationId: string
      readonly rows: Stream.Stream<Row, E>
      readonly dryRun: boolean
    }) => Stream.Stream<RowResult, E | StorageError>
    /**
     * Corrects these rows as `correctAll` does, as a request that `IdempotencyKeys.once` runs as
     * `Corrections` (rule W2). The first commit records its key, and each further one what came of
     * the rows so far: after a crash the same request goes on behind them. Without a key it
     * corrects them each time. There are `MOST_ONCE` rows at most.
     */
    readonly correctOnce: (request: {
      readonly organizationId: string
      readonly rows: ReadonlyArray<Row>
    }) => Effect.Effect<SimCorrection.Kept, StorageError>
  }
>()("simplan/SimCorrections") {}

/** How many rows are one commit. */
const BATCH = 500

/**
 * How many SIMs of a commit are read at once: what one statement reads. Reads of others go between.
 */
const READS = 100

/** How many rows are corrected under an idempotency key, at most. */
export const MOST_ONCE = 25_000

/** How long the record of a key is held, and how often it is held anew, in ms. */
const HELD = 15_000
const HELD_ANEW = 5_000

/**
 * How many requests of one organization may wait for their turn to correct rows, and how long, in
 * ms.
 */
const MOST_WAITING = 64
const WAIT_LIMIT = 60_000

/** How a request holds its idempotency key while its rows are corrected. */
interface Hold {
  /** What a commit records with which these rows are corrected. */
  readonly behind: (results: ReadonlyArray<RowResult>) => Effect.Effect<Interrupted>
  /** These rows are done. */
  readonly add: (results: ReadonlyArray<RowResult>) => void
}

/** What comes of a request: the SIM before and after. */
interface Corrected {
  readonly before: Sim
  readonly next: Sim
}

const isChanged = ({ before, next }: Corrected): boolean => SimCorrection.changed(before, next).length > 0

/** The SIM with the version that it has once it is written. */
const asStored = (of: Corrected): Sim => (isChanged(of) ? { ...of.next, version: of.before.version + 1 } : of.next)

/** The ICCID of a row as results have it. */
export const nameOf = (row: Row | undefined): string => SimImport.name({ iccid: row?.iccid ?? null })

const resultOf = (row: number, given: Row, found: Result.Result<Corrected, Refused>): RowResult => {
  const named = { row, iccid: nameOf(given) }
  if (Result.isFailure(found)) return { ...named, result: "refused", refusal: found.failure }
  return { ...named, result: isChanged(found.success) ? "corrected" : "unchanged", refusal: null }
}

/** The request of a row, with its ICCID as the inventory has it (rule I1). */
const requestOf = (row: Row): Result.Result<Request, InvalidField> => {
  if ("problem" in row && row.iccid === null) return Result.fail(row.problem)
  const iccid = Iccid.parse(row.iccid ?? "")
  if (iccid === undefined) {
    return Result.fail(new InvalidField({ field: "iccid", message: "must have 18 to 20 digits" }))
  }
  return "problem" in row ? Result.fail(row.problem) : Result.succeed({ ...row, iccid })
}

/** Decides about a SIM that was loaded; null: it is not there. */
const decide = (loaded: Sim | null, { iccid, ifVersion, ...unchecked }: Request): Result.Result<Corrected, Refused> =>
  Result.gen(function* () {
    const correction = yield* SimCorrection.parse(unchecked)
    if (loaded === null) return yield* Result.fail(new NotFound({ resource: "sim", id: iccid }))
    yield* Version.check("sim", loaded.version, ifVersion)
    return { before: loaded, next: yield* SimCorrection.apply(loaded, correction) }
  })

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory but whose turn it
 * is.
 */
export const layer: Layer.Layer<SimCorrections, never, Storage | BusinessClock | Commits | Ids> = Layer.effect(
  SimCorrections,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const ids = yield* Ids
    const slots = FairSlots.make({ slots: 1, mostWaiting: MOST_WAITING })

    const inTurn = <A>(organizationId: string, correcting: Effect.Effect<A, StorageError>) =>
      slots.run(
        { organizationId, isUrgent: true, waitLimitMillis: WAIT_LIMIT },
        correcting,
        Effect.fail(new StorageError({ message: "Too many corrections are under way" }))
      )

    /** Writes what was decided one after the other, perhaps several times about one SIM. */
    const write = Effect.fnUntraced(function* (
      organizationId: string,
      decided: ReadonlyArray<Corrected>,
      hold: Interrupted | undefined
    ): Effect.fn.Return<void, Conflict | StorageError> {
      const now = yield* clock.now
      const changes = new Map<string, SimChange>()
      const auditEntries: Array<AuditEntry> = []
      for (const { before, next } of decided) {
        const { iccid } = next
        const audited = SimCorrection.changes(before, next)
        if (audited.length === 0) continue
        const loaded = changes.get(iccid)?.loaded ?? { sim: before }
        changes.set(iccid, { loaded, next: { sim: next } })
        for (const change of audited) auditEntries.push(yield* commits.entry(change, now))
      }
      if (changes.size === 0) return
      const cause = auditEntries[0]?.entryId ?? ""
      const changed = [...new Set([...changes.values()].flatMap(Stock.moved))].map((label) => ({ label, cause }))
      const jobs = yield* commits.stockChecks(organizationId, changed, now)
      // The version of the SIM guards that the subscription is still there.
      const subscribed = yield* Effect.forEach(
        decided.filter(({ before, next }) => Lifecycle.isCodeCorrected(before, next)),
        ({ next: { iccid } }) => storage.subscriptions.get({ organizationId, iccid })
      )
      const payloads = subscribed.flatMap((of) => (of === null ? [] : [Lifecycle.codeReady(of.subscription)]))
      const commit = yield* commits.prepare(organizationId, { jobs, payloads }, now)
      yield* commits.write({ ...commit, sims: [...changes.values()], auditEntries }, hold)
    })

    const correct = (
      organizationId: string,
      request: Request,
      holdOf: (corrected: Corrected) => Effect.Effect<Interrupted | undefined> = () => Effect.succeed(undefined)
    ) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const loaded = yield* storage.sims.get({ organizationId, iccid: request.iccid })
          const corrected = yield* Effect.fromResult(decide(loaded, request))
          yield* write(organizationId, [corrected], yield* holdOf(corrected))
          return corrected
        })
      )

    type Numbered = readonly [row: Row, index: number]

    const correctOneByOne = (organizationId: string, rows: ReadonlyArray<Numbered>, hold: Hold | null) =>
      Effect.forEach(rows, ([row, index]) =>
        Effect.gen(function* () {
          const request = yield* Effect.fromResult(requestOf(row))
          const holdOf = (corrected: Corrected) =>
            hold === null
              ? Effect.succeed(undefined)
              : hold.behind([resultOf(index + 1, row, Result.succeed(corrected))])
          return Result.succeed(yield* correct(organizationId, request, holdOf))
        }).pipe(
          Effect.catch((error) =>
            error._tag === "StorageError" ? Effect.fail(error) : Effect.succeed(Result.fail(error))
          ),
          Effect.map((found) => resultOf(index + 1, row, found)),
          Effect.tap((result) => Effect.sync(() => hold?.add([result])))
        )
      )

    const correctBatch = Effect.fnUntraced(function* (
      organizationId: string,
      dryRun: boolean,
      rows: ReadonlyArray<Numbered>,
      hold: Hold | null = null
    ): Effect.fn.Return<ReadonlyArray<RowResult>, StorageError> {
      const requests = rows.map(([row]) => requestOf(row))
      const named = new Set(requests.flatMap((of) => (Result.isSuccess(of) ? [of.success.iccid] : [])))
      const read = (iccid: string) =>
        Effect.map(storage.sims.get({ organizationId, iccid }), (sim) => [iccid, sim] as const)
      const sims = new Map(yield* Effect.forEach(named, read, { concurrency: READS }))
      const decided: Array<Corrected> = []
      const results = rows.map(([row, index], at) => {
        const request = requests[at] ?? requestOf(row)
        const found = Result.flatMap(request, (of) => decide(sims.get(of.iccid) ?? null, of))
        if (Result.isSuccess(found)) {
          decided.push(found.success)
          sims.set(found.success.next.iccid, found.success.next)
        }
        return resultOf(index + 1, row, found)
      })
      if (dryRun) return results
      const held = hold === null ? undefined : yield* hold.behind(results)
      const written = yield* Effect.result(write(organizationId, decided, held))
      if (Result.isFailure(written)) {
        const { failure } = written
        if (failure._tag !== "Conflict") return yield* failure
        return yield* correctOneByOne(organizationId, rows, hold)
      }
      hold?.add(results)
      return results
    })

    const correctOnce = Effect.fnUntraced(function* (
      organizationId: string,
      rows: ReadonlyArray<Row>
    ): Effect.fn.Return<SimCorrection.Kept, StorageError> {
      const context = yield* CurrentIdempotency
      const attemptId = yield* ids.token
      // The commits of the batches and those that only hold the key follow each other: a later one
      // has no less of the rows.
      const turn = yield* Semaphore.make(1)
      let kept = context?.interrupted?.kept ?? SimCorrection.noneKept
      const machineNow = Effect.zipWith(monotonicNow, storage.clockOffset, (now, offset) => now + offset)
      const plain = (results: ReadonlyArray<RowResult>) =>
        results.map(({ refusal, result }) => ({ result, refusal: refusal === null ? null : toPlain(refusal) }))
      const behind = (results: ReadonlyArray<RowResult>, isHeld = true) =>
        Effect.map(
          machineNow,
          (now): Interrupted => ({
            _tag: "Interrupted",
            iccid: "",
            attemptId,
            kept: SimCorrection.keep(kept, plain(results)),
            ...(isHeld && { heldUntil: now + HELD })
          })
        )
      const add = (results: ReadonlyArray<RowResult>): void => {
        kept = SimCorrection.keep(kept, plain(results))
      }
      const record = (isHeld: boolean) =>
        Effect.flatMap(behind([], isHeld), (hold) =>
          Effect.catchTag(commits.write({}, hold), "Conflict", Effect.die)
        ).pipe(turn.withPermit)

      const correcting = Effect.gen(function* () {
        const numbered = rows.map((row, index): Numbered => [row, index])
        for (let from = kept.results.length; from < rows.length; from = kept.results.length) {
          const batch = numbered.slice(from, from + BATCH)
          yield* inTurn(organizationId, turn.withPermit(correctBatch(organizationId, false, batch, { behind, add })))
        }
        return kept
      })
      if (context === null) return yield* correcting
      yield* record(true)
      // Failure: the next one, or whoever comes with the key when the record is held no more.
      const anew = Effect.forever(Effect.delay(Effect.ignoreCause(record(true)), HELD_ANEW))
      return yield* Effect.raceFirst(correcting, anew).pipe(
        // Failure: the record is held no more after a while.
        Effect.onError(() => Effect.ignoreCause(record(false)))
      )
    })

    return SimCorrections.of({
      correct: Effect.fn("SimCorrections.correct")(function* ({ organizationId, ...request }) {
        return asStored(yield* correct(organizationId, request))
      }),
      previewCorrect: Effect.fn("SimCorrections.previewCorrect")(function* ({ organizationId, ...request }) {
        const loaded = yield* storage.sims.get({ organizationId, iccid: request.iccid })
        const corrected = yield* Effect.fromResult(decide(loaded, request))
        return { sim: asStored(corrected), changed: SimCorrection.changed(corrected.before, corrected.next) }
      }),
      correctAll: ({ dryRun, organizationId, rows }) =>
        rows.pipe(
          Stream.zipWithIndex,
          Stream.grouped(BATCH),
          Stream.mapEffect((batch) => inTurn(organizationId, correctBatch(organizationId, dryRun, batch))),
          Stream.flattenIterable
        ),
      correctOnce: Effect.fn("SimCorrections.correctOnce")(({ organizationId, rows }) =>
        correctOnce(organizationId, rows)
      )
    })
  })
)
