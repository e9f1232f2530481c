/**
 * The SIM inventory and the organization's mobile plan on its eSIMs: how they look as JSON, and
 * their handlers.
 */
import { Effect, Result, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { AuditLog, Refusal, RequestContext, SimCorrections, Sims, Stock, Time, Verdicts, Wallet } from "simplan"
import { type MobilePlan, Sim, SimCorrection, type SmdpHistory, Tags } from "simplan/ports"
import { Bulk, Copy, Moves, Verdicts as Views } from "simplan/views"
import { QrCode } from "../../fields/index.ts"
import { Fields } from "../../fields/index.ts"
import * as SimsApi from "../api/SimsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Turns from "../Turns.ts"
import * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Versions from "../wire/Versions.ts"
import * as RowFiles from "./RowFiles.ts"

/** What a CSV file has for no activation code, which none is, and for no tags. */
const NONE = "-"

const shape = (one: Sim.Sim, installation: Auth.Installation): typeof SimsApi.Sim.Type => ({
  iccid: one.iccid,
  label: one.label,
  lpa: installation.lpa(one),
  ...installation.links(one),
  used: Sim.isUsed(one),
  esim_id: one.simId,
  created_at: Time.toIso(one.createdAt),
  is_esim: one.isEsim,
  tags: one.tags
})

const verdictOf = Copy.toWire(Views.Verdict)

const movesOf = Copy.toWire(Moves.SimMoves)

const details = (
  { sim, verdict }: Verdicts.Judged,
  installation: Auth.Installation,
  { operator }: Auth.Tenant
): typeof SimsApi.SimDetails.Type => {
  const reason = Sim.withdrawnReason(sim)
  const status = reason === null ? "available" : "withdrawn"
  return {
    ...{ ...shape(sim, installation), status, withdrawn_reason: reason, version: sim.version },
    ...movesOf(Moves.movesOf(sim)),
    // Rule I7: the organization is not shown them.
    ...(operator !== undefined && { imsi: sim.imsi, msisdn: sim.msisdn }),
    ...verdictOf(Views.verdictOf(verdict))
  }
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

/** The tags of a row: a list; what is empty stays. */
const tagsOf = (value: unknown): Result.Result<ReadonlyArray<string> | undefined, Refusal.InvalidField> => {
  if (isTexts(value)) return Result.succeed(value)
  if (value === undefined || value === null || value === "") return Result.succeed(undefined)
  return Result.fail(new Refusal.InvalidField({ field: "tags", message: "must be a list of strings" }))
}

const texts = ["label", "status", "reason"] as const

const correctionOf = (of: (name: string) => unknown): Result.Result<SimCorrection.Unchecked, Refusal.InvalidField> => {
  const lpa = of("lpa_string") === undefined ? of("lpa") : of("lpa_string")
  const found = new Map<string, string>()
  for (const [name, value] of [["lpa", lpa], ...texts.map((name) => [name, of(name)] as const)] as const) {
    if (typeof value === "string") {
      if (value.trim() !== "") found.set(name, value.trim())
    } else if (value !== undefined && value !== null) {
      return Result.fail(new Refusal.InvalidField({ field: name, message: "must be a string" }))
    }
  }
  return Result.map(tagsOf(of("tags")), (tags) => ({
    label: found.get("label"),
    lpa: lpa === null ? null : found.get("lpa"),
    status: found.get("status"),
    reason: found.get("reason"),
    tags
  }))
}

const asRow = (record: unknown): SimCorrections.Row => {
  const columnOf = (name: string): unknown => RowFiles.column(record, name)
  return SimCorrections.rowOf(columnOf("iccid"), correctionOf(columnOf))
}

/**
 * A row of many corrections: what it leaves empty stays, and an activation code that is null is
 * removed.
 */
export const form: RowFiles.Form<SimCorrections.Row> = {
  required: ["iccid"],
  toRow: asRow,
  fromText: (column, text) => {
    if (column === "tags" && text) return text === NONE ? [] : Tags.ofText(text)
    return text === NONE && (column === "lpa_string" || column === "lpa") ? null : text
  }
}

const filterOf = Copy.fromWire(Bulk.SimFilter.own)

const decodeUpdate = Body.decoder(SimsApi.UpdateSim)

const smdpInfo = (
  iccid: string,
  info: { readonly history: ReadonlyArray<SmdpHistory.Entry>; readonly current: SmdpHistory.CurrentStatus | null }
): typeof SimsApi.SmdpInfo.Type => ({
  iccid,
  state_history: info.history.map((entry) => ({
    state: entry.state,
    modification_result: entry.modificationResult,
    modified_at: Time.toIso(entry.modifiedAt)
  })),
  current_status: info.current?.state ?? null
})

const mobilePlan = ({
  applied,
  iccid,
  id
}: MobilePlan.MobilePlanStatus): (typeof SimsApi.MobilePlanItem.Type)["data"] => ({
  iccid,
  mobile_plan_applied: applied,
  id
})

const stockItem = ({ esims, label, level, physicalSims }: Stock.OfLabel): typeof SimsApi.StockItem.Type => ({
  label,
  free: esims.free,
  in_use: esims.inUse,
  releasing: esims.releasing,
  withdrawn: esims.withdrawn,
  downloaded: esims.downloaded,
  lapsed: esims.lapsed,
  physical: {
    free: physicalSims.free,
    in_use: physicalSims.inUse,
    releasing: physicalSims.releasing,
    withdrawn: physicalSims.withdrawn
  },
  level
})

const decodeLevels = Body.decoder(SimsApi.StockLevels)

const PAGE_SIZE = 25

/** What came of a row of many corrections. */
const rowResult = ({
  refusal,
  ...of
}: {
  readonly row: number
  readonly line: number | null
  readonly iccid: string
  readonly result: SimCorrection.Outcome
  readonly refusal: Refusal.Plain | "cut" | null
}): typeof SimsApi.RowResult.Type => {
  if (refusal === null) return of
  if (refusal === "cut") return { ...of, message: `The reason ${SimCorrection.CUT}` }
  const { code, message } = Errors.ofRefusal(refusal)
  return { ...of, code, message }
}

interface OfSim {
  readonly caller: Auth.Tenant
  readonly params: { readonly iccid: string }
}

const simOf = ({ caller, params }: OfSim) => ({ organizationId: caller.organizationId, iccid: params.iccid })

/** The handlers of the SIM inventory. */
export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const sims = yield* Sims.Sims
    const corrections = yield* SimCorrections.SimCorrections
    const verdicts = yield* Verdicts.Verdicts
    const stock = yield* Stock.Stock
    const log = yield* AuditLog.AuditLog
    const once = yield* Idempotency.make

    /**
     * Whoever has the code can install the eSIM, so that the log names the operator that has seen
     * it (rule W11).
     */
    const recordCode = ({ iccid, organizationId }: ReturnType<typeof simOf>, actor: string) =>
      Effect.updateService(
        log.record({ organizationId, action: "sim.show_activation_code", resourceId: iccid, iccid }),
        RequestContext.Current,
        (request) => ({ ...request, actor })
      )

    /**
     * Under a key all rows are there before the first one is corrected: they are what it is known
     * again by.
     */
    const updateOnce = Effect.fnUntraced(function* (call: Idempotency.KeyedCall<typeof SimsApi.RowResults.Type>) {
      const { caller, request } = call
      const keyed = { ...form, toRow: (record: unknown) => ({ record, row: asRow(record) }) }
      const { lines, rows } = yield* RowFiles.read(request, keyed, SimCorrections.MOST_ONCE, Body.CATALOGUE_LIMIT)
      const read = yield* Stream.runCollect(rows)
      const sent = yield* Idempotency.sentRows(read.map(({ record }) => record))
      const run = corrections.correctOnce({ organizationId: caller.organizationId, rows: read.map(({ row }) => row) })
      return yield* once("Corrections", call, sent, run, (kept) =>
        Responses.data(
          SimCorrection.resultsIn(kept).map((of, index) => {
            const row = index + 1
            return rowResult({ ...of, row, line: lines.of(row), iccid: SimCorrections.nameOf(read[index]?.row) })
          })
        )
      )
    })

    return Endpoints.group(SimsApi.SimsApi, guard, {
      list: Effect.fnUntraced(function* ({ caller, query }) {
        yield* Query.texts(query)
        const page = yield* sims.page({
          organizationId: caller.organizationId,
          ...filterOf(query),
          limit: Query.pageSize(query.page_size, PAGE_SIZE),
          after: yield* Effect.fromResult(Query.importSequenceCursor(query.page))
        })
        const installation = Auth.installation({ caller, query })
        return Responses.page(
          page.items.map((one) => shape(one, installation)),
          Query.importSequenceToken(page.next)
        )
      }),
      get: Effect.fnUntraced(function* (call) {
        const judged = yield* verdicts.get(simOf(call))
        const answer = Responses.data(details(judged, Auth.installation(call), call.caller))
        return Versions.tagged(call.respond(answer), judged.sim.version)
      }),
      stock: Effect.fnUntraced(function* ({ caller: { organizationId } }) {
        return Responses.data((yield* stock.get({ organizationId })).map(stockItem))
      }),
      setStockLevels: Effect.fnUntraced(function* ({ caller: { organizationId }, request }) {
        const { value } = yield* Body.read(request)
        const { levels } = yield* decodeLevels(value)
        return Responses.data({ levels: yield* stock.setLevels({ organizationId, levels }) })
      }),
      qrCode: Effect.fnUntraced(function* (call) {
        const called = simOf(call)
        const { lpa } = yield* sims.installation(called)
        const { operator } = call.caller
        if (operator !== undefined) yield* recordCode(called, operator)
        // Making the image takes some 2 ms.
        yield* Turns.piece
        return HttpServerResponse.text(QrCode.svg(lpa), { contentType: "image/svg+xml" })
      }),
      update: Effect.fnUntraced(function* (call) {
        const { value } = yield* Body.read(call.request)
        const { lpa_string: lpa, ...given } = yield* decodeUpdate(value)
        const request = { ...simOf(call), ...given, lpa, ifVersion: call.ifVersion }
        const installation = Auth.installation(call)
        const answer = (sim: Sim.Sim) =>
          Effect.map(verdicts.of(sim), (verdict) =>
            Responses.data(details({ sim, verdict }, installation, call.caller))
          )
        if (Fields.flag(call.query.dry_run) !== true) {
          const corrected = yield* corrections.correct(request)
          return Versions.tagged(call.respond(yield* answer(corrected)), corrected.version)
        }
        const { changed, sim } = yield* corrections.previewCorrect(request)
        return {
          ...(yield* answer(sim)),
          preview: { changed: changed.map((field) => (field === "lpa" ? "lpa_string" : field)) }
        }
      }),
      updateMany: Effect.fnUntraced(function* (call) {
        const { caller, query, request } = call
        const { organizationId } = caller
        const dryRun = Fields.flag(query.dry_run) === true
        if (!dryRun && Idempotency.isKeyed(request)) return yield* updateOnce(call)
        const { lines, rows } = yield* RowFiles.read(request, form)
        const results = corrections.correctAll({ organizationId, rows, dryRun })
        return yield* Responses.list(results, ({ refusal, ...of }) =>
          rowResult({ ...of, line: lines.of(of.row), refusal: refusal === null ? null : Refusal.toPlain(refusal) })
        )
      }),
      smdpInfo: Effect.fnUntraced(function* (call) {
        const called = simOf(call)
        const info = yield* sims.smdpInfo(called)
        return Responses.data(smdpInfo(called.iccid, info))
      })
    })
  })

const decodeMobilePlan = Body.decoder(SimsApi.SetMobilePlan)

/** The handler of the mobile plan on eSIMs. */
export const wallet = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const once = yield* Idempotency.make
    const service = yield* Wallet.Wallet

    return Endpoints.group(SimsApi.WalletApi, guard, {
      setMobilePlan: Effect.fnUntraced(function* (call) {
        const { organizationId } = call.caller
        const sent = yield* Body.read(call.request)
        const run = Effect.flatMap(decodeMobilePlan(sent.value), ({ apply, iccid, label }) =>
          service.setMobilePlan({ organizationId, apply, label, iccid: iccid ?? null })
        )
        return yield* once("MobilePlan", call, sent, run, (status) => Responses.data(mobilePlan(status)))
      })
    })
  })
