/**
 * Telco reports (rule R1): events are decoded one by one, and a bad one is rejected alone; the
 * others are applied in one batch.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { timingSafeEqual } from "node:crypto"
import { type Refusal, Reports, Time } from "simplan"
import { AuditEntry, SmdpHistory, TelcoReport } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import * as ReportsApi from "../api/ReportsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import type * as TelcosHandlers from "./TelcosHandlers.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"

const bytes = Schema.Int.annotate({ message: "must be a whole number of bytes" }).check(
  Schema.isGreaterThanOrEqualTo(0, { message: "must not be negative" })
)

const head = { id: Schemas.NonEmpty, iccid: Fields.ReportedIccid, occurred_at: Schemas.Instant }
const ofPackage = { package_id: Schema.optionalKey(Schema.NullOr(Schemas.NonEmpty)) }

const schemas = {
  usage: Schema.Struct({
    ...head,
    ...ofPackage,
    country_alpha_2: Schema.optionalKey(Schema.NullOr(Fields.CountryCode)),
    total_bytes: Schema.optionalKey(bytes),
    delta_bytes: Schema.optionalKey(bytes)
  }),
  first_use: Schema.Struct({ ...head, ...ofPackage }),
  package_end: Schema.Struct({ ...head, package_id: Schemas.NonEmpty, reason: Fields.EndReason }),
  location: Schema.Struct({
    ...head,
    country_alpha_2: Fields.CountryCode,
    operator: Schema.String,
    rat: Schema.String,
    imei: Schema.String
  }),
  smdp_state: Schema.Struct({
    ...head,
    state: Fields.SmdpState,
    modification_result: Schema.optionalKey(Schema.String)
  })
}

const decodeUsage = Body.decoding(schemas.usage, "event")
const decodeFirstUse = Body.decoding(schemas.first_use, "event")
const decodePackageEnd = Body.decoding(schemas.package_end, "event")
const decodeLocation = Body.decoding(schemas.location, "event")
const decodeSmdpState = Body.decoding(schemas.smdp_state, "event")

type Decoded = Result.Result<TelcoReport.Report, string>

const report = (
  event: { readonly id: string; readonly iccid: string; readonly occurred_at: string },
  fact: TelcoReport.Fact
): TelcoReport.Report => ({
  reportId: event.id,
  iccid: event.iccid,
  occurredAt: Time.fromIso(event.occurred_at) ?? 0,
  fact
})

const withFieldName = <A>(result: Result.Result<A, Refusal.InvalidField>): Result.Result<A, string> =>
  Result.mapError(result, ({ field, message }) => `${field} ${message}`)

const usage = ({ delta_bytes, total_bytes }: typeof schemas.usage.Type): Result.Result<TelcoReport.Usage, string> => {
  if (total_bytes !== undefined && delta_bytes === undefined) {
    return Result.succeed({ _tag: "Total", bytes: total_bytes })
  }
  if (delta_bytes !== undefined && total_bytes === undefined) {
    return Result.succeed({ _tag: "Delta", bytes: delta_bytes })
  }
  return Result.fail("total_bytes or delta_bytes must be given, and not both")
}

const decoders: Readonly<Record<string, (value: unknown) => Decoded>> = {
  usage: (value) =>
    Result.flatMap(withFieldName(decodeUsage(value)), (event) =>
      Result.map(usage(event), (amount) =>
        report(event, {
          _tag: "Usage",
          packageId: event.package_id ?? null,
          usage: amount,
          countryAlpha2: event.country_alpha_2?.toUpperCase() ?? null
        })
      )
    ),
  first_use: (value) =>
    Result.map(withFieldName(decodeFirstUse(value)), (event) =>
      report(event, { _tag: "FirstUse", packageId: event.package_id ?? null })
    ),
  package_end: (value) =>
    Result.map(withFieldName(decodePackageEnd(value)), (event) =>
      report(event, { _tag: "End", packageId: event.package_id, reason: event.reason })
    ),
  location: (value) =>
    Result.map(withFieldName(decodeLocation(value)), (event) =>
      report(event, {
        _tag: "Location",
        countryAlpha2: event.country_alpha_2.toUpperCase(),
        operator: event.operator,
        rat: event.rat,
        imei: event.imei
      })
    ),
  smdp_state: (value) =>
    Result.map(withFieldName(decodeSmdpState(value)), (event) =>
      report(event, {
        _tag: "SmdpState",
        state: event.state,
        modificationResult: event.modification_result ?? SmdpHistory.SUCCESS
      })
    )
}

const fieldOf = (value: unknown, name: "id" | "type"): unknown =>
  typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined

/** The event's id; null if it has none that can be stored. */
const idOf = (value: unknown): string | null => {
  const found = fieldOf(value, "id")
  return typeof found === "string" && Fields.textProblem(found) === undefined ? found : null
}

