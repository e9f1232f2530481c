/**
 * What the API serves of the telcos that the service is composed of: their location zones, and what
 * they notify by themselves. A zone that is set leaves an entry in the audit log of the region's
 * organization, or of the service where the region is everybody's (rule W11).
 */
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import {
  AuditLog,
  type Catalogues,
  Coverage,
  type Problems,
  Refusal,
  type Reports,
  type UsageReconciliation
} from "simplan"
import { AuditEntry, type Label, type Storage, Time } from "simplan/ports"
import * as TelcosApi from "../api/TelcosApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Auth from "../middleware/Auth.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Responses from "../wire/Responses.ts"

/** Which location zone of a telco a coverage profile is. */
export interface Zone {
  readonly label: Label.Label
  readonly coverageId: string
  readonly zoneId: number
}

/** What of the service a notification is reported to. */
type Informed = Reports.Reports | Catalogues.Catalogues | Problems.Problems | UsageReconciliation.UsageReconciliation

/** How far a comparison of all SIMs with a telco is. */
interface ComparisonProgress {
  readonly requestedAt: number
  readonly compared: number
  readonly unanswered: number
  readonly doneAt: number | null
}

export interface Telco {
  readonly kind: string
  /** Absent: its books cannot be compared. */
  readonly comparison?: {
    /** Has all SIMs compared from now on. */
    readonly begin: Effect.Effect<ComparisonProgress, Storage.StorageError>
    /** Null: none was asked for. */
    readonly progress: Effect.Effect<ComparisonProgress | null, Storage.StorageError>
  }
  /** Null: it has no location zones. */
  readonly zones: {
    /** Sets it, and runs `record` in the same commit. */
    readonly set: (
      zone: Zone,
      record: Effect.Effect<void, Storage.StorageError>
    ) => Effect.Effect<void, Storage.StorageError | Refusal.InvalidField>
    readonly list: Effect.Effect<ReadonlyArray<Zone>, Storage.StorageError>
  } | null
  /** Absent: nobody reports for it to `/telco/v1/events`. */
  readonly reports?: {
    /** Null: it has that of the settings. */
    readonly token: Redacted.Redacted | null
    readonly mayReport: Reports.MayReport
  }
  /**
   * Null: it takes no notifications. `take` answers with a status and a body, null for an empty
   * one.
   */
  readonly notifications: {
    readonly secret: Redacted.Redacted
    readonly take: (
      body: unknown
    ) => Effect.Effect<
      { readonly status: number; readonly body: unknown },
      Refusal.InvalidField | Storage.StorageError,
      Informed
    >
  } | null
}

const decodeZone = Body.closedDecoder(TelcosApi.Zone)

const notFound = new Errors.Problem({
  code: "telco_not_found",
  message: "There is no telco of this name that has location zones"
})

const shape = ({ coverageId, label, zoneId }: Zone) => ({ label, coverage_id: coverageId, zone_id: zoneId })

const toIso = (instant: number | null): string | null => (instant === null ? null : Time.toIso(instant))

const comparisonShape = (telco: string, progress: ComparisonProgress | null): typeof TelcosApi.Comparison.Type => ({
  telco,
  requested_at: toIso(progress?.requestedAt ?? null),
  compared: progress?.compared ?? 0,
  unanswered: progress?.unanswered ?? 0,
  done_at: toIso(progress?.doneAt ?? null)
})

/** The handlers of the zones of telcos, and of the comparisons with their books. */
export const make = (guard: OperatorAuth.Guard, telcos: ReadonlyMap<string, Telco>) =>
  Effect.gen(function* () {
    const coverage = yield* Coverage.Coverage
    const auditLog = yield* AuditLog.AuditLog

    const zonesOf = ({ name }: { readonly name: string }) => {
      const zones = telcos.get(name)?.zones ?? null
      return zones === null ? Effect.fail(notFound) : Effect.succeed(zones)
    }

    const comparable = () =>
      [...telcos].flatMap(([name, { comparison }]) => (comparison === undefined ? [] : [{ name, comparison }]))

    return Endpoints.group(TelcosApi.TelcosApi, guard, {
      comparisons: Effect.fnUntraced(function* () {
        const all = yield* Effect.forEach(comparable(), ({ comparison, name }) =>
          Effect.map(comparison.progress, (progress) => comparisonShape(name, progress))
        )
        return Responses.data(all)
      }),
      compare: Effect.fnUntraced(function* () {
        const all = yield* Effect.forEach(comparable(), ({ comparison, name }) =>
          Effect.map(comparison.begin, (progress) => comparisonShape(name, progress))
        )
        const of = { organizationId: AuditEntry.SERVICE, iccid: null, action: "telco.compare" } as const
        for (const { telco } of all) yield* auditLog.record({ ...of, resourceId: telco })
        return Responses.data(all)
      }),
      zones: Effect.fnUntraced(function* ({ params }) {
        const { list } = yield* zonesOf(params)
        return Responses.data((yield* list).map(shape))
      }),
      setZone: Effect.fnUntraced(function* ({ params, request }) {
        const { set } = yield* zonesOf(params)
        const { value } = yield* Body.read(request)
        const body = yield* decodeZone(value)
        const coverageId = body.coverage_id
        const profile = yield* coverage.find(coverageId)
        if (profile.label !== body.label) {
          return yield* new Refusal.InvalidField({
            field: "label",
            message: `must be that of the coverage profile, ${profile.label}`
          })
        }
        const record = auditLog.record({
          organizationId: profile.organizationId ?? AuditEntry.SERVICE,
          resourceId: coverageId,
          iccid: null,
          action: "coverage_profile.set_zone"
        })
        yield* set({ label: body.label, coverageId, zoneId: body.zone_id }, record)
        return Responses.data(body)
      })
    })
  })

