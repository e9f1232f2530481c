/**
 * Health, readiness and metrics of the process, for the platform that runs it.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Schemas from "./Schemas.ts"

export const Status = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ identifier: "Status" })

export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/healthz", {
      success: Status,
      error: Schemas.problems(...Schemas.unguarded)
    }).annotateMerge(OpenApi.annotations({ summary: "The process lives" })),
    HttpApiEndpoint.get("readiness", "/readyz", {
      success: Status,
      error: Schemas.problems(...Schemas.unguarded, "storage_unavailable", "not_ready")
    }).annotateMerge(OpenApi.annotations({ summary: "The process can serve requests" })),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain; version=0.0.4; charset=utf-8" })),
      error: Schemas.problems(...Schemas.unguarded, "rate_limited")
    }).annotateMerge(OpenApi.annotations({ summary: "Metrics for Prometheus" }))
  )
  .annotateMerge(OpenApi.annotations({ title: "System" })) {}
