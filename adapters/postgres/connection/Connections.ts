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
import * as SessionSettings from "./SessionSettings.ts"
import * as Failure from "./Failure.ts"
import { Storage } from "simplan/ports"
import * as PgPool from "./PgPool.ts"
import * as Pooler from "./Pooler.ts"
import * as Session from "./Session.ts"
import * as Sockets from "./Sockets.ts"

/** Opened once the database can be reached. */
type Opening = Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity>

export interface Connections {
  readonly reads: Effect.Effect<Reads, SqlError, Scope.Scope | Reactivity.Reactivity>
  readonly writes: Opening
  /** A migration may take its time, and waits for that of another process. */
  readonly migrates: Opening
  /** What holds the lock and listens to other processes. */
  readonly session: Session.Open
  /** Such a session over another connection each time. */
  readonly ownSession: Session.Open
  /** Where sessions go. */
  readonly target: Failure.Target
  /** Whether sessions and migrations have an address of their own, beside a pooler's. */
  readonly hasDirect: boolean
  /** How many connections there may be. */
  readonly max: { readonly reads: number; readonly heavy?: number; readonly writes: number }
}

/** What reads run on. */
export interface Reads {
  readonly reads: SqlClient.SqlClient
  /** Heavy reads alone; absent if they share the connections of commits. */
  readonly heavy?: SqlClient.SqlClient | undefined
}

/**
 * How many heavy reads and searches (`HeavyReads`) and steps of filtered lists (`FilteredLists`) a
 * process has under way.
 */
const HEAVY = 7

/**
 * The planner's settings on the connection for reads, if simplan opens that connection itself.
 *
 * PostgreSQL keeps the plan of a prepared statement until its tables have new statistics. A plan
 * that was made while a table was empty may read that table as a whole, and goes on doing so while
 * thousands of rows are added. Every read of a table that grows has an index to use, so
 * `enable_seqscan` is off. The few small tables without one are read as a whole all the same.
 * Servers before version 18 take such a read for so expensive that they would compile it, so `jit`
 * is off.
 */
export const plannerSettings = { enable_seqscan: "off", jit: "off" } as const

/**
 * The settings that connections begin with; none if one is refused because of them, as by a
 * pooler.
 */
const acceptedSettings = (config: PgConnection.Config) =>
  PgConnection.make({ ...config, startupParameters: { ...SessionSettings.startup, ...plannerSettings } }).pipe(
    Effect.scoped,
    Effect.as(SessionSettings.startup),
    Effect.catch((error) =>
      Failure.isProtocolRefused(error)
        ? Effect.as(
            Effect.logInfo("the connections go without settings of their own, the planner's too: they are refused"),
            undefined
          )
        : Effect.succeed(SessionSettings.startup)
    ),
    Effect.cached
  )

/** How connections to a URL are opened. */
const addressed = Effect.fnUntraced(function* (
  argument: string,
  url: Redacted.Redacted,
  waitLimit: Duration.Duration
): Effect.fn.Return<Addressed, Storage.StorageError, Scope.Scope> {
  const urls = Arguments.urlsOf(url)
  const first = urls[0] ?? url
  const named = {
    url: first,
    database: Arguments.databaseOf(first),
    applicationName: "simplan",
    connectTimeout: "4 seconds"
  } as const
  const primary = urls.length > 1 ? yield* Sockets.follow(argument, urls, named) : undefined
  const plain = primary === undefined ? named : { ...named, stream: () => primary("1 hour") }
  const watched = {
    ...plain,
    stream: () => (primary === undefined ? Sockets.open(first, waitLimit) : primary(waitLimit))
  }
  return { plain, watched, target: { argument, address: Arguments.addressOf(first) } }
})

/** The settings of connections to a URL. */
interface Addressed {
  /** For what may take its time. */
  readonly plain: PgConnection.Config
  /** For what is lost if the database is silent. */
  readonly watched: PgConnection.Config
  readonly target: Failure.Target
}

type Direct = Pick<Connections, "migrates" | "ownSession" | "session" | "target">

/** The direct address beside a pooler: at most two connections, one of them for migrations. */
const beside = Effect.fnUntraced(function* (url: Redacted.Redacted, waitLimit: Duration.Duration) {
  const { plain, target, watched } = yield* addressed(Pooler.DIRECT_URL, url, waitLimit)
  const ownSession = Session.opening(watched)
  const settings = yield* acceptedSettings(plain)
  const direct: Direct = {
    migrates: Effect.flatMap(settings, (startupParameters) =>
      PgClient.make({ ...plain, startupParameters, maxConnections: 1 })
    ),
    ownSession,
    session: yield* Session.shared(ownSession),
    target
  }
  return direct
})

/**
 * Where all that is beside the statements goes, and how the statements' own connections are used.
 */
