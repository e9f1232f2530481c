/**
 * The HTTP API over the running service. Its modules are loaded with the first request. A request
 * waits for the start; while the service cannot start, it is answered by 503, and the next one
 * tries to start it again.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { HostAuth, Routes, WebHandler } from "../../http/index.ts"
import { Operator } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Errors from "../errors/Errors.ts"
import type { Runtime } from "../Runtime.ts"
import type { HttpCaller, HttpGroup, HttpMount, HttpOperator, HttpOptions, HttpSource } from "../types/Http.ts"
import type { Simplan } from "../types/Simplan.ts"
import { Fields } from "../../fields/index.ts"

const METHOD = "createSimplan, http"

const GROUPS = [
  "v3",
  "admin",
  "console",
  "telco",
  "docs",
  "metrics",
  "health"
] as const satisfies ReadonlyArray<HttpGroup>

/** The first segments of the paths of each group. */
const segments: Readonly<Record<HttpGroup, ReadonlyArray<string>>> = {
  v3: ["v3"],
  admin: ["admin"],
  console: ["admin"],
  telco: ["telco"],
  docs: ["docs", "openapi.json"],
  metrics: ["metrics"],
  health: ["healthz", "readyz"]
}

/** After how many seconds a client is to try again if the service cannot start. */
const RETRY_AFTER = 5

const SHORTEST_TOKEN = 16

/** One or more segments, written as a URL has them. */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~!$&'()*+,=:@-]+)+$/

const isFunction = (value: unknown): value is () => unknown => typeof value === "function"

const Hook = Schema.optional(Schema.declare(isFunction, { message: "must be an async function" }))

// What begins like this shows no value: a token is a secret.
const Token = Schema.optional(
  Schema.String.check(
    Schema.makeFilter(
      (token) => token.length >= SHORTEST_TOKEN || `is too short, with less than ${SHORTEST_TOKEN} characters`
    )
  )
)

const whole = (least: number) =>
  Schema.Int.check(Schema.makeFilter((value) => value >= least || `must be an integer of at least ${least}`))

const place = {
  prefix: Schema.optional(
    Schema.String.check(
      Schema.makeFilter((text) => PREFIX.test(text) || "must be a path such as /esim, without a slash at its end")
    )
  ),
  groups: Schema.optional(Schema.Array(Fields.oneOf(GROUPS)))
}

const decodePlace = Arguments.decoder(Schema.Struct(place), "the options")

/** The beginning of a metric's name. */
const METRIC = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

const decode = Arguments.decoder(
  Schema.Struct({
    ...place,
    metricsPrefix: Schema.optional(
      Schema.String.check(
        Schema.makeFilter(
          (text) => METRIC.test(text) || "must be 1 to 64 letters, digits and underscores, a letter first"
        )
      )
    ),
    authenticate: Hook,
    authenticateOperator: Hook,
    adminToken: Token,
    telcoToken: Token,
    rateLimit: Schema.optional(
      Schema.Union([
        Schema.Literal("off"),
        Schema.Struct({
          requests: whole(1),
          window: Arguments.TimeSpan
        })
      ])
    ),
    trustedProxies: Schema.optional(whole(0)),
    trustedOrigins: Schema.optional(
      Schema.Array(
        Schema.String.check(
          Schema.makeFilter(
            (text) =>
              (URL.canParse(text) && new URL(text).origin === text) ||
              "must be an origin such as https://app.example.com, without a path"
          )
        )
      )
    ),
    consoleReadsOnly: Schema.optional(Arguments.Flag),
    consoleStyle: Schema.optional(Schema.String)
  }),
  "the options"
)

/** Checks the options. Throws an `InvalidFieldError`. */
export const check = (options: HttpOptions | undefined): void => {
  if (options === undefined) return
  decode(METHOD, options)
  for (const group of ["admin", "console", "telco"] as const) {
    const token = group === "telco" ? "telcoToken" : "adminToken"
    if (options.groups?.includes(group) === true && (options[token] ?? options.authenticateOperator) === undefined) {
      throw Arguments.invalid(METHOD, token, `is needed where groups has "${group}"; or give authenticateOperator`)
    }
  }
}

