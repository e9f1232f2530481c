/**
 * What can be done inside a database transaction of the host, and the commands that are submitted
 * there (rule H1).
 */
import type { ErrorCode } from "../errors/Errors.ts"
import type { CallOptions, PagedList, WriteOptions } from "./Calls.ts"
import type { CommandMethod } from "./printed/Events.ts"
import type { OfOrganization } from "./printed/Organizations.ts"
import type { Coverage } from "./CoverageTypes.ts"
import type { ApiKeys, Organizations } from "./OrganizationsTypes.ts"
import type { Plans } from "./PlansTypes.ts"
import type { SetMobilePlan, Sims } from "./SimsTypes.ts"
import type { Attachments, CreateSubscription, SendSms, Subscriptions } from "./SubscriptionsTypes.ts"

/** A value of a statement's parameter. */
export type ParameterValue = string | number | boolean | null

/**
 * An open transaction of the host, on the database that simplan is on: a PostgreSQL, or a PGlite
 * that the host has opened. `fromPg`, `fromPostgresJs`, `fromDrizzle`, `fromPrisma`, `fromKnex` and
 * `fromKysely` make one of what those clients have. Of one transaction it is to be the same object
 * each time, so that calls inside of it take turns.
 */
export interface Transaction {
  /**
   * Runs one statement, whose parameters are `$1`, `$2` and so on. Resolves with its rows, or with
   * what has them as `rows`; rejects with the client's own error.
   */
  readonly query: (
    text: string,
    values: ReadonlyArray<ParameterValue>
  ) => PromiseLike<ReadonlyArray<unknown> | { readonly rows: ReadonlyArray<unknown> }>
  /**
   * Runs one statement of simplan likewise. Resolves with its rows, each an array of the texts that
   * the database has sent, in the order of the columns, whatever parsers the client has. If it
   * is absent, `query` has to give a `text` unchanged.
   */
  readonly texts?: (
    text: string,
    values: ReadonlyArray<ParameterValue>
  ) => PromiseLike<ReadonlyArray<ReadonlyArray<string | null>>>
  /**
   * Runs such a statement prepared under a name, on the connection whose process in the database
   * has the number `backend`, as the client was given it when it connected. If it is absent,
   * each statement is planned anew.
   */
  readonly prepared?: {
    readonly texts: (
      name: string,
      text: string,
      values: ReadonlyArray<ParameterValue>
    ) => PromiseLike<ReadonlyArray<ReadonlyArray<string | null>>>
    readonly backend: () => unknown
  }
}

/**
 * `pending` until it is carried out; then `done`, or `refused`. One that was cancelled is
 * `refused`.
 */
export type CommandState = "pending" | "done" | "refused"

/** A command as it stands. */
export interface Command extends OfOrganization {
  /** The id that the call inside of the transaction has given. */
  readonly id: string
  /** The method that was called there. */
  readonly method: CommandMethod
  /** That of the creation; null for a command that has none. */
  readonly metadata: string | null
  /** What has become of it. */
  readonly state: CommandState
  /**
   * The code of the refusal, such as `no_free_esim`; `command_cancelled` if it was cancelled.
   * Null if it was not refused.
   */
  readonly code: ErrorCode | null
  /** Why it was refused, for people; null if it was not. */
  readonly message: string | null
  /** When it was submitted. */
  readonly createdAt: Date
  /** When its outcome was known; null while it is pending. */
  readonly settledAt: Date | null
}

/** Which commands are listed. */
export interface ListCommands extends OfOrganization {
  /** All by default. */
  readonly state?: CommandState | undefined
}

/**
 * The commands that calls inside of transactions have submitted. They are kept for 30 days after
 * they were settled.
 */
export interface Commands {
  /** The commands of an organization, oldest first. */
  readonly list: (of: ListCommands, options?: CallOptions) => PagedList<Command>
  /** The command as it stands. Errors: `InvalidFieldError`, `NotFoundError`. */
  readonly get: (id: string, options?: CallOptions) => Promise<Command>
  /**
   * Cancels a command of which no attempt has begun: nothing is done, `settled` rejects with a
   * `CommandCancelledError`, and a `command.refused` is published. Again, it changes nothing.
   *
   * Errors: `CommandBegunError` once an attempt has begun, `InvalidFieldError`, `NotFoundError`.
   */
  readonly cancel: (id: string, options?: CallOptions) => Promise<void>
}

/** A command that is stored, and carried out once after the commit. */
export interface Submitted {
  /** What `settled` of the same group takes, once the transaction has committed. */
  readonly id: string
}

/**
 * The methods that write, inside a transaction of the host: what they do commits or rolls back with
 * the host's rows. A call of the telco is stored as a command, and carried out once after the
 * commit; everything else is done at once. A refusal leaves the transaction as it was. What is
 * refused without the telco is refused by the call.
 *
 * With an `idempotencyKey` a repeated call of the same kind gives the same command, for as long as
 * commands are kept: 30 days after the outcome is known. If the storage is neither PostgreSQL nor a
 * PGlite that the host has opened, each method rejects with an `InvalidFieldError`. If no
 * transaction of simplan's database is open on the connection, or nothing can be done in it, each
 * method rejects with a `TransactionError`; after a deadlock or a serialization failure with a
 * `TransactionConflictError`.
 */
export interface Within {
  /** API keys of organizations. */
  readonly apiKeys: Pick<ApiKeys, "create" | "revoke" | "rotate">
  /** Plan attachments. The telco is called for a suspension after the commit. */
  readonly attachments: Pick<Attachments, "suspend">
  /** Commands that were submitted before, in this transaction or another one. */
  readonly commands: Pick<Commands, "cancel" | "get">
  /** Custom regions. */
  readonly coverage: Pick<Coverage, "createRegion">
  /** SMS to SIMs in service. */
  readonly messages: {
    /**
     * Submits an SMS. It is sent once.
     *
     * Errors: `InvalidFieldError`, `NotFoundError`, `IdempotencyKeyReusedError`.
     */
    readonly send: (request: SendSms, options?: WriteOptions) => Promise<Submitted>
  }
  /** The tenants. */
  readonly organizations: Pick<Organizations, "create" | "get">
  /** Plans. One that is made here can be subscribed to in the same transaction. */
  readonly plans: Pick<Plans, "create" | "get" | "archive" | "unarchive" | "remove">
  /** The inventory. Its rows are read inside the transaction, which is open as long. */
  readonly sims: Pick<Sims, "import">
  /**
   * SIMs in service. The telco is called for a pause, its end and a move after the commit. A move
   * takes a free eSIM of the stock: none is bought for it inside of a transaction.
   */
  readonly subscriptions: Pick<Subscriptions, "get" | "pause" | "remove" | "replace" | "resume"> & {
    /**
     * Submits a creation. `subscriptions.settled` returns what was created, or why not.
     *
     * Errors: `InvalidFieldError`, `NotFoundError` (organization, plan, SIM), `PlanArchivedError`,
     * `LabelMismatchError`, `SimWithdrawnError`, `SubscriptionFullError`,
     * `IdempotencyKeyReusedError`.
     */
    readonly create: (request: CreateSubscription, options?: WriteOptions) => Promise<Submitted>
  }
  /** The mobile plan of eSIMs. */
  readonly wallet: {
    /**
     * Submits a change of the mobile plan.
     *
     * Errors: `InvalidFieldError`, `NotFoundError`, `LabelMismatchError`, `SimWithdrawnError`,
     * `IdempotencyKeyReusedError`.
     */
    readonly setMobilePlan: (request: SetMobilePlan, options?: WriteOptions) => Promise<Submitted>
  }
}
