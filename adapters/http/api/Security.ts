/**
 * The security schemes of the OpenAPI document: the API key of an organization for `/v3`, a bearer token for the
 * management API and for the telco. `Routes` gives each group its guard.
 */
import { OpenApi } from "effect/http-api"

const secured = (...schemes: ReadonlyArray<string>) =>
  OpenApi.annotations({
    transform: (operation) => ({ ...operation, security: schemes.map((scheme) => ({ [scheme]: [] })) })
  })

/** Annotates endpoints with the schemes that they accept, the one to prefer first. */
export const byApiKey = secured("apiKeyInHeader", "apiKeyInQuery")
export const byAdminToken = secured("adminToken")
export const byTelcoToken = secured("telcoToken")

/** The schemes by their names. */
export const schemes = {
  apiKeyInHeader: { type: "apiKey", in: "header", name: "x-api-key", description: "An API key of the organization" },
  apiKeyInQuery: {
    type: "apiKey",
    in: "query",
    name: "key",
    description: "An API key of the organization; a proxy may log the URL that it is part of"
  },
  adminToken: { type: "http", scheme: "bearer", description: "The token of the management API" },
  telcoToken: { type: "http", scheme: "bearer", description: "The token of the telco" }
} as const
