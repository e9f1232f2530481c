/**
 * Guards: who may call the endpoints of a group. A guard runs before anything else of a request is looked at.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type * as Errors from "../wire/Errors.ts"

/** What a guard looks at. */
export interface Credentials {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly query: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Whether the endpoint changes anything. */
  readonly writes: boolean
}

/** Finds out who calls, or refuses the request. */
export type Guard<Caller> = (credentials: Credentials) => Effect.Effect<Caller, Errors.Failure>

/** The guard of endpoints that anybody may call. */
export const none: Guard<undefined> = () => Effect.undefined
