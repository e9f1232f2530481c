/**
 * Handler of telco reports: events that do not decode are rejected one by one, the others are applied in one batch
 * (rule R1).
 */
import { Effect, Result } from "effect"
import { type Refusal, Reports } from "simplan"
import type { TelcoReport } from "simplan/ports"
import * as ReportsApi from "../api/ReportsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as TelcoEvents from "../shapes/TelcoEvents.ts"
import * as Body from "../wire/Body.ts"

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
    const decoded = TelcoEvents.decode(event)
    if (Result.isSuccess(decoded)) reports.push({ index, report: decoded.success })
    else rejected.push({ index, id: TelcoEvents.id(event), message: decoded.failure })
  })
  return { reports, rejected }
}

const outcome = ({ rejected, reports }: Sorted, verdicts: ReadonlyArray<TelcoReport.Verdict>): Outcome => {
  const refused = reports.flatMap(({ index, report }, at) => {
    const verdict = verdicts[at]
    return verdict?._tag === "Rejected" ? [{ index, id: report.reportId, message: verdict.message }] : []
  })
  return {
    accepted: verdicts.filter(({ _tag }) => _tag === "Accepted").length,
    duplicates: verdicts.filter(({ _tag }) => _tag === "Duplicate").length,
    rejected: [...rejected, ...refused].sort((one, other) => one.index - other.index)
  }
}

export const make = (guard: Auth.Guard<undefined>) =>
  Effect.gen(function* () {
    const reports = yield* Reports.Reports

    return Endpoints.group(ReportsApi.ReportsApi, guard, {
      take: Effect.fnUntraced(function* ({ request }) {
        const { value } = yield* Body.read(request, { anyText: true })
        const batch = sorted(yield* eventsOf(value))
        const verdicts =
          batch.reports.length === 0 ? [] : yield* reports.take({ reports: batch.reports.map(({ report }) => report) })
        return outcome(batch, verdicts)
      })
    })
  })
