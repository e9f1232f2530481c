/**
 * The SIM inventory and the mobile plan of eSIMs.
 */
import { Cause, Effect, Result, Schema, Stream } from "effect"
import { Refusal, SimCorrections, Sims, Stock, Verdicts, Wallet } from "simplan"
import { ActivationCode, Label, Sim, SimCorrection, SimIdentities, SimImport, type SimSearch } from "simplan/ports"
import { Bulk, Copy, Moves, Verdicts as Views } from "simplan/views"
import { QrCode } from "../../fields/index.ts"
import { BundlesOperations } from "../../operations/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Failures from "../errors/Failures.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/SimsTypes.ts"
import * as CommandsResource from "./CommandsResource.ts"

const movesOf = Copy.toHost(Moves.SimMoves)

const shape = (of: Sim.Sim): Types.Sim => ({
  organizationId: of.organizationId,
  simId: of.simId,
  iccid: of.iccid,
  label: of.label,
  isEsim: of.isEsim,
  lpa: of.lpa,
  ...SimIdentities.of(of),
  used: Sim.isUsed(of),
  status: Sim.withdrawnReason(of) === null ? "available" : "withdrawn",
  withdrawnReason: Sim.withdrawnReason(of),
  tags: of.tags,
  ...movesOf(Moves.movesOf(of)),
  downloaded: of.downloaded,
  mobilePlanApplied: of.mobilePlan.applied,
  importSequence: of.importSequence,
  version: of.version,
  createdAt: Arguments.toDate(of.createdAt)
})

const verdictOf = Copy.toHost(Views.Verdict)

const named = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, iccid: Arguments.Iccid }))

const searched = Arguments.decoder(
  Schema.Struct({ text: Arguments.Search, organizationId: Schema.optional(Arguments.Id) })
)

const hitOf = ({ place, ...hit }: SimSearch.Hit): Types.SearchHit => ({
  ...hit,
  matched: place === "msisdn" ? "phoneNumber" : place
})

const correction = {
  label: Schema.optional(Arguments.AnyLabel),
  lpa: Schema.optional(Schema.NullOr(Schema.String)),
  status: Schema.optional(Schema.String),
  reason: Schema.optional(Schema.NullOr(Schema.String)),
  tags: Schema.optional(Schema.Array(Schema.String))
}

const decodeUpdate = Arguments.decoder(
  Schema.Struct({ ...Arguments.ofOrganization, iccid: Arguments.Iccid, ...correction, ifVersion: Arguments.Version })
)

const ofVersion = ({ ifVersion, ...request }: ReturnType<typeof decodeUpdate>) => ({
  ...request,
  ifVersion: Arguments.versions(ifVersion)
})

const decodeCorrection = Arguments.decoder(Schema.Struct(correction))

type Rows = Iterable<unknown> | AsyncIterable<unknown>

const isRows = (value: unknown): value is Rows =>
  typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)

const decodeImport = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    rows: Schema.declare(isRows, { message: "must be an array or another iterable of rows" })
  })
)

const decodeUpdates = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    rows: Schema.declare(isRows, { message: "must be an array or another iterable of rows" }),
    dryRun: Schema.optional(Arguments.Flag)
  })
)

/** A row as the import takes it; what is wrong with a row stands in the report. */
const rowOf = (given: unknown): Sims.ImportRow => {
  const { iccid, isEsim, label, ...texts }: Readonly<Record<string, unknown>> =
    typeof given === "object" && given !== null ? { ...given } : {}
  const filter = { iccid, label, isEsim: typeof isEsim === "boolean" ? isEsim : undefined }
  const row = SimImport.rowOf(filter, (name) => texts[name])
  const unknown = Object.keys(texts).find((name) => !Object.hasOwn(SimImport.columns, name))
  return unknown === undefined ? row : { iccid: row.iccid, label: row.label, problem: `${unknown} is not known` }
}

function* guarded(rows: Iterable<unknown>): Generator<unknown, void> {
  try {
    yield* rows
  } catch (error) {
    throw new Failures.HostError(error)
  }
}

const stream = (rows: Rows): Stream.Stream<unknown, Failures.HostError> =>
  Symbol.asyncIterator in rows
    ? Stream.fromAsyncIterable(rows, (error) => new Failures.HostError(error))
    : Stream.suspend(() => Stream.fromIterable(guarded(rows)))

/** The rows, where what the host's iterable throws is a failure. */
const failing = (rows: Rows): Stream.Stream<unknown, unknown> =>
  Stream.catchCause(stream(rows), (cause) => Stream.fail(Cause.squash(cause)))

