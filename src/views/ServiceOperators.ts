/**
 * Operators of the service, as hosts and callers see them (rule W14).
 */
import { roles } from "../domain/Operator.ts"
import * as TextLimit from "../domain/TextLimit.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, instant, nullOr, optional } = View

const operator = {
  name: field(View.limited(TextLimit.NAME), "The operator's name, which audit entries show", "Ada"),
  role: field(
    View.oneOf(roles, "OperatorRole"),
    "What the operator may do: `read` only reads, `support` does the day's tasks too, such as retries and replays, `admin` everything",
    "support"
  ),
  organizationId: [nullOr(View.id), "The only organization that the operator sees; null if it sees all"],
  expiresAt: [nullOr(instant), "When the operator's tokens end; null if they do not", null]
} as const

const onlyOrganization = field(...operator.organizationId, null)

export const OfServiceOperator = View.request("OfServiceOperator", "Names an operator of the service", {
  operatorId: field(View.id, "The operator's id", Samples.serviceOperatorId)
})

export const ServiceOperator = View.answer(
  "ServiceOperator",
  "A person or program that the management API takes requests from, without its token",
  {
    name: operator.name,
    role: operator.role,
    organizationId: onlyOrganization,
    hint: field(View.text, "The token's last characters", "x9Qf"),
    previousTokenUntil: View.named(
      { from: "previousUntil" },
      field(nullOr(instant), "Until when the token before goes on; null if there is none", null)
    ),
    createdAt: field(instant, "When it was made", Samples.bought),
    expiresAt: field(...operator.expiresAt),
    deletedAt: field(nullOr(instant), "When the operator was deleted; null if it was not", null)
  },
  OfServiceOperator
)

export const NewServiceOperator = View.answer(
  "NewServiceOperator",
  "An operator with its token",
  { token: field(View.text, "The token itself; it is shown this once", "simplan_EXAMPLE") },
  ServiceOperator
)

export const CreateServiceOperator = View.request("CreateServiceOperator", "What a new operator is to be", {
  name: operator.name,
  role: operator.role,
  organizationId: View.preset(null, optional(...operator.organizationId, Samples.organizationId)),
  expiresAt: View.preset(null, optional(...operator.expiresAt))
})

export const SetOperatorRole = View.request(
  "SetOperatorRole",
  "What an operator may do from now on",
  { role: operator.role },
  OfServiceOperator
)

export const Token = View.request("OperatorToken", "The token of an operator", {
  token: field(View.text, "The token itself", "simplan_EXAMPLE")
})

export const WhoAmI = View.answer("WhoAmI", "Whose token was sent", {
  name: operator.name,
  role: operator.role,
  organizationId: onlyOrganization,
  expiresAt: field(nullOr(instant), "When the token that was sent ends; null if it does not", null)
})

export const Session = View.answer("Session", "A session of a browser", {
  sessionId: View.named(
    { from: "id" },
    field(View.text, "The session's id, which audit entries have", "5f0c3a5e1b7d4c5f9a2e8b6d3c1f0a7e")
  ),
  endsAt: field(instant, "When it ends at the latest, by the clock of the server's machine", Samples.end)
})
