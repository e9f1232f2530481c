/**
 * The routes of the HTTP API: the endpoints with their guards, the OpenAPI document and the
 * documentation page. One listener serves all of them, or one those for callers and another one
 * those for operators; a host chooses groups.
 */
import { Effect, Layer, type Redacted } from "effect"
import { HttpMiddleware, HttpRouter } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Processes, Services } from "simplan"
import { Api } from "./api/Api.ts"
import * as Console from "./docs/Console.ts"
import * as Documents from "./docs/Documents.ts"
import * as Endpoints from "./Endpoints.ts"
import * as BulkHandlers from "./handlers/BulkHandlers.ts"
import * as CoverageHandlers from "./handlers/CoverageHandlers.ts"
import * as ImportsHandlers from "./handlers/ImportsHandlers.ts"
import { BoughtSimsApi, BundlesApi } from "./api/PlansApi.ts"
import * as PlansHandlers from "./handlers/PlansHandlers.ts"
import * as OrganizationsApi from "./api/OrganizationsApi.ts"
import { TelcosApi } from "./api/TelcosApi.ts"
import { ClockApi, JobsApi, OverviewApi, ProblemsApi } from "./api/SystemApi.ts"
import * as Rows from "./handlers/Rows.ts"
import {
  AuditLogOperations,
  BundlesOperations,
  ClockOperations,
  JobsOperations,
  Operation,
  OrganizationsOperations,
  OverviewOperations,
  TelcosOperations
} from "../operations/index.ts"
import * as ReportsHandlers from "./handlers/ReportsHandlers.ts"
import * as SearchHandlers from "./handlers/SearchHandlers.ts"
import * as ServiceOperatorsHandlers from "./handlers/ServiceOperatorsHandlers.ts"
import * as SimsHandlers from "./handlers/SimsHandlers.ts"
import * as SubscriptionsHandlers from "./handlers/SubscriptionsHandlers.ts"
import * as SystemHandlers from "./handlers/SystemHandlers.ts"
import * as TelcosHandlers from "./handlers/TelcosHandlers.ts"
import * as CostsHandlers from "./handlers/CostsHandlers.ts"
import * as UsageHandlers from "./handlers/UsageHandlers.ts"
import * as WebhooksHandlers from "./handlers/WebhooksHandlers.ts"
import * as Auth from "./middleware/Auth.ts"
import * as Concurrency from "./middleware/Concurrency.ts"
import * as HostAuth from "./middleware/HostAuth.ts"
import * as Idempotency from "./middleware/Idempotency.ts"
import * as OperatorAuth from "./middleware/OperatorAuth.ts"
import * as KeyLimits from "./middleware/KeyLimits.ts"
import * as OpenId from "./middleware/OpenId.ts"
import * as RateLimit from "./middleware/RateLimit.ts"
import * as Requests from "./middleware/Requests.ts"
import * as Sessions from "./middleware/Sessions.ts"
import type * as Document from "./openapi/Document.ts"
import * as RouteGroups from "./RouteGroups.ts"

