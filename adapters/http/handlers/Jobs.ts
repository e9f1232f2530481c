/**
 * The handlers of jobs that wait for their next try.
 */
import { Effect } from "effect"
import { WaitingJobs } from "simplan"
import type { Storage } from "simplan/ports"
import { Text } from "../../fields/index.ts"
import * as JobsApi from "../api/management/JobsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Shapes from "../shapes/Management.ts"
import * as Query from "../wire/Query.ts"
import * as Errors from "../wire/Errors.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"

const decodeRetry = Body.closedDecoder(JobsApi.RetryJobs)

const badPlace = Errors.invalidField("after", "must be a token that next gave")

const toFilter = ({
  kind,
  organization_id,
  reason
}: Pick<typeof JobsApi.RetryJobs.Type, "kind" | "organization_id" | "reason">): Storage.WaitingFilter => ({
  ...(kind !== undefined && { kind }),
  ...(reason !== undefined && { reason }),
  ...(organization_id !== undefined && { organizationId: organization_id })
})

export const make = (guard: Auth.Guard<undefined>) =>
  Effect.gen(function* () {
    const jobs = yield* WaitingJobs.WaitingJobs

    return Endpoints.group(JobsApi.JobsApi, guard, {
      list: Effect.fnUntraced(function* ({ query }) {
        yield* Query.texts(query)
        const page = yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE)
        const { items, next } = yield* jobs.page({ ...page, ...toFilter(query) })
        return Responses.page(items.map(Shapes.waitingJob), Query.createdToken(next))
      }),
      retry: Effect.fnUntraced(function* ({ params }) {
        const jobId = Text.id(params.job_id)
        yield* jobs.retry({ jobId })
        return Responses.data({ job_id: jobId })
      }),
      retryAll: Effect.fnUntraced(function* ({ request }) {
        const { value } = yield* Body.read(request)
        const { after, ...filter } = yield* decodeRetry(value)
        const { next, retried } = yield* jobs.retryAll({
          after: yield* Effect.mapError(Effect.fromResult(Query.createdCursor(after)), () => badPlace),
          ...toFilter(filter)
        })
        return Responses.data({ retried, has_more: next !== null, next: Query.createdToken(next) })
      })
    })
  })
