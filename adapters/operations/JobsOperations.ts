/**
 * Jobs that wait for their next try, and problems: work that ended because the telco refuses it
 * (rule S6).
 */
import { Effect } from "effect"
import { Jobs as Views } from "simplan/views"
import * as Operation from "./Operation.ts"

const none: Operation.Page<never> = { items: [], next: null }

/**
 * Does something within the organization that is asked for, or that the operator sees; `otherwise`,
 * if it is another one.
 */
const within = <Request extends { readonly organizationId?: string }, A, E>(
  { organizationId }: Operation.Within,
  asked: Request,
  otherwise: A,
  use: (request: Request) => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  if (organizationId === null || asked.organizationId === organizationId) return use(asked)
  return asked.organizationId === undefined ? use({ ...asked, organizationId }) : Effect.succeed(otherwise)
}

/** A page with the names of the organizations that its jobs are of. */
const named = <Job extends { readonly organizationId: string }, A, E>(
  { organizations }: Operation.Services,
  page: Effect.Effect<Operation.Page<Job>, E>,
  shape: (job: Job, names: Views.Names) => A
) =>
  Effect.flatMap(page, ({ items, next }) =>
    Effect.map(
      organizations.names(items),
      (names): Operation.Page<A> => ({ items: items.map((job) => shape(job, names)), next })
    )
  )

export const waitingJobs = {
  list: Operation.page({
    route: "GET /jobs",
    request: Views.WaitingJobs,
    answer: Views.WaitingJob,
    role: "read",
    title: "Work that waits for its next try",
    text:
      "Jobs of all organizations that were tried and are to be tried again, oldest first, with the class of the reason " +
      "and what the last try met.",
    call: (services, asked, by) =>
      within(by, asked, none, (of) => named(services, services.waitingJobs.page(of), Views.waitingJobOf))
  }),
  retryAll: Operation.part({
    route: "POST /jobs/retry",
    request: Views.RetryJobs,
    answer: Views.RetriedJobs,
    counts: "retried",
    role: "support",
    title: "Try all at once that the filter takes",
    text:
      "Has all jobs that the filter takes tried at once: after an outage of the telco, say. It stops after " +
      "10,000: `next` is where to go on.",
    call: ({ waitingJobs }, asked, by) =>
      within(by, asked, { count: 0, next: null }, (of) =>
        Effect.map(waitingJobs.retryAll(of), ({ next, retried }) => ({ count: retried, next }))
      )
  }),
  retry: Operation.done({
    route: "POST /jobs/:job_id/retry",
    request: Views.OfJob,
    answer: Views.OfJob,
    role: "support",
    errors: ["job_not_found"],
    title: "Try a job at once",
    text:
      "Has the job tried at once, if it waits for its next try. One that is done meanwhile, or has become a " +
      "problem, is 404.",
    call: ({ waitingJobs }, of, by) => waitingJobs.retry({ ...of, ...by })
  })
}

export const problems = {
  list: Operation.page({
    route: "GET /problems",
    request: Views.ProblemsOf,
    answer: Views.Problem,
    role: "read",
    title: "What the telco refuses for good",
    text:
      "Work that ended because the telco refused it three times, and events that a host's handler fails at while " +
      "later ones about the SIM wait, oldest first. It stays in the list until it is retried or resolved.",
    call: (services, asked, by) =>
      within(by, asked, none, (of) => named(services, services.problems.page(of), Views.problemOf))
  }),
  retry: Operation.done({
    route: "POST /problems/:problem_id/retry",
    request: Views.OfProblem,
    answer: Views.OfProblem,
    role: "support",
    errors: ["problem_not_found"],
    title: "Ask the telco again",
    text:
      "Has the telco asked again: at once, and up to three times. Retrying a problem that is being retried " +
      "changes nothing; one that the telco has taken meanwhile is gone (404).",
    call: ({ problems }, of, by) => problems.retry({ ...of, ...by })
  }),
  correct: Operation.done({
    route: "POST /problems/:problem_id/correct",
    request: Views.OfProblem,
    answer: Views.OfProblem,
    role: "support",
    errors: ["problem_not_found", "not_supported"],
    title: "Make the telco's side ours",
    text:
      "Has the telco asked for what is had here, at once and up to three times: a pause or a resumption, a suspension, the " +
      "mobile plan. A package that nobody has here is cancelled, whoever uses it, and so is all that the telco lists on a " +
      "SIM that waits for its release.",
    call: ({ problems }, of, by) => problems.correct({ ...of, ...by })
  }),
  resolve: Operation.done({
    route: "POST /problems/:problem_id/resolve?",
    request: Views.ResolveProblem,
    answer: Views.OfProblem,
    role: "support",
    errors: ["problem_not_found", "packages_listed", "telco_refused", "telco_unavailable"],
    title: "Close a problem that was dealt with by hand",
    text:
      "A SIM that waited for the work is free then. Before, its telco is asked what it lists on it: where that is " +
      "anything of ours, nothing is resolved, unless by force.",
    call: ({ problems }, of, by) => problems.resolve({ ...of, ...by })
  })
}