/** Tokens and limits of the routes. */
export interface Options {
  /**
   * What comes before the routes in the path of every request, such as `/esim`; nothing by default.
   */
  readonly prefix?: string | undefined
  /** The groups of routes that are served; all by default. */
  readonly groups?: ReadonlyArray<RouteGroups.Group> | undefined
  /** Finds out for whom a request to `/v3` is, in place of API keys. */
  readonly authenticate?: HostAuth.Authenticate<HostAuth.Caller> | undefined
  /**
   * Finds out whether a request may use `/admin`, and as what, and `/telco`, if there is no
   * token.
   */
  readonly authenticateOperator?: HostAuth.Authenticate<HostAuth.Operator> | undefined
  /**
   * The bearer token of the management API, with which operators are made, whose tokens it takes
   * too (rule W14); without one, and without the host's authentication, `/admin` is 404.
   */
  readonly adminToken?: Redacted.Redacted | undefined
  /**
   * The folder with the built files of the operator's console, which `/admin/console` serves if
   * there is a management API; without one, it is 404.
   */
  readonly console?: string | undefined
  /**
   * Whether those who ask by a cookie, of a session or of the host's login, may only read, whatever
   * their roles.
   */
  readonly consoleReadsOnly?: boolean | undefined
  /** CSS that follows the console's own, such as other values of its variables; none by default. */
  readonly consoleStyle?: string | undefined
  /** Whether the telco is simulated, which the console says on each page; not by default. */
  readonly isSimulated?: boolean | undefined
  /**
   * Whether `/` leads to the console, or to the documents if there is none here; it is 404 by
   * default.
   */
  readonly leads?: boolean | undefined
  /**
   * The OpenID Connect provider that operators may sign in to the console with, beside their
   * tokens; none by default.
   */
  readonly openId?: OpenId.Provider | undefined
  /**
   * The bearer token of the telco's reports; without one, without the host's authentication, and
   * without a bridge among the telcos, which may have one of its own, `/telco` is 404.
   */
  readonly telcoToken?: Redacted.Redacted | undefined
  /**
   * The telcos by name, whose zones operators set and whose notifications are taken; without any,
   * `/admin/v1/telcos` and the paths of notifications are 404.
   */
  readonly telcos?: ReadonlyMap<string, TelcosHandlers.Telco> | undefined
  /** The rate limit of each API key. */
  readonly rateLimit: RateLimit.Rate
  /** How much each API key may have under way; 32 requests and 8 streams by default. */
  readonly bounds?: Partial<Concurrency.Bounds> | undefined
  /**
   * How many API keys' limits and bounds all keys of an organization have together; 4 by default
   * (rule W13).
   */
  readonly organizationShare?: number | undefined
  /** How many wrong keys and tokens an address may send; 100 in 10 s by default (rule W10). */
  readonly failedAuthentication?: RateLimit.Rate | undefined
  /**
   * How many requests without a key an address may send for documents and metrics; 100 a second by
   * default (rule W13).
   */
  readonly withoutKey?: RateLimit.Rate | undefined
  /**
   * The origins of pages, beside the server's own, whose browsers may have changes made by what the
   * host authenticates; none by default.
   */
  readonly trustedOrigins?: ReadonlyArray<string> | undefined
  /** What comes before the name of each metric, with an underscore between; nothing by default. */
  readonly metricsPrefix?: string | undefined
  /**
   * How many proxies stand before the server and pass the client's address in `X-Forwarded-For`;
   * none by default.
   */
  readonly trustedProxies?: number | undefined
  /** The version of the process, which operators read; unknown by default. */
  readonly version?: string | undefined
  /**
   * Whether webhooks may go to a URL. The failure says why not; it follows the word `url` in the
   * message.
   */
  readonly checkUrl: WebhooksHandlers.CheckUrl
  /** Whether the process takes requests, for `/readyz`; always ready by default. */
  readonly ready?: Effect.Effect<boolean>
}

/** Whether there is a route of this path. */
const serving = (options: Options): ((path: string) => boolean) => {
  const { adminToken, authenticateOperator, groups = RouteGroups.groups, telcoToken } = options
  const operator = adminToken ?? authenticateOperator
  // Bridges may have tokens of their own, now or after their file was read again.
  const bridge = [...(options.telcos?.values() ?? [])].find(({ kind }) => kind === "http")
  const guarded = { admin: operator, console: operator, telco: telcoToken ?? authenticateOperator ?? bridge }
  return (path) => {
    const group = RouteGroups.ofPath(path)
    if (group === undefined || !RouteGroups.have(groups, path)) return false
    if (RouteGroups.isOfTelcos(path) && options.telcos === undefined) return false
    // A secret in its path says who sends a notification.
    if (RouteGroups.isNotification(path)) return true
    return (group !== "admin" && group !== "console" && group !== "telco") || guarded[group] !== undefined
  }
}

/** The groups for which a process is there: those that are served of the API and the console. */
const running = (options: Options): ReadonlyArray<RouteGroups.Group> => {
  const has = serving(options)
  const paths = { v3: "/v3/plans", admin: "/admin/v1/overview", telco: "/telco/v1/reports", console: "/admin/console" }
  return (["v3", "admin", "telco", "console"] as const).filter(
    (group) => has(paths[group]) && (group !== "console" || options.console !== undefined)
  )
}

/** Says so for each token of the telcos that can be guessed. */
const warnOfTelcos = ({ telcos = new Map() }: Options): Effect.Effect<void> =>
  Effect.forEach(
    telcos,
    ([name, { callbacks, notifications, reports }]) =>
      Effect.all([
        Auth.warnOf(reports?.token ?? undefined, `the reports of the telco ${name}`),
        Auth.warnOf(notifications?.secret, `the notifications of the telco ${name}`),
        Auth.warnOf(callbacks?.secret, `the callbacks of the telco ${name}`)
      ]),
    { discard: true }
  )

/** Whether the host knows the callers of the management API. */
const asksHost = ({ adminToken, authenticateOperator }: Options): boolean =>
  adminToken === undefined && authenticateOperator !== undefined

/** What the documents describe. If groups were chosen, it is these; else it is the whole API. */
const about = (options: Options): Document.About => ({
  ...(options.groups !== undefined && { has: serving(options) }),
  isHosts: (path) => {
    const group = RouteGroups.ofPath(path)
    if (group === "v3") return options.authenticate !== undefined
    if (group === "admin") return asksHost(options)
    if (options.authenticateOperator === undefined || RouteGroups.isNotification(path)) return false
    return group === "telco" && options.telcoToken === undefined
  }
})

