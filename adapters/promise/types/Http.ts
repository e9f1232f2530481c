/**
 * The HTTP API in a host's server.
 */
import type { TimeSpan } from "./Calls.ts"
import type { OperatorRole } from "./ServiceOperatorsTypes.ts"
import type { ApiKeyScope } from "./OrganizationsTypes.ts"

/**
 * A part of the HTTP API.
 *
 * - `v3`: the API of organizations, at `/v3`.
 * - `admin`: the management API, at `/admin`.
 * - `console`: the operator's console, at `/admin/console`, with the management API that it asks.
 * - `telco`: the reports of the telco, at `/telco`, and the notifications of routed telcos.
 * - `docs`: `/openapi.json`, `/docs` and `/docs/reference`, about the parts that are mounted.
 * - `metrics`: `/metrics`, for Prometheus, without authentication.
 * - `health`: `/healthz` and `/readyz`.
 */
export type HttpGroup = "v3" | "admin" | "console" | "telco" | "docs" | "metrics" | "health"

/** A place in the host's server for some of the parts that are mounted. */
export interface HttpMount {
  /** What comes before the routes there, such as `/ops`; as in the options if it is absent. */
  readonly prefix?: string | undefined
  /** The parts that are there, of those that the options mount; all of them by default. */
  readonly groups?: ReadonlyArray<HttpGroup> | undefined
}

/** Where a request comes from. */
export interface HttpSource {
  /**
   * The request as the host's framework has it: `req` of Express, Nest, Connect and Node, the
   * request of Fastify, `ctx` of Koa, and what stands beside the request in a call of
   * `simplan.handler`.
   */
  readonly host: unknown
}

/** For whom a request to `/v3` is. */
export interface HttpCaller {
  /** The organization whose data the request reads and changes. One that does not exist is 404. */
  readonly organizationId: string
  /** `read` refuses what changes anything (403); `full` by default. */
  readonly scope?: ApiKeyScope | undefined
  /** Who asks, such as a user's id, for the audit log (rule W11); `host` by default. */
  readonly actor?: string | undefined
}

/** What the one who sends a request may do beside `/v3`. */
export interface HttpOperator {
  /** Whether requests to `/admin` are allowed; if it is absent, they are if there is a role. */
  readonly admin?: boolean | undefined
  /** What requests to `/admin` may do (rule W14); `admin` by default, if they are allowed. */
  readonly role?: OperatorRole | undefined
  /** The only organization that exists for requests to `/admin`; all of them by default. */
  readonly organizationId?: string | undefined
  /** Whether requests to `/telco` are allowed; not by default. */
  readonly telco?: boolean | undefined
  /** The caller's name, for the audit log (rules W11 and W14); `host` by default. */
  readonly actor?: string | undefined
}

/** How the HTTP API is mounted. */
export interface HttpOptions {
  /**
   * What comes before the routes in the path that clients send, such as `/esim`. If it is
   * absent, `toNodeHandler` reads it from the host's router, and `simplan.handler` takes the routes
   * to be at the root.
   */
  readonly prefix?: string | undefined
  /** The parts that are mounted; `["v3", "docs"]` by default. Paths of the others are unknown. */
  readonly groups?: ReadonlyArray<HttpGroup> | undefined
  /**
   * Finds out for whom a request to `/v3` is, by the host's own sessions or tokens, in place of API
   * keys. Null is 401. The request has no body. What it throws is logged, and answered by 500.
   */
  readonly authenticate?: ((request: Request, source: HttpSource) => Promise<HttpCaller | null>) | undefined
  /**
   * Finds out who may use `/admin`, and as what, and `/telco`, if there is no token for them.
   * Null is 401.
   */
  readonly authenticateOperator?: ((request: Request, source: HttpSource) => Promise<HttpOperator | null>) | undefined
  /** Whether those who use the console may only read, whatever their roles; not by default. */
  readonly consoleReadsOnly?: boolean | undefined
  /**
   * CSS that follows the console's own, such as other values of its variables: `--ink`, `--muted`,
   * `--ground`, `--raised`, `--rule`, `--act`, `--bad` and `--bad-ground`, of which each scheme has
   * its own. None by default.
   */
  readonly consoleStyle?: string | undefined
  /**
   * The bearer token of `/admin`, which takes those of operators too (rule W14); at least 16
   * characters.
   */
  readonly adminToken?: string | undefined
  /** The bearer token of `/telco`; at least 16 characters. */
  readonly telcoToken?: string | undefined
  /**
   * How many requests an API key may make in a time, or an organization if the host
   * authenticates (rule W10); 100 a second by default.
   */
  readonly rateLimit?: "off" | { readonly requests: number; readonly window: TimeSpan } | undefined
  /**
   * The origins of pages, beside the host's own, that may have a browser make changes by what
   * `authenticate` or `authenticateOperator` goes by, such as `https://app.example.com`; none by
   * default. Changes that pages of any other origin have a browser ask for, by its cookies or
   * without a bearer token, are 403, whatever is mounted.
   */
  readonly trustedOrigins?: ReadonlyArray<string> | undefined
  /**
   * What comes before the name of each metric, with an underscore between, such as `esim`; nothing
   * by default.
   */
  readonly metricsPrefix?: string | undefined
  /**
   * How many proxies stand before the host and pass the client's address in `X-Forwarded-For`; none
   * by default.
   */
  readonly trustedProxies?: number | undefined
}

/** A request of Node's HTTP server, as Express, Nest and Connect hand it on too. */
export interface NodeRequest {
  /** The method. */
  readonly method?: string | undefined
  /** The path and the query. */
  readonly url?: string | undefined
  /** The headers. */
  readonly headers: object
}

/** A response of Node's HTTP server, as Express, Nest and Connect hand it on too. */
export interface NodeResponse {
  /** Begins the response. */
  writeHead(status: number): unknown
  /** Ends the response. */
  end(): unknown
}

/** Answers requests of Node's HTTP server, and of the frameworks over it. */
export interface NodeHandler {
  /**
   * For `node:http`, Express, Nest and Connect. `next` gets what is below no part that is mounted;
   * without it, that is 404.
   */
  (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void): void
  /** For Fastify. */
  (request: { readonly raw: NodeRequest }, reply: { readonly raw: NodeResponse; hijack(): unknown }): void
  /** For Koa. `next` gets what is below no part that is mounted. */
  (context: { readonly req: NodeRequest; readonly res: NodeResponse }, next: () => Promise<unknown>): Promise<unknown>
}