/** A row of corrections; what is wrong with a row stands in its result. */
const correctionOf = (row: unknown): SimCorrections.Row => {
  const { iccid, ...given }: Readonly<Record<string, unknown>> =
    typeof row === "object" && row !== null ? { ...row } : {}
  const decoded = Result.try({
    try: () => decodeCorrection("sims.updateMany", given),
    catch: (failure) => {
      const message = failure instanceof Error ? failure.message : "is not valid"
      return new Refusal.InvalidField({ field: "row", message })
    }
  })
  return SimCorrections.rowOf(iccid, decoded)
}

const ofOrganization = Arguments.decoder(Schema.Struct(Arguments.ofOrganization))

const decodeLevels = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    levels: Schema.Array(Schema.Struct({ label: Arguments.AnyLabel, level: Schema.Number }))
  })
)

const StockLevels = Schema.Array(Schema.Struct({ label: Schema.Literals(Label.labels), level: Schema.Number }))

const RowMessage = Schema.Struct({ row: Schema.Number, iccid: Schema.String, message: Schema.String })

const Kept = Schema.Struct({
  label: Schema.optionalKey(Schema.Literals(Label.labels)),
  isEsim: Schema.optionalKey(Schema.Boolean),
  lpa: Schema.optionalKey(Schema.String)
})

const Report = Schema.Struct({
  imported: Schema.Number,
  updated: Schema.Number,
  duplicates: Schema.Number,
  differing: Schema.Array(Schema.Struct({ row: Schema.Number, iccid: Schema.String, stored: Kept, given: Kept })),
  differingCount: Schema.Number,
  errors: Schema.Array(RowMessage),
  errorCount: Schema.Number,
  warnings: Schema.Array(RowMessage),
  warningCount: Schema.Number
})

/** Without the activation code itself, since answers are kept for their idempotency keys. */
const shortened = ({ lpa, ...rest }: Sim.KeptFields): Sim.KeptFields =>
  lpa === undefined ? rest : { ...rest, lpa: ActivationCode.shortened(lpa) }

const reportOf = (report: Sims.ImportReport): typeof Report.Type => ({
  ...report,
  differing: report.differing.map((one) => ({ ...one, stored: shortened(one.stored), given: shortened(one.given) }))
})

/** Why something is refused; null if it is not. */
export const whyOf = (refusal: Refusal.Refusal | Refusal.Plain | null) =>
  refusal === null ? null : { code: Refusal.code(refusal), message: Refusal.sentence(refusal) }

/** All rows, of which there may be so many under an idempotency key. */
const collected = Effect.fnUntraced(function* (rows: Rows) {
  const most = SimCorrections.MOST_ONCE
  const read = yield* Stream.runCollect(Stream.take(Stream.map(failing(rows), correctionOf), most + 1))
  if (read.length <= most) return read
  return yield* new Refusal.InvalidField({ field: "rows", message: `must be at most ${most} with an idempotency key` })
})

