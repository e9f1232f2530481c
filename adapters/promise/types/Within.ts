/**
 * What can be done inside a database transaction of the host (rule H1).
 */
import type { WriteOptions } from "./Calls.ts"
import type { Commands } from "./Commands.ts"
import type { Coverage } from "./Coverage.ts"
import type { ApiKeys, Organizations } from "./Organizations.ts"
import type { Plans } from "./Plans.ts"
import type { SetMobilePlan } from "./Sims.ts"
import type { Attachments, CreateSubscription, SendSms, Subscriptions } from "./Subscriptions.ts"

/** A value of a statement's parameter. */
export type ParameterValue = string | number | boolean | null

/**
 * An open transaction of the host, on the PostgreSQL database that simplan is on. `fromPg`, `fromPostgresJs`, `fromDrizzle`,
 * `fromPrisma`, `fromKnex` and `fromKysely` make one of what those clients have. Of one transaction it is to be the same
 * object each time, so that calls inside of it take turns.
 */
export interface Transaction {
  /**
   * Runs one statement, whose parameters are `$1`, `$2` and so on. Resolves with its rows, or with what has them as `rows`;
   * rejects with the client's own error.
   */
  readonly query: (
    text: string,
    values: ReadonlyArray<ParameterValue>
  ) => PromiseLike<ReadonlyArray<unknown> | { readonly rows: ReadonlyArray<unknown> }>
  /**
   * Runs one statement of simplan likewise. Resolves with its rows, each an array of the texts that the database has sent, in
   * the order of the columns, whatever parsers the client has. Where it is absent, `query` has to give a `text` unchanged.
   */
  readonly texts?: (
    text: string,
    values: ReadonlyArray<ParameterValue>
  ) => PromiseLike<ReadonlyArray<ReadonlyArray<string | null>>>
}

/** A command that is stored, and carried out once after the commit. */
export interface Submitted {
  /** What `settled` of the same group takes, once the transaction has committed. */
  readonly id: string
}

/**
 * The methods that write, inside a transaction of the host: what they do commits or rolls back with the host's rows. A
 * call of the telco is stored as a command, and carried out once after the commit; everything else is done at once. A
 * refusal leaves the transaction as it was. What is refused without the telco is refused by the call.
 *
 * With an `idempotencyKey` a repeated call of the same kind gives the same command, for as long as commands are kept: 30
 * days after the outcome is known. Where the storage is not PostgreSQL, each method rejects with an `InvalidFieldError`. Where
 * no transaction of simplan's database is open on the connection, or nothing can be done in it, each method rejects with a
 * `TransactionError`; after a deadlock or a serialization failure with a `TransactionConflictError`.
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
  /** SIMs in service. */
  readonly subscriptions: Pick<Subscriptions, "get" | "remove"> & {
    /**
     * Submits a creation. `subscriptions.settled` returns what was created, or why not.
     *
     * Errors: `InvalidFieldError`, `NotFoundError` (organization, plan, SIM), `PlanArchivedError`, `LabelMismatchError`,
     * `IdempotencyKeyReusedError`.
     */
    readonly create: (request: CreateSubscription, options?: WriteOptions) => Promise<Submitted>
  }
  /** The mobile plan of eSIMs. */
  readonly wallet: {
    /**
     * Submits a change of the mobile plan.
     *
     * Errors: `InvalidFieldError`, `NotFoundError`, `LabelMismatchError`, `IdempotencyKeyReusedError`.
     */
    readonly setMobilePlan: (request: SetMobilePlan, options?: WriteOptions) => Promise<Submitted>
  }
}
