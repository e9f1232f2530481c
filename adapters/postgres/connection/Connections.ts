/**
 * The connections of a service, in each of the ways in which a host names its database.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { type Duration, Effect, Predicate, type Redacted, type Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Arguments from "./Arguments.ts"
import * as Failure from "./Failure.ts"
import * as PgPool from "./PgPool.ts"
import * as Session from "./Session.ts"
import * as Sockets from "./Sockets.ts"

export interface Connections {
  /** Opened once the database can be reached. */
  readonly reads: Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity>
  readonly writes: SqlClient.SqlClient
  /** A migration may take its time, and waits for that of another process. */
  readonly migrates: SqlClient.SqlClient
  /** What holds the lock and listens to other processes. */
  readonly session: Session.Open
  /** Likewise, over another connection each time. */
  readonly ownSession: Session.Open
  readonly target: Failure.Target
  /** How many connections there may be. */
  readonly max: { readonly reads: number; readonly writes: number }
}

/**
 * The planner's settings on the connection for reads, where simplan opens that connection itself.
 *
 * PostgreSQL keeps the plan of a prepared statement until its tables have new statistics. A plan that was made while a
 * table was empty may read that table as a whole, and goes on doing so while thousands of rows are added. Every read of a
 * table that grows has an index to use, so `enable_seqscan` is off. The few small tables without one are read as a whole
 * all the same. Servers before version 18 take such a read for so expensive that they would compile it, so `jit` is off.
 */
export const plannerSettings = { enable_seqscan: "off", jit: "off" } as const

/** The settings, for connections that begin with them; none where a connection is refused because of them. */
const acceptedSettings = (config: PgConnection.Config) =>
  PgConnection.make({ ...config, startupParameters: plannerSettings }).pipe(
    Effect.scoped,
    Effect.as(plannerSettings),
    Effect.catch((error) =>
      Failure.isProtocolRefused(error)
        ? Effect.as(
            Effect.logInfo("the connection for reads goes without the planner's settings: they are refused"),
            undefined
          )
        : Effect.succeed(plannerSettings)
    )
  )

/**
 * The connections to a URL. Reads are pipelined over one connection, commits go over plain pooled ones: each way is the
 * faster one for its kind.
 */
export const ofUrl = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  maxConnections: number,
  waitLimit: Duration.Duration
) {
  const urls = Arguments.urlsOf(url)
  const first = urls[0] ?? url
  const named = {
    url: first,
    database: Arguments.databaseOf(first),
    applicationName: "simplan",
    connectTimeout: "4 seconds"
  } as const
  const primary = urls.length > 1 ? yield* Sockets.follow(urls, named) : undefined
  const plain = primary === undefined ? named : { ...named, stream: () => primary("1 hour") }
  const watched = {
    ...plain,
    stream: () => (primary === undefined ? Sockets.open(first, waitLimit) : primary(waitLimit))
  }
  // With a time to live, the pool checks a connection before it hands it out, and gives no dead one. Where there is
  // little to do one would be closed every ten seconds, and opened again for the next poll of the queues.
  const shared = { ...watched, connectionTTL: "30 minutes", idleTimeout: "5 minutes" } as const
  const connections: Connections = {
    writes: yield* PgClient.make({ ...shared, maxConnections }),
    reads: Effect.flatMap(acceptedSettings(plain), (startupParameters) =>
      PgClient.make({ ...shared, startupParameters, maxConnections: 1, multiplex: true })
    ),
    migrates: yield* PgClient.make({ ...plain, maxConnections: 1 }),
    session: Session.opening(watched),
    ownSession: Session.opening(watched),
    target: { argument: "url", address: Arguments.addressOf(first) },
    max: { reads: 1, writes: maxConnections }
  }
  return connections
})

const textOf = (options: object, name: string, otherwise: string): string => {
  const value: unknown = Reflect.get(options, name)
  return typeof value === "string" || typeof value === "number" ? String(value) : otherwise
}

const addressOfPool = ({ options }: PgPool.PgPool): string => {
  const url = textOf(options, "connectionString", "")
  if (URL.canParse(url)) return new URL(url).host
  const { PGHOST = "localhost", PGPORT = "5432" } = process.env
  return `${textOf(options, "host", PGHOST)}:${textOf(options, "port", PGPORT)}`
}

/** The connections of a host's pool, and one beside it. */
export const ofPool = Effect.fnUntraced(function* (pool: PgPool.PgPool, waitLimit: Duration.Duration) {
  const client = yield* PgPool.client(pool, waitLimit)
  const max = Number(textOf(pool.options, "max", "10"))
  const ownSession = PgPool.opening(pool, waitLimit)
  PgPool.survive(pool)
  const connections: Connections = {
    reads: Effect.succeed(client),
    writes: client,
    migrates: yield* PgPool.client(pool),
    session: yield* Session.shared(ownSession),
    ownSession,
    target: { argument: "pool", address: addressOfPool(pool) },
    max: { reads: max, writes: max }
  }
  return connections
})

/** The connections of a host's Effect client, and one beside it with the options of the client. */
export const ofClient = Effect.fnUntraced(function* (client: PgClient.PgClient) {
  const { config } = client
  const address = config.url === undefined ? undefined : Arguments.addressOf(config.url)
  // Names that the host has changed in rows would be changed in the JSON of our rows too.
  const plain = client.withoutTransforms()
  const ownSession = Session.opening({ ...config, connectTimeout: "4 seconds" })
  const size = Predicate.hasProperty(config, "maxConnections") ? Number(config.maxConnections) : 10
  const connections: Connections = {
    reads: Effect.succeed(plain),
    writes: plain,
    migrates: plain,
    session: yield* Session.shared(ownSession),
    ownSession,
    target: { argument: "client", address: address ?? `${config.host ?? "localhost"}:${config.port ?? 5432}` },
    max: { reads: size, writes: size }
  }
  return connections
})
