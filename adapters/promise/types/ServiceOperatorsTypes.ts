/**
 * Operators of the service, for the management API.
 */
import type { CallOptions, PagedList } from "./Calls.ts"
import type {
  CreateServiceOperator,
  NewServiceOperator,
  OfServiceOperator,
  OperatorToken,
  ServiceOperator,
  SetOperatorRole
} from "./printed/ServiceOperators.ts"

export type * from "./printed/ServiceOperators.ts"

/**
 * Operators of the service, for the management API (rule W14). `operators` has mobile networks.
 *
 * A creation whose answer was lost can be repeated: it is then an `OperatorNameTakenError`, and
 * `rotate` gives another token.
 */
export interface ServiceOperators {
  /** Makes an operator. Errors: `InvalidFieldError`, `NotFoundError`, `OperatorNameTakenError`. */
  readonly create: (request: CreateServiceOperator, options?: CallOptions) => Promise<NewServiceOperator>
  /** All operators, oldest first, deleted ones included. */
  readonly list: (of?: {}, options?: CallOptions) => PagedList<ServiceOperator>
  /**
   * Deletes an operator: this process refuses its tokens at once, all others within 5 s. Again, it
   * changes nothing.
   *
   * Errors: `NotFoundError`.
   */
  readonly remove: (of: OfServiceOperator, options?: CallOptions) => Promise<ServiceOperator>
  /**
   * Gives the operator another token; the one before goes on for 24 h. Errors: `NotFoundError`,
   * also if it is deleted.
   */
  readonly rotate: (of: OfServiceOperator, options?: CallOptions) => Promise<NewServiceOperator>
  /**
   * Gives the operator another role: in this process at once, in all others within 5 s. Errors:
   * `NotFoundError`, also if it is deleted, and `InvalidFieldError`.
   */
  readonly setRole: (of: SetOperatorRole, options?: CallOptions) => Promise<ServiceOperator>
  /**
   * Whose token this is. Errors: `KeyRefusedError`, which does not say why the token is not valid.
   */
  readonly authenticate: (request: OperatorToken, options?: CallOptions) => Promise<ServiceOperator>
}
