/**
 * Jobs that wait for their next try, and problems, as hosts and callers see them (rule S6).
 */
import * as Job from "../domain/Job.ts"
import * as Rules from "../domain/Problem.ts"
import * as TextLimit from "../domain/TextLimit.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, instant, nullOr, optional } = View

/** The names of organizations, by their ids. */
export type Names = ReadonlyMap<string, string>

const organizationId = [View.id, "The organization's id", Samples.organizationId] as const
const kind = [View.oneOf(Job.kinds, "JobKind"), "What kind of work it is", "CancelPackages"] as const
const reason = [
  View.oneOf(Job.waitingReasons, "WaitingReason"),
  "The class of the reason to wait",
  "unavailable"
] as const

const about = {
  organizationId: field(
    View.id,
    "The organization's id; `*`: it is the service's, and no organization's",
    Samples.organizationId
  ),
  organizationName: field(View.text, "The organization's name; empty: it is the service's", "Acme"),
  iccid: field(nullOr(View.text), "The SIM's ICCID (ITU-T E.118): 18 to 20 digits", Samples.iccid)
}
const lastMessage = field(View.text, "What the telco said last", "unknown package")

export const OfJob = View.request("OfJob", "Names a job", {
  jobId: field(View.text, "The job's id", Samples.jobId)
})

export const WaitingJob = View.answer(
  "WaitingJob",
  "Work that was tried and waits for its next try",
  {
    kind: field(...kind),
    ...about,
    reason: field(...reason),
    lastMessage,
    since: field(instant, "When a try first gave the job back", Samples.used),
    nextTryAt: field(instant, "When it is tried next", Samples.end),
    attempts: field(View.integer(), "How many tries were made", 1),
    createdAt: field(instant, "When it was made", Samples.bought)
  },
  OfJob
)

export const waitingJobOf = (job: Job.WaitingJob, names: Names): View.Of<typeof WaitingJob> => ({
  jobId: job.jobId,
  kind: job.work._tag,
  organizationId: job.organizationId,
  organizationName: names.get(job.organizationId) ?? "",
  iccid: "iccid" in job.work ? job.work.iccid : null,
  reason: job.waiting.reason,
  lastMessage: job.waiting.message,
  since: job.waiting.since,
  nextTryAt: job.dueAt,
  attempts: job.attempts,
  createdAt: job.createdAt
})

export const WaitingJobs = View.request("WaitingJobFilter", "Which jobs are meant. An absent field filters nothing", {
  kind: optional(...kind),
  reason: optional(...reason),
  telco: optional(
    View.limited(TextLimit.NAME),
    "Only those that wait for the telco of this name; empty: one without a name, or none",
    "ocs"
  ),
  organizationId: optional(...organizationId)
})

export const RetryJobs = View.request(
  "RetryJobs",
  "Which jobs are tried at once. An absent field filters nothing",
  { after: optional(...View.after) },
  WaitingJobs
)

export const RetriedJobs = View.answer("RetriedJobs", "How far a retry of many jobs has come", {
  retried: field(View.integer(), "How many jobs are due now", 12),
  hasMore: field(...View.hasMore),
  next: field(...View.next)
})

export const OfProblem = View.request("OfProblem", "Names a problem", {
  problemId: field(View.text, "The problem's id", Samples.problemId)
})

export const ResolveProblem = View.request(
  "ResolveProblem",
  "Which problem was dealt with by hand",
  {
    force: View.preset(
      false,
      optional(View.boolean, "Whether the telco is not asked what it lists on a SIM that will be free", true)
    )
  },
  OfProblem
)

export const ProblemsOf = View.request("ProblemFilter", "Whose problems are meant; all without an organization", {
  organizationId: optional(View.id, "Only those of this organization", Samples.organizationId)
})

export const Problem = View.answer(
  "Problem",
  "Work that ended in refusals, or what a comparison of both books has found",
  {
    kind: field(View.text, "What kind of work it is", "CancelPackages"),
    ...about,
    since: field(instant, "When it began", Samples.used),
    endedAt: field(instant, "When the job ended: the telco is not asked any more", Samples.used),
    attempts: field(View.integer(), "How many attempts have failed", 1),
    lastMessage,
    ours: field(
      nullOr(View.text),
      "What is had here, where the telco's books differ from ours; null: the problem is no such difference",
      "in service"
    ),
    theirs: field(nullOr(View.text), "What the telco has in its place; null likewise", "SUSPENDED"),
    canCorrect: field(View.boolean, "Whether the telco can be asked for what is had here")
  },
  OfProblem
)

export const problemOf = (job: Job.Job, names: Names): View.Of<typeof Problem> => {
  const { ours, theirs } = Rules.sides(job.work) ?? { ours: null, theirs: null }
  return {
    problemId: job.jobId,
    kind: job.work._tag,
    organizationId: job.organizationId,
    organizationName: names.get(job.organizationId) ?? "",
    iccid: "iccid" in job.work ? job.work.iccid : null,
    since: job.refused?.since ?? job.createdAt,
    endedAt: job.endedAt ?? job.createdAt,
    attempts: job.attempts,
    lastMessage: job.refused?.message ?? "",
    ours,
    theirs,
    canCorrect: Rules.corrected(job.work) !== null
  }
}
