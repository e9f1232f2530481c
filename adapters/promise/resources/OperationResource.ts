/**
 * What operators of the service need: reports of the telco, the audit log, the telcos of the
 * settings file, and the business clock.
 */
import { Effect, Result, Schema } from "effect"
import { Clock, Reports } from "simplan"
import { SmdpHistory, TelcoReport } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import { AuditLogOperations, BundlesOperations, ClockOperations, TelcosOperations } from "../../operations/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Errors from "../errors/Errors.ts"
import * as Methods from "../Methods.ts"
import type { Provided, Runtime } from "../Runtime.ts"
import type * as Types from "../types/OperationTypes.ts"

/** How many reports a batch may have. */
const MOST = 1_000

const decodeBatch = Arguments.decoder(
  Schema.Struct({
    reports: Schema.Array(Schema.Unknown).check(
      Schema.isMaxLength(MOST, { message: `must have at most ${MOST} reports` })
    )
  })
)

const Bytes = Fields.integer(0, Number.MAX_SAFE_INTEGER)
const head = { id: Fields.NonEmpty, iccid: Fields.ReportedIccid, occurredAt: Arguments.Instant }
const ofPackage = { packageId: Schema.optional(Schema.NullOr(Fields.NonEmpty)) }

const decodeUsage = Arguments.decoder(
  Schema.Struct({
    type: Schema.Literal("usage"),
    ...head,
    ...ofPackage,
    countryIso2: Schema.optional(Schema.NullOr(Fields.CountryCode)),
    totalBytes: Schema.optional(Bytes),
    deltaBytes: Schema.optional(Bytes)
  })
)
const decodeFirstUse = Arguments.decoder(Schema.Struct({ type: Schema.Literal("first_use"), ...head, ...ofPackage }))
const decodePackageEnd = Arguments.decoder(
  Schema.Struct({
    type: Schema.Literal("package_end"),
    ...head,
    packageId: Fields.NonEmpty,
    reason: Fields.EndReason
  })
)
const decodeLocation = Arguments.decoder(
  Schema.Struct({
    type: Schema.Literal("location"),
    ...head,
    countryIso2: Fields.CountryCode,
    operator: Schema.String,
    rat: Schema.String,
    imei: Schema.String
  })
)
const decodeSmdpState = Arguments.decoder(
  Schema.Struct({
    type: Schema.Literal("smdp_state"),
    ...head,
    state: Fields.SmdpState,
    modificationResult: Schema.optional(Schema.String)
  })
)

const METHOD = "reports.take"

const usage = ({
  deltaBytes,
  totalBytes
}: {
  readonly deltaBytes?: number | undefined
  readonly totalBytes?: number | undefined
}): TelcoReport.Usage => {
  if (totalBytes !== undefined && deltaBytes === undefined) return { _tag: "Total", bytes: totalBytes }
  if (deltaBytes !== undefined && totalBytes === undefined) return { _tag: "Delta", bytes: deltaBytes }
  throw Arguments.invalid(METHOD, "totalBytes", "or deltaBytes must be given, and not both")
}

const factOf = (
  type: unknown,
  report: unknown
): { readonly head: Types.ReportHead; readonly fact: TelcoReport.Fact } => {
  switch (type) {
    case "usage": {
      const decoded = decodeUsage(METHOD, report)
      const countryAlpha2 = decoded.countryIso2?.toUpperCase() ?? null
      const fact = {
        _tag: "Usage",
        packageId: decoded.packageId ?? null,
        usage: usage(decoded),
        countryAlpha2
      } as const
      return { head: decoded, fact }
    }
    case "first_use": {
      const decoded = decodeFirstUse(METHOD, report)
      return { head: decoded, fact: { _tag: "FirstUse", packageId: decoded.packageId ?? null } }
    }
    case "package_end": {
      const decoded = decodePackageEnd(METHOD, report)
      return { head: decoded, fact: { _tag: "End", packageId: decoded.packageId, reason: decoded.reason } }
    }
    case "location": {
      const decoded = decodeLocation(METHOD, report)
      const { countryIso2, imei, operator, rat } = decoded
      return {
        head: decoded,
        fact: { _tag: "Location", countryAlpha2: countryIso2.toUpperCase(), operator, rat, imei }
      }
    }
    case "smdp_state": {
      const decoded = decodeSmdpState(METHOD, report)
      const { modificationResult = SmdpHistory.SUCCESS, state } = decoded
      return { head: decoded, fact: { _tag: "SmdpState", state, modificationResult } }
    }
    default:
      throw Arguments.invalid(
        METHOD,
        "type",
        "must be one of usage, first_use, package_end, location, smdp_state",
        type
      )
  }
}

