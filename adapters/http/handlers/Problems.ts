/**
 * The handlers of problems.
 */
import { Effect } from "effect"
import { Problems } from "simplan"
import { Text } from "../../fields/index.ts"
import * as ProblemsApi from "../api/management/ProblemsApi.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Shapes from "../shapes/Management.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

export const make = (guard: Auth.Guard<undefined>) =>
  Effect.gen(function* () {
    const problems = yield* Problems.Problems

    return Endpoints.group(ProblemsApi.ProblemsApi, guard, {
      list: Effect.fnUntraced(function* ({ query }) {
        const { items, next } = yield* problems.page(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE))
        return Responses.page(items.map(Shapes.problem), Query.createdToken(next))
      }),
      retry: Effect.fnUntraced(function* ({ params }) {
        const problemId = Text.id(params.problem_id)
        yield* problems.retry({ problemId })
        return Responses.data({ problem_id: problemId })
      }),
      resolve: Effect.fnUntraced(function* ({ params, query }) {
        const problemId = Text.id(params.problem_id)
        yield* problems.resolve({ problemId, force: Query.flag(query.force) ?? false })
        return Responses.data({ problem_id: problemId })
      })
    })
  })