export const make = (runtime: Runtime): Types.Sims => ({
  ...Methods.ofRows(runtime, "sims", BundlesOperations.bought),
  import: Methods.writing(runtime, { name: "sims.import", decode: decodeImport }, ({ organizationId, rows }) =>
    Methods.json(
      Report,
      Effect.map(
        Effect.flatMap(Sims.Sims, (sims) => sims.importRows({ organizationId, rows: Stream.map(stream(rows), rowOf) })),
        reportOf
      ),
      Effect.succeed
    )
  ),
  previewImport: Methods.reading(
    runtime,
    { name: "sims.previewImport", decode: decodeImport },
    ({ organizationId, rows }) =>
      Effect.flatMap(Sims.Sims, (sims) =>
        Effect.map(sims.importRows({ organizationId, rows: Stream.map(stream(rows), rowOf), dryRun: true }), reportOf)
      )
  ),
  list: Methods.paging(
    runtime,
    Methods.method("sims.list", Bulk.SimFilter),
    Methods.byImport,
    (of, page) => Sims.Sims.use((sims) => sims.page({ ...of, ...page })),
    shape
  ),
  search: Methods.reading(runtime, { name: "sims.search", decode: searched }, ({ organizationId = null, text }) =>
    Effect.flatMap(Sims.Sims, (sims) =>
      Effect.map(sims.search({ text, organizationId }), ({ hasMore, hits }) => ({ hits: hits.map(hitOf), hasMore }))
    )
  ),
  get: Methods.reading(runtime, { name: "sims.get", decode: named }, (of) =>
    Effect.flatMap(Sims.Sims, (sims) => Effect.map(sims.get(of), shape))
  ),
  verdict: Methods.reading(runtime, { name: "sims.verdict", decode: named }, (of) =>
    Effect.flatMap(Verdicts.Verdicts, (verdicts) =>
      Effect.map(verdicts.get(of), ({ verdict }) => verdictOf(Views.verdictOf(verdict)))
    )
  ),
  installation: Methods.reading(runtime, { name: "sims.installation", decode: named }, (of) =>
    Effect.flatMap(Sims.Sims, (sims) =>
      Effect.map(sims.installation(of), ({ links, lpa }) => ({
        lpa,
        appleLink: links.apple,
        androidLink: links.android,
        qrCode: QrCode.svg(lpa)
      }))
    )
  ),
  update: Methods.writing(runtime, { name: "sims.update", decode: decodeUpdate }, (request) =>
    Methods.once(
      "Done",
      Effect.flatMap(SimCorrections.SimCorrections, (corrections) =>
        Effect.as(corrections.correct(ofVersion(request)), null)
      ),
      () => Effect.flatMap(Sims.Sims, (sims) => Effect.map(sims.get(request), shape))
    )
  ),
  previewUpdate: Methods.reading(runtime, { name: "sims.previewUpdate", decode: decodeUpdate }, (request) =>
    Effect.flatMap(SimCorrections.SimCorrections, (corrections) =>
      Effect.map(corrections.previewCorrect(ofVersion(request)), ({ changed, sim }) => ({ sim: shape(sim), changed }))
    )
  ),
  updateMany: Methods.streaming(
    runtime,
    { name: "sims.updateMany", decode: decodeUpdates },
    ({ dryRun = false, organizationId, rows }) =>
      Effect.map(SimCorrections.SimCorrections, (corrections) =>
        Stream.map(
          corrections.correctAll({ organizationId, rows: Stream.map(failing(rows), correctionOf), dryRun }),
          ({ iccid, refusal, result, row }) => ({
            ...{ row, iccid, result },
            refusal: whyOf(refusal === null ? null : Refusal.toPlain(refusal))
          })
        )
      ),
    ({ dryRun = false, organizationId, rows }) => {
      if (dryRun) return null
      let read: ReadonlyArray<SimCorrections.Row> = []
      return Methods.once(
        "Corrections",
        Effect.gen(function* () {
          const corrections = yield* SimCorrections.SimCorrections
          read = yield* collected(rows)
          return yield* corrections.correctOnce({ organizationId, rows: read })
        }),
        (kept) =>
          Effect.gen(function* () {
            // A replay has not read them yet.
            if (read.length === 0) read = yield* collected(rows)
            return SimCorrection.resultsIn(kept).map(({ refusal, result }, index) => ({
              ...{ row: index + 1, iccid: SimCorrections.nameOf(read[index]), result },
              refusal: refusal === "cut" ? { code: null, message: `The reason ${SimCorrection.CUT}` } : whyOf(refusal)
            }))
          })
      )
    }
  ),
  stock: Methods.reading(runtime, { name: "sims.stock", decode: ofOrganization }, (of) =>
    Effect.flatMap(Stock.Stock, (stock) => stock.get(of))
  ),
  setStockLevels: Methods.writing(runtime, { name: "sims.setStockLevels", decode: decodeLevels }, (request) =>
    Methods.json(
      StockLevels,
      Effect.flatMap(Stock.Stock, (stock) => stock.setLevels(request)),
      Effect.succeed
    )
  ),
  smdpInfo: Methods.reading(runtime, { name: "sims.smdpInfo", decode: named }, (of) =>
    Effect.flatMap(Sims.Sims, (sims) =>
      Effect.map(sims.smdpInfo(of), ({ current, history }) => ({
        current: current === null ? null : { state: current.state, modifiedAt: Arguments.toDate(current.modifiedAt) },
        history: history.map(({ modificationResult, modifiedAt, state }) => ({
          state,
          modificationResult,
          modifiedAt: Arguments.toDate(modifiedAt)
        }))
      }))
    )
  )
})

const decodeChange = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    apply: Arguments.Flag,
    label: Arguments.AnyLabel,
    iccid: Schema.optional(Schema.NullOr(Arguments.Iccid))
  })
)

/** A change of the mobile plan, checked. Throws an `InvalidFieldError`. */
export const change = (method: string, request: unknown): Wallet.ChangeRequest => {
  const { iccid = null, ...of } = decodeChange(method, request)
  return { ...of, iccid }
}

export const makeWallet = (runtime: Runtime): Types.Wallet => ({
  settled: CommandsResource.settled(runtime, "wallet.settled", "MobilePlan", ({ applied, iccid, id }) => ({
    iccid,
    applied,
    id
  })),
  setMobilePlan: Methods.writing(runtime, { name: "wallet.setMobilePlan", decode: change }, (request) =>
    Methods.once(
      "MobilePlan",
      Effect.flatMap(Wallet.Wallet, (wallet) => wallet.setMobilePlan(request)),
      ({ applied, iccid, id }) => Effect.succeed({ iccid, applied, id })
    )
  )
})
