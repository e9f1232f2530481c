/**
 * What operators see first.
 */
import * as Job from "../domain/Job.ts"
import * as Rules from "../domain/Overview.ts"
import * as ProcessRules from "../domain/Process.ts"
import * as Rates from "../domain/Rates.ts"
import { SECOND } from "../domain/Time.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { boolean, field, instant, integer, list, nested, nullOr, number, text } = View

/** How long a span of the rates is. */
export const SPAN_SECONDS = Rates.SPAN / SECOND

const counted = (meaning: string, example: number) => field(integer(), meaning, example)
const at = (meaning: string, example: string) => field(instant, meaning, example)
const perhaps = (meaning: string, example: string | null) => field(nullOr(instant), meaning, example)
const figure = (meaning: string, example: number) =>
  field(nullOr(integer()), `${meaning}; null where the storage has no server`, example)
const telcoName = (meaning: string) => field(nullOr(text), meaning, "ocs")

const nextTry = "When the first of them is tried again"

export const OverviewOf = View.request("OverviewOf", "Of what the overview is; of the whole service by default", {
  organizationId: View.named({ on: null }, View.optional(View.id, "Only of this organization", Samples.organizationId))
})

export const TelcoStanding = View.answer("TelcoStanding", "How a telco answers", {
  name: telcoName("The telco's name in the settings file; null where there is one telco without a name"),
  answers: field(
    boolean,
    "False while work waits because the telco did not answer, or because it is not asked for a while. One that nothing was asked of counts as answering",
    false
  ),
  since: perhaps("Since when the first of that work waits; null where it answers", Samples.bought),
  waitingJobs: View.named({ from: "waiting" }, counted("How many jobs wait for it, for any reason", 12)),
  oldestSince: View.named(
    { from: "oldest" },
    perhaps("Since when the first of these waits; null where none does", Samples.bought)
  ),
  nextTryAt: View.named({ from: "nextAt" }, perhaps(`${nextTry}; null where none waits`, Samples.used))
})

export const WaitingGroup = View.answer("WaitingGroup", "Jobs that wait for one reason", {
  kind: field(View.oneOf(Job.kinds, "JobKind"), "The kind of work", "CancelPackages"),
  reason: field(View.oneOf(Job.waitingReasons, "WaitingReason"), "Why its last try gave it back", "unavailable"),
  telco: telcoName("The name of the telco that it waits for; null: one without a name, or none"),
  count: counted("How many jobs there are", 12),
  since: at("Since when the first of them waits", Samples.bought),
  nextTryAt: View.named({ from: "nextAt" }, at(nextTry, Samples.used))
})

const named = {
  organizationId: field(View.id, "The organization's id", Samples.organizationId),
  organizationName: field(text, "The organization's name", "Acme")
}

export const FailingEndpoint = View.answer(
  "FailingEndpoint",
  "A webhook endpoint at which every attempt fails, or that is disabled for it",
  {
    ...named,
    webhookEndpointId: View.named({ from: "endpointId" }, field(View.id, "The endpoint's id", Samples.endpointId)),
    url: field(text, "Its URL, without secrets", "https://hooks.acme.example/esim"),
    since: at("Since when it has failed, or is gone", Samples.bought),
    disabledAt: perhaps(
      "Since when the service has it disabled, because it failed for five days or answered 410; null: it is tried",
      null
    ),
    pendingDeliveries: View.named(
      { from: "pending" },
      counted(`How many deliveries to it are to be made yet, counted up to ${Rules.COUNTED_OF_ENDPOINT}`, 40)
    )
  }
)

export const WatchedStock = View.answer("WatchedStock", "The free eSIMs of a label", {
  ...named,
  label: field(text, "The network supply tier of the SIM and of the plans that it can carry", "Green"),
  free: counted("How many eSIMs are free, counted up to 1,000, or to the level where that is higher", 140),
  level: field(
    nullOr(integer()),
    "The level below which the organization is notified; null where it has set none",
    100
  ),
  isLow: field(boolean, "Whether fewer are free than that", false),
  soldADay: field(
    number,
    `How many were sold a day: of the organization's subscriptions of the last 7 days that are still there, or of the newest ${Rules.RATE_SAMPLE} where there are more`,
    20
  ),
  daysLeft: field(nullOr(number), "For how many days the free ones last at that rate; null where none was sold", 7)
})

export const Counts = View.answer("Counts", "What happened in each span", {
  all: field(list(integer()), "How many there were in each span, oldest first", [3, 0, 7]),
  failed: field(list(integer()), "How many of these failed", [0, 0, 1])
})

const counts = (meaning: string) => field(nested(Counts), meaning)

