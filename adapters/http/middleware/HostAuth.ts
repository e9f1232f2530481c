/**
 * Authentication by the host, in place of API keys and tokens: a function of the host's own says
 * for whom a request is, or that it has no rights (401).
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Organizations } from "simplan"
import { type ApiKey, AuditEntry, Id, type Operator as OperatorRules } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"
import * as Auth from "./Auth.ts"
import * as KeyLimits from "./KeyLimits.ts"
import * as Requests from "./Requests.ts"
import * as Sessions from "./Sessions.ts"

/** For whom a request to `/v3` is. */
export interface Caller {
  /** The organization whose data it reads and changes. One that does not exist is 404. */
  readonly organizationId: string
  /** `read` refuses what changes anything (403); `full` by default. */
  readonly scope?: ApiKey.Scope | undefined
  /** Who asks, for the audit log (rule W11); `host` by default. */
  readonly actor?: string | undefined
}

/** What the one who sends a request may do beside `/v3`. */
export interface Operator {
  /** Whether requests to `/admin` are allowed; if it is absent, they are if there is a role. */
  readonly admin?: boolean | undefined
  /** What requests to `/admin` may do (rule W14); `admin` by default. */
  readonly role?: OperatorRules.Role | undefined
  /** The only organization that exists for requests to `/admin`; all by default. */
  readonly organizationId?: string | undefined
  /** Whether requests to `/telco` are allowed. */
  readonly telco?: boolean | undefined
  /** The caller's name, for the audit log (rule W11); `host` by default. */
  readonly actor?: string | undefined
}

/** Finds out who sends a request; null if the host does not know. It does not read the body. */
export type Authenticate<Who> = (
  request: HttpServerRequest.HttpServerRequest,
  arrival: Requests.Arrival | null
) => Effect.Effect<Who | null>

/** The host does not know who sends the request, or does not allow it. */
export const unauthenticated = new Errors.Problem({ code: "unauthenticated", message: "Unauthorized" })

const readOnly = new Errors.Problem({ code: "key_read_only", message: "Forbidden: the caller may only read" })

/** From whose pages a browser may have changes made. */
export interface Origins {
  /** How many proxies say at which host the client reaches the service. */
  readonly trustedProxies: number
  /** Origins beside the service's own, such as `https://app.example.com`. */
  readonly trustedOrigins: ReadonlyArray<string>
}

/** Whether the request says from where it comes, as browsers have all changes do. */
const isOfPage = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["sec-fetch-site"] ?? headers["origin"]) !== undefined

/**
 * Whether a browser may have sent what the host goes by without being asked to: a cookie, or by
 * itself a password (HTTP Basic), a certificate or its address. A bearer token is only sent by who
 * has it.
 */
export const isOfBrowser = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const { authorization, cookie } = request.headers
  if (authorization === undefined && cookie !== undefined) return true
  return !/^bearer /i.test(authorization ?? "") && isOfPage(request)
}

const isFromElsewhere = (request: HttpServerRequest.HttpServerRequest, origins: Origins): boolean =>
  isOfBrowser(request) &&
  !Sessions.isSameOrigin(request, origins.trustedProxies) &&
  !origins.trustedOrigins.includes(request.headers["origin"] ?? "")

/**
 * Asks the host who sends a request; it fails if the host does not know. Whatever is mounted, a
 * browser's changes have to come from a page of the same origin or of a trusted one. A program that
 * has a cookie and says of no page may make changes too, except if people have a console
 * (`ofPages`).
 */
export const ask = <Who>(
  authenticate: Authenticate<Who>,
  { request, writes }: Pick<Auth.Credentials, "request" | "writes">,
  origins: Origins,
  ofPages = false
): Effect.Effect<Who, Errors.Problem> =>
  writes && (ofPages || isOfPage(request)) && isFromElsewhere(request, origins)
    ? Effect.fail(Auth.fromElsewhere)
    : Effect.flatMap(
        Effect.flatMap(Requests.CurrentArrival, (arrival) => authenticate(request, arrival)),
        (who) => (who === null ? Effect.fail(unauthenticated) : Effect.succeed(who))
      )

/**
 * The guard of endpoints that belong to an organization. The limits of API keys hold for each
 * organization.
 */
export const ofCallers = (
  authenticate: Authenticate<Caller>,
  origins: Origins,
  limits: KeyLimits.KeyLimits
): Effect.Effect<Auth.Guard<Auth.Tenant>, never, Organizations.Organizations> =>
  Effect.map(Organizations.Organizations, (organizations) =>
    Effect.fnUntraced(function* (credentials: Auth.Credentials) {
      const { request, writes } = credentials
      const { actor = AuditEntry.HOST, scope, ...of } = yield* ask(authenticate, credentials, origins)
      const organizationId = Id.canonical(of.organizationId)
      yield* organizations.check({ organizationId })
      if (writes && scope === "read") return yield* readOnly
      const reader = KeyLimits.reader(`organization ${organizationId}`, organizationId)
      yield* limits.admit(reader)
      return { caller: { organizationId, actor }, actor, limited: limits.limited(reader, request) }
    })
  )

/** The guard of the telco's reports. `OperatorAuth` has that of the management API. */
export const ofTelco =
  (authenticate: Authenticate<Operator>, origins: Origins): Auth.Guard<undefined> =>
  (credentials) =>
    Effect.flatMap(ask(authenticate, credentials, origins), ({ actor = AuditEntry.HOST, telco }) =>
      telco === true ? Effect.succeed(Auth.known(actor)) : Effect.fail(unauthenticated)
    )
