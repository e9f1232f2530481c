/**
 * Jobs that wait for their next try, and problems.
 */
import type { CallOptions, PagedList, WriteOptions } from "./Calls.ts"
import type {
  OfJob,
  OfProblem,
  Problem,
  ProblemFilter,
  ResolveProblem,
  RetriedJobs,
  RetryJobs,
  WaitingJob,
  WaitingJobFilter
} from "./printed/Jobs.ts"

export type * from "./printed/Jobs.ts"

/**
 * Jobs that were tried and wait for their next try: while a telco is down, the work that waits for
 * it.
 */
export interface WaitingJobs {
  /** Of all organizations, oldest job first. */
  readonly list: (of?: WaitingJobFilter, options?: CallOptions) => PagedList<WaitingJob>
  /**
   * Has the job tried at once. Errors: `NotFoundError`, also for one that is done or has become a
   * problem.
   */
  readonly retry: (of: OfJob, options?: WriteOptions) => Promise<void>
  /**
   * Has all jobs that the filter takes tried at once, oldest first: after an outage of the telco,
   * say. It stops after 10,000: `next` is then where to go on with `after`.
   *
   * Errors: `InvalidFieldError`.
   */
  readonly retryAll: (of?: RetryJobs, options?: WriteOptions) => Promise<RetriedJobs>
}

/** Problems: they stand in the list until they are retried or resolved (rule S6). */
export interface Problems {
  /** Oldest job first. */
  readonly list: (of?: ProblemFilter, options?: CallOptions) => PagedList<Problem>
  /**
   * Has the telco asked again, at once and up to three times, or a handler called again at once.
   * Retrying what is being retried changes nothing.
   *
   * Errors: `NotFoundError`.
   */
  readonly retry: (of: OfProblem, options?: WriteOptions) => Promise<void>
  /**
   * Has the telco asked for what is had here, at once and up to three times: a pause or a
   * resumption, a suspension, the mobile plan. A package that nobody has here is cancelled, whoever
   * uses it, and so is all that the telco lists on a SIM that waits for its release.
   *
   * Errors: `NotFoundError`, `NotSupportedError` if the telco cannot be asked for it.
   */
  readonly correct: (of: OfProblem, options?: WriteOptions) => Promise<void>
  /**
   * Says that the work was done by hand: the problem is gone, a SIM that waited for it is free, and
   * an event that a handler fails at is given up. Before a SIM is free, its telco is asked what it
   * lists on it: if that is anything of ours, nothing is resolved. With `force` the telco is not
   * asked, and simplan takes your word.
   *
   * Errors: `NotFoundError`, also for a problem that is being retried, and without `force`
   * `PackagesListedError`, `TelcoRefusedError` and `TelcoUnavailableError`.
   */
  readonly resolve: (of: ResolveProblem, options?: WriteOptions) => Promise<void>
}
