/**
 * simplan's storage, jobs and outbox on PostgreSQL.
 *
 *     const layer = Postgres.layer({ url: "postgres://…" })
 *
 * The database is named by its URL, by a host's `pool` of `pg`, or by a host's `client` of Effect.
 * The layer runs the migrations and gives, beside the ports, the `SqlClient` that writes: what runs
 * inside its `withTransaction` is one transaction together with the ports' reads and commits.
 */
import { Context, Effect, Layer, type Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { type Jobs, type Outbox, Storage } from "simplan/ports"
import * as Database from "./database/Database.ts"
import * as DatabaseSchema from "./database/DatabaseSchema.ts"
import * as Rights from "./database/Rights.ts"
import * as SessionSettings from "./connection/SessionSettings.ts"
import * as Failure from "./connection/Failure.ts"
import * as Secrets from "./encryption/Secrets.ts"
import * as KeyRotation from "./KeyRotation.ts"
import * as SecretKeys from "./encryption/SecretKeys.ts"
import * as ClockOffset from "./database/ClockOffset.ts"
import * as Distribution from "./migrations/Distribution.ts"
import * as Migrations from "./migrations/Migrations.ts"
import * as Plan from "./migrations/Plan.ts"
import * as Notifications from "./database/Notifications.ts"
import * as HostConnection from "./database/HostConnection.ts"
import * as DatabaseLock from "./database/DatabaseLock.ts"
import * as Pooler from "./connection/Pooler.ts"
import type * as Session from "./connection/Session.ts"
import * as ServerOptions from "./ServerOptions.ts"
import * as Ports from "./Ports.ts"
import * as Sockets from "./connection/Sockets.ts"

/** What the layers give. */
export type Provided = Storage.Storage | Jobs.Jobs | Outbox.Outbox | SqlClient.SqlClient

export type { Options } from "./ServerOptions.ts"
export type { DatabaseUrl } from "./connection/Arguments.ts"
export type { PgPool, PgPoolClient, PgQuery, PgResult } from "./connection/PgPool.ts"
export type { Pending as PendingMigration } from "./migrations/Plan.ts"
export type { Step as PlacingStep } from "./migrations/Distribution.ts"

export { DatabaseSchema, SecretKeys }

const storageErrors = <A, R>(effect: Effect.Effect<A, SqlError.SqlError | Storage.StorageError, R>) =>
  Effect.catchTag(effect, "SqlError", (error) => Effect.fail(Failure.storageError(error)))

const migrationError = ({ cause }: Migrations.MigrationFailed) => {
  const { message } = Failure.storageError(cause)
  return Effect.fail(new Storage.StorageError({ message: `The database cannot be migrated: ${message}`, cause }))
}

/**
 * Who may not migrate: which rights are missing on what was migrated, or with whose rights it is to
 * be done.
 */
const notAllowed = (sql: SqlClient.SqlClient, schema: DatabaseSchema.DatabaseSchema, error: SqlError.SqlError) =>
  Effect.gen(function* () {
    yield* Rights.demand(sql, schema, Migrations.tables)
    const { name, quoted } = schema
    const [row] = yield* sql<{ readonly user: string; readonly has: boolean }>`
      select current_user::text as "user", exists (select from pg_namespace where nspname = ${name}) as has`
    const user = row?.user ?? ""
    const { message } = Failure.storageError(error)
    const orElse = row?.has === true ? "" : `, or make the schema for it: create schema ${quoted} authorization ${user}`
    return yield* new Storage.StorageError({
      message: `The schema ${name} has not had all migrations, and the database's user ${user} may not do them (${message}): have its owner run \`simplan migrate\`${orElse}`,
      cause: error
    })
  })

const migrate = (sql: SqlClient.SqlClient, schema: DatabaseSchema.DatabaseSchema) =>
  storageErrors(
    Effect.catchTags(Migrations.run(sql, schema), {
      SqlError: (error) => (Failure.isNotAllowed(error) ? notAllowed(sql, schema, error) : Effect.fail(error)),
      MigrationFailed: (failed) =>
        Failure.isNotAllowed(failed.cause) ? notAllowed(sql, schema, failed.cause) : migrationError(failed),
      OtherEncoding: ({ message }) => Effect.fail(new Storage.StorageError({ message })),
      OtherLineage: ({ message }) => Effect.fail(new Storage.StorageError({ message }))
    })
  )

/** The schema; the one of every service that chooses none if it is absent. */
const schemaOf = (name: string | undefined) =>
  Effect.mapBoth(Effect.fromResult(DatabaseSchema.parse(name ?? DatabaseSchema.DEFAULT)), {
    onSuccess: DatabaseSchema.make,
    onFailure: (message) => new Storage.StorageError({ message })
  })

/**
 * The migrations as SQL text, for a host's own migration tool: it makes the schema and the tables,
 * and records what was done, so that a service that starts on it has nothing to migrate. `after`
 * leaves out the migrations up to that number, which the schema has had. Run it as a whole, in one
 * transaction. Throws a `StorageError` for a name that no schema may have.
 */
export const migrations = (
  options: { readonly schema?: string | undefined; readonly after?: number | undefined } = {}
): string => Migrations.text(Effect.runSync(schemaOf(options.schema)), options.after ?? 0)

/**
 * What the migrations that a database has not had will do to it: each step with what it blocks, and
 * an estimate of its time from the database's statistics. Reads the catalogue, and changes nothing.
 * Fails if other migrations have made the schema.
 */
export const pendingMigrations = (
  options: ServerOptions.Options
): Effect.Effect<ReadonlyArray<Plan.Pending>, Storage.StorageError> =>
  Effect.gen(function* () {
    const { connect, schema } = yield* ServerOptions.check(options)
    const { migrates } = yield* connect
    return yield* Plan.of(yield* migrates, DatabaseSchema.make(schema))
  }).pipe(
    Effect.scoped,
    Effect.catchTag("OtherLineage", ({ message }) => Effect.fail(new Storage.StorageError({ message }))),
    storageErrors,
    Effect.provide(Reactivity.layer)
  )

/**
 * Places the tables on the servers of a database that the extension Citus distributes by
 * organization, or says what there is to do and does nothing. Fails if it has not the extension or
 * no other servers. Processes that serve meanwhile have to be started again.
 */
export const distribute = (
  options: ServerOptions.Options,
  { isDry }: { readonly isDry: boolean }
): Effect.Effect<ReadonlyArray<Distribution.Step>, Storage.StorageError> =>
  Effect.gen(function* () {
    const { connect, schema } = yield* ServerOptions.check(options)
    const service = DatabaseSchema.make(schema)
    const { migrates } = yield* connect
    const sql = yield* migrates
    if (isDry) return yield* Distribution.pending(sql, service)
    yield* migrate(sql, service)
    return yield* Distribution.run(sql, service)
  }).pipe(Effect.scoped, storageErrors, Effect.provide(Reactivity.layer))

/** The client that migrations run on, for tables that others keep in the schema of the service. */
export const migratingClient = (
  options: ServerOptions.Options
): Layer.Layer<SqlClient.SqlClient, Storage.StorageError> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const { connect } = yield* ServerOptions.check(options)
      return yield* (yield* connect).migrates
    }).pipe(storageErrors)
  ).pipe(Layer.provide(Reactivity.layer))

