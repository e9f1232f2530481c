/**
 * Operators of the service.
 */
import { Effect, Schema } from "effect"
import { ServiceOperators } from "simplan"
import { Operator } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/ServiceOperators.ts"
import { Fields } from "../../fields/index.ts"

const operatorOf = (of: Operator.Operator): Types.ServiceOperator => ({
  operatorId: of.operatorId,
  name: of.name,
  role: of.role,
  organizationId: of.organizationId,
  hint: of.hint,
  previousTokenUntil: Arguments.toDateOrNull(of.previousUntil),
  createdAt: Arguments.toDate(of.createdAt),
  expiresAt: Arguments.toDateOrNull(of.expiresAt),
  deletedAt: Arguments.toDateOrNull(of.deletedAt)
})

const newOperatorOf = ({ operator, token }: ServiceOperators.NewOperator): Types.NewServiceOperator => ({
  ...operatorOf(operator),
  token
})

const creation = Arguments.decoder(
  Schema.Struct({
    name: Arguments.Name,
    role: Fields.oneOf(Operator.roles),
    organizationId: Schema.optional(Schema.NullOr(Arguments.Id)),
    expiresAt: Schema.optional(Schema.NullOr(Arguments.Instant))
  })
)
const named = Arguments.decoder(Schema.Struct({ operatorId: Arguments.Id }))
const secret = Arguments.decoder(Schema.Struct({ token: Schema.String }))
const everything = Arguments.decoder(Arguments.Nothing)

const { ServiceOperators: Service } = ServiceOperators

// None of them keeps an idempotency key, with which a token would have to be stored.
export const make = (runtime: Runtime): Types.ServiceOperators => ({
  create: Methods.reading(
    runtime,
    { name: "serviceOperators.create", decode: creation },
    ({ expiresAt, name, organizationId = null, role }) => {
      const request = { name, role, organizationId, expiresAt: Arguments.toInstantOrNull(expiresAt) }
      return Effect.flatMap(Service, (operators) => Effect.map(operators.create(request), newOperatorOf))
    }
  ),
  list: Methods.paging(
    runtime,
    { name: "serviceOperators.list", decode: everything },
    Methods.byCreation,
    (_, page) => Effect.flatMap(Service, (operators) => operators.page(page)),
    operatorOf
  ),
  remove: Methods.reading(runtime, { name: "serviceOperators.remove", decode: named }, (of) =>
    Effect.flatMap(Service, (operators) => Effect.map(operators.delete(of), operatorOf))
  ),
  rotate: Methods.reading(runtime, { name: "serviceOperators.rotate", decode: named }, (of) =>
    Effect.flatMap(Service, (operators) => Effect.map(operators.rotate(of), newOperatorOf))
  ),
  authenticate: Methods.reading(runtime, { name: "serviceOperators.authenticate", decode: secret }, ({ token }) =>
    Effect.flatMap(Service, (operators) =>
      Effect.map(operators.authenticate(token), ({ operator }) => operatorOf(operator))
    )
  )
})