export const RecentRates = View.answer("RecentRates", "What happened lately", {
  from: at("When the first span begins, in machine time", Samples.start),
  spanSeconds: counted("How long a span is", SPAN_SECONDS),
  requests: counts("Answered requests; those with a status from 500 on failed"),
  telcoCalls: counts("Calls of telcos; those without an answer failed"),
  deliveries: counts("Webhooks; those that did not arrive failed"),
  jobs: counts("Jobs that were tried; those that are not done failed")
})

export const Process = View.answer("Process", "A process that shares the database", {
  processId: field(text, "The process's id, another one each time it starts", Samples.processId),
  answers: field(boolean, "Whether it is the process that answers", true),
  version: field(nullOr(text), "The version of its build; null where its host names none", "1.0.0"),
  host: field(nullOr(text), "The name of its machine; null where its host names none", "sim-1"),
  runs: field(list(text), "The groups of routes that it serves, and `worker` where it does work that falls due", [
    "admin",
    "v3",
    "worker"
  ]),
  startedAt: at("Since when it runs, in machine time", Samples.start),
  lastHeartbeatAt: View.named(
    { from: "beatAt" },
    at(
      `When it last said so, in machine time, each ${ProcessRules.BEAT / 1_000} s; it is shown for ${ProcessRules.SILENCE / 1_000} s more`,
      Samples.end
    )
  ),
  heldJobs: counted("How many jobs it had under way then, under leases", 3),
  heldDeliveries: counted("How many webhooks it had under way then, under leases", 1)
})

export const DatabaseStanding = View.answer("DatabaseStanding", "The database, as far as the storage has a server", {
  takesWrites: field(boolean, "Whether it took a write just now", true),
  deadServers: field(
    list(text),
    "Its servers that do not answer, where it is distributed over several: the organizations on them are not served",
    []
  ),
  bytes: figure("Its size in bytes", 734_003_200),
  connections: figure("How many connections it has, those of other programs included", 24),
  mostConnections: figure("How many connections its server takes", 100)
})

export const Load = View.answer("Load", "The work of an organization that waits", {
  ...named,
  waitingJobs: counted("Its jobs that wait for their next try", 12),
  pendingDeliveries: counted("Its deliveries that are to be made", 40)
})

export const ServiceStanding = View.answer("ServiceStanding", "What belongs to no organization", {
  version: field(nullOr(text), "The version of the process that answers", "1.0.0"),
  startedAt: at("Since when that process runs, in machine time", Samples.start),
  dueJobs: counted("Jobs of the whole service that are due and that no process holds, counted up to 10,000", 0),
  heldJobs: counted("Due jobs that a process holds by a lease, counted up to 10,000", 3),
  oldestDueAt: perhaps("Since when the oldest due job is due that no process holds; null where none is", null),
  problems: counted("Jobs that ended in refusals and wait for an operator, counted up to 10,000", 1),
  database: field(
    nested(DatabaseStanding),
    "The database, which answered: where it does not, neither does this operation"
  ),
  processes: field(
    list(nested(Process)),
    `The processes that share the database, by when they started, ${ProcessRules.SHOWN} at most`
  ),
  rates: field(
    nested(RecentRates),
    "What happened in the last 6 hours in these processes together, in each since it runs and as it last said, in spans of five minutes; the last one is not over"
  ),
  loads: field(
    list(nested(Load)),
    `The ${Rules.LOADS} organizations with the most work that waits, among the first 10,000 jobs and 10,000 deliveries`
  )
})

export const Overview = View.answer("Overview", "What operators see first", {
  now: at("The business time, of which all other instants are where nothing else is said", Samples.used),
  telcos: field(list(nested(TelcoStanding)), "The telcos, by name"),
  waiting: field(
    list(nested(WaitingGroup)),
    "Jobs between two tries by kind, reason and telco, those that wait longest first: the first 10,000 are counted"
  ),
  failingEndpoints: field(
    list(nested(FailingEndpoint)),
    `Endpoints that fail, or that the service has disabled for it, longest first, ${Rules.ENDPOINTS} at most`
  ),
  stock: field(
    list(nested(WatchedStock)),
    `Stocks by label, low ones first, then those with the fewest days left, ${Rules.STOCKS} at most: of an organization all of them; of the ` +
      `service those of the ${Rules.STOCKS} first levels and of the ${Rules.STOCKS} organizations that have sold last among the ` +
      `${Rules.ORGANIZATIONS} first`
  ),
  service: field(
    nullOr(nested(ServiceStanding)),
    "What belongs to no organization; null for an operator who is bound to one"
  )
})
