/**
 * Who may call the management API (rule W14): whoever has the token that the server was started with, who is an admin named
 * `bootstrap`; the operators by theirs; or whom the host names. What a route needs is what its definition declares (`Roles`).
 *
 * An operator's role is refused first (403). To one who is bound to an organization all others do not exist, nor does what belongs
 * to none (404). Handlers of lists, and of things whose path names no organization, go by `caller.organizationId`.
 */
import { Effect, type Redacted } from "effect"
import { Refusal, ServiceOperators } from "simplan"
import { AuditEntry, Operator } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import * as Errors from "../wire/Errors.ts"
import * as Auth from "./Auth.ts"
import * as HostAuth from "./HostAuth.ts"

/** The guard of the endpoints of the management API. */
export type Guard = Auth.Guard<Operator.Acting>

interface Named extends Operator.Acting {
  readonly name: string
}

const forbidden = (role: Operator.Role): Errors.Problem =>
  new Errors.Problem({ code: "forbidden", message: `Forbidden: it takes the role ${role}` })

/** Why this operator may not; null where it may. An endpoint that declares nothing is for nobody. */
const refusalOf = (acting: Operator.Acting, { need, organizationId }: Auth.Credentials): Errors.Failure | null => {
  if (need === undefined) return Errors.routeNotFound
  if (!Operator.allows(acting.role, need.role)) return forbidden(need.role)
  if (acting.organizationId === null) return null
  if (need.bound === "none") return Errors.routeNotFound
  if (organizationId === undefined || Operator.sees(acting, Fields.id(organizationId))) return null
  return new Refusal.NotFound({ resource: "organization", id: organizationId })
}

const permitted =
  (authenticate: (credentials: Auth.Credentials) => Effect.Effect<Named, Errors.Failure>): Guard =>
  (credentials) =>
    Effect.flatMap(authenticate(credentials), ({ name, organizationId, role }) => {
      const caller = { role, organizationId }
      const refusal = refusalOf(caller, credentials)
      return refusal === null
        ? Effect.succeed({ caller, actor: name, limited: null })
        : Effect.fail<Errors.Failure>(refusal)
    })

const bootstrap: Named = { name: Operator.BOOTSTRAP, role: "admin", organizationId: null }

/** The guard by tokens. Where the server was started with none, the management API does not exist. */
export const byToken = (
  token: Redacted.Redacted | undefined,
  failed: Auth.FailedAuthentication
): Effect.Effect<Guard, never, ServiceOperators.ServiceOperators> =>
  Effect.map(ServiceOperators.ServiceOperators, (operators) => {
    const isBootstrap = Auth.matcher(token)
    if (isBootstrap === null) return () => Effect.fail(Errors.routeNotFound)
    return permitted(
      Effect.fnUntraced(function* ({ request }: Auth.Credentials) {
        const credential = yield* Auth.bearerOf(request)
        if (isBootstrap(credential)) return bootstrap
        return yield* failed.guarded(
          Effect.catchTag(operators.authenticate(credential), "KeyRefused", () => failed.count(Auth.tokenInvalid)),
          () => operators.isKnown(credential)
        )
      })
    )
  })

/** The guard of a host that authenticates by itself. */
export const byHost = (authenticate: HostAuth.Authenticate<HostAuth.Operator>): Guard =>
  permitted(
    Effect.fnUntraced(function* ({ request }: Auth.Credentials) {
      const { actor = AuditEntry.HOST, admin, organizationId = null, role } = yield* HostAuth.ask(authenticate, request)
      const isAllowed = admin ?? role !== undefined
      return isAllowed ? { name: actor, role: role ?? "admin", organizationId } : yield* HostAuth.unauthenticated
    })
  )
