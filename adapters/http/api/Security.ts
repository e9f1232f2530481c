/**
 * The security schemes of the OpenAPI document: the API key of an organization for `/v3`, a bearer token for the
 * management API and for the telco. `Routes` gives each group its guard.
 */
import { OpenApi } from "effect/http-api"

const secured = (...schemes: ReadonlyArray<string>) =>
  OpenApi.annotations({
    transform: (operation) => ({ ...operation, security: schemes.map((scheme) => ({ [scheme]: [] })) })
  })

/** Annotates endpoints with the schemes that they accept. */
export const byApiKey = secured("apiKeyInQuery", "apiKeyInHeader")
export const byAdminToken = secured("adminToken")
export const byTelcoToken = secured("telcoToken")

/** The schemes by their names. */
export const schemes = {
  apiKeyInQuery: { type: "apiKey", in: "query", name: "key" },
  apiKeyInHeader: { type: "apiKey", in: "header", name: "x-api-key" },
  adminToken: { type: "http", scheme: "bearer" },
  telcoToken: { type: "http", scheme: "bearer" }
} as const
