/**
 * Who may call the management API (rule W14): whoever has the token that the server was started
 * with, who is an admin named `bootstrap`; the operators by theirs, or by the cookie of a session;
 * or whom the host names. What a route needs is what its definition declares (`Roles`).
 *
 * An operator's role is refused first (403). To one who is bound to an organization all others do
 * not exist, nor does what belongs to none (404). Handlers of lists, and of things whose path names
 * no organization, go by `caller.organizationId`.
 */
import { Effect, type Redacted } from "effect"
import { Organizations, Refusal, ServiceOperators, type Time } from "simplan"
import { AuditEntry, Id, Operator } from "simplan/ports"
import * as Errors from "../wire/Errors.ts"
import * as Auth from "./Auth.ts"
import * as HostAuth from "./HostAuth.ts"
import * as KeyLimits from "./KeyLimits.ts"
import * as Sessions from "./Sessions.ts"

/** The operator that asks. */
export interface Caller extends Operator.Acting {
  readonly name: string
  /** When its token ends; null: it does not, or the host knows. */
  readonly expiresAt: Time.Instant | null
  /** The session of the browser that asks; null if a token was sent, or the host knows. */
  readonly session: Sessions.Session | null
}

/** The guard of the endpoints of the management API. */
export type Guard = Auth.Guard<Caller>

const forbidden = (role: Operator.Role): Errors.Problem =>
  new Errors.Problem({ code: "forbidden", message: `Forbidden: it takes the role ${role}` })

/** Refuses what the operator's role does not allow, beside what its route needs. */
export const check = (
  { role }: Pick<Auth.Tenant, "role">,
  least: Operator.Role
): Effect.Effect<void, Errors.Problem> =>
  role === undefined || Operator.allows(role, least) ? Effect.void : Effect.fail(forbidden(least))

/**
 * Why this operator may not; null if it may. An endpoint that declares nothing is for nobody.
 */
const refusalOf = (acting: Operator.Acting, { need, organizationId }: Auth.Credentials): Errors.Failure | null => {
  if (need === undefined) return Errors.routeNotFound
  if (!Operator.allows(acting.role, need.role)) return forbidden(need.role)
  if (acting.organizationId === null) return null
  if (need.bound === "none") return Errors.routeNotFound
  if (organizationId === undefined || Operator.sees(acting, organizationId)) return null
  return new Refusal.NotFound({ resource: "organization", id: organizationId })
}

const permitted =
  (authenticate: (credentials: Auth.Credentials) => Effect.Effect<Caller, Errors.Failure>): Guard =>
  (credentials) =>
    Effect.flatMap(authenticate(credentials), (caller) => {
      const refusal = refusalOf(caller, credentials)
      return refusal === null
        ? Effect.succeed({ caller, actor: caller.name, limited: null })
        : Effect.fail<Errors.Failure>(refusal)
    })

const bootstrap: Caller = {
  name: Operator.BOOTSTRAP,
  role: "admin",
  organizationId: null,
  expiresAt: null,
  session: null
}

/** The refusal of a session that is over. */
export const sessionEnded = new Errors.Problem({
  code: "token_invalid",
  message: "Unauthorized: the session has ended, or its operator's token has; sign in again"
})

/** The refusal of a session that has to be renewed first. A browser renews it, and asks again. */
const sessionStale = new Errors.Problem({
  code: "token_invalid",
  message: "Unauthorized: the identity provider has to be asked again what the operator may do"
})

/** What the guard by tokens goes by. */
export interface Browsers {
  /** Null: the management API takes no cookies. */
  readonly sessions: Sessions.Sessions | null
  /** Whether those who ask by a cookie may only read. */
  readonly readsOnly: boolean
  readonly trustedProxies: number
}

/**
 * The guard by tokens, and by the cookies of sessions. If the server was started with no token,
 * the management API does not exist.
 */
