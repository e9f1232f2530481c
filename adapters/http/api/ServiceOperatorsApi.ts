/**
 * The management API's operators, who it takes requests from, and the sessions of their browsers
 * (rule W14).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { ServiceOperators as Shapes } from "simplan/views"
import { ServiceOperatorsOperations } from "../../operations/index.ts"
import * as Roles from "./Roles.ts"
import * as Rows from "./Rows.ts"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"

const { sessionId } = Shapes.Session.fields

export class ServiceOperatorsApi extends Rows.group("serviceOperators", ServiceOperatorsOperations.rows)
  .add(
    HttpApiEndpoint.get("whoami", "/whoami", {
      success: Schemas.data(Views.answer(Shapes.WhoAmI)),
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      Roles.operation("read", "Who asks", "The operator whose token was sent, and what it may do and see.")
    ),
    HttpApiEndpoint.post("beginSession", "/session", {
      success: Schemas.data(Views.answer(Shapes.Session)).pipe(HttpApiSchema.status(201)),
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
      Roles.signOut(
        "read",
        "Sign out a browser",
        "Ends the session whose cookie was sent, whether or not it has to be renewed: at once in the process that is asked, within 5 s in all."
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
