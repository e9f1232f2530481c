/**
 * Handlers of mobile network operators.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Operators } from "simplan"
import * as Answer from "../Answer.ts"
import { Api } from "../api/Api.ts"
import type * as OperatorsApi from "../api/OperatorsApi.ts"
import { Caller } from "../api/Security.ts"
import * as Query from "../Query.ts"
import * as Shapes from "../shapes/Coverage.ts"
import * as Text from "../Text.ts"

type List = typeof OperatorsApi.OperatorList.Type
type Item = typeof OperatorsApi.OperatorItem.Type

export const layer = HttpApiBuilder.group(
  Api,
  "operators",
  Effect.fnUntraced(function* (handlers) {
    const operators = yield* Operators.Operators

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const { organizationId } = yield* Caller
          yield* Query.texts(query)
          const found = yield* operators.list({
            organizationId,
            label: query.label ?? null,
            country: query.country ?? null
          })
          return Answer.ok<List>({ error: false, data: found.map(Shapes.operator) })
        }, Answer.orError)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const { organizationId } = yield* Caller
          const found = yield* operators.get({ organizationId, operatorId: Text.id(params.operatorId) })
          return Answer.ok<Item>({ error: false, data: Shapes.operator(found) })
        }, Answer.orError)
      )
  })
)
