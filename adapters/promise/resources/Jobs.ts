/**
 * Jobs that wait for their next try, and problems.
 */
import { Effect, Schema } from "effect"
import { Organizations, Problems } from "simplan"
import { Jobs as Views } from "simplan/views"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/Jobs.ts"
import * as Copies from "./printed/Jobs.ts"

/** A page with the names of the organizations that its jobs are of. */
const named = <Job extends { readonly organizationId: string }, Next, A, E, R>(
  page: Effect.Effect<{ readonly items: ReadonlyArray<Job>; readonly next: Next }, E, R>,
  shape: (job: Job, names: Views.Names) => A
) =>
  Effect.gen(function* () {
    const { items, next } = yield* page
    const names = yield* Organizations.Organizations.use((organizations) => organizations.names(items))
    return { items: items.map((job) => shape(job, names)), next }
  })

const Retried = Schema.Struct({ retried: Schema.Number, next: Schema.NullOr(Schema.String) })

export const makeWaitingJobs = (runtime: Runtime): Types.WaitingJobs => {
  const { done, method, pages } = Methods.group(runtime, "waitingJobs", Problems.WaitingJobs)
  const retryAll = Methods.writing(runtime, method("retryAll", Views.RetryJobs), ({ after: token, ...filter }) => {
    const after = Methods.position(Methods.byCreation, token, "waitingJobs.retryAll")
    const run = Problems.WaitingJobs.use((jobs) =>
      Effect.map(jobs.retryAll({ ...filter, after }), ({ next, retried }) => ({
        retried,
        next: next === null ? null : Methods.byCreation.write(next)
      }))
    )
    return Methods.json(Retried, run, Effect.succeed)
  })
  return {
    list: pages("list", Views.WaitingJobs, (jobs, of) => named(jobs.page(of), Views.waitingJobOf), Copies.waitingJob),
    retry: done("retry", Views.OfJob, (jobs, of) => jobs.retry(of)),
    retryAll: (of = {}, options) => retryAll(of, options)
  }
}

export const makeProblems = (runtime: Runtime): Types.Problems => {
  const { done, pages } = Methods.group(runtime, "problems", Problems.Problems)
  return {
    list: pages("list", Views.ProblemsOf, (problems, of) => named(problems.page(of), Views.problemOf), Copies.problem),
    retry: done("retry", Views.OfProblem, (problems, of) => problems.retry(of)),
    correct: done("correct", Views.OfProblem, (problems, of) => problems.correct(of)),
    resolve: done("resolve", Views.ResolveProblem, (problems, of) => problems.resolve(of))
  }
}
