/**
 * The process: its health, readiness and metrics, for the platform that runs it, its business clock, which the management
 * API reads and moves where it is virtual, and what operators see first.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Job, Overview as Rules, Process as ProcessRules } from "simplan/ports"
import { Jobs } from "../../operations/index.ts"
import * as Roles from "./Roles.ts"
import * as Rows from "./Rows.ts"
import { Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"

export const Status = Schema.Struct({ status: Schemas.field(Schema.Literal("ok"), "Always `ok`") }).annotate({
  identifier: "Status"
})

export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/healthz", {
      success: Status,
      error: Schemas.problems(...Schemas.unguarded)
    }).annotateMerge(
      Schemas.operation("The process lives", "Answers as long as the process lives. It touches nothing else.")
    ),
    HttpApiEndpoint.get("readiness", "/readyz", {
      success: Status,
      error: Schemas.problems(...Schemas.unguarded, "storage_unavailable", "not_ready")
    }).annotateMerge(
      Schemas.operation(
        "The process can serve requests",
        "Answers 503 while the process starts or stops, or its storage is out of reach or takes no writes."
      )
    ),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain; version=0.0.4; charset=utf-8" })),
      error: Schemas.problems(...Schemas.unguarded, "rate_limited")
    }).annotateMerge(
      Schemas.operation("Metrics for Prometheus", "The process's metrics in the text format of Prometheus.")
    )
  )
  .annotateMerge(Schemas.group("System", "Health and metrics, for the platform that runs the service.")) {}

const now = Schemas.field(Schemas.Timestamp, "The business time", Samples.used)

const ClockItem = Schemas.data(
  Schema.Struct({
    now,
    virtual: Schemas.field(Schema.Boolean, "Whether the clock stands still until it is moved", true)
  }).annotate({ identifier: "Clock" })
)

export const Advance = Schema.Struct({
  to: Schemas.optional(Schemas.Instant, "The instant to move to; not before now", Samples.end),
  by: Schemas.optional(Schema.String, "A duration such as `12 hours`", "12 hours")
}).annotate({ identifier: "Advance", description: "One of the two", examples: [{ by: "12 hours" }] })

export class ClockApi extends HttpApiGroup.make("clock")
  .add(
    HttpApiEndpoint.get("read", "/clock", {
      success: ClockItem,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      Roles.operation("read", "Read the business clock", "The time that all rules go by, which may be virtual.")
    ),
    HttpApiEndpoint.post("advance", "/clock/advance", {
      payload: Advance,
      success: Schemas.data(Schema.Struct({ now })),
      error: Schemas.problems(
        ...Schemas.restricted,
        "route_not_found",
        ...Schemas.withBody,
        "clock_is_system",
        "clock_advancing"
      )
    }).annotateMerge(
      Roles.ofService(
        "admin",
        "Move a virtual clock and do all work that falls due",
        "Moves a virtual clock from due instant to due instant, and answers when all work that was due by then is " +
          "done. Exactly one of `to` and `by` is given."
      )
    )
  )
  .annotateMerge(Schemas.group("Management: clock", "The business clock, which tests and demonstrations can move."))
  .prefix("/admin/v1") {}

const counted = (description: string, example: number) => Schemas.field(Schema.Int, description, example)

const instant = (description: string, example: string) => Schemas.field(Schemas.Timestamp, description, example)

const perhaps = (description: string, example: string | null) =>
  Schemas.field(Schema.NullOr(Schemas.Timestamp), description, example)

const nextTry = "When the first of them is tried again"

const telcoName = (description: string) => Schemas.field(Schema.NullOr(Schema.String), description, "ocs")

const TelcoStanding = Schema.Struct({
  name: telcoName("The telco's name in the settings file; null where there is one telco without a name"),
  answers: Schemas.field(
    Schema.Boolean,
    "False while work waits because the telco did not answer, or because it is not asked for a while. One that nothing was asked of counts as answering",
    false
  ),
  since: perhaps("Since when the first of that work waits; null where it answers", Samples.bought),
  waiting_jobs: counted("How many jobs wait for it, for any reason", 12),
  oldest_since: perhaps("Since when the first of these waits; null where none does", Samples.bought),
  next_try_at: perhaps(`${nextTry}; null where none waits`, Samples.used)
}).annotate({ identifier: "TelcoStanding" })

const WaitingGroup = Schema.Struct({
  kind: Schemas.field(Schema.Literals(Job.kinds), "The kind of work", "CancelPackages"),
  reason: Schemas.field(Schema.Literals(Job.waitingReasons), "Why its last try gave it back", "unavailable"),
  telco: telcoName("The name of the telco that it waits for; null: one without a name, or none"),
  count: counted("How many jobs there are", 12),
  since: instant("Since when the first of them waits", Samples.bought),
  next_try_at: instant(nextTry, Samples.used)
}).annotate({ identifier: "WaitingGroup" })

const ofOrganization = {
  organization_id: Schemas.organizationId,
  organization_name: Schemas.organizationName
}

const FailingEndpoint = Schema.Struct({
  ...ofOrganization,
  webhook_endpoint_id: Schemas.string(...Schemas.means.endpointId),
  url: Schemas.string("Its URL, without secrets", "https://hooks.acme.example/esim"),
  since: instant("Since when it has failed", Samples.bought),
  pending_deliveries: counted(
    `How many deliveries to it are to be made yet, counted up to ${Rules.COUNTED_OF_ENDPOINT}`,
    40
  )
}).annotate({ identifier: "FailingEndpoint" })

const WatchedStock = Schema.Struct({
  ...ofOrganization,
  label: Schemas.label,
  free: counted("How many eSIMs are free, counted up to 1,000, or to the level where that is higher", 140),
  level: Schemas.field(
    Schema.NullOr(Schema.Int),
    "The level below which the organization is notified; null where it has set none",
    100
  ),
  is_low: Schemas.field(Schema.Boolean, "Whether fewer are free than that", false),
  sold_a_day: Schemas.field(
    Schema.Number,
    `How many were sold a day: of the organization's subscriptions of the last 7 days that are still there, or of the newest ${Rules.RATE_SAMPLE} where there are more`,
    20
  ),
  days_left: Schemas.field(
    Schema.NullOr(Schema.Number),
    "For how many days the free ones last at that rate; null where none was sold",
    7
  )
}).annotate({ identifier: "WatchedStock" })

const figure = (description: string, example: number) =>
  Schemas.field(Schema.NullOr(Schema.Int), `${description}; null where the storage has no server`, example)

const counts = (what: string) =>
  Schemas.field(
    Schema.Struct({
      all: Schemas.field(Schema.Array(Schema.Int), "How many there were in each span, oldest first", [3, 0, 7]),
      failed: Schemas.field(Schema.Array(Schema.Int), "How many of these failed", [0, 0, 1])
    }),
    what
  )

const RecentRates = Schema.Struct({
  from: instant("When the first span begins, in machine time", Samples.start),
  span_seconds: counted("How long a span is", 300),
  requests: counts("Answered requests; those with a status from 500 on failed"),
  telco_calls: counts("Calls of telcos; those without an answer failed"),
  deliveries: counts("Webhooks; those that did not arrive failed"),
  jobs: counts("Jobs that were tried; those that are not done failed")
}).annotate({ identifier: "RecentRates" })

const Process = Schema.Struct({
  process_id: Schemas.string("The process's id, another one each time it starts", Samples.processId),
  answers: Schemas.field(Schema.Boolean, "Whether it is the process that answers", true),
  version: Schemas.field(
    Schema.NullOr(Schema.String),
    "The version of its build; null where its host names none",
    "1.0.0"
  ),
  host: Schemas.field(Schema.NullOr(Schema.String), "The name of its machine; null where its host names none", "sim-1"),
  runs: Schemas.field(
    Schema.Array(Schema.String),
    "The groups of routes that it serves, and `worker` where it does work that falls due",
    ["admin", "v3", "worker"]
  ),
  started_at: instant("Since when it runs, in machine time", Samples.start),
  last_heartbeat_at: instant(
    `When it last said so, in machine time, each ${ProcessRules.BEAT / 1_000} s; it is shown for ${ProcessRules.SILENCE / 1_000} s more`,
    Samples.end
  ),
  held_jobs: counted("How many jobs it had under way then, under leases", 3),
  held_deliveries: counted("How many webhooks it had under way then, under leases", 1)
}).annotate({ identifier: "Process" })

const ServiceStanding = Schema.Struct({
  version: Schemas.field(Schema.NullOr(Schema.String), "The version of the process that answers", "1.0.0"),
  started_at: instant("Since when that process runs, in machine time", Samples.start),
  due_jobs: counted("Jobs of the whole service that are due and that no process holds, counted up to 10,000", 0),
  held_jobs: counted("Due jobs that a process holds by a lease, counted up to 10,000", 3),
  oldest_due_at: perhaps("Since when the oldest due job is due that no process holds; null where none is", null),
  problems: counted("Jobs that ended in refusals and wait for an operator, counted up to 10,000", 1),
  database: Schemas.field(
    Schema.Struct({
      takes_writes: Schemas.field(Schema.Boolean, "Whether it took a write just now", true),
      bytes: figure("Its size in bytes", 734_003_200),
      connections: figure("How many connections it has, those of other programs included", 24),
      most_connections: figure("How many connections its server takes", 100)
    }),
    "The database, which answered: where it does not, neither does this operation"
  ),
  processes: Schemas.field(
    Schema.Array(Process),
    `The processes that share the database, by when they started, ${ProcessRules.SHOWN} at most`
  ),
  rates: Schemas.field(
    RecentRates,
    "What happened in the last 6 hours in these processes together, in each since it runs and as it last said, in spans of five minutes; the last one is not over"
  ),
  loads: Schemas.field(
    Schema.Array(
      Schema.Struct({
        ...ofOrganization,
        waiting_jobs: counted("Its jobs that wait for their next try", 12),
        pending_deliveries: counted("Its deliveries that are to be made", 40)
      })
    ),
    `The ${Rules.LOADS} organizations with the most work that waits, among the first 10,000 jobs and 10,000 deliveries`
  )
}).annotate({ identifier: "ServiceStanding" })

/** What operators see first. */
export const Overview = Schema.Struct({
  now: instant("The business time, of which all other instants are where nothing else is said", Samples.used),
  telcos: Schemas.field(Schema.Array(TelcoStanding), "The telcos, by name"),
  waiting: Schemas.field(
    Schema.Array(WaitingGroup),
    "Jobs between two tries by kind, reason and telco, those that wait longest first: the first 10,000 are counted"
  ),
  failing_endpoints: Schemas.field(
    Schema.Array(FailingEndpoint),
    `Endpoints that fail, longest first, ${Rules.ENDPOINTS} at most`
  ),
  stock: Schemas.field(
    Schema.Array(WatchedStock),
    `Stocks by label, low ones first, then those with the fewest days left, ${Rules.STOCKS} at most: of an organization all of them; of the ` +
      `service those of the ${Rules.STOCKS} first levels and of the ${Rules.STOCKS} organizations that have sold last among the ` +
      `${Rules.ORGANIZATIONS} first`
  ),
  service: Schemas.field(
    Schema.NullOr(ServiceStanding),
    "What belongs to no organization; null for an operator who is bound to one"
  )
}).annotate({ identifier: "Overview" })

export class OverviewApi extends HttpApiGroup.make("overview")
  .add(
    HttpApiEndpoint.get("read", "/overview", {
      success: Schemas.data(Overview),
      error: Schemas.problems(...Schemas.managing, "route_not_found")
    }).annotateMerge(
      Roles.operation(
        "read",
        "Read what to see first",
        "Whether it is the service, a telco or one customer: how telcos answer, what work waits, which endpoints fail, and which stocks " +
          "run out. An operator who is bound to an organization gets what is of it: its work that waits, the telcos that this work " +
          "waits for, its endpoints and its stock."
      )
    )
  )
  .annotateMerge(Schemas.group("Management: overview", "What an operator sees first."))
  .prefix("/admin/v1") {}

export class JobsApi extends Rows.group("jobs", Jobs.waitingJobs)
  .annotateMerge(
    Schemas.group("Management: jobs", "Work that was tried and waits for its next try, of all organizations.")
  )
  .prefix("/admin/v1") {}

export class ProblemsApi extends Rows.group("problems", Jobs.problems)
  .annotateMerge(Schemas.group("Management: problems", "Work at the telco that ended in refusals, and needs a person."))
  .prefix("/admin/v1") {}
