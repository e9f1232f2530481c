/**
 * What operators see first: how it looks as JSON, and its handler.
 */
import { Effect } from "effect"
import { Overview, Rates, Time } from "simplan"
import { Overview as Rules, type Process, WebhookEndpoint } from "simplan/ports"
import type * as SystemApi from "../api/SystemApi.ts"
import { OverviewApi } from "../api/SystemApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Responses from "../wire/Responses.ts"

type Shape = typeof SystemApi.Overview.Type

const waiting = (group: Rules.WaitingGroup): Shape["waiting"][number] => ({
  kind: group.kind,
  reason: group.reason,
  telco: group.telco,
  count: group.count,
  since: Time.toIso(group.since),
  next_try_at: Time.toIso(group.nextAt)
})

const telco = (standing: Rules.TelcoStanding): Shape["telcos"][number] => ({
  name: standing.name,
  answers: standing.answers,
  since: Responses.instant(standing.since),
  waiting_jobs: standing.waiting,
  oldest_since: Responses.instant(standing.oldest),
  next_try_at: Responses.instant(standing.nextAt)
})

/** An organization with its name. */
type Named = (of: { readonly organizationId: string }) => {
  readonly organization_id: string
  readonly organization_name: string
}

const endpoint =
  (named: Named) =>
  (failing: Rules.FailingEndpoint): Shape["failing_endpoints"][number] => ({
    ...named(failing),
    webhook_endpoint_id: failing.endpointId,
    url: WebhookEndpoint.shownUrl(failing.url),
    since: Time.toIso(failing.since),
    pending_deliveries: failing.pending
  })

const rounded = (value: number): number => Math.round(value * 10) / 10

const stock =
  (named: Named, now: Time.Instant) =>
  (watched: Rules.WatchedStock): Shape["stock"][number] => {
    const days = Rules.daysLeft(watched, now)
    return {
      ...named(watched),
      label: watched.label,
      free: watched.free,
      level: watched.level,
      is_low: watched.level !== null && watched.free < watched.level,
      sold_a_day: rounded(Rules.soldADay(watched, now)),
      days_left: days === null ? null : rounded(days)
    }
  }

const rates = ({ counts, from }: Rates.Rates): NonNullable<Shape["service"]>["rates"] => {
  const { deliveries, jobs, requests, telcoCalls } = counts
  return {
    from: Time.toIso(from),
    span_seconds: Rates.SPAN / Time.SECOND,
    requests,
    telco_calls: telcoCalls,
    deliveries,
    jobs
  }
}

const processOf =
  (answering: string) =>
  (process: Process.Process): NonNullable<Shape["service"]>["processes"][number] => ({
    process_id: process.processId,
    answers: process.processId === answering,
    version: process.version,
    host: process.host,
    runs: process.runs,
    started_at: Time.toIso(process.startedAt),
    last_heartbeat_at: Time.toIso(process.beatAt),
    held_jobs: process.heldJobs,
    held_deliveries: process.heldDeliveries
  })

const service = (named: Named, whole: Overview.Whole, version: string | null): NonNullable<Shape["service"]> => ({
  version,
  started_at: Time.toIso(whole.startedAt),
  due_jobs: whole.backlog.due,
  held_jobs: whole.backlog.held,
  oldest_due_at: Responses.instant(whole.backlog.oldestDueAt),
  problems: whole.problems,
  database: {
    takes_writes: whole.takesWrites,
    bytes: whole.database?.bytes ?? null,
    connections: whole.database?.connections ?? null,
    most_connections: whole.database?.mostConnections ?? null
  },
  processes: whole.processes.map(processOf(whole.processId)),
  rates: rates(whole.rates),
  loads: whole.loads.map((load) => ({
    ...named(load),
    waiting_jobs: load.waitingJobs,
    pending_deliveries: load.pendingDeliveries
  }))
})

/** What the overview says of the process, which its services do not know. */
export interface Answering {
  /** The version of the build; null where nobody says. */
  readonly version: string | null
  /** The names of the telcos that are connected now; that of the only one is null. */
  readonly telcos: () => Iterable<string | null>
}

/** The handler of the overview. Telcos belong to no organization: whoever is bound to one sees those that its work waits for. */
export const make = (guard: OperatorAuth.Guard, process: Answering) =>
  Effect.gen(function* () {
    const overviews = yield* Overview.Overviews

    return Endpoints.group(OverviewApi, guard, {
      read: Effect.fnUntraced(function* ({ caller: { organizationId } }) {
        const { names, now, whole, ...seen } = yield* overviews.read({ organizationId })
        const named: Named = (of) => ({
          organization_id: of.organizationId,
          organization_name: names.get(of.organizationId) ?? ""
        })
        return Responses.data({
          now: Time.toIso(now),
          telcos: Rules.telcos(seen.waiting, whole === null ? [] : process.telcos()).map(telco),
          waiting: seen.waiting.map(waiting),
          failing_endpoints: seen.endpoints.map(endpoint(named)),
          stock: seen.stocks.map(stock(named, now)),
          service: whole === null ? null : service(named, whole, process.version)
        })
      })
    })
  })