const COUNTRY = /^[A-Z]{2}$/

const PLAIN = /^[ -~]+$/

const isPlain = (value: unknown): value is string => typeof value === "string" && PLAIN.test(value)

type PlainTotal = {
  readonly [Name in "id" | "iccid" | "occurred_at" | "package_id" | "country_alpha_2" | "total_bytes"]?: unknown
}

/**
 * Fast path: decodes a running total whose fields are all plain, as most reports are, to what the
 * schemas give, in a tenth of the time. Undefined for everything else, which the schemas then
 * decode or refuse.
 */
const fromPlainTotal = (event: PlainTotal): TelcoReport.Report | undefined => {
  const { country_alpha_2: country = null, iccid, id, occurred_at, package_id = null, total_bytes: bytes } = event
  let fields = 5 + (package_id === null ? 0 : 1) + (country === null ? 0 : 1)
  for (const _ in event) fields--
  if (fields !== 0 || fieldOf(event, "type") !== "usage") return undefined
  if (!isPlain(id) || !isPlain(iccid) || !isPlain(occurred_at)) return undefined
  if (package_id !== null && !isPlain(package_id)) return undefined
  if (country !== null && !(typeof country === "string" && COUNTRY.test(country))) return undefined
  if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0) return undefined
  const occurredAt = Time.fromIso(occurred_at)
  if (occurredAt === undefined) return undefined
  const usage = { _tag: "Total", bytes } as const
  const fact = { _tag: "Usage", packageId: package_id, usage, countryAlpha2: country } as const
  return { reportId: id, iccid, occurredAt, fact }
}

/** Decodes an event; the failure says what is wrong with it. */
export const decode = (value: unknown): Decoded => {
  const report = typeof value === "object" && value !== null ? fromPlainTotal(value) : undefined
  if (report !== undefined) return Result.succeed(report)
  const bad = Fields.firstTextProblem(value, "event")
  if (bad !== undefined) return Result.fail(`${bad.field} ${bad.message}`)
  const type = fieldOf(value, "type")
  const decoder = typeof type === "string" && Object.hasOwn(decoders, type) ? decoders[type] : undefined
  if (decoder !== undefined) return decoder(value)
  return Result.fail(
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? `type must be one of ${Object.keys(decoders).join(", ")}`
      : "event must be an object"
  )
}

type Outcome = typeof ReportsApi.ReportOutcome.Type
type Rejection = Outcome["rejected"][number]

const decodeEvents = Body.decoder(ReportsApi.ReportEvents)

// Avoids the schema, which would walk a thousand events of which it checks nothing.
const eventsOf = (body: unknown): Effect.Effect<ReadonlyArray<unknown>, Refusal.InvalidField> => {
  const events = typeof body === "object" && body !== null && "events" in body ? body.events : undefined
  return Array.isArray(events) && events.length <= ReportsApi.EVENTS_LIMIT
    ? Effect.succeed(events)
    : Effect.map(decodeEvents(body), (decoded) => decoded.events)
}

interface Sorted {
  readonly reports: ReadonlyArray<{ readonly index: number; readonly report: TelcoReport.Report }>
  readonly rejected: ReadonlyArray<Rejection>
}

