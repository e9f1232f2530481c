/**
 * The management API's operators: who it takes requests from (rule W14).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Roles from "./Roles.ts"
import { ServiceOperators } from "simplan/views"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"

const { CreateServiceOperator: Creation, OfServiceOperator, ...answers } = ServiceOperators

export const ServiceOperator = Views.answer(answers.ServiceOperator)
export const CreateServiceOperator = Views.body(Creation)

const NewServiceOperator = Views.answer(answers.NewServiceOperator)
const { operatorId } = OfServiceOperator.fields
const { sessionId } = answers.Session.fields

const NewItem = Schemas.data(NewServiceOperator)

const ofOperator = { operator_id: Schemas.idOfPath(operatorId.meaning, ...operatorId.examples) }

export class ServiceOperatorsApi extends HttpApiGroup.make("serviceOperators")
  .add(
    HttpApiEndpoint.post("create", "/operators", {
      payload: CreateServiceOperator,
      success: NewItem.pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(
        ...Schemas.restricted,
        ...Schemas.withBody,
        "organization_not_found",
        "operator_name_taken"
      )
    }).annotateMerge(
      Roles.ofService(
        "admin",
        "Create an operator",
        "Gives somebody a name, a role and a token for the management API. The token is shown this once; only its hash is stored."
      )
    ),
    HttpApiEndpoint.get("whoami", "/whoami", {
      success: Schemas.data(Views.answer(answers.WhoAmI)),
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      Roles.operation("read", "Who asks", "The operator whose token was sent, and what it may do and see.")
    ),
    HttpApiEndpoint.post("beginSession", "/session", {
      success: Schemas.data(Views.answer(answers.Session)).pipe(HttpApiSchema.status(201)),
      error: Schemas.problems(...Schemas.restricted, "route_not_found")
    }).annotateMerge(
      Roles.operation(
        "read",
        "Sign in a browser",
        "Exchanges the bearer token for the cookie of a session of 8 h, in `Set-Cookie`: no script reads it, and no other site sends it. " +
          "The session ends with the token. Requests by cookie that change anything have to come from a page of the same origin."
      )
    ),
    HttpApiEndpoint.delete("endSession", "/session", {
      success: Schemas.data(Schema.Struct({ session_id: Schemas.string(sessionId.meaning, ...sessionId.examples) })),
      error: Schemas.problems(...Schemas.restricted, "session_not_found")
    }).annotateMerge(
      Roles.operation(
        "read",
        "Sign out a browser",
        "Ends the session whose cookie was sent: at once in the process that is asked, within 5 s in all."
      )
    ),
    HttpApiEndpoint.get("list", "/operators", {
      query: Schemas.keyset,
      success: Schemas.page(ServiceOperator),
      error: Schemas.problems(...Schemas.restricted, "route_not_found")
    }).annotateMerge(
      Roles.ofService(
        "admin",
        "List operators, oldest first, deleted ones included",
        "A page of all operators, without their tokens."
      )
    ),
    HttpApiEndpoint.delete("remove", "/operators/:operator_id", {
      params: ofOperator,
      success: Schemas.data(ServiceOperator),
      error: Schemas.problems(...Schemas.restricted, "operator_not_found")
    }).annotateMerge(
      Roles.ofService(
        "admin",
        "Delete an operator",
        "Ends the operator's tokens: at once in the process that is asked, within 5 s in all. Its name is free again."
      )
    ),
    HttpApiEndpoint.post("rotate", "/operators/:operator_id/rotate", {
      params: ofOperator,
      success: NewItem,
      error: Schemas.problems(...Schemas.restricted, "operator_not_found")
    }).annotateMerge(
      Roles.ofService(
        "admin",
        "Give an operator another token",
        "Gives the operator another token, shown this once. The one before goes on for 24 h. Where a token is known to others, delete " +
          "the operator: that ends it at once."
      )
    )
  )
  .annotateMerge(
    Schemas.group(
      "Management: operators",
      "Who may use the management API, and for what. Mobile networks are at `/v3/operators`."
    )
  )
  .prefix("/admin/v1") {}
