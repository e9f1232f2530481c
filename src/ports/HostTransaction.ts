/**
 * Transactions of the host: a use case that runs inside of one is committed or rolled back with the
 * host's own rows.
 *
 * What such a caller writes must not be done on behalf of other callers, nor by them; and the telco
 * must not be called (rule H1). An adapter that joins such transactions provides these references
 * beside its ports.
 */
import { Context, Effect } from "effect"
import { InvalidField } from "../domain/Refusal.ts"
import type { StorageError } from "./storage/Read.ts"

/**
 * Whether the calling fiber runs in a database transaction that the host has opened on the
 * storage's database.
 */
export const HostTransaction = Context.Reference<Effect.Effect<boolean>>("simplan/HostTransaction", {
  defaultValue: () => Effect.succeed(false)
})

/** A value of a statement's parameter. */
export type ParameterValue = string | number | boolean | null

/** A connection on which the host has begun a transaction, whatever its client is. */
export interface HostConnection {
  /**
   * Runs one statement, whose parameters are `$1`, `$2` and so on. Resolves with its rows, or with
   * what has them as `rows`; rejects with the database's error, which has an SQLSTATE.
   */
  readonly query: (
    text: string,
    values: ReadonlyArray<ParameterValue>
  ) => PromiseLike<ReadonlyArray<unknown> | { readonly rows: ReadonlyArray<unknown> }>
  /**
   * Runs a statement of the service likewise. Resolves with its rows, each an array of the texts
   * that the database has sent, in the order of the columns, whatever parsers the client has. If
   * it is absent, `query` has to give a `text` unchanged.
   */
  readonly texts?: (
    text: string,
    values: ReadonlyArray<ParameterValue>
  ) => PromiseLike<ReadonlyArray<ReadonlyArray<string | null>>>
  /** Absent if the client prepares no statements. */
  readonly prepared?: Prepared
}

/** A client's prepared statements. */
export interface Prepared {
  /**
   * Runs a statement of the service as `texts` does, prepared on the connection under this name.
   */
  readonly texts: (
    name: string,
    text: string,
    values: ReadonlyArray<ParameterValue>
  ) => PromiseLike<ReadonlyArray<ReadonlyArray<string | null>>>
  /**
   * The number of the database's process, as the client was given it when it connected. A pooler
   * gives one of its own, and may not keep what is prepared.
   */
  readonly backend: () => unknown
}

/**
 * Runs an effect inside the transaction of a connection. Fails with a `StorageError` that has
 * `transaction` if none is open on it, or if it is one of another database.
 */
export type Join = <A, E, R>(
  connection: HostConnection,
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | StorageError, R>

/**
 * Null if the storage cannot join the transaction of a connection that it has not opened itself.
 */
export const Joining = Context.Reference<Join | null>("simplan/HostTransaction/Joining", {
  defaultValue: () => null
})

/** How many connections of the storage transactions may keep at once; null if that is not known. */
export const Connections = Context.Reference<number | null>("simplan/HostTransaction/Connections", {
  defaultValue: () => null
})

/**
 * Runs a use case inside the transaction that the host has begun on its connection. The reads and
 * commits of several use cases on one connection take turns. Commit and rollback are the host's.
 * Fails with `InvalidField` if the storage joins none, and with a `StorageError` that has
 * `transaction` if nothing can be done in the transaction.
 */
export const within =
  (connection: HostConnection) =>
  <A, E, R>(useCase: Effect.Effect<A, E, R>): Effect.Effect<A, E | InvalidField | StorageError, R> =>
    Effect.flatMap(Joining, (join): Effect.Effect<A, E | InvalidField | StorageError, R> => {
      if (join !== null) return join(connection, useCase)
      const message =
        "must be a transaction of the database that simplan is on, and that has to be PostgreSQL, or a PGlite which the host has opened"
      return Effect.fail(new InvalidField({ field: "transaction", message }))
    })
