/**
 * The database as the statements see it: reads, writes, and what their failures mean.
 *
 * Reads may use a client of their own, which sends many of them at once over one connection. If
 * that connection is lost, each read that was under way is sent again over a connection that serves
 * no other read meanwhile, so a read that costs its connection fails alone (rule W9). Inside a
 * transaction of the host, on the writing client or on a connection of the host's own, reads and
 * commits join that transaction. A commit that fails there rolls back to its own savepoint, and the
 * transaction can go on, unless it met a deadlock or a serialization failure.
 *
 * Heavy reads (`Storage.Aside`, rule W13) use connections that carry no other read meanwhile, and
 * the server stops one that takes too long: inside a transaction of their own, because settings of
 * a connection may be refused at its start, and belong to the host if it gives the connections.
 *
 * What claims or writes waits while the hold on the database is lost. Secrets are encrypted, and
 * machine times are moved to the database's clock, where their statements are.
 */
import { Clock, Context, Effect, type Fiber, Metric, Option, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type HostTransaction, Clocks, Storage } from "simplan/ports"
import * as Failure from "../connection/Failure.ts"
import type { Cipher } from "../encryption/Secrets.ts"
import type { DatabaseLock } from "./DatabaseLock.ts"
import * as HostConnection from "./HostConnection.ts"
import * as LivingServers from "./LivingServers.ts"
import type { Query, Row, Sql } from "./SqlRows.ts"

export type PipelineDrain = <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const pipelineDrain = (limit: number): PipelineDrain => {
  let waiting: Array<() => void> = []
  let underWay = 0
  let sinceEmpty = 0

  const turn = Effect.callback<void>((resume) => {
    const go = (): void => resume(Effect.void)
    waiting.push(go)
    return Effect.sync(() => {
      waiting = waiting.filter((other) => other !== go)
    })
  })

  const leave = (): undefined => {
    underWay--
    if (underWay > 0) return
    sinceEmpty = 0
    const next = waiting
    waiting = []
    for (const go of next) go()
  }

  return (statement) => {
    const run = Effect.suspend(() => {
      underWay++
      sinceEmpty++
      return Effect.onExitPrimitive(statement, leave)
    })
    return Effect.suspend(() => (sinceEmpty < limit ? run : Effect.andThen(turn, run)))
  }
}

export type { Json, Row, Sql } from "./SqlRows.ts"

/** How a heavy read is planned. The server chooses for all other statements. */
export interface Planning {
  /**
   * Whether one plan serves all values, for as long as a connection has it. It is for a statement
   * over so many indexes that planning costs more than reading, and whose shape names the indexes.
   */
  readonly isGeneric: boolean
}

export interface Database {
  readonly fastPaths: FastPaths
  /**
   * Whether the tables are distributed by organization over several servers. Then a statement about
   * several organizations locks no rows, and knows no places of rows.
   */
  readonly isDistributed: boolean
  /** What secrets are encrypted with. */
  readonly cipher: Cipher
  /** By how much the database's clock is ahead of this machine's. */
  readonly offset: Clocks.LeaseOffset
  /**
   * Whether the caller runs inside a transaction of the host. Then it shares no statement with
   * others.
   */
  readonly inTransaction: Effect.Effect<boolean>
  /** Runs an effect inside the transaction of a connection of the host. */
  readonly join: HostTransaction.Join
  /**
   * Runs after the commit of the transaction that the caller runs in, and not at all after its
   * rollback; at once outside of one.
   */
  readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** The context of statements that serve several callers. */
  readonly context: Context.Context<never>
  /** All rows of a read. */
  readonly rows: <A>(query: Query<A>, planning?: Planning) => Effect.Effect<ReadonlyArray<A>, Storage.StorageError>
  /** All rows of a read over a connection that serves no one else meanwhile. */
  readonly rowsAlone: <A>(query: Query<A>) => Effect.Effect<ReadonlyArray<A>, Storage.StorageError>
  /** The only row of a read; null if there is none. */
  readonly row: <A>(query: Query<A>, planning?: Planning) => Effect.Effect<A | null, Storage.StorageError>
  /** All rows of a read of all organizations, as far as their servers answer. */
  readonly rowsOfAll: LivingServers.LivingServers["rowsOfAll"]
  /** The servers with rows that do not answer, such as `10.0.0.2:5432`. */
  readonly deadServers: LivingServers.LivingServers["dead"]
  /** A write without guards. */
  readonly write: <A>(query: Query<A>) => Effect.Effect<ReadonlyArray<A>, Storage.StorageError>
  /** A write of what this process holds: it needs no hold on the database. */
  readonly writeHeld: <A>(query: Query<A>) => Effect.Effect<ReadonlyArray<A>, Storage.StorageError>
  /**
   * The effect while this process holds the database. Waits while the hold is taken again; fails
   * if it could not be.
   */
  readonly whileHeld: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | Storage.StorageError>
  /** A write with guards. A guard that fails is a conflict. */
  readonly commit: (
    statement: (sql: Sql) => Effect.Effect<unknown, SqlError>
  ) => Effect.Effect<void, Storage.Conflict | Storage.StorageError>
}