const withDirect = Effect.fnUntraced(function* (
  own: { readonly open: Session.Open; readonly target: Failure.Target },
  directUrl: Redacted.Redacted | undefined,
  waitLimit: Duration.Duration
) {
  if (directUrl === undefined) return { direct: undefined, way: Pooler.DIRECT }
  const way = yield* Pooler.wayOf(own.open, own.target)
  return { direct: yield* beside(directUrl, waitLimit), way }
})

/**
 * The connections to a URL. Reads are pipelined over one connection, commits go over plain pooled
 * ones: each way is the faster one for its kind. Heavy reads have a few connections of their own,
 * which are opened when they are needed. Through a pooler, a session is everybody's, and has no
 * settings of the planner. If it carries no prepared statements, each statement is planned anew,
 * when the planner knows how large the tables are.
 */
export const ofUrl = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  maxConnections: number,
  waitLimit: Duration.Duration,
  directUrl?: Redacted.Redacted
) {
  const { plain, target, watched } = yield* addressed("url", url, waitLimit)
  const ownSession = Session.opening(watched)
  const { direct, way } = yield* withDirect({ open: ownSession, target }, directUrl, waitLimit)
  // With a time to live, the pool checks a connection before it hands it out, and gives no dead
  // one. If there is little to do one would be closed every ten seconds, and opened again for
  // the next poll of the queues.
  const shared = { ...watched, connectionTTL: "30 minutes", idleTimeout: "5 minutes" } as const
  const settings = way.isPooled ? Effect.undefined : yield* acceptedSettings(plain)
  const opened = (options: object, more: Readonly<Record<string, string>> = {}): Opening =>
    Effect.flatMap(settings, (accepted) =>
      PgClient.make({ ...plain, ...options, startupParameters: accepted && { ...accepted, ...more } })
    )
  const prepare = way.keepsPrepared
  const connections: Connections = {
    writes: opened({ ...shared, maxConnections, prepare }),
    reads: Effect.all({
      reads: opened({ ...shared, maxConnections: 1, multiplex: true, prepare }, plannerSettings),
      heavy: opened({ ...shared, maxConnections: HEAVY, prepare }, plannerSettings)
    }),
    migrates: direct?.migrates ?? opened({ maxConnections: 1 }),
    session: direct?.session ?? ownSession,
    ownSession: direct?.ownSession ?? ownSession,
    target: direct?.target ?? target,
    hasDirect: direct !== undefined,
    max: { reads: 1, heavy: HEAVY, writes: maxConnections }
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

/** The connections of a host's pool, and those beside it. */
export const ofPool = Effect.fnUntraced(function* (
  pool: PgPool.PgPool,
  waitLimit: Duration.Duration,
  directUrl?: Redacted.Redacted
) {
  const target = { argument: "pool", address: addressOfPool(pool) }
  const ownSession = PgPool.opening(pool, waitLimit)
  const { direct, way } = yield* withDirect({ open: ownSession, target }, directUrl, waitLimit)
  const client = yield* PgPool.client(pool, waitLimit, way.keepsPrepared)
  const max = Number(textOf(pool.options, "max", "10"))
  PgPool.survive(pool)
  const connections: Connections = {
    reads: Effect.succeed({ reads: client }),
    writes: Effect.succeed(client),
    migrates: direct?.migrates ?? PgPool.client(pool),
    session: direct?.session ?? (yield* Session.shared(ownSession)),
    ownSession: direct?.ownSession ?? ownSession,
    target: direct?.target ?? target,
    hasDirect: direct !== undefined,
    max: { reads: max, writes: max }
  }
  return connections
})

/** The connections of a host's Effect client, and those beside it. */
export const ofClient = Effect.fnUntraced(function* (
  client: PgClient.PgClient,
  waitLimit: Duration.Duration,
  directUrl?: Redacted.Redacted
) {
  const { config } = client
  const address = config.url === undefined ? undefined : Arguments.addressOf(config.url)
  const target = { argument: "client", address: address ?? `${config.host ?? "localhost"}:${config.port ?? 5432}` }
  // Names that the host has changed in rows would be changed in the JSON of our rows too.
  const plain = client.withoutTransforms()
  const ownSession = Session.opening({ ...config, connectTimeout: "4 seconds" })
  const { direct, way } = yield* withDirect({ open: ownSession, target }, directUrl, waitLimit)
  if (!way.keepsPrepared && config.prepare !== false) {
    return yield* new Storage.StorageError({
      message: `client prepares statements, which the pooler at ${target.address} does not keep, but must be made with prepare: false`
    })
  }
  const size = Predicate.hasProperty(config, "maxConnections") ? Number(config.maxConnections) : 10
  const connections: Connections = {
    reads: Effect.succeed({ reads: plain }),
    writes: Effect.succeed(plain),
    migrates: direct?.migrates ?? Effect.succeed(plain),
    session: direct?.session ?? (yield* Session.shared(ownSession)),
    ownSession: direct?.ownSession ?? ownSession,
    target: direct?.target ?? target,
    hasDirect: direct !== undefined,
    max: { reads: size, writes: size }
  }
  return connections
})
