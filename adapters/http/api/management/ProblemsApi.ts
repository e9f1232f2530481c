/**
 * The management API's problems: work that ended because the telco refuses it (rule S6).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Schemas from "../Schemas.ts"
import * as Security from "../Security.ts"

export const Problem = Schema.Struct({
  problem_id: Schema.String,
  kind: Schema.String,
  organization_id: Schema.String,
  iccid: Schema.NullOr(Schema.String),
  since: Schemas.Timestamp,
  ended_at: Schemas.Timestamp,
  attempts: Schema.Int.annotate({ description: "How many attempts have failed" }),
  last_message: Schema.String
}).annotate({ identifier: "Problem" })

export const ProblemPage = Schemas.page(Problem)
export const ProblemItem = Schemas.data(Schema.Struct({ problem_id: Schema.String }))

const ofProblem = { problem_id: Schema.String }

export class ProblemsApi extends HttpApiGroup.make("problems")
  .add(
    HttpApiEndpoint.get("list", "/problems", {
      query: Schemas.keyset,
      success: ProblemPage,
      error: Schemas.problems(...Schemas.managing)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "What the telco refuses for good",
        description:
          "Work that ended because the telco refused it three times, and events that a host's handler fails at while " +
          "later ones about the SIM wait, oldest first. It stays in the list until it is retried or resolved."
      })
    ),
    HttpApiEndpoint.post("retry", "/problems/:problem_id/retry", {
      params: ofProblem,
      success: ProblemItem,
      error: Schemas.problems(...Schemas.managing, "problem_not_found")
    }).annotateMerge(OpenApi.annotations({ summary: "Ask the telco again" })),
    HttpApiEndpoint.post("resolve", "/problems/:problem_id/resolve", {
      params: ofProblem,
      query: {
        force: Schema.optionalKey(
          Schemas.Flag.annotate({ description: "Do not ask the telco what it lists on a SIM that will be free" })
        )
      },
      success: ProblemItem,
      error: Schemas.problems(
        ...Schemas.managing,
        "invalid_field",
        "problem_not_found",
        "packages_listed",
        "telco_refused",
        "telco_unavailable"
      )
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Close a problem that was dealt with by hand",
        description:
          "A SIM that waited for the work is free then. Before, its telco is asked what it lists on it: where that is " +
          "anything of ours, nothing is resolved, unless by force."
      })
    )
  )
  .annotateEndpointsMerge(Security.byAdminToken)
  .annotateMerge(OpenApi.annotations({ title: "Management: problems" }))
  .prefix("/admin/v1") {}