// How often a read is sent again whose own connection was lost.
const again = { times: 2, schedule: Schedule.spaced("50 millis") }

/**
 * For how long after its beginning, in ms: behind a connection that was silent for long there is
 * hardly a better one.
 */
const AGAIN_WITHIN = 5_000

const mayFindAnother =
  (begun: number) =>
  (error: SqlError): boolean =>
    Failure.isConnectionLost(error) && !Failure.isTooLarge(error) && performance.now() - begun < AGAIN_WITHIN

/** How many reads are sent before the pipeline runs empty. */
const PIPELINE = 64

/**
 * Has the server stop what takes longer in this transaction, in milliseconds, and plan it as asked.
 */
const limitTo = (sql: Sql, atMost: number, planning: Planning | undefined) =>
  sql`select set_config('statement_timeout', ${String(atMost)}, true), set_config('max_parallel_workers_per_gather', '0', true)${sql.literal(
    planning?.isGeneric === true ? ", set_config('plan_cache_mode', 'force_generic_plan', true)" : ""
  )}`

const stopped = (cause: SqlError) =>
  new Storage.StorageError({
    message: "The database stopped the read, since it took too long",
    cause,
    refusedRead: "too long"
  })

const notHeld = Effect.fail(new Storage.StorageError({ message: "The hold on the database was lost" }))

const YES = Effect.succeed(true)
const NO = Effect.succeed(false)

/** The values of rows. */
export const values = <A>(rows: ReadonlyArray<Row<A>>): ReadonlyArray<A> =>
  rows.map(({ value }) => (value === null ? null : JSON.parse(value)))

type Pool = "reads" | "writes" | "heavy reads"

const BOUNDARIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const connections = (pool: Pool) =>
  Metric.gauge("simplan_database_connections_max", {
    description: "How many connections there may be; one for reads carries many statements at once",
    attributes: { pool }
  })

/** Records how many connections a pool may have. */
export const recordConnections = (pool: Pool, max: number): Effect.Effect<void> => Metric.update(connections(pool), max)

/**
 * Measures statements, the wait for a connection included. The SQL client's pool has no metrics, so
 * the statements under way are counted: if there are more statements than connections, the others
 * wait.
 */
const measuredOn = (pool: Pool): (<A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  const attributes = { pool }
  const underWay = Metric.gauge("simplan_database_statements_under_way", {
    description: "Statements that use a connection or wait for one",
    attributes
  })
  const duration = Metric.histogram("simplan_database_statement_duration_seconds", {
    description: "Time that a statement took, the wait for a connection included",
    attributes,
    boundaries: BOUNDARIES
  })
  let count = 0
  return (statement) =>
    Effect.withFiber((fiber) => {
      const { context } = fiber
      const clock = Context.get(context, Clock.Clock)
      const start = clock.monotonicTimeNanosUnsafe()
      count += 1
      underWay.updateUnsafe(count, context)
      return Effect.onExitPrimitive(statement, () => {
        count -= 1
        underWay.updateUnsafe(count, context)
        duration.updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9, context)
        return undefined
      })
    })
}

