/**
 * Who may call: the API key of an organization for `/v3`, a bearer token for the management API and for the telco.
 */
import { Context } from "effect"
import { HttpApiMiddleware, OpenApi } from "effect/http-api"
import type { ApiKey } from "simplan"

/** The API key that the request came with: everything a handler reads or writes belongs to its organization. */
export class Caller extends Context.Service<Caller, ApiKey.ApiKey>()("simplan/http/Caller") {}

/** Finds the caller, sees that the key may do this and how often it has (rules W3 and W8). */
export class ApiKeys extends HttpApiMiddleware.Service<ApiKeys, { provides: Caller; requires: never }>()(
  "simplan/http/ApiKeys"
) {}

/** Lets in who has the management API's token; while none is configured, there is no such API. */
export class AdminToken extends HttpApiMiddleware.Service<AdminToken>()("simplan/http/AdminToken") {}

/** Lets in who has the telco's token; while none is configured, there is no such API. */
export class TelcoToken extends HttpApiMiddleware.Service<TelcoToken>()("simplan/http/TelcoToken") {}

/**
 * Around all of the above: counts and times requests by route, and turns whatever goes wrong into an answer (rule W1).
 */
export class Instrumentation extends HttpApiMiddleware.Service<Instrumentation>()("simplan/http/Instrumentation") {}

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