/** What `toNodeHandler` needs of a service. */
export interface Mounted {
  readonly prefix: string | undefined
  /** The parts that are there; undefined for all that the service mounts. */
  readonly groups: HttpMount["groups"]
  /** Whether a path without the prefix is below a group that is mounted. */
  readonly has: (path: string) => boolean
  /** Whether the host is asked who sends a request. */
  readonly asksHost: boolean
  readonly answer: (request: Request, arrival: WebHandler.Arrival) => Promise<Response>
  /** Has `close` wait for a promise. */
  readonly hold: Runtime["hold"]
  readonly isClosing: Runtime["isClosing"]
  readonly log: Runtime["log"]
}

// By the function that a host sees.
const mounts = new WeakMap<Simplan["handler"], Mounted>()

/** What was mounted with a handler; undefined if it is not one of `make`. */
export const of = (handler: Simplan["handler"]): Mounted | undefined => mounts.get(handler)

// Frameworks have web requests of their own.
const isWeb = (source: object): source is Request => "url" in source && "method" in source && "headers" in source

const bodiless = ({ headers, method, signal, url }: Request): Request => new Request(url, { method, headers, signal })

/** The host's hook, asked about a request without its body. */
const asking =
  <Who>(hook: (request: Request, source: HttpSource) => Promise<Who | null>): HostAuth.Authenticate<Who> =>
  ({ source }, arrival) =>
    Effect.promise(async () => (isWeb(source) ? hook(bodiless(source), { host: arrival?.host }) : null))

const decodeCaller = Arguments.decoder(
  Schema.Struct({
    organizationId: Arguments.Id,
    scope: Schema.optional(Schema.Literals(["full", "read"]).annotate({ message: 'must be "full" or "read"' })),
    actor: Schema.optional(Arguments.Name)
  }),
  "its answer"
)

const decodeOperator = Arguments.decoder(
  Schema.Struct({
    admin: Schema.optional(Arguments.Flag),
    role: Schema.optional(Fields.oneOf(Operator.roles)),
    organizationId: Schema.optional(Arguments.Id),
    telco: Schema.optional(Arguments.Flag),
    actor: Schema.optional(Arguments.Name)
  }),
  "its answer"
)

const hooks = ({ authenticate, authenticateOperator }: HttpOptions) => ({
  ...(authenticate !== undefined && {
    authenticate: asking<HttpCaller>(async (request, source) => {
      const caller = (await authenticate(request, source)) ?? null
      return caller === null ? null : decodeCaller("http.authenticate", caller)
    })
  }),
  ...(authenticateOperator !== undefined && {
    authenticateOperator: asking<HttpOperator>(async (request, source) => {
      const operator = (await authenticateOperator(request, source)) ?? null
      return operator === null ? null : decodeOperator("http.authenticateOperator", operator)
    })
  })
})

const redacted = (token: string | undefined) => (token === undefined ? undefined : Redacted.make(token))

const rate = ({ rateLimit = { requests: 100, window: "1 second" } }: HttpOptions): Routes.Options["rateLimit"] =>
  rateLimit === "off" ? "off" : { requests: rateLimit.requests, window: Arguments.millis(rateLimit.window) ?? 0 }

// Some runtimes have requests of more than one class.
const isWebRequest = (request: unknown): boolean =>
  typeof request === "object" &&
  request !== null &&
  isWeb(request) &&
  URL.canParse(request.url) &&
  typeof request.headers?.get === "function"

// Thrown at once: the hosts that call it like this await nothing.
const wrongRequest = (request: unknown): Errors.InvalidFieldError =>
  Arguments.invalid(
    "simplan.handler",
    "request",
    "must be a web Request, such as c.req.raw of Hono; Express, Nest, Fastify, Koa and node:http take toNodeHandler(simplan)",
    request
  )

/** What the handler is made with. */
export interface Making {
  /** The telcos that are routed by a settings file, if any, in the services. */
  readonly telcosOf: (services: Context.Context<never>) => Routes.Options["telcos"]
  /** Whether the telco is the simulator. */
  readonly isSimulated: boolean
  /** Warns the host at its start. */
  readonly warn: (message: string) => void
  readonly options: HttpOptions | undefined
}

const NO_CONSOLE =
  "The files of the console are not beside this code, so /admin/console is 404, and all else is served. A bundle leaves them out: " +
  "keep simplan out of it, by --external:simplan of esbuild or its like"

const hasOf = (groups: ReadonlyArray<HttpGroup>): Mounted["has"] => {
  const known = new Set(groups.flatMap((group) => segments[group]))
  return (path) => known.has(path.split(/[/?]/, 2)[1] ?? "")
}