const sorted = (events: ReadonlyArray<unknown>): Sorted => {
  const reports: Array<Sorted["reports"][number]> = []
  const rejected: Array<Rejection> = []
  events.forEach((event, index) => {
    const decoded = decode(event)
    if (Result.isSuccess(decoded)) reports.push({ index, report: decoded.success })
    else rejected.push({ index, id: idOf(event), message: decoded.failure })
  })
  return { reports, rejected }
}

const outcome = ({ rejected, reports }: Sorted, verdicts: ReadonlyArray<TelcoReport.Verdict>): Outcome => {
  const refused = reports.flatMap(({ index, report }, at) => {
    const verdict = verdicts[at]
    return verdict?._tag === "Rejected"
      ? [{ index, id: report.reportId, message: TelcoReport.sentence(verdict, Errors.fieldName) }]
      : []
  })
  return {
    accepted: verdicts.filter(({ _tag }) => _tag === "Accepted").length,
    duplicates: verdicts.filter(({ _tag }) => _tag === "Duplicate").length,
    rejected: [...rejected, ...refused].sort((one, other) => one.index - other.index)
  }
}

/** Who reports to `/telco/v1/events`. */
export interface Reporter {
  /** Undefined: whatever there is. */
  readonly mayReport: Reports.MayReport | undefined
  /** The telco whose own token was sent, and whose ids of reports they are; else empty. */
  readonly telco: string
}

/**
 * What the token of the settings may report: all, if no telco reports by the contract of
 * bridges; else what is routed to those that have no token of their own.
 */
const ofSettings = (telcos: ReadonlyArray<TelcosHandlers.Telco>): Reporter => {
  if (!telcos.some(({ kind }) => kind === "http")) return { mayReport: undefined, telco: "" }
  const others = telcos.flatMap(({ reports }) => (reports?.token === null ? [reports.mayReport] : []))
  return {
    telco: "",
    mayReport: (reports) =>
      Effect.map(
        Effect.forEach(others, (mayReport) => mayReport(reports)),
        (found) => reports.map((_, index) => found.some((may) => may[index]))
      )
  }
}

/**
 * The guard of the telcos' reports: a token of the telcos, which speaks for that one alone, or what
 * `others` admits; null: the settings have no token, and the next ones of the telcos may. Wrong
 * tokens are counted by address (rule W10).
 */
export const reporters =
  (
    telcos: ReadonlyMap<string, TelcosHandlers.Telco>,
    others: Auth.Guard<undefined> | null,
    failed: Auth.FailedAuthentication
  ): Auth.Guard<Reporter> =>
  (credentials) => {
    // They change while the service runs.
    const all = [...telcos.values()]
    const own = [...telcos].flatMap(([telco, { reports }]) =>
      reports?.token == null ? [] : [{ ...reports, telco, token: reports.token }]
    )
    const byOthers = (): ReturnType<Auth.Guard<Reporter>> =>
      others === null
        ? failed.count(Auth.tokenInvalid)
        : Effect.map(others(credentials), (admitted) => ({ ...admitted, caller: ofSettings(all) }))
    return Effect.matchEffect(Auth.bearerOf(credentials.request), {
      onFailure: (missing) => (others === null ? Effect.fail(missing) : byOthers()),
      onSuccess: (bearer) => {
        const sent = Auth.digest(bearer)
        const found = own.filter(({ token }) => timingSafeEqual(Auth.digest(Redacted.value(token)), sent))[0]
        if (found === undefined) return byOthers()
        return Effect.succeed({
          ...Auth.known(AuditEntry.TELCO),
          caller: { mayReport: found.mayReport, telco: found.telco }
        })
      }
    })
  }

export const make = (guard: Auth.Guard<Reporter>) =>
  Effect.gen(function* () {
    const reports = yield* Reports.Reports

    return Endpoints.group(ReportsApi.ReportsApi, guard, {
      take: Effect.fnUntraced(function* ({ caller, request }) {
        const { value } = yield* Body.read(request, { anyText: true })
        const batch = sorted(yield* eventsOf(value))
        const verdicts = yield* reports.take({ reports: batch.reports.map(({ report }) => report), ...caller })
        return outcome(batch, verdicts)
      })
    })
  })
