/**
 * Operators of the service: how they look as JSON, and their handlers.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { ServiceOperators, Time } from "simplan"
import type { Operator } from "simplan/ports"
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

const shape = (one: Operator.Operator): typeof ServiceOperatorsApi.ServiceOperator.Type => ({
  operator_id: one.operatorId,
  name: one.name,
  role: one.role,
  organization_id: one.organizationId,
  hint: one.hint,
  previous_token_until: Responses.instant(one.previousUntil),
  created_at: Time.toIso(one.createdAt),
  expires_at: Responses.instant(one.expiresAt),
  deleted_at: Responses.instant(one.deletedAt)
})

const shapeOfNew = ({
  operator,
  token
}: ServiceOperators.NewOperator): typeof ServiceOperatorsApi.NewServiceOperator.Type => ({ ...shape(operator), token })

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
        const { expires_at, name, organization_id = null, role } = yield* decode(value)
        const made = yield* operators.create({
          name,
          role,
          organizationId: organization_id,
          expiresAt: Query.instant(expires_at)
        })
        return Responses.data(shapeOfNew(made))
      }),
      whoami: ({ caller: { expiresAt, name, organizationId, role } }) =>
        Effect.succeed(
          Responses.data({ name, role, organization_id: organizationId, expires_at: Responses.instant(expiresAt) })
        ),
      beginSession: Effect.fnUntraced(function* ({ request, respond }) {
        if (sessions === null) return yield* Errors.routeNotFound
        const { cookie, session } = yield* sessions.begin({ token: yield* Auth.bearerOf(request) }, request)
        const body = Responses.data({ session_id: session.id, ends_at: Time.toIso(session.endsAt) })
        return HttpServerResponse.setHeader(respond(body), "set-cookie", cookie)
      }),
      endSession: Effect.fnUntraced(function* ({ caller: { session }, request, respond }) {
        if (sessions === null || session === null) return yield* sessionNotFound
        const removal = yield* sessions.end(session, request)
        return HttpServerResponse.setHeader(respond(Responses.data({ session_id: session.id })), "set-cookie", removal)
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const { items, next } = yield* operators.page(yield* Query.keyset(query, Schemas.MANAGEMENT_PAGE_SIZE))
        return Responses.page(items.map(shape), Query.createdToken(next))
      }),
      remove: Effect.fnUntraced(function* ({ params }) {
        const deleted = yield* operators.delete({ operatorId: params.operator_id })
        return Responses.data(shape(deleted))
      }),
      rotate: Effect.fnUntraced(function* ({ params }) {
        const rotated = yield* operators.rotate({ operatorId: params.operator_id })
        return Responses.data(shapeOfNew(rotated))
      })
    })
  })
