/**
 * Handlers of mobile network operators.
 */
import { Effect } from "effect"
import { Operators } from "simplan"
import * as OperatorsApi from "../api/OperatorsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Shapes from "../shapes/Coverage.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import { Text } from "../../fields/index.ts"

export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const operators = yield* Operators.Operators

    return Endpoints.group(OperatorsApi.OperatorsApi, guard, {
      list: Effect.fnUntraced(function* ({ caller: { organizationId }, query }) {
        yield* Query.texts(query)
        const found = yield* operators.list({
          organizationId,
          label: query.label ?? null,
          country: yield* Query.country("country", query.country)
        })
        return Responses.data(found.map(Shapes.operator))
      }),
      get: Effect.fnUntraced(function* ({ caller: { organizationId }, params }) {
        const found = yield* operators.get({ organizationId, operatorId: Text.id(params.operatorId) })
        return Responses.data(Shapes.operator(found))
      })
    })
  })
