/**
 * simplan's storage, jobs and outbox on PostgreSQL.
 *
 *     const layer = Postgres.layer({ url: "postgres://…" })
 *
 * The layer runs the migrations and gives, beside the ports, the `SqlClient` that writes: what runs inside its
 * `withTransaction` is one transaction together with the ports' reads and commits.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, Result, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { type Jobs, type Outbox, Storage } from "simplan/ports"
import * as Arguments from "./connection/Arguments.ts"
import * as Database from "./connection/Database.ts"
import * as DatabaseSchema from "./connection/DatabaseSchema.ts"
import * as DatabaseUrl from "./connection/DatabaseUrl.ts"
import * as Failure from "./connection/Failure.ts"
import * as Cipher from "./encryption/Cipher.ts"
import * as KeyCheck from "./encryption/KeyCheck.ts"
import * as Reencryption from "./encryption/Reencryption.ts"
import * as SecretKeys from "./encryption/SecretKeys.ts"
import * as ClockOffset from "./connection/ClockOffset.ts"
import * as Migrations from "./migrations/Migrations.ts"
import * as Notifications from "./connection/Notifications.ts"
import * as DatabaseLock from "./connection/DatabaseLock.ts"
import type * as FastPaths from "./fast/FastPaths.ts"
import * as RecentSecrets from "./fast/RecentSecrets.ts"
import * as ServerOptions from "./ServerOptions.ts"
import * as Session from "./connection/Session.ts"
import * as PrimaryHost from "./connection/PrimaryHost.ts"
import * as Ports from "./Ports.ts"
import * as ConnectionMetrics from "./connection/ConnectionMetrics.ts"
import * as ConnectionWatchdog from "./connection/ConnectionWatchdog.ts"

/** What the layers give. */
export type Provided = Storage.Storage | Jobs.Jobs | Outbox.Outbox | SqlClient.SqlClient

export type { Options } from "./ServerOptions.ts"
export type { DatabaseUrl } from "./connection/DatabaseUrl.ts"

export { SecretKeys }

const storageErrors = <A, R>(effect: Effect.Effect<A, SqlError.SqlError | Storage.StorageError, R>) =>
  Effect.catchTag(effect, "SqlError", (error) => Effect.fail(Failure.storageError(error)))

const migrationError = (cause: unknown) =>
  Effect.fail(new Storage.StorageError({ message: "The database cannot be migrated", cause }))

const migrate = (sql: SqlClient.SqlClient, schema: DatabaseSchema.DatabaseSchema) =>
  storageErrors(Effect.catchTag(Migrations.run(sql, schema), "MigrationError", migrationError))

/** What the ports run on: a client that writes, and one for reads, which may be the same. */
export interface Clients {
  readonly reads: SqlClient.SqlClient
  readonly writes: SqlClient.SqlClient
  /** What migrations run on: the one that writes, where it is absent. */
  readonly migrates?: SqlClient.SqlClient | undefined
  /** The schema that the tables are in; `simplan` where it is absent. */
  readonly schema?: string | undefined
  /** Where other processes may be on the database. */
  readonly shared?: Ports.Shared | undefined
  readonly fastPaths?: Partial<FastPaths.FastPaths> | undefined
  readonly secretKeys?: string | Redacted.Redacted | undefined
}

/** The keys; none where they are absent. */
const keysOf = (secretKeys: string | Redacted.Redacted | undefined) =>
  secretKeys === undefined
    ? Effect.succeed([])
    : Effect.mapError(
        Effect.fromResult(
          Result.flatMap(Arguments.secret("secretKeys", secretKeys, SecretKeys.allowed), (text) =>
            Result.mapError(SecretKeys.parse(Redacted.make(text)), (problem) => `The secret key ${problem}`)
          )
        ),
        (message) => new Storage.StorageError({ message })
      )

