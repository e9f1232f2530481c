/**
 * Who asks the management API, and the sessions of browsers.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Copy, ServiceOperators as Views } from "simplan/views"
import { type Operation, ServiceOperatorsOperations } from "../../operations/index.ts"
import * as ServiceOperatorsApi from "../api/ServiceOperatorsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import type * as Sessions from "../middleware/Sessions.ts"
import * as Rows from "./Rows.ts"
import * as Errors from "../wire/Errors.ts"
import * as Responses from "../wire/Responses.ts"

const whoAmI = Copy.toWire(Views.WhoAmI)
const session = Copy.toWire(Views.Session)

const sessionNotFound = new Errors.Problem({
  code: "session_not_found",
  message: "The request was not made by the cookie of a session"
})

/** `sessions`: null if the management API takes no cookies. */
export const make = (guard: OperatorAuth.Guard, services: Operation.Services, sessions: Sessions.Sessions | null) =>
  Endpoints.group(ServiceOperatorsApi.ServiceOperatorsApi, guard, {
    ...Rows.handlers(services, ServiceOperatorsOperations.rows),
    whoami: ({ caller }) => Effect.succeed(Responses.data(whoAmI(caller))),
    beginSession: Effect.fnUntraced(function* ({ request, respond }) {
      if (sessions === null) return yield* Errors.routeNotFound
      const begun = yield* sessions.begin({ token: yield* Auth.bearerOf(request) }, request)
      return HttpServerResponse.setHeader(respond(Responses.data(session(begun.session))), "set-cookie", begun.cookie)
    }),
    endSession: Effect.fnUntraced(function* ({ caller: { session }, request, respond }) {
      if (sessions === null || session === null) return yield* sessionNotFound
      const removal = yield* sessions.end(session, request)
      return HttpServerResponse.setHeader(respond(Responses.data({ session_id: session.id })), "set-cookie", removal)
    })
  })
