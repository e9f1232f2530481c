/**
 * Operators of the service. None of the methods keeps an idempotency key, with which a token would
 * have to be stored.
 */
import { Effect } from "effect"
import { ServiceOperators } from "simplan"
import { Copy, ServiceOperators as Views } from "simplan/views"
import { ServiceOperatorsOperations } from "../../operations/index.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/ServiceOperatorsTypes.ts"

const toHost = Copy.toHost(Views.ServiceOperator)

export const make = (runtime: Runtime): Types.ServiceOperators => ({
  ...Methods.ofRows(runtime, "serviceOperators", ServiceOperatorsOperations.rows),
  authenticate: Methods.reading(runtime, Methods.method("serviceOperators.authenticate", Views.Token), ({ token }) =>
    ServiceOperators.ServiceOperators.use((operators) =>
      Effect.map(operators.authenticate(token), ({ operator }) => toHost(operator))
    )
  )
})
