/**
 * The options of the layer on a server, and their check at the start.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { type Duration, Effect, Predicate, type Redacted, Result, type Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { Storage } from "simplan/ports"
import * as Arguments from "./connection/Arguments.ts"
import * as Connections from "./connection/Connections.ts"
import * as Database from "./database/Database.ts"
import * as DatabaseSchema from "./database/DatabaseSchema.ts"
import * as PgPool from "./connection/PgPool.ts"
import * as Pooler from "./connection/Pooler.ts"
import * as Sockets from "./connection/Sockets.ts"
import * as SecretKeys from "./encryption/SecretKeys.ts"

/**
 * One of `url`, `pool` and `client` says where the database is. A pooler in transaction mode, such
 * as PgBouncer may be in, needs a direct address of the database beside it, `directUrl`; without
 * one it is refused at the start. One in session mode needs none.
 *
 * With a URL the connection for reads begins with `enable_seqscan=off` and `jit=off`, so that plans
 * which PostgreSQL makes while a table is empty stay good while it grows. A pooler that refuses
 * these settings gets none. Commits, and reads inside a host's transaction, have the planner's
 * usual settings. A host that hands in a pool or a client may set them itself, for all of its
 * statements there: `options: "-c enable_seqscan=off -c jit=off"` in the settings of a `Pool`,
 * `startupParameters` in those of a `PgClient`.
 */
export interface Options {
  /**
   * With several hosts, `postgres://a:1,b:2/database`, the one that takes writes is found and
   * followed.
   */
  readonly url?: Arguments.DatabaseUrl | undefined
  /**
   * A pool of the package `pg`: all statements go through it, and it is not ended. One connection
   * is opened beside it, with the pool's options: it receives what other processes notify. A host
   * that keeps connections of the pool while it calls needs one more in the pool than it keeps, or
   * the call waits for `waitLimit` and fails.
   */
  readonly pool?: PgPool.PgPool | undefined
  /**
   * The host's client of `@effect/sql-pg`: all statements go through it, so that they join its
   * transactions. One connection is opened beside it, with the client's options: it receives what
   * other processes notify.
   */
  readonly client?: PgClient.PgClient | undefined
  /**
   * The database's direct address, if the other one is a pooler's: locks, notifications and
   * migrations go there, over at most two connections. Statements go through the pooler then, and
   * rest on no session. They are prepared if the pooler carries that, as PgBouncer does from
   * 1.21 on with `max_prepared_statements`; a host's `client` has to be made with `prepare: false`
   * if it does not.
   */
  readonly directUrl?: Arguments.DatabaseUrl | undefined
  /**
   * The schema of the database that the tables are in, `simplan` if it is absent; made if it
   * is missing. Services in two schemas of one database share nothing. 1 to 63 lower-case letters,
   * digits and underscores.
   */
  readonly schema?: string | undefined
  /**
   * With a URL: how many connections commits may use at once, 10 if it is absent; reads share
   * one more, heavy ones have up to seven while there are some, one holds the database, and one is
   * for notifying other processes and listening to them.
   */
  readonly maxConnections?: number | undefined
  /**
   * Whether the process is to be the only one on the database, as with a virtual clock; not if
   * it is absent.
   */
  readonly alone?: boolean | undefined
  /**
   * How long the database may be silent before a connection counts as lost, 1 s to 1 h; 30 s if
   * it is absent.
   */
  readonly waitLimit?: Duration.Input | undefined
  /** Which fast paths are taken; all of them if it is absent. */
  readonly fastPaths?: Partial<Database.FastPaths> | undefined
  /**
   * The key that signing keys, webhook URLs and activation codes are encrypted with, 32 bytes in
   * base64 or hexadecimal; during a rotation the new and the old one with a comma between. If it
   * is absent they are stored plain.
   */
  readonly secretKeys?: string | Redacted.Redacted | undefined
}

const known = [
  "url",
  "pool",
  "client",
  "directUrl",
  "schema",
  "maxConnections",
  "alone",
  "waitLimit",
  "fastPaths",
  "secretKeys"
] as const satisfies ReadonlyArray<keyof Options>

const fastPathsOf = (given: Options["fastPaths"]): Arguments.Checked<Database.FastPaths> =>
  Result.gen(function* () {
    const found = yield* Arguments.object("fastPaths", given ?? {}, Object.keys(Database.defaults))
    for (const [name, value] of Object.entries(found)) {
      if (value !== undefined) yield* Arguments.trueOrFalse(`fastPaths.${name}`, value)
    }
    return { ...Database.defaults, ...given }
  })

type Connecting = Effect.Effect<
  Connections.Connections,
  SqlError.SqlError | Storage.StorageError,
  Scope.Scope | Reactivity.Reactivity
>

const isPool = (value: object): boolean =>
  typeof Reflect.get(value, "connect") === "function" &&
  typeof Reflect.get(value, "options") === "object" &&
  PgPool.canOpen(value)

/** How the connections are made that the options name. */
const connecting = (options: Options, waitLimit: Duration.Duration): Arguments.Checked<Connecting> =>
  Result.gen(function* () {
    const { client, pool, url } = options
    const direct =
      options.directUrl === undefined ? undefined : yield* Arguments.databaseUrl(Pooler.DIRECT_URL, options.directUrl)
    const given = (["url", "pool", "client"] as const).filter((name) => options[name] !== undefined)
    if (given.length > 1) {
      return yield* Result.fail(`${given.join(" and ")} are given, but the database must be named by one of them`)
    }
    if (options.maxConnections !== undefined && (pool ?? client) !== undefined) {
      return yield* Result.fail(
        `maxConnections is given, but must not be beside ${given.join()}, which has its own limit`
      )
    }
    if (pool !== undefined) {
      yield* Arguments.object("pool", pool)
      if (!isPool(pool)) return yield* Arguments.notAllowed("pool", pool, "a Pool of the package pg")
      return Connections.ofPool(pool, waitLimit, direct)
    }
    if (client !== undefined) {
      if (!Predicate.hasProperty(client, PgClient.TypeId)) {
        return yield* Arguments.notAllowed("client", client, "a PgClient of @effect/sql-pg")
      }
      return Connections.ofClient(client, waitLimit, direct)
    }
    const max = yield* Arguments.wholeNumber("maxConnections", options.maxConnections ?? 10, 1, 1_000)
    return Connections.ofUrl(yield* Arguments.databaseUrl("url", url), max, waitLimit, direct)
  })

const read = (options: Options) =>
  Result.gen(function* () {
    yield* Arguments.object("The options of Postgres.layer", options, known)
    const given = options.waitLimit ?? Sockets.WAIT_LIMIT
    const waitLimit = yield* Arguments.duration("waitLimit", given, "1 second", "1 hour")
    return {
      schema: yield* DatabaseSchema.parse(options.schema ?? DatabaseSchema.DEFAULT),
      alone: yield* Arguments.trueOrFalse("alone", options.alone ?? false),
      waitLimit,
      connect: yield* connecting(options, waitLimit),
      fastPaths: yield* fastPathsOf(options.fastPaths),
      secretKeys: yield* Result.map(SecretKeys.given(options.secretKeys), () => options.secretKeys)
    }
  })

/**
 * The options, with what is absent filled in. Fails with the sentence about the first that is not
 * allowed.
 */
export const check = (options: Options) =>
  Effect.mapError(
    Effect.suspend(() => Effect.fromResult(read(options))),
    (message) => new Storage.StorageError({ message })
  )
