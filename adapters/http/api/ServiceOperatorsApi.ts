/**
 * The management API's operators: who it takes requests from (rule W14).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Operator as Rules, TextLimit } from "simplan/ports"
import * as Roles from "./Roles.ts"
import * as Samples from "./Samples.ts"
import * as Schemas from "./Schemas.ts"
import { Fields } from "../../fields/index.ts"

const about = {
  operatorId: ["The operator's id", Samples.serviceOperatorId],
  name: ["The operator's name, which audit entries show", "Ada"],
  role: [
    "What the operator may do: `read` only reads, `support` does the day's tasks too, such as retries and replays, `admin` everything",
    "support"
  ],
  organizationId: ["The only organization that the operator sees; null if it sees all", null],
  expiresAt: ["When the operator's tokens end; null if they do not", null]
} as const

const Role = Fields.oneOf(Rules.roles)

const fields = {
  operator_id: Schemas.string(...about.operatorId),
  name: Schemas.string(...about.name),
  role: Schemas.field(Role, ...about.role),
  organization_id: Schemas.field(Schema.NullOr(Schema.String), ...about.organizationId),
  hint: Schemas.string("The token's last characters", "x9Qf"),
  previous_token_until: Schemas.field(
    Schema.NullOr(Schemas.Timestamp),
    "Until when the token before goes on; null if there is none",
    null
  ),
  created_at: Schemas.createdAt,
  expires_at: Schemas.field(Schema.NullOr(Schemas.Timestamp), ...about.expiresAt),
  deleted_at: Schemas.field(Schema.NullOr(Schemas.Timestamp), "When the operator was deleted; null if it was not", null)
}

export const ServiceOperator = Schema.Struct(fields).annotate({ identifier: "ServiceOperator" })

export const NewServiceOperator = Schema.Struct({
  ...fields,
  token: Schemas.string("The token itself; it is shown this once", "simplan_EXAMPLE")
}).annotate({ identifier: "NewServiceOperator" })

export const CreateServiceOperator = Schema.Struct({
  name: Schemas.field(Schemas.text(TextLimit.NAME), ...about.name),
  role: Schemas.field(Role, ...about.role),
  organization_id: Schemas.optional(
    Schema.NullOr(Fields.asId(Schemas.text(TextLimit.ID))),
    about.organizationId[0],
    Samples.organizationId
  ),
  expires_at: Schemas.optional(Schema.NullOr(Schemas.Instant), ...about.expiresAt)
}).annotate({ identifier: "CreateServiceOperator" })

const WhoAmI = Schemas.data(
  Schema.Struct({
    name: fields.name,
    role: fields.role,
    organization_id: fields.organization_id,
    expires_at: Schemas.field(
      Schema.NullOr(Schemas.Timestamp),
      "When the token that was sent ends; null if it does not",
      null
    )
  }).annotate({ identifier: "WhoAmI" })
)

export const Session = Schema.Struct({
  session_id: Schemas.string("The session's id, which audit entries have", "5f0c3a5e1b7d4c5f9a2e8b6d3c1f0a7e"),
  ends_at: Schemas.field(
    Schemas.Timestamp,
    "When it ends at the latest, by the clock of the server's machine",
    Samples.end
  )
}).annotate({ identifier: "Session" })

const NewItem = Schemas.data(NewServiceOperator)

const ofOperator = { operator_id: Schemas.idOfPath(...about.operatorId) }

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
      success: WhoAmI,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      Roles.operation("read", "Who asks", "The operator whose token was sent, and what it may do and see.")
    ),
    HttpApiEndpoint.post("beginSession", "/session", {
      success: Schemas.data(Session).pipe(HttpApiSchema.status(201)),
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
      success: Schemas.data(Schema.Struct({ session_id: Session.fields.session_id })),
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