/** The handler of web requests, and what makes another one for some parts of the API. */
export const make = (
  runtime: Runtime,
  { isSimulated, options = {}, telcosOf, warn }: Making
): Pick<Simplan, "handler" | "mount"> => {
  const { groups = ["v3", "docs"], prefix, trustedProxies } = options
  let opened: Promise<WebHandler.WebHandler> | undefined

  const routes = (telcos: Routes.Options["telcos"], console: string | undefined): Routes.Options => ({
    groups,
    telcos,
    console,
    consoleReadsOnly: options.consoleReadsOnly,
    consoleStyle: options.consoleStyle,
    isSimulated,
    ...hooks(options),
    adminToken: redacted(options.adminToken),
    telcoToken: redacted(options.telcoToken),
    rateLimit: rate(options),
    metricsPrefix: options.metricsPrefix,
    trustedProxies,
    trustedOrigins: options.trustedOrigins,
    checkUrl: (url) =>
      Effect.flatMap(
        Effect.promise(() => runtime.checkUrl(url)),
        (problem) => (problem === undefined ? Effect.void : Effect.fail(problem))
      )
  })

  const findConsole = async (): Promise<string | undefined> => {
    if (!groups.includes("console")) return undefined
    const { Routes } = await import("../../http/index.ts")
    return Routes.consoleFolder()
  }
  const warnOfConsole = async (): Promise<void> => {
    if (groups.includes("console") && (await findConsole()) === undefined) warn(NO_CONSOLE)
  }
  // Failure: the first request finds the same modules missing, and is answered by 503 with a line
  // in the log.
  void warnOfConsole().catch(() => undefined)

  const open = async () => {
    const context = await runtime.contextOfRequest()
    const http = await import("../../http/index.ts")
    const console = await findConsole()
    const web = http.WebHandler.make(routes(telcosOf(context), console), Layer.succeedContext(context))
    runtime.beforeClose({ wait: web.idle, release: web.dispose })
    return web
  }

  /**
   * The handler over the running service. One that cannot be opened is opened anew the next time.
   */
  const handler = async () => {
    await runtime.contextOfRequest()
    opened ??= open()
    const opening = opened
    opening.catch(() => {
      if (opened === opening) opened = undefined
    })
    return opening
  }

  const notReady = async (request: Request, error: unknown): Promise<Response> => {
    const { WebHandler } = await import("../../http/index.ts")
    if (error instanceof Errors.ClosedError) return WebHandler.notReady(request, "The service is stopping", RETRY_AFTER)
    runtime.log("error", "The service cannot start, so a request was answered by 503", { err: error })
    return WebHandler.notReady(request, "The service cannot start; try again", RETRY_AFTER)
  }

  const answer: Mounted["answer"] = async (request, arrival) => {
    const web = await handler().catch((error: unknown) => notReady(request, error))
    return web instanceof Response ? web : web.handler(request, arrival)
  }

  const whole: Mounted = {
    prefix,
    groups: undefined,
    has: hasOf(groups),
    asksHost: options.authenticate !== undefined || options.authenticateOperator !== undefined,
    answer,
    hold: runtime.hold,
    isClosing: runtime.isClosing,
    log: runtime.log
  }
  // A web request has no HTTP version. Servers of HTTP/2 leave this header out of what they send.
  const closing = async (answering: Promise<Response>): Promise<Response> => {
    const made = await answering
    if (runtime.isClosing()) made.headers.set("connection", "close")
    return made
  }
  const handlerAt = (mounted: Mounted): Simplan["handler"] => {
    const handle: Simplan["handler"] = (request, host) => {
      if (!isWebRequest(request)) throw wrongRequest(request)
      const arrival = { prefix: mounted.prefix ?? "", groups: mounted.groups, address: null, host }
      return runtime.hold(closing(answer(request, arrival)))
    }
    mounts.set(handle, mounted)
    return handle
  }
  const mount: Simplan["mount"] = (given) => {
    const at = decodePlace("mount", given)
    const stranger = at.groups?.find((group) => !groups.includes(group))
    if (stranger !== undefined) {
      throw Arguments.invalid(
        "mount",
        "groups",
        `must be among those of http.groups, which are ${groups.join(", ")}`,
        stranger
      )
    }
    const here = at.groups === undefined ? {} : { groups: at.groups, has: hasOf(at.groups) }
    return { handler: handlerAt({ ...whole, prefix: at.prefix ?? prefix, ...here }) }
  }
  return { handler: handlerAt(whole), mount }
}
