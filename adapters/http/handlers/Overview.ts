/**
 * What operators see first: how it looks as JSON, and its handler.
 */
import { Effect } from "effect"
import { Overview, Time } from "simplan"
import { Overview as Rules, WebhookEndpoint } from "simplan/ports"
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

const endpoint = (failing: Rules.FailingEndpoint): Shape["failing_endpoints"][number] => ({
  organization_id: failing.organizationId,
  webhook_endpoint_id: failing.endpointId,
  url: WebhookEndpoint.shownUrl(failing.url),
  since: Time.toIso(failing.since),
  pending_deliveries: failing.pending
})

const rounded = (value: number): number => Math.round(value * 10) / 10

const stock =
  (now: Time.Instant) =>
  (watched: Rules.WatchedStock): Shape["stock"][number] => {
    const days = Rules.daysLeft(watched, now)
    return {
      organization_id: watched.organizationId,
      label: watched.label,
      free: watched.free,
      level: watched.level,
      is_low: watched.free < watched.level,
      sold_a_day: rounded(Rules.soldADay(watched, now)),
      days_left: days === null ? null : rounded(days)
    }
  }

const service = (whole: Overview.Whole, version: string | null): NonNullable<Shape["service"]> => ({
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
  loads: whole.loads.map(({ organizationId, pendingDeliveries, waitingJobs }) => ({
    organization_id: organizationId,
    waiting_jobs: waitingJobs,
    pending_deliveries: pendingDeliveries
  }))
})

/** What the overview says of the process, which its services do not know. */
export interface Process {
  /** The version of the build; null where nobody says. */
  readonly version: string | null
  /** The names of the telcos that are connected now; that of the only one is null. */
  readonly telcos: () => Iterable<string | null>
}

/** The handler of the overview. Telcos belong to no organization: whoever is bound to one sees those that its work waits for. */
export const make = (guard: OperatorAuth.Guard, process: Process) =>
  Effect.gen(function* () {
    const overviews = yield* Overview.Overviews

    return Endpoints.group(OverviewApi, guard, {
      read: Effect.fnUntraced(function* ({ caller: { organizationId } }) {
        const { now, whole, ...seen } = yield* overviews.read({ organizationId })
        return Responses.data({
          now: Time.toIso(now),
          telcos: Rules.telcos(seen.waiting, whole === null ? [] : process.telcos()).map(telco),
          waiting: seen.waiting.map(waiting),
          failing_endpoints: seen.endpoints.map(endpoint),
          stock: seen.stocks.map(stock(now)),
          service: whole === null ? null : service(whole, process.version)
        })
      })
    })
  })