/** What the ports run on: a client that writes, and one for reads, which may be the same. */
export interface Clients {
  /** What reads outside of transactions run on. */
  readonly reads: SqlClient.SqlClient
  /**
   * What heavy reads run on, each on a connection that serves no one else meanwhile; `reads` if
   * it is absent.
   */
  readonly heavy?: SqlClient.SqlClient | undefined
  /** What commits run on, and the transactions of hosts. */
  readonly writes: SqlClient.SqlClient
  /** Runs before each write of the ports, which it refuses by failing. */
  readonly beforeWrites?: Effect.Effect<void, Storage.StorageError> | undefined
  /** What migrations run on: the one that writes, if it is absent. */
  readonly migrates?: SqlClient.SqlClient | undefined
  /** The schema that the tables are in; `simplan` if it is absent. */
  readonly schema?: string | undefined
  /** What `HostConnection.databaseOf` says of them, if hosts have connections of their own. */
  readonly home?: string | null
  /** If other processes may be on the database. */
  readonly shared?: Ports.Shared | undefined
  /** Which paths for speed alone are on; all by default. */
  readonly fastPaths?: Partial<Database.FastPaths> | undefined
  /**
   * What signing keys, webhook URLs and activation codes are encrypted with, the first one; not
   * encrypted if it is absent.
   */
  readonly secretKeys?: string | Redacted.Redacted | undefined
}

/** The keys; none if they are absent. */
const keysOf = (secretKeys: string | Redacted.Redacted | undefined) =>
  Effect.mapError(Effect.fromResult(SecretKeys.given(secretKeys)), (message) => new Storage.StorageError({ message }))