const field = (report: unknown, name: string): unknown =>
  typeof report === "object" && report !== null ? Object.getOwnPropertyDescriptor(report, name)?.value : undefined

/** Why a report that is in no shape to be taken is rejected, without the name of the method. */
const rejection = (error: Errors.InvalidFieldError): string => error.message.slice(METHOD.length + 2)

const decode = (report: unknown): Result.Result<TelcoReport.Report, string> => {
  const bad = Fields.firstTextProblem(report, "report")
  if (bad !== undefined) return Result.fail(`${bad.field} ${bad.message}`)
  try {
    const { fact, head } = factOf(field(report, "type"), report)
    const occurredAt = Arguments.toInstant(head.occurredAt)
    return Result.succeed({ reportId: head.id, iccid: head.iccid, occurredAt, fact })
  } catch (error) {
    if (error instanceof Errors.InvalidFieldError) return Result.fail(rejection(error))
    throw error
  }
}

/** The id of a report; null if it has none that can be shown. */
const idOf = (report: unknown): string | null => {
  const id = field(report, "id")
  return typeof id === "string" && Fields.textProblem(id) === undefined ? id : null
}

const Outcome = Schema.Struct({
  accepted: Schema.Number,
  duplicates: Schema.Number,
  rejected: Schema.Array(
    Schema.Struct({ index: Schema.Number, id: Schema.NullOr(Schema.String), message: Schema.String })
  )
})

const take = (given: ReadonlyArray<unknown>) => {
  const rejected: Array<{ readonly index: number; readonly id: string | null; readonly message: string }> = []
  const sound: Array<{ readonly index: number; readonly report: TelcoReport.Report }> = []
  given.forEach((one, index) => {
    const decoded = decode(one)
    if (Result.isSuccess(decoded)) sound.push({ index, report: decoded.success })
    else rejected.push({ index, id: idOf(one), message: decoded.failure })
  })
  return Effect.flatMap(Reports.Reports, (reports) =>
    Effect.map(reports.take({ reports: sound.map(({ report }) => report) }), (verdicts) => {
      verdicts.forEach((verdict, at) => {
        const { index = at, report } = sound[at] ?? {}
        if (verdict._tag !== "Rejected") return
        rejected.push({ index, id: report?.reportId ?? null, message: TelcoReport.sentence(verdict) })
      })
      return {
        accepted: verdicts.filter(({ _tag }) => _tag === "Accepted").length,
        duplicates: verdicts.filter(({ _tag }) => _tag === "Duplicate").length,
        rejected: rejected.toSorted((one, other) => one.index - other.index)
      }
    })
  )
}

export const makeReports = (runtime: Runtime): Types.Reports => ({
  take: Methods.writing(runtime, { name: METHOD, decode: decodeBatch }, ({ reports }) =>
    Methods.json(Outcome, take(reports), Effect.succeed)
  )
})

export const makeAuditLog = (runtime: Runtime): Types.AuditLog =>
  Methods.ofRows(runtime, "auditLog", {
    list: AuditLogOperations.auditLog.list,
    note: AuditLogOperations.auditLog.note
  })

export const makeTelcos = (runtime: Runtime): Types.Telcos =>
  Methods.ofRows(runtime, "telcos", { ...TelcosOperations.telcos, ...BundlesOperations.sold })

const decodeTo = Arguments.decoder(Schema.Struct({ to: Arguments.Instant }))

const decodeBy = Arguments.decoder(Schema.Struct({ by: Arguments.TimeSpan }))

const moving = (advance: Effect.Effect<number, unknown, Provided>) =>
  Methods.json(Schema.Number, advance, (now) => Effect.succeed({ now: Arguments.toDate(now) }))

export const makeClock = (runtime: Runtime): Types.Clock => ({
  ...Methods.ofRows(runtime, "clock", { read: ClockOperations.clock.read }),
  advanceTo: Methods.writing(runtime, { name: "clock.advanceTo", decode: decodeTo }, ({ to }) =>
    moving(Clock.Clock.use((clock) => clock.advanceTo(Arguments.toInstant(to))))
  ),
  advanceBy: Methods.writing(runtime, { name: "clock.advanceBy", decode: decodeBy }, ({ by }) =>
    moving(Clock.Clock.use((clock) => clock.advanceBy(Arguments.millis(by) ?? Number.NaN)))
  )
})
