/**
 * Handlers of mobile network operators.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Operators } from "simplan"
import { Api } from "../api/Api.ts"
import type * as OperatorsApi from "../api/OperatorsApi.ts"
import { Caller } from "../api/Security.ts"
import * as Shapes from "../shapes/Coverage.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Text from "../wire/Text.ts"

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
          return Responses.ok<List>({ error: false, data: found.map(Shapes.operator) })
        }, ErrorResponses.handled)
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const { organizationId } = yield* Caller
          const found = yield* operators.get({ organizationId, operatorId: Text.id(params.operatorId) })
          return Responses.ok<Item>({ error: false, data: Shapes.operator(found) })
        }, ErrorResponses.handled)
      )
  })
)
