/**
 * Operators of the service: how they look as JSON, and their handlers.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { ServiceOperators } from "simplan"
import * as Schemas from "../api/Schemas.ts"
import * as ServiceOperatorsApi from "../api/ServiceOperatorsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import type * as Sessions from "../middleware/Sessions.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"
import * as Copies from "./printed/ServiceOperators.ts"

const shapeOfNew = ({ operator, token }: ServiceOperators.NewOperator) =>
  Responses.data({ ...Copies.serviceOperator(operator), token })

const decode = Body.closedDecoder(ServiceOperatorsApi.CreateServiceOperator)

const sessionNotFound = new Errors.Problem({
  code: "session_not_found",
  message: "The request was not made by the cookie of a session"
})

/** `sessions`: null where the management API takes no cookies. */
export const make = (guard: OperatorAuth.Guard, sessions: Sessions.Sessions | null) =>
  Effect.gen(function* () {
    const operators = yield* ServiceOperators.ServiceOperators

    return Endpoints.group(ServiceOperatorsApi.ServiceOperatorsApi, guard, {
      create: Effect.fnUntraced(function* ({ request }) {
        const { value } = yield* Body.read(request)
        return shapeOfNew(yield* operators.create(Copies.createServiceOperator(yield* decode(value))))
      }),
      whoami: ({ caller }) => Effect.succeed(Responses.data(Copies.whoAmI(caller))),
      beginSession: Effect.fnUntraced(function* ({ request, respond }) {
        if (sessions === null) return yield* Errors.routeNotFound
        const { cookie, session } = yield* sessions.begin({ token: yield* Auth.bearerOf(request) }, request)
        return HttpServerResponse.setHeader(respond(Responses.data(Copies.session(session))), "set-cookie", cookie)
      }),
      endSession: Effect.fnUntraced(function* ({ caller: { session }, request, respond }) {
        if (sessions === null || session === null) return yield* sessionNotFound
        const removal = yield* sessions.end(session, request)
        return HttpServerResponse.setHeader(respond(Responses.data({ session_id: session.id })), "set-cookie", removal)
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const { items, next } = yield* operators.page(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE))
        return Responses.page(items.map(Copies.serviceOperator), Query.createdToken(next))
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        const deleted = yield* operators.delete({ operatorId: params.operator_id })
        return Responses.data(Copies.serviceOperator(deleted))
      }),
      rotate: Effect.fnUntraced(function* ({ params }) {
        const rotated = yield* operators.rotate({ operatorId: params.operator_id })
        return shapeOfNew(rotated)
      })
    })
  })
