/**
 * What the routes of the management API need of an operator (rule W14). Each declares it once, with
 * its description; its guard, the OpenAPI document and the tests go by it. A route that declares
 * nothing is no route: the server does not start with one.
 */
import { Context } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Operator } from "simplan/ports"

/**
 * What of a route exists for an operator who is bound to an organization. `own`: the route is about
 * one organization, or shows those of its things that the operator sees. `none`: it is about what
 * belongs to no organization.
 */
export type Bound = "own" | "none"

/** What a route needs. */
export interface Need {
  /** The least role that may use it. */
  readonly role: Operator.Role
  /** What of it exists for whoever is bound to an organization. */
  readonly bound: Bound
  /** Whether it ends the session that asks, so that this need not have been renewed. */
  readonly endsSession: boolean
}

/** The annotation of an endpoint. */
class Needed extends Context.Service<Needed, Need>()("simplan/http/Roles/Needed") {}

/** What an endpoint needs; undefined if it declares nothing. */
export const of = (endpoint: Pick<HttpApiEndpoint.Top, "annotations">): Need | undefined =>
  Context.getOrUndefined(endpoint.annotations, Needed)

const described = ({ bound, role }: Need): string =>
  `Takes the role \`${role}\`${bound === "none" ? ", of an operator who is not bound to an organization" : ""}.`

const declare = (bound: Bound, endsSession: boolean) => (role: Operator.Role, summary: string, description: string) => {
  const need = { role, bound, endsSession }
  return OpenApi.annotations({
    summary,
    description: `${description} ${described(need)}`,
    // The document may name the roles that a scheme has to give.
    transform: (operation) => ({ ...operation, security: [{ adminToken: [role] }] })
  }).pipe(Context.add(Needed, need))
}

/**
 * An operation about one organization, or a list of those things that the operator sees: who may,
 * and what it does.
 */
export const operation = declare("own", false)

/** An operation about what belongs to no organization. */
export const ofService = declare("none", false)

/** The operation that ends the session which asks. */
export const signOut = declare("own", true)
