/**
 * The process: its health, readiness and metrics, for the platform that runs it, its business
 * clock, which the management API reads and moves if it is virtual, and what operators see
 * first.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ClockOperations, JobsOperations, OverviewOperations } from "../../operations/index.ts"
import * as Rows from "./Rows.ts"
import * as Schemas from "./Schemas.ts"

export const Status = Schema.Struct({ status: Schemas.field(Schema.Literal("ok"), "Always `ok`") }).annotate({
  identifier: "Status"
})

export const Readiness = Schema.Struct({
  ...Status.fields,
  dead_servers: Schemas.field(
    Schema.Array(Schema.String),
    "The database's servers that do not answer, where it is distributed over several: the organizations on them are not served"
  )
}).annotate({ identifier: "Readiness" })

export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/healthz", {
      success: Status,
      error: Schemas.problems(...Schemas.unguarded)
    }).annotateMerge(
      Schemas.operation("The process lives", "Answers as long as the process lives. It touches nothing else.")
    ),
    HttpApiEndpoint.get("readiness", "/readyz", {
      success: Readiness,
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

export class ClockApi extends Rows.group("clock", ClockOperations.clock)
  .annotateMerge(Schemas.group("Management: clock", "The business clock, which tests and demonstrations can move."))
  .prefix("/admin/v1") {}

export class OverviewApi extends Rows.group("overview", OverviewOperations.overview)
  .annotateMerge(Schemas.group("Management: overview", "What an operator sees first."))
  .prefix("/admin/v1") {}

export class JobsApi extends Rows.group("jobs", JobsOperations.waitingJobs)
  .annotateMerge(
    Schemas.group("Management: jobs", "Work that was tried and waits for its next try, of all organizations.")
  )
  .prefix("/admin/v1") {}

export class ProblemsApi extends Rows.group("problems", JobsOperations.problems)
  .annotateMerge(Schemas.group("Management: problems", "Work at the telco that ended in refusals, and needs a person."))
  .prefix("/admin/v1") {}
