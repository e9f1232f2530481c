/**
 * The management API's list of problems.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Schemas from "./Schemas.ts"
import * as Security from "./Security.ts"

export const Problem = Schema.Struct({
  problem_id: Schema.String,
  kind: Schema.String,
  organization_id: Schema.String,
  iccid: Schema.NullOr(Schema.String),
  since: Schemas.Timestamp,
  attempts: Schema.Int.annotate({ description: "How many attempts have failed" }),
  last_message: Schema.String
}).annotate({ identifier: "Problem" })

export const ProblemPage = Schemas.page(Problem)

export class ProblemsApi extends HttpApiGroup.make("problems")
  .add(
    HttpApiEndpoint.get("list", "/problems", {
      query: Schemas.keyset,
      success: ProblemPage,
      error: Schemas.problems(...Schemas.managing, "invalid_field")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "What the telco refuses again and again",
        description:
          "Work that the telco has refused three times or more, oldest first. It is still tried, ever less often, and is " +
          "gone from the list when the telco takes it."
      })
    )
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: problems" }))
  .prefix("/admin/v1") {}
