/**
 * Operators of the service. None of the methods keeps an idempotency key, with which a token would have to be stored.
 */
import { ServiceOperators } from "simplan"
import { ServiceOperators as Views, View } from "simplan/views"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type * as Types from "../types/ServiceOperators.ts"
import * as Copies from "./printed/ServiceOperators.ts"

const newOperator = ({ operator, token }: ServiceOperators.NewOperator): Types.NewServiceOperator => ({
  ...Copies.serviceOperator(operator),
  token
})

export const make = (runtime: Runtime): Types.ServiceOperators => {
  const { pages, read } = Methods.group(runtime, "serviceOperators", ServiceOperators.ServiceOperators)
  return {
    create: read("create", Views.CreateServiceOperator, (operators, request) => operators.create(request), newOperator),
    list: pages("list", View.nothing, (operators, page) => operators.page(page), Copies.serviceOperator),
    remove: read("remove", Views.OfServiceOperator, (operators, of) => operators.delete(of), Copies.serviceOperator),
    rotate: read("rotate", Views.OfServiceOperator, (operators, of) => operators.rotate(of), newOperator),
    authenticate: read(
      "authenticate",
      Views.Token,
      (operators, { token }) => operators.authenticate(token),
      ({ operator }) => Copies.serviceOperator(operator)
    )
  }
}
