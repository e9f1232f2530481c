/**
 * Guards: who may call the endpoints of a group. A guard runs before anything else of a request is read.
 */
import { Effect, type Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as Errors from "../wire/Errors.ts"

/** What a guard reads. */
export interface Credentials {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly query: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Whether the endpoint changes anything. */
  readonly writes: boolean
}

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

/** Makes the answer to an admitted request within the limits of its caller. `read` is the path of a route that only reads. */
export type Limited = <R>(answer: Answer<R>, read: string | null) => Answer<R | Scope.Scope>

/** A caller that acts for an organization. */
export interface Tenant {
  readonly organizationId: string
}

/** Who calls. */
export interface Admitted<Caller> {
  readonly caller: Caller
  /** Who that is in audit entries (rule W11). */
  readonly actor: string
  /** The caller's limits; null where it has none. */
  readonly limited: Limited | null
}

/** Finds out who calls, or refuses the request. */
export type Guard<Caller> = (credentials: Credentials) => Effect.Effect<Admitted<Caller>, Errors.Failure>

/** A caller of whom no more is known than this. */
export const known = (actor: string): Admitted<undefined> => ({ caller: undefined, actor, limited: null })

/** The guard of endpoints that anybody may call. */
export const none: Guard<undefined> = () => Effect.succeed(known("anyone"))
