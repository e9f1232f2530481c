/**
 * The security schemes of the OpenAPI document: the API key of an organization for `/v3`, a bearer token for the
 * management API and for the telco. `Routes` gives each group its guard.
 */
import { OpenApi } from "effect/http-api"

const secured = (...schemes: ReadonlyArray<string>) =>
  OpenApi.annotations({
    transform: (operation) => ({ ...operation, security: schemes.map((scheme) => ({ [scheme]: [] })) })
  })

/** How an endpoint's description names what it asks for. */
export const byApiKey = secured("apiKeyInQuery", "apiKeyInHeader")
export const byAdminToken = secured("adminToken")
export const byTelcoToken = secured("telcoToken")

/** What the names above stand for, in the words of OpenAPI. */
export const schemes = {
  apiKeyInQuery: { type: "apiKey", in: "query", name: "key" },
  apiKeyInHeader: { type: "apiKey", in: "header", name: "x-api-key" },
  adminToken: { type: "http", scheme: "bearer" },
  telcoToken: { type: "http", scheme: "bearer" }
} as const
