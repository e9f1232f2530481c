/**
 * What operators see first.
 */
import { Effect } from "effect"
import type { Overview } from "simplan"
import { Overview as Rules, type Time } from "simplan/ports"
import { Overview as Views, type View } from "simplan/views"
import * as Operation from "./Operation.ts"

const rounded = (value: number): number => Math.round(value * 10) / 10

type Named = <Of extends { readonly organizationId: string }>(of: Of) => Of & { readonly organizationName: string }

const stockOf = (stock: Rules.WatchedStock, now: Time.Instant) => {
  const days = Rules.daysLeft(stock, now)
  return {
    ...stock,
    isLow: stock.level !== null && stock.free < stock.level,
    soldADay: rounded(Rules.soldADay(stock, now)),
    daysLeft: days === null ? null : rounded(days)
  }
}

const serviceOf = (
  whole: Overview.Whole,
  named: Named,
  version: string | null
): View.Of<typeof Views.ServiceStanding> => ({
  version,
  startedAt: whole.startedAt,
  dueJobs: whole.backlog.due,
  heldJobs: whole.backlog.held,
  oldestDueAt: whole.backlog.oldestDueAt,
  problems: whole.problems,
  database: {
    takesWrites: whole.serving !== null,
    deadServers: whole.serving?.deadServers ?? [],
    ...(whole.database ?? { bytes: null, connections: null, mostConnections: null })
  },
  processes: whole.processes.map((process) => ({ ...process, answers: process.processId === whole.processId })),
  rates: { from: whole.rates.from, spanSeconds: Views.SPAN_SECONDS, ...whole.rates.counts },
  loads: whole.loads.map(named)
})

export const overview = {
  read: Operation.item({
    route: "GET /overview",
    request: Views.OverviewOf,
    answer: Views.Overview,
    role: "read",
    errors: ["route_not_found"],
    title: "Read what to see first",
    text:
      "Whether it is the service, a telco or one customer: how telcos answer, what work waits, which endpoints fail, and which stocks " +
      "run out. An operator who is bound to an organization gets what is of it: its work that waits, the telcos that this work " +
      "waits for, its endpoints and its stock.",
    call: ({ overviews, process, urls }, { organizationId }, within) =>
      Effect.map(
        overviews.read({ organizationId: organizationId ?? within.organizationId }),
        ({ endpoints, names, now, stocks, waiting, whole }) => {
          const named: Named = (of) => ({ ...of, organizationName: names.get(of.organizationId) ?? "" })
          return {
            now,
            telcos: Rules.telcos(waiting, whole === null ? [] : process.telcos().keys()),
            waiting,
            failingEndpoints: endpoints.map((endpoint) => named({ ...endpoint, url: urls.shown(endpoint.url) })),
            stock: stocks.map((stock) => named(stockOf(stock, now))),
            service: whole === null ? null : serviceOf(whole, named, process.version)
          }
        }
      )
  })
}