const endpoints = Effect.fnUntraced(function* (
  options: Options,
  readers: KeyLimits.Readers | undefined,
  byAddress: RateLimit.AddressLimit,
  sessions: Sessions.Sessions | null
) {
  const { adminToken, authenticate, authenticateOperator, telcoToken } = options
  const telcos = options.telcos ?? new Map<string, TelcosHandlers.Telco>()
  const bounds = { ...Concurrency.defaults, ...options.bounds }
  const failed = yield* Auth.limitFailures(options.failedAuthentication ?? Auth.failureRate)
  const limits = yield* KeyLimits.make(options.rateLimit, bounds, readers, options.organizationShare)
  const trustedProxies = options.trustedProxies ?? 0
  const origins = { trustedProxies, trustedOrigins: options.trustedOrigins ?? [] }
  const byOrganization =
    authenticate === undefined
      ? yield* Auth.byApiKey(limits, failed)
      : yield* HostAuth.ofCallers(authenticate, origins, limits)
  const browsers = { sessions, readsOnly: options.consoleReadsOnly ?? false, trustedProxies }
  const authenticated =
    authenticateOperator !== undefined && asksHost(options)
      ? OperatorAuth.byHost(authenticateOperator, origins, options.console !== undefined && browsers.readsOnly)
      : yield* OperatorAuth.byToken(adminToken, failed, browsers)
  const byOperator = OperatorAuth.limited(authenticated, limits, false)
  const byReader = OperatorAuth.limited(authenticated, limits, true)
  const byOrganizationOfPath = yield* OperatorAuth.ofOrganization(byReader)
  const byHost = authenticateOperator === undefined ? null : HostAuth.ofTelco(authenticateOperator, origins)
  const byTelco = telcoToken === undefined ? byHost : Auth.byBearer(telcoToken, "telco", failed)
  const services: Operation.Services = {
    ...(yield* Effect.all(Services.byName)),
    urls: WebhooksHandlers.urls(options.checkUrl),
    process: { version: options.version ?? null, telcos: () => options.telcos ?? Operation.onlyTelco }
  }
  const implementations = {
    subscriptions: yield* SubscriptionsHandlers.make(byOrganization),
    usage: yield* UsageHandlers.make(byOrganization),
    costs: yield* CostsHandlers.make(byOrganization),
    plans: yield* PlansHandlers.make(byOrganization),
    coverage: yield* CoverageHandlers.make(byOrganization),
    sims: yield* SimsHandlers.make(byOrganization),
    operators: yield* CoverageHandlers.operators(byOrganization),
    wallet: yield* SimsHandlers.wallet(byOrganization),
    serviceOperators: ServiceOperatorsHandlers.make(byOperator, services, sessions),
    organizations: Endpoints.group(
      OrganizationsApi.OrganizationsApi,
      byOperator,
      Rows.handlers(services, OrganizationsOperations.rows)
    ),
    imports: yield* ImportsHandlers.make(byOperator),
    organizationSims: yield* SimsHandlers.make(byOrganizationOfPath),
    organizationSubscriptions: yield* SubscriptionsHandlers.make(byOrganizationOfPath),
    organizationUsage: yield* UsageHandlers.make(byOrganizationOfPath),
    organizationCosts: yield* CostsHandlers.make(byOrganizationOfPath),
    serviceCosts: yield* CostsHandlers.ofService(byReader),
    organizationPlans: yield* PlansHandlers.make(byOrganizationOfPath),
    bundles: Endpoints.group(
      BundlesApi,
      byOperator,
      Rows.handlers(services, BundlesOperations.bundles, yield* Idempotency.make)
    ),
    boughtSims: Endpoints.group(
      BoughtSimsApi,
      byOperator,
      Rows.handlers(services, BundlesOperations.bought, yield* Idempotency.make)
    ),
    organizationCoverage: yield* CoverageHandlers.make(byOrganizationOfPath),
    organizationNetworks: yield* CoverageHandlers.operators(byOrganizationOfPath),
    bulk: yield* BulkHandlers.make(byOrganizationOfPath),
    overview: Endpoints.group(OverviewApi, byReader, Rows.handlers(services, OverviewOperations.overview)),
    search: yield* SearchHandlers.make(byReader),
    webhooks: WebhooksHandlers.make(byOperator, services),
    audit: Endpoints.group(OrganizationsApi.AuditApi, byOperator, Rows.handlers(services, AuditLogOperations.auditLog)),
    jobs: Endpoints.group(JobsApi, byOperator, Rows.handlers(services, JobsOperations.waitingJobs)),
    problems: Endpoints.group(ProblemsApi, byOperator, Rows.handlers(services, JobsOperations.problems)),
    clock: Endpoints.group(ClockApi, byOperator, Rows.handlers(services, ClockOperations.clock)),
    telcos: Endpoints.group(
      TelcosApi,
      byOperator,
      Rows.handlers(services, { ...TelcosOperations.telcos, ...BundlesOperations.sold })
    ),
    reports: yield* ReportsHandlers.make(ReportsHandlers.reporters(telcos, byTelco, failed)),
    notifications: yield* TelcosHandlers.notifications(telcos, failed),
    system: yield* SystemHandlers.make(options.ready ?? Effect.succeed(true), byAddress, options.metricsPrefix)
  }
  return Endpoints.layer(implementations, serving(options))
})