/**
 * Brings all secrets to the first of these keys, with which the storage's layer has to be built,
 * and returns how many rows were changed. It works in small steps while the service runs, and can
 * be stopped and begun again.
 */
export const reencrypt = (
  secretKeys: string | Redacted.Redacted,
  options: { readonly schema?: string | undefined } = {}
): Effect.Effect<number, Storage.StorageError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const keys = yield* keysOf(secretKeys)
    const schema = yield* schemaOf(options.schema)
    const sql = yield* SqlClient.SqlClient
    return yield* storageErrors(KeyRotation.reencrypt(schema.client(sql), keys))
  })

/** The ports over clients that the caller has. */
export const layerOf = <E, R>(
  acquire: Effect.Effect<Clients, E, R>
): Layer.Layer<Provided, E | Storage.StorageError, Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const clients = yield* acquire
      const migrates = clients.migrates ?? clients.writes
      const keys = yield* keysOf(clients.secretKeys)
      const schema = yield* schemaOf(clients.schema)
      // An embedded database is its process's own.
      if (clients.shared !== undefined) yield* storageErrors(SessionSettings.check(clients.writes))
      yield* migrate(migrates, schema)
      if (clients.shared !== undefined) {
        yield* storageErrors(Rights.check(clients.writes, schema, Migrations.tables))
      }
      yield* storageErrors(KeyRotation.check(schema.client(migrates), keys))
      const fastPaths = { ...Database.defaults, ...clients.fastPaths }
      const cipher = Secrets.makeCipher(keys)
      const database = yield* Database.make({
        reads: schema.client(clients.reads),
        heavy: clients.heavy && schema.client(clients.heavy),
        writes: schema.client(clients.writes),
        beforeWrites: clients.beforeWrites,
        fastPaths,
        isDistributed:
          clients.shared !== undefined &&
          (yield* storageErrors(Distribution.check(clients.writes, schema, Migrations.tables))),
        cipher: keys.length > 0 && fastPaths.recentSecrets ? Secrets.remembering(cipher) : cipher,
        offset: clients.shared?.offset,
        lock: clients.shared?.lock,
        home: clients.home ?? null
      })
      const ports = Ports.make(database, { joins: clients.home !== undefined, shared: clients.shared })
      return Context.add(ports, SqlClient.SqlClient, clients.writes)
    })
  )

/** Fails if the direct address is that of another database than the pooler's. */
const checkSame = (open: Session.Open, { address, argument }: Failure.Target, home: string | null) =>
  Effect.gen(function* () {
    const session = yield* open
    const [row] = yield* session.query(HostConnection.DATABASE)
    if (row?.["value"] === home) return
    return yield* new Storage.StorageError({
      message: `${argument} names ${address}, which is another database than the one behind the pooler, but must be its direct address`
    })
  }).pipe(Effect.scoped)

/**
 * The ports on a server. Fails within 5 s with one sentence if an option is not allowed, and
 * if the database cannot be reached.
 */
export const layer = (options: ServerOptions.Options): Layer.Layer<Provided, Storage.StorageError> =>
  layerOf(
    Effect.gen(function* () {
      const { alone, connect, fastPaths, waitLimit, schema, secretKeys } = yield* ServerOptions.check(options)
      const connections = yield* connect
      const { max, ownSession, session, target } = connections
      yield* Pooler.refuse(ownSession, target)
      const service = DatabaseSchema.make(schema)
      const heartbeatInterval = Sockets.heartbeatInterval(waitLimit)
      const lock = yield* DatabaseLock.hold(session, target, service, alone, heartbeatInterval)
      const { heavy, reads } = yield* connections.reads
      const writes = yield* connections.writes
      const migrates = yield* connections.migrates
      yield* Database.recordConnections("writes", max.writes)
      yield* Database.recordConnections("reads", max.reads)
      if (max.heavy !== undefined) yield* Database.recordConnections("heavy reads", max.heavy)
      const offset = yield* ClockOffset.follow(writes)
      const home = yield* HostConnection.databaseOf(writes)
      if (connections.hasDirect) yield* checkSame(ownSession, target, home)
      const notifications = yield* Notifications.make(session, service.channel, heartbeatInterval)
      const shared = { offset, lock, notifications, connections: max.writes }
      return { reads, heavy: heavy ?? writes, writes, migrates, fastPaths, schema, secretKeys, home, shared }
    }).pipe(
      Effect.catchTag("SqlError", (error) => Effect.fail(Failure.storageError(error))),
      Effect.provide(Reactivity.layer)
    )
  )
