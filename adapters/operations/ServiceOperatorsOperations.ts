/**
 * Operators of the service: who the management API takes requests from (rule W14).
 */
import { Effect } from "effect"
import type { ServiceOperators } from "simplan"
import { ServiceOperators as Views, View } from "simplan/views"
import * as Operation from "./Operation.ts"

const withToken = ({ operator, token }: ServiceOperators.NewOperator) => ({ ...operator, token })

export const rows = {
  create: Operation.item({
    route: "POST /operators",
    request: Views.CreateServiceOperator,
    answer: Views.NewServiceOperator,
    makes: true,
    role: "admin",
    isOfService: true,
    errors: ["organization_not_found", "operator_name_taken"],
    title: "Create an operator",
    text: "Gives somebody a name, a role and a token for the management API. The token is shown this once; only its hash is stored.",
    call: ({ serviceOperators }, request) => Effect.map(serviceOperators.create(request), withToken)
  }),
  list: Operation.page({
    route: "GET /operators",
    request: View.nothing,
    answer: Views.ServiceOperator,
    role: "admin",
    isOfService: true,
    title: "List operators, oldest first, deleted ones included",
    text: "A page of all operators, without their tokens.",
    call: ({ serviceOperators }, page) => serviceOperators.page(page)
  }),
  remove: Operation.item({
    route: "DELETE /operators/:operator_id",
    request: Views.OfServiceOperator,
    answer: Views.ServiceOperator,
    role: "admin",
    isOfService: true,
    errors: ["operator_not_found"],
    title: "Delete an operator",
    text: "Ends the operator's tokens: at once in the process that is asked, within 5 s in all. Its name is free again.",
    call: ({ serviceOperators }, of) => serviceOperators.delete(of)
  }),
  setRole: Operation.item({
    route: "PUT /operators/:operator_id/role",
    request: Views.SetOperatorRole,
    answer: Views.ServiceOperator,
    role: "admin",
    isOfService: true,
    errors: ["operator_not_found"],
    title: "Give an operator another role",
    text: "Changes what the operator may do: at once in the process that is asked, within 5 s in all. Its tokens and sessions go on.",
    call: ({ serviceOperators }, request) => serviceOperators.setRole(request)
  }),
  rotate: Operation.item({
    route: "POST /operators/:operator_id/rotate",
    request: Views.OfServiceOperator,
    answer: Views.NewServiceOperator,
    role: "admin",
    isOfService: true,
    errors: ["operator_not_found"],
    title: "Give an operator another token",
    text:
      "Gives the operator another token, shown this once. The one before goes on for 24 h. Where a token is known to others, delete " +
      "the operator: that ends it at once.",
    call: ({ serviceOperators }, of) => Effect.map(serviceOperators.rotate(of), withToken)
  })
}