interface Sender {
  readonly name: string
  readonly secret: string
}

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/** A secret in its path says who sends a notification. */
const anySender: Auth.Guard<undefined> = () => Effect.succeed(Auth.known("telco"))

/**
 * The handlers of what telcos notify by themselves. A wrong name or secret is the same 404 as an
 * unknown path, and is counted by the client's address like a wrong key (rule W10).
 */
export const notifications = (telcos: ReadonlyMap<string, Telco>, failed: Auth.FailedAuthentication) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Informed>()

    /**
     * What takes the notifications of a sender who knows the secret. The time that it takes reveals
     * nothing of the secret.
     */
    const known = (kind: string, { name, secret }: Sender) => {
      const telco = telcos.get(name)
      const notified = telco?.kind === kind ? telco.notifications : null
      const expected = digest(notified === null ? "" : Redacted.value(notified.secret))
      const isRight = timingSafeEqual(expected, digest(secret))
      return notified !== null && isRight ? Effect.succeed(notified) : failed.count(Errors.routeNotFound)
    }

    const taken = Effect.fnUntraced(function* (
      kind: string,
      { params, request }: Pick<Endpoints.Call<never, undefined>, "request"> & { readonly params: Sender }
    ) {
      const { take } = yield* known(kind, params)
      // Telcos name all sorts of content types.
      const bytes = yield* Body.readBytes(request, Body.LIMIT)
      const value = yield* Effect.fromResult(Body.parse(bytes))
      const { body, status } = yield* Effect.provideContext(take(value), services)
      return body === null ? HttpServerResponse.empty({ status }) : HttpServerResponse.jsonUnsafe(body, { status })
    })

    return Endpoints.group(TelcosApi.NotificationsApi, anySender, {
      ocs: (call) => taken("ocs", call),
      es2plus: (call) => taken("es2plus", call),
      es2plus3: (call) => taken("es2plus", call)
    })
  })

/** Who reports to `/telco/v1/events`. */
export interface Reporter {
  /** Undefined: whatever there is. */
  readonly mayReport: Reports.MayReport | undefined
}

/**
 * What the token of the settings may report: all, where no telco reports by the contract of
 * bridges; else what is routed to those that have no token of their own.
 */
const ofSettings = (telcos: ReadonlyArray<Telco>): Reporter => {
  if (!telcos.some(({ kind }) => kind === "http")) return { mayReport: undefined }
  const others = telcos.flatMap(({ reports }) => (reports?.token === null ? [reports.mayReport] : []))
  return {
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
    telcos: ReadonlyMap<string, Telco>,
    others: Auth.Guard<undefined> | null,
    failed: Auth.FailedAuthentication
  ): Auth.Guard<Reporter> =>
  (credentials) => {
    // They change while the service runs.
    const all = [...telcos.values()]
    const own = all.flatMap(({ reports }) => (reports?.token == null ? [] : [{ ...reports, token: reports.token }]))
    const byOthers = (): ReturnType<Auth.Guard<Reporter>> =>
      others === null
        ? failed.count(Auth.tokenInvalid)
        : Effect.map(others(credentials), (admitted) => ({ ...admitted, caller: ofSettings(all) }))
    return Effect.matchEffect(Auth.bearerOf(credentials.request), {
      onFailure: (missing) => (others === null ? Effect.fail(missing) : byOthers()),
      onSuccess: (bearer) => {
        const sent = digest(bearer)
        const found = own.filter(({ token }) => timingSafeEqual(digest(Redacted.value(token)), sent))[0]
        if (found === undefined) return byOthers()
        return Effect.succeed({ ...Auth.known(AuditEntry.TELCO), caller: { mayReport: found.mayReport } })
      }
    })
  }