/** Whether there is a console with a sign-in by an identity provider. */
const hasOpenId = (options: Options): boolean => options.console !== undefined && options.openId !== undefined

const START = "/"

/** Where `/` leads to, from there; null if it is 404. */
const startOf = (options: Options): string | null => {
  if (options.leads !== true) return null
  if (options.console !== undefined && serving(options)("/admin/console")) return "admin/console"
  return serving(options)("/docs") ? "docs" : null
}

/** The methods and paths of the routes. */
const served = (options: Options): ReadonlyArray<Endpoints.Route> => {
  const pages = [...Documents.paths, ...(options.console === undefined ? [] : Console.paths)]
  const routes: Array<Endpoints.Route> = [
    ...pages.map((path) => ({ method: "GET" as const, path })),
    ...(hasOpenId(options) ? OpenId.routes : [])
  ]
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path } }) => void routes.push({ method, path })
  })
  const start: ReadonlyArray<Endpoints.Route> = startOf(options) === null ? [] : [{ method: "GET", path: START }]
  return [...start, ...routes.filter(({ path }) => serving(options)(path))]
}

/**
 * The folder with the console's files that the build of this package has made; undefined if it
 * runs from its sources, and in a bundle of a host's.
 */
export const consoleFolder = Console.builtFolder

/**
 * Turns off the platform's span per request, which shows URLs, and URLs hold keys. `Requests` makes
 * the spans.
 */
export const isUntraced = (): boolean => true

/**
 * Adds the routes to a router. `readers`: what the server knows of the clients that read its
 * answers.
 */
export const layer = (options: Options, readers?: KeyLimits.Readers) => {
  const { adminToken, openId, prefix = "", trustedProxies = 0 } = options
  const unmatched = Endpoints.answerUnmatched(served(options))
  return Layer.mergeAll(
    Layer.unwrap(
      Effect.gen(function* () {
        const runs = running(options)
        yield* (yield* Processes.Processes).runs(runs)
        if (runs.includes("admin")) yield* Auth.warnOf(adminToken, "the management API")
        if (runs.includes("telco")) yield* Auth.warnOf(options.telcoToken, "the telco's reports")
        if ((options.groups ?? RouteGroups.groups).includes("telco")) yield* warnOfTelcos(options)
        const byAddress = yield* RateLimit.byAddress(options.withoutKey ?? RateLimit.withoutKey)
        const provider = openId === undefined ? null : `${openId.issuer.href} ${openId.clientId}`
        const sessions = adminToken === undefined ? null : yield* Sessions.make(adminToken, trustedProxies, provider)
        const start = startOf(options)
        const hasConsole = options.console !== undefined && serving(options)("/admin/console")
        return Layer.mergeAll(
          Layer.unwrap(endpoints(options, readers, byAddress, sessions)),
          serving(options)("/docs") ? Documents.layer(about(options), byAddress) : Layer.empty,
          start === null ? Layer.empty : Console.leading(START, start, byAddress),
          options.console !== undefined && hasConsole
            ? Console.layer(
                options.console,
                {
                  hasOpenId: openId !== undefined,
                  isHosts: asksHost(options),
                  isSimulated: options.isSimulated === true,
                  style: options.consoleStyle ?? null
                },
                byAddress
              )
            : Layer.empty,
          openId !== undefined && hasConsole && sessions !== null
            ? OpenId.layer(openId, sessions, trustedProxies, byAddress)
            : Layer.empty
        )
      })
    ),
    HttpRouter.middleware((router) => Requests.mounted(Requests.inContext(unmatched(router), trustedProxies), prefix), {
      global: true
    }),
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, isUntraced)
  )
}

/** The configuration of the router of these routes. */
export const routerConfig = Layer.succeed(HttpRouter.RouterConfig, Endpoints.routerConfig)
