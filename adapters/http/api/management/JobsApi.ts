/**
 * The management API's jobs, which were tried and wait for their next try, and its problems: work that ended because the telco
 * refuses it (rule S6).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Job } from "simplan/ports"
import * as Schemas from "../Schemas.ts"
import * as Security from "../Security.ts"

const Kind = Schema.Literals(Job.kinds).annotate({ message: `must be one of ${Job.kinds.join(", ")}` })

const Reason = Schema.Literals(Job.waitingReasons).annotate({
  message: `must be one of ${Job.waitingReasons.join(", ")}`
})

export const WaitingJob = Schema.Struct({
  job_id: Schema.String,
  kind: Kind,
  organization_id: Schema.String,
  iccid: Schema.NullOr(Schema.String),
  reason: Reason,
  last_message: Schema.String,
  since: Schemas.Timestamp.annotate({ description: "When a try first gave the job back" }),
  next_try_at: Schemas.Timestamp,
  attempts: Schema.Int.annotate({ description: "How many tries were made" }),
  created_at: Schemas.Timestamp
}).annotate({ identifier: "WaitingJob" })

/** Which jobs are meant; an absent field filters nothing. */
const filter = {
  kind: Schema.optionalKey(Kind.annotate({ description: "Only those of this kind" })),
  reason: Schema.optionalKey(Reason.annotate({ description: "Only those that wait for a reason of this class" })),
  organization_id: Schema.optionalKey(Schemas.Parameter.annotate({ description: "Only those of this organization" }))
}

export const RetryJobs = Schema.Struct({
  kind: Schema.optionalKey(Kind),
  reason: Schema.optionalKey(Reason),
  organization_id: Schema.optionalKey(Schema.String),
  after: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "RetryJobs" })

export const RetriedJobs = Schemas.data(
  Schema.Struct({
    retried: Schema.Int,
    has_more: Schema.Boolean,
    next: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "RetriedJobs" })
)

export const WaitingJobPage = Schemas.page(WaitingJob)
export const RetriedJob = Schemas.data(Schema.Struct({ job_id: Schema.String }))

export class JobsApi extends HttpApiGroup.make("jobs")
  .add(
    HttpApiEndpoint.get("list", "/jobs", {
      query: { ...Schemas.keyset, ...filter },
      success: WaitingJobPage,
      error: Schemas.problems(...Schemas.managing, "invalid_field")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Work that waits for its next try",
        description:
          "Jobs of all organizations that were tried and are to be tried again, oldest first, with the class of the reason " +
          "and what the last try met."
      })
    ),
    HttpApiEndpoint.post("retryAll", "/jobs/retry", {
      payload: RetryJobs,
      success: RetriedJobs,
      error: Schemas.problems(...Schemas.managing, ...Schemas.withBody)
    }).annotateMerge(OpenApi.annotations({ summary: "Try all at once that the filter takes" })),
    HttpApiEndpoint.post("retry", "/jobs/:job_id/retry", {
      params: { job_id: Schema.String },
      success: RetriedJob,
      error: Schemas.problems(...Schemas.managing, "job_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Try a job at once" }))
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: jobs" }))
  .prefix("/admin/v1") {}

export const Problem = Schema.Struct({
  problem_id: Schema.String,
  kind: Schema.String,
  organization_id: Schema.String,
  iccid: Schema.NullOr(Schema.String),
  since: Schemas.Timestamp,
  ended_at: Schemas.Timestamp,
  attempts: Schema.Int.annotate({ description: "How many attempts have failed" }),
  last_message: Schema.String
}).annotate({ identifier: "Problem" })

export const ProblemPage = Schemas.page(Problem)
export const ProblemItem = Schemas.data(Schema.Struct({ problem_id: Schema.String }))

const ofProblem = { problem_id: Schema.String }

export class ProblemsApi extends HttpApiGroup.make("problems")
  .add(
    HttpApiEndpoint.get("list", "/problems", {
      query: Schemas.keyset,
      success: ProblemPage,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "What the telco refuses for good",
        description:
          "Work that ended because the telco refused it three times, and events that a host's handler fails at while " +
          "later ones about the SIM wait, oldest first. It stays in the list until it is retried or resolved."
      })
    ),
    HttpApiEndpoint.post("retry", "/problems/:problem_id/retry", {
      params: ofProblem,
      success: ProblemItem,
      error: Schemas.problems(...Schemas.managing, "problem_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Ask the telco again" })),
    HttpApiEndpoint.post("resolve", "/problems/:problem_id/resolve", {
      params: ofProblem,
      query: {
        force: Schema.optionalKey(
          Schemas.Flag.annotate({ description: "Do not ask the telco what it lists on a SIM that will be free" })
        )
      },
      success: ProblemItem,
      error: Schemas.problems(
        ...Schemas.managing,
        "invalid_field",
        "problem_not_found",
        "packages_listed",
        "telco_refused",
        "telco_unavailable"
      )
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Close a problem that was dealt with by hand",
        description:
          "A SIM that waited for the work is free then. Before, its telco is asked what it lists on it: where that is " +
          "anything of ours, nothing is resolved, unless by force."
      })
    )
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: problems" }))
  .prefix("/admin/v1") {}
