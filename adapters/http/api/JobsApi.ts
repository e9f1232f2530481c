/**
 * The management API's jobs, which were tried and wait for their next try, and its problems: work that ended because the telco
 * refuses it (rule S6).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Job, TextLimit } from "simplan/ports"
import { Jobs, Samples } from "simplan/views"
import * as Roles from "./Roles.ts"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"
import { Fields } from "../../fields/index.ts"

export const WaitingJob = Views.answer(Jobs.WaitingJob)
export const RetryJobs = Views.body(Jobs.RetryJobs)
export const Problem = Views.answer(Jobs.Problem)

const ofOrganization = {
  organization_id: Schema.optionalKey(Schemas.idOfQuery("Only those of this organization", Samples.organizationId))
}

const { kind, reason, telco } = Jobs.WaitingJobs.fields

/** Which jobs are meant; an absent field filters nothing. */
const filter = {
  kind: Schemas.optional(Fields.oneOf(Job.kinds), "Only those of this kind", ...kind.examples),
  reason: Schemas.optional(
    Fields.oneOf(Job.waitingReasons),
    "Only those that wait for a reason of this class",
    ...reason.examples
  ),
  telco: Schemas.optional(Schemas.Parameter.check(Schemas.within(TextLimit.NAME)), telco.meaning, ...telco.examples),
  ...ofOrganization
}

const RetriedJobs = Schemas.data(
  Schema.Struct({
    retried: Schemas.field(Schema.Int, "How many jobs are due now", 12),
    has_more: Schemas.hasMore,
    next: Schemas.next
  }).annotate({ identifier: "RetriedJobs" })
)

export class JobsApi extends HttpApiGroup.make("jobs")
  .add(
    HttpApiEndpoint.get("list", "/jobs", {
      query: { ...Schemas.keyset, ...filter },
      success: Schemas.page(WaitingJob),
      error: Schemas.problems(...Schemas.managing, "invalid_field")
    }).annotateMerge(
      Roles.operation(
        "read",
        "Work that waits for its next try",
        "Jobs of all organizations that were tried and are to be tried again, oldest first, with the class of the reason " +
          "and what the last try met."
      )
    ),
    HttpApiEndpoint.post("retryAll", "/jobs/retry", {
      payload: RetryJobs,
      success: RetriedJobs,
      error: Schemas.problems(...Schemas.restricted, ...Schemas.withBody)
    }).annotateMerge(
      Roles.operation(
        "support",
        "Try all at once that the filter takes",
        "Has all jobs that the filter takes tried at once: after an outage of the telco, say. It stops after " +
          "10,000: `next` is where to go on."
      )
    ),
    HttpApiEndpoint.post("retry", "/jobs/:job_id/retry", {
      params: { job_id: Schemas.nameOfPath("The job's id", Samples.jobId) },
      success: Schemas.data(Schema.Struct({ job_id: Schemas.string("The job's id", Samples.jobId) })),
      error: Schemas.problems(...Schemas.restricted, "job_not_found")
    }).annotateMerge(
      Roles.operation(
        "support",
        "Try a job at once",
        "Has the job tried at once, if it waits for its next try. One that is done meanwhile, or has become a " +
          "problem, is 404."
      )
    )
  )
  .annotateMerge(
    Schemas.group("Management: jobs", "Work that was tried and waits for its next try, of all organizations.")
  )
  .prefix("/admin/v1") {}

const ofProblem = { problem_id: Schemas.nameOfPath("The problem's id", Samples.problemId) }

const ProblemItem = Schemas.data(Schema.Struct(ofProblem))

export class ProblemsApi extends HttpApiGroup.make("problems")
  .add(
    HttpApiEndpoint.get("list", "/problems", {
      query: { ...Schemas.keyset, ...ofOrganization },
      success: Schemas.page(Problem),
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      Roles.operation(
        "read",
        "What the telco refuses for good",
        "Work that ended because the telco refused it three times, and events that a host's handler fails at while " +
          "later ones about the SIM wait, oldest first. It stays in the list until it is retried or resolved."
      )
    ),
    HttpApiEndpoint.post("retry", "/problems/:problem_id/retry", {
      params: ofProblem,
      success: ProblemItem,
      error: Schemas.problems(...Schemas.restricted, "problem_not_found")
    }).annotateMerge(
      Roles.operation(
        "support",
        "Ask the telco again",
        "Has the telco asked again: at once, and up to three times. Retrying a problem that is being retried " +
          "changes nothing; one that the telco has taken meanwhile is gone (404)."
      )
    ),
    HttpApiEndpoint.post("correct", "/problems/:problem_id/correct", {
      params: ofProblem,
      success: ProblemItem,
      error: Schemas.problems(...Schemas.restricted, "problem_not_found", "not_supported")
    }).annotateMerge(
      Roles.operation(
        "support",
        "Make the telco's side ours",
        "Has the telco asked for what is had here, at once and up to three times: a pause or a resumption, a suspension, the " +
          "mobile plan. A package that nobody has here is cancelled, whoever uses it, and so is all that the telco lists on a " +
          "SIM that waits for its release."
      )
    ),
    HttpApiEndpoint.post("resolve", "/problems/:problem_id/resolve", {
      params: ofProblem,
      query: {
        force: Schemas.optional(Schemas.Flag, "Do not ask the telco what it lists on a SIM that will be free", "true")
      },
      success: ProblemItem,
      error: Schemas.problems(
        ...Schemas.restricted,
        "invalid_field",
        "problem_not_found",
        "packages_listed",
        "telco_refused",
        "telco_unavailable"
      )
    }).annotateMerge(
      Roles.operation(
        "support",
        "Close a problem that was dealt with by hand",
        "A SIM that waited for the work is free then. Before, its telco is asked what it lists on it: where that is " +
          "anything of ours, nothing is resolved, unless by force."
      )
    )
  )
  .annotateMerge(Schemas.group("Management: problems", "Work at the telco that ended in refusals, and needs a person."))
  .prefix("/admin/v1") {}
