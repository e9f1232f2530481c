/** Printed from the views by `npm run print`: what hosts see and send. */
import type { InstantInput } from "../Calls.ts"

/**
 * What the operator may do: `read` only reads, `support` does the day's tasks too, such as retries
 * and replays, `admin` everything.
 */
export type OperatorRole = "read" | "support" | "admin"

/** Names an operator of the service. */
export interface OfServiceOperator {
  /** The operator's id. */
  readonly operatorId: string
}

/** A person or program that the management API takes requests from, without its token. */
export interface ServiceOperator extends OfServiceOperator {
  /** The operator's name, which audit entries show. */
  readonly name: string
  /**
   * What the operator may do: `read` only reads, `support` does the day's tasks too, such as retries
   * and replays, `admin` everything.
   */
  readonly role: OperatorRole
  /** The only organization that the operator sees; null if it sees all. */
  readonly organizationId: string | null
  /** The token's last characters. */
  readonly hint: string
  /** Until when the token before goes on; null if there is none. */
  readonly previousTokenUntil: Date | null
  /** When it was made. */
  readonly createdAt: Date
  /** When the operator's tokens end; null if they do not. */
  readonly expiresAt: Date | null
  /** When the operator was deleted; null if it was not. */
  readonly deletedAt: Date | null
}

/** An operator with its token. */
export interface NewServiceOperator extends ServiceOperator {
  /** The token itself; it is shown this once. */
  readonly token: string
}

/** What a new operator is to be. */
export interface CreateServiceOperator {
  /** The operator's name, which audit entries show. */
  readonly name: string
  /**
   * What the operator may do: `read` only reads, `support` does the day's tasks too, such as retries
   * and replays, `admin` everything.
   */
  readonly role: OperatorRole
  /** The only organization that the operator sees; null if it sees all. */
  readonly organizationId?: string | null | undefined
  /** When the operator's tokens end; null if they do not. */
  readonly expiresAt?: InstantInput | null | undefined
}

/** What an operator may do from now on. */
export interface SetOperatorRole extends OfServiceOperator {
  /**
   * What the operator may do: `read` only reads, `support` does the day's tasks too, such as retries
   * and replays, `admin` everything.
   */
  readonly role: OperatorRole
}

/** The token of an operator. */
export interface OperatorToken {
  /** The token itself. */
  readonly token: string
}

/** Whose token was sent. */
export interface WhoAmI {
  /** The operator's name, which audit entries show. */
  readonly name: string
  /**
   * What the operator may do: `read` only reads, `support` does the day's tasks too, such as retries
   * and replays, `admin` everything.
   */
  readonly role: OperatorRole
  /** The only organization that the operator sees; null if it sees all. */
  readonly organizationId: string | null
  /** When the token that was sent ends; null if it does not. */
  readonly expiresAt: Date | null
}

/** A session of a browser. */
export interface Session {
  /** The session's id, which audit entries have. */
  readonly sessionId: string
  /** When it ends at the latest, by the clock of the server's machine. */
  readonly endsAt: Date
}