/** The schema; the one of every service that chooses none where it is absent. */
const schemaOf = (name: string | undefined) =>
  Effect.mapBoth(Effect.fromResult(DatabaseSchema.parse(name ?? DatabaseSchema.DEFAULT)), {
    onSuccess: DatabaseSchema.make,
    onFailure: (message) => new Storage.StorageError({ message })
  })

/**
 * Brings all secrets to the first of these keys, with which the storage's layer has to be built, and returns how many
 * rows were changed. It works in small steps while the service runs, and can be stopped and begun again.
 */
export const reencrypt = (
  secretKeys: string | Redacted.Redacted,
  options: { readonly schema?: string | undefined } = {}
): Effect.Effect<number, Storage.StorageError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const keys = yield* keysOf(secretKeys)
    const schema = yield* schemaOf(options.schema)
    const sql = yield* SqlClient.SqlClient
    return yield* storageErrors(Reencryption.run(schema.client(sql), keys))
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
      yield* migrate(migrates, schema)
      yield* storageErrors(KeyCheck.run(schema.client(migrates), keys))
      const database = yield* Database.make({
        reads: schema.client(clients.reads),
        writes: schema.client(clients.writes),
        fastPaths: clients.fastPaths
      })
      const remembers = keys.length > 0 && database.fastPaths.recentSecrets
      const cipher = remembers ? RecentSecrets.make(Cipher.make(keys)) : Cipher.make(keys)
      const ports = Ports.make(database, cipher, clients.shared)
      return Context.add(ports, SqlClient.SqlClient, clients.writes)
    })
  )

/**
 * The ports on a server. Reads are pipelined over one connection, commits go over plain pooled ones: each way is the
 * faster one for its kind. Fails within 5 s with one sentence where an option is not allowed, and where the database
 * cannot be reached.
 */
export const layer = (options: ServerOptions.Options): Layer.Layer<Provided, Storage.StorageError> =>
  layerOf(
    Effect.gen(function* () {
      const { alone, fastPaths, maxConnections, patience, schema, secretKeys, url } =
        yield* ServerOptions.check(options)
      const urls = PrimaryHost.urlsOf(url)
      const first = urls[0] ?? url
      const named = {
        url: first,
        database: DatabaseUrl.databaseOf(first),
        applicationName: "simplan",
        connectTimeout: "4 seconds"
      } as const
      const primary = urls.length > 1 ? yield* PrimaryHost.follow(urls, named) : undefined
      const plain = primary === undefined ? named : { ...named, stream: () => primary("1 hour") }
      const watched = {
        ...plain,
        stream: () => (primary === undefined ? ConnectionWatchdog.open(first, patience) : primary(patience))
      }
      const signOfLife = ConnectionWatchdog.signOfLife(patience)
      // With a time to live, the pool looks at a connection before it hands it out, and gives no dead one. Where there is
      // little to do one would be closed every ten seconds, and opened again for the next look at the queues.
      const shared = { ...watched, connectionTTL: "30 minutes", idleTimeout: "5 minutes" } as const
      const service = DatabaseSchema.make(schema)
      const session = Session.opening(watched)
      const target = { argument: "url", address: DatabaseUrl.addressOf(first) }
      const occupancy = yield* DatabaseLock.hold(session, target, service, alone, signOfLife)
      const writes = yield* PgClient.make({ ...shared, maxConnections })
      const reads = yield* PgClient.make({ ...shared, maxConnections: 1, multiplex: true })
      yield* ConnectionMetrics.recordConnections("writes", maxConnections)
      yield* ConnectionMetrics.recordConnections("reads", 1)
      const offset = yield* ClockOffset.follow(writes)
      const notifications = yield* Notifications.make(session, service.channel, signOfLife)
      // A migration may take its time, and waits for that of another process.
      const migrates = yield* PgClient.make({ ...plain, maxConnections: 1 })
      return { reads, writes, migrates, fastPaths, schema, secretKeys, shared: { offset, occupancy, notifications } }
    }).pipe(
      Effect.catchTag("SqlError", (error) => Effect.fail(Failure.storageError(error))),
      Effect.provide(Reactivity.layer)
    )
  )