export const byToken = (
  token: Redacted.Redacted | undefined,
  failed: Auth.FailedAuthentication,
  { readsOnly, sessions, trustedProxies }: Browsers
): Effect.Effect<Guard, never, ServiceOperators.ServiceOperators> =>
  Effect.map(ServiceOperators.ServiceOperators, (operators) => {
    const isBootstrap = Auth.matcher(token)
    if (isBootstrap === null) return () => Effect.fail(Errors.routeNotFound)

    const operatorOf = Effect.fnUntraced(function* (credential: string, refusal: Errors.Problem) {
      if (isBootstrap(credential)) return bootstrap
      const { operator, tokenEndsAt } = yield* failed.guarded(
        Effect.catchTag(operators.authenticate(credential), "KeyRefused", () => failed.count(refusal)),
        () => operators.isKnown(credential)
      )
      const { name, organizationId, role } = operator
      return { name, role, organizationId, expiresAt: tokenEndsAt, session: null }
    })

    const bySession = Effect.fnUntraced(function* (
      { need, request, writes }: Auth.Credentials,
      { isStale, of }: Pick<Sessions.Sessions, "isStale" | "of">
    ) {
      if (writes && !Sessions.isSameOrigin(request, trustedProxies)) return yield* Auth.fromElsewhere
      const session = (yield* of(request)) ?? (yield* failed.count(sessionEnded))
      if (isStale(session) && need?.endsSession !== true) return yield* sessionStale
      const { holder } = session
      const caller =
        "token" in holder ? yield* operatorOf(holder.token, sessionEnded) : { ...holder.operator, expiresAt: null }
      return { ...caller, session, ...(readsOnly && { role: "read" as const }) }
    })

    return permitted((credentials) => {
      const { request } = credentials
      const isBrowser = request.headers["authorization"] === undefined && Sessions.cookieOf(request) !== undefined
      if (sessions !== null && isBrowser) return bySession(credentials, sessions)
      return Effect.flatMap(Auth.bearerOf(request), (credential) => operatorOf(credential, Auth.tokenInvalid))
    })
  })

/**
 * The guard of a host that authenticates by itself. `readsOnly`: whether those who ask by a browser
 * may only read.
 */
export const byHost = (
  authenticate: HostAuth.Authenticate<HostAuth.Operator>,
  origins: HostAuth.Origins,
  readsOnly: boolean
): Guard =>
  permitted(
    Effect.fnUntraced(function* (credentials: Auth.Credentials) {
      const {
        actor = AuditEntry.HOST,
        admin,
        organizationId,
        role
      } = yield* HostAuth.ask(authenticate, credentials, origins, true)
      const isAllowed = admin ?? role !== undefined
      if (!isAllowed) return yield* HostAuth.unauthenticated
      return {
        name: actor,
        role: readsOnly && HostAuth.isOfBrowser(credentials.request) ? "read" : (role ?? "admin"),
        organizationId: organizationId === undefined ? null : Id.canonical(organizationId),
        expiresAt: null,
        session: null
      }
    })
  )

/**
 * The guard within the limits that each operator has of its own (rule W13). The server's own
 * token, by which services are provisioned, has them `everywhere`, or only for what is read of
 * organizations.
 */
export const limited =
  (guard: Guard, limits: KeyLimits.KeyLimits, everywhere: boolean): Guard =>
  (credentials) =>
    Effect.flatMap(guard(credentials), (admission) => {
      const { actor, caller } = admission
      if (!everywhere && caller.name === Operator.BOOTSTRAP) return Effect.succeed(admission)
      const reader = KeyLimits.operator(caller.name)
      const admitted = { caller, actor, limited: limits.limited(reader, credentials.request) }
      return Effect.as(limits.admit(reader), admitted)
    })

/**
 * The guard of what is done for the organization that the path names. One that does not exist
 * is 404. The role `read` opens no profile, so it gets activation codes shortened.
 */
export const ofOrganization = (
  guard: Guard
): Effect.Effect<Auth.Guard<Auth.Tenant>, never, Organizations.Organizations> =>
  Effect.map(
    Organizations.Organizations,
    (organizations) => (credentials) =>
      Effect.map(guard(credentials), ({ caller, ...admitted }) => {
        const organizationId = credentials.organizationId ?? ""
        const tenant = {
          organizationId,
          hidesCodes: !Operator.allows(caller.role, "support"),
          operator: caller.name,
          role: caller.role
        }
        return { ...admitted, caller: tenant, check: organizations.check({ organizationId }) }
      })
  )
