/**
 * Jobs that wait for their next try, and problems, which are jobs that ended in refusals: how they look as JSON, and their
 * handlers.
 */
import { Effect } from "effect"
import { Organizations, Problems } from "simplan"
import { Operator, type Storage } from "simplan/ports"
import { Jobs as Views } from "simplan/views"
import * as JobsApi from "../api/JobsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Copies from "./printed/Jobs.ts"

const decodeRetry = Body.closedDecoder(JobsApi.RetryJobs)

const badPlace = Errors.invalidField("after", "must be a token that next gave")

/** Null where the filter takes nothing that the operator sees. */
const toFilter = (
  {
    kind,
    organization_id,
    reason,
    telco
  }: Pick<typeof JobsApi.RetryJobs.Type, "kind" | "organization_id" | "reason" | "telco">,
  caller: Operator.Acting
): Storage.WaitingFilter | null => {
  const organizationId = organization_id ?? caller.organizationId
  if (organizationId !== null && !Operator.sees(caller, organizationId)) return null
  return {
    ...(kind !== undefined && { kind }),
    ...(reason !== undefined && { reason }),
    ...(telco !== undefined && { telco }),
    ...(organizationId !== null && { organizationId })
  }
}

/** The handlers of jobs that wait for their next try. */
export const make = (guard: OperatorAuth.Guard) =>
  Effect.gen(function* () {
    const jobs = yield* Problems.WaitingJobs
    const organizations = yield* Organizations.Organizations

    return Endpoints.group(JobsApi.JobsApi, guard, {
      list: Effect.fnUntraced(function* ({ caller, query }) {
        yield* Query.texts(query)
        const page = yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)
        const filter = toFilter(query, caller)
        if (filter === null) return Responses.page([], null)
        const { items, next } = yield* jobs.page({ ...page, ...filter })
        const names = yield* organizations.names(items)
        return Responses.page(
          items.map((job) => Copies.waitingJob(Views.waitingJobOf(job, names))),
          Query.createdToken(next)
        )
      }),
      retry: Effect.fnUntraced(function* ({ caller, params }) {
        const jobId = params.job_id
        yield* jobs.retry({ jobId, organizationId: caller.organizationId })
        return Responses.data({ job_id: jobId })
      }),
      retryAll: Effect.fnUntraced(function* ({ caller, request }) {
        const { value } = yield* Body.read(request)
        const { after: token, ...asked } = yield* decodeRetry(value)
        const after = yield* Effect.mapError(Effect.fromResult(Query.createdCursor(token)), () => badPlace)
        const filter = toFilter(asked, caller)
        const { next, retried } =
          filter === null ? { next: null, retried: 0 } : yield* jobs.retryAll({ after, ...filter })
        return Responses.data({ retried, has_more: next !== null, next: Query.createdToken(next) })
      })
    })
  })

/** The handlers of problems. */
export const problems = (guard: OperatorAuth.Guard) =>
  Effect.gen(function* () {
    const service = yield* Problems.Problems
    const organizations = yield* Organizations.Organizations

    return Endpoints.group(JobsApi.ProblemsApi, guard, {
      list: Effect.fnUntraced(function* ({ caller, query }) {
        yield* Query.texts(query)
        const page = yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)
        const filter = toFilter(query, caller)
        if (filter === null) return Responses.page([], null)
        const { items, next } = yield* service.page({ ...page, ...filter })
        const names = yield* organizations.names(items)
        return Responses.page(
          items.map((job) => Copies.problem(Views.problemOf(job, names))),
          Query.createdToken(next)
        )
      }),
      retry: Effect.fnUntraced(function* ({ caller, params }) {
        const problemId = params.problem_id
        yield* service.retry({ problemId, organizationId: caller.organizationId })
        return Responses.data({ problem_id: problemId })
      }),
      correct: Effect.fnUntraced(function* ({ caller, params }) {
        const problemId = params.problem_id
        yield* service.correct({ problemId, organizationId: caller.organizationId })
        return Responses.data({ problem_id: problemId })
      }),
      resolve: Effect.fnUntraced(function* ({ caller, params, query }) {
        const problemId = params.problem_id
        const { organizationId } = caller
        yield* service.resolve({ problemId, organizationId, force: Query.flag(query.force) ?? false })
        return Responses.data({ problem_id: problemId })
      })
    })
  })