export const make = Effect.fnUntraced(function* (clients: {
  readonly reads: Sql
  readonly heavy?: Sql | undefined
  readonly writes: Sql
  readonly beforeWrites?: Effect.Effect<void, Storage.StorageError> | undefined
  readonly fastPaths: FastPaths
  readonly isDistributed?: boolean
  readonly cipher: Cipher
  readonly offset?: Clocks.LeaseOffset | undefined
  readonly lock?: DatabaseLock | undefined
  /** What `HostConnection.databaseOf` says of the clients. */
  readonly home: string | null
}): Effect.fn.Return<Database> {
  const context = yield* Effect.context<never>()
  const {
    beforeWrites,
    cipher,
    fastPaths,
    heavy,
    isDistributed = false,
    lock,
    offset = Clocks.LeaseOffset.defaultValue(),
    reads,
    writes
  } = clients
  const measured = measuredOn("reads")
  const drained = pipelineDrain(PIPELINE)
  const write = measuredOn("writes")
  const measuredHeavy = measuredOn("heavy reads")
  const transaction = (of: Context.Context<never>) => Context.getOption(of, writes.transactionService)
  const inTransaction = Effect.withFiber((fiber) => (Option.isSome(transaction(fiber.context)) ? YES : NO))

  /** The first effect, in turn, inside a transaction of the host; else the other one. */
  const whereInside = <A, E>(
    inside: () => Effect.Effect<A, E>,
    outside: (fiber: Fiber.Fiber<unknown, unknown>) => Effect.Effect<A, E>
  ) =>
    Effect.withFiber((fiber) => {
      const found = transaction(fiber.context)
      return Option.isSome(found) ? HostConnection.inTurn(found.value[0], inside()) : outside(fiber)
    })

  const admitted = <A, E>(written: Effect.Effect<A, E>): Effect.Effect<A, E | Storage.StorageError> =>
    beforeWrites === undefined ? written : Effect.andThen(beforeWrites, written)

  const isHeld = Effect.suspend(() => (lock?.isHeld === false ? notHeld : Effect.void))

  const whileHeld: Database["whileHeld"] = (effect) =>
    lock === undefined
      ? effect
      : Effect.suspend(() => (lock.isHeld ? effect : lock.settled.pipe(Effect.andThen(isHeld), Effect.andThen(effect))))

  const opened = <A>(written: Effect.Effect<A, SqlError>) =>
    Effect.flatMap(HostConnection.Current, (host) => (host === null ? written : HostConnection.opened(host, written)))

  const writeHeld: Database["writeHeld"] = (query) =>
    whereInside(
      () => Effect.mapError(opened(query(writes)), HostConnection.storageError),
      () => Effect.mapError(write(query(writes)), Failure.storageError)
    ).pipe(admitted, Effect.map(values))

  const joined = (statement: Effect.Effect<unknown, SqlError>) =>
    Effect.flatMap(HostConnection.Current, (host) =>
      host === null ? writes.withTransaction(statement) : HostConnection.savepoint(host, statement)
    )

  const alone = <A>(query: Query<A>, begun: number) =>
    Effect.retry(write(query(writes)), { while: mayFindAnother(begun), ...again })

  const limited = <A>(sql: Sql, query: Query<A>, { atMost }: Storage.Aside, planning: Planning | undefined) =>
    measuredHeavy(sql.withTransaction(Effect.andThen(limitTo(sql, atMost, planning), query(sql)))).pipe(
      Effect.mapError((error) => (Failure.isStopped(error) ? stopped(error) : Failure.storageError(error)))
    )

  const rows: Database["rows"] = (query, planning) =>
    whereInside(
      () => Effect.mapError(query(writes), HostConnection.storageError),
      (fiber) => {
        const aside = fiber.getRef(Storage.Aside)
        if (aside !== null && heavy !== undefined) return limited(heavy, query, aside, planning)
        const begun = performance.now()
        const isWorthAnother = (error: SqlError) =>
          Failure.isConnectionLost(error) && performance.now() - begun < AGAIN_WITHIN
        return Effect.catchIf(measured(drained(query(reads))), isWorthAnother, () => alone(query, begun)).pipe(
          Effect.mapError(Failure.storageError)
        )
      }
    ).pipe(Effect.map(values))

  const rowsAlone: Database["rowsAlone"] = (query) =>
    Effect.suspend(() => alone(query, performance.now())).pipe(
      Effect.map(values),
      Effect.mapError(Failure.storageError)
    )

  const servers = isDistributed ? LivingServers.make(rows) : LivingServers.one(rows)

  return {
    fastPaths,
    isDistributed,
    rowsOfAll: servers.rowsOfAll,
    deadServers: servers.dead,
    cipher,
    offset,
    inTransaction,
    join: HostConnection.joining(writes, clients.home),
    afterCommit: writes.afterCommit,
    context,
    rows,
    rowsAlone,
    row: (query, planning) => Effect.map(rows(query, planning), (found) => found[0] ?? null),
    write: (query) => whileHeld(writeHeld(query)),
    writeHeld,
    whileHeld,
    commit: (statement) =>
      whereInside(
        () => Effect.mapError(joined(statement(writes)), HostConnection.commitError),
        () => Effect.mapError(write(statement(writes)), Failure.commitError)
      ).pipe(admitted, whileHeld, Effect.asVoid)
  }
})

/**
 * Which fast paths the adapter takes. Each one can be switched off: the adapter then sends each
 * read, each commit by itself, and decrypts each secret. `npm run test:plain` runs the suite with
 * all of them off.
 */
export interface FastPaths {
  /** One statement answers reads of several callers. */
  readonly batchedReads: boolean
  /** One statement writes the commits of several callers. */
  readonly batchedCommits: boolean
  /** Secrets that were decrypted lately are remembered (`Secrets.remembering`). */
  readonly recentSecrets: boolean
}

export const defaults: FastPaths = { batchedReads: true, batchedCommits: true, recentSecrets: true }
