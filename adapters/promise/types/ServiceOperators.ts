/**
 * Operators of the service, for the management API.
 */
import type { CallOptions, InstantInput, PagedList } from "./Calls.ts"

/**
 * What an operator may do (rule W14): `read` only reads, `support` does the day's tasks too, such as retries and replays, `admin`
 * everything.
 */
export type OperatorRole = "read" | "support" | "admin"

/** A person or program that the management API takes requests from, without its token. */
export interface ServiceOperator {
  /** The id, a UUID. */
  readonly operatorId: string
  /** The name, which audit entries show; unique among those that are not deleted. */
  readonly name: string
  /** What the operator may do. */
  readonly role: OperatorRole
  /** The only organization that the operator sees; null: all of them. */
  readonly organizationId: string | null
  /** The last characters of the token, by which a person distinguishes it from others. */
  readonly hint: string
  /** Until when the token before goes on; null where there is none. */
  readonly previousTokenUntil: Date | null
  /** When it was created. */
  readonly createdAt: Date
  /** From when on its tokens are refused; null if they do not expire. */
  readonly expiresAt: Date | null
  /** When it was deleted; null if it was not. */
  readonly deletedAt: Date | null
}

/** An operator with its token. */
export interface NewServiceOperator extends ServiceOperator {
  /** The token itself. It is returned this once and stored nowhere (rule W14). */
  readonly token: string
}

/** Names an operator of the service. */
export interface OfServiceOperator {
  /** The operator's id. */
  readonly operatorId: string
}

/** What a new operator is to be. */
export interface CreateServiceOperator {
  /** The name, 1 to 255 characters (rule W9). */
  readonly name: string
  /** What the operator may do. */
  readonly role: OperatorRole
  /** The only organization that the operator is to see; absent or null: all of them. */
  readonly organizationId?: string | null | undefined
  /** From when on its tokens are refused, in the future; absent or null if they are not to expire. */
  readonly expiresAt?: InstantInput | null | undefined
}

/**
 * Operators of the service, for the management API (rule W14). `operators` has mobile networks.
 *
 * A creation whose answer was lost can be repeated: it is then an `OperatorNameTakenError`, and `rotate` gives another token.
 */
export interface ServiceOperators {
  /** Makes an operator. Errors: `InvalidFieldError`, `NotFoundError`, `OperatorNameTakenError`. */
  readonly create: (request: CreateServiceOperator, options?: CallOptions) => Promise<NewServiceOperator>
  /** All operators, oldest first, deleted ones included. */
  readonly list: (of?: {}, options?: CallOptions) => PagedList<ServiceOperator>
  /**
   * Deletes an operator: this process refuses its tokens at once, all others within 5 s. Again, it changes nothing.
   *
   * Errors: `NotFoundError`.
   */
  readonly remove: (of: OfServiceOperator, options?: CallOptions) => Promise<ServiceOperator>
  /** Gives the operator another token; the one before goes on for 24 h. Errors: `NotFoundError`, also where it is deleted. */
  readonly rotate: (of: OfServiceOperator, options?: CallOptions) => Promise<NewServiceOperator>
  /** Whose token this is. Errors: `KeyRefusedError`, which does not say why the token is not valid. */
  readonly authenticate: (request: { readonly token: string }, options?: CallOptions) => Promise<ServiceOperator>
}
