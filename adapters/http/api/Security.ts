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
  apiKeyInQuery: { type: "apiKey", in: "query", name: "key", description: "An API key of the organization" },
  apiKeyInHeader: { type: "apiKey", in: "header", name: "x-api-key", description: "An API key of the organization" },
  adminToken: { type: "http", scheme: "bearer", description: "The token of the management API" },
  telcoToken: { type: "http", scheme: "bearer", description: "The token of the telco" }
} as const
