/**
 * simplan's storage, jobs and outbox on PGlite: PostgreSQL in this very process, in memory or in a
 * directory.
 *
 *     const layer = Pglite.layer({ dataDir: "./data" })
 *
 * The statements, codecs and migrations are those of `simplan/postgres`. There is one session,
 * which every statement shares, those of the host included; only a transaction has it for itself.
 * It begins with `enable_seqscan=off` and `jit=off`. A commit is in the operating system's hands
 * when it is answered, so it survives the process, `kill -9` included; PGlite does not force it to
 * the disk, so a power cut can take the last ones.
 *
 * While the file system has less than 32 MB left, writes of the ports fail with a `StorageError`,
 * reads go on, and the directory cannot be opened. A host's own statements are not held back:
 * PGlite spins for ever if one fills the disk.
 *
 * What a server does by itself and PGlite does not is done here: to give back the room of rows that
 * are gone, and to learn how many there are. Without it a directory would grow without end. And the
 * plans of prepared statements would stay those of the tables as they were when the statements were
 * prepared: on empty tables these read every row, and get slower with each one.
 */
import { Duplex } from "node:stream"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { Storage } from "simplan/ports"
import * as Arguments from "../postgres/connection/Arguments.ts"
import * as Connections from "../postgres/connection/Connections.ts"
import * as HostConnection from "../postgres/database/HostConnection.ts"
import * as Postgres from "../postgres/index.ts"
import * as DataDirectory from "./DataDirectory.ts"
import * as Opening from "./Opening.ts"
import * as Turns from "./Turns.ts"

/** A PGlite of the host's own, as the package `@electric-sql/pglite` has it from 0.4 on. */
export type Given = Turns.Given

/** Where the embedded database is, and what is encrypted in it. */
export interface Options {
  /**
   * A PGlite of the host's own, which stays open, in place of `dataDir`. Its session takes turns:
   * while the host has a transaction, whatever else is asked of simplan waits for its end. Calls
   * inside of the transaction join it (rule H1).
   */
  readonly database?: Given | undefined
  /** Where the data are; made if it is missing. In memory if it is not given. */
  readonly dataDir?: string | undefined
  /** The schema that the tables are in, as for `simplan/postgres`. */
  readonly schema?: string | undefined
  /**
   * The key that signing keys, webhook URLs and activation codes are encrypted with, as for
   * `simplan/postgres`.
   */
  readonly secretKeys?: string | Redacted.Redacted | undefined
}

const failed = (what: string) => (cause: unknown) => new Storage.StorageError({ message: what, cause })

const directory = Effect.fnUntraced(function* (dataDir: unknown) {
  const path = yield* Effect.fromResult(DataDirectory.pathOf(dataDir))
  yield* DataDirectory.make(path)
  yield* DataDirectory.lock(path)
  yield* DataDirectory.roomForOpening(path, !Opening.isMade(path))
  return path
})

const checked = (options: Options): Effect.Effect<object, Storage.StorageError> =>
  Effect.mapError(
    Effect.fromResult(
      Arguments.object("The options of Pglite.layer", options, ["database", "dataDir", "schema", "secretKeys"])
    ),
    (message) => new Storage.StorageError({ message })
  )

const database = (dataDir: string | undefined) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => (dataDir === undefined ? Opening.inMemory() : Opening.inDirectory(dataDir)),
      catch: failed(dataDir === undefined ? "PGlite cannot start" : `PGlite cannot open ${dataDir}`)
    }),
    // Failure: the process ends; the next one recovers the directory as after a kill.
    (opened) => Effect.ignore(Effect.tryPromise(() => opened.close()))
  )

// A request to cancel comes on a stream of its own. There is nothing to cancel: each message runs
// to its end.
const CANCEL_REQUEST = 80_877_102

const isCancelRequest = (message: Buffer): boolean => message.length === 16 && message.readInt32BE(4) === CANCEL_REQUEST

// The last message of a connection would end PGlite's session, which the next one needs.
const isTerminate = (message: Buffer): boolean => message.length === 5 && message.toString("latin1", 0, 1) === "X"

/**
 * A new connection of the SQL client: a stream that carries the wire protocol.
 *
 * PGlite is one session for ever, while the client may give up a connection and open another. So
 * each stream begins with a session that is as new: nothing is left of a transaction or of prepared
 * statements. The planner has the settings of reads on a server, for every statement. The session
 * of a PGlite that the host has given keeps all but prepared statements.
 */
const connect = (database: Given, turns: Turns.Turns | null): Duplex => {
  let opened = false

  const open = async (): Promise<void> => {
    opened = true
    if (turns !== null) {
      await database.exec("deallocate all")
      return
    }
    await database.exec("rollback")
    await database.exec("discard all")
    for (const [name, value] of Object.entries(Connections.plannerSettings))
      await database.exec(`set ${name} = ${value}`)
  }

  const send = async (message: Buffer): Promise<void> => {
    if (!opened) {
      if (isCancelRequest(message)) {
        stream.destroy()
        return
      }
      await open()
    }
    if (isTerminate(message)) return
    await turns?.begin()
    // Without a callback of one's own PGlite parses each reply, and keeps the parsed messages for
    // ever.
    await database.execProtocolRawStream(new Uint8Array(message), {
      onRawData: (reply) => {
        turns?.observe(reply)
        if (reply.length > 0 && !stream.destroyed) stream.push(Buffer.from(reply))
      }
    })
    turns?.end()
  }

  const stream = new Duplex({
    read: () => {},
    write: (message: Buffer, _encoding, done) => {
      send(message).then(() => done(), done)
    },
    destroy: (error, done) => {
      const ended = turns?.giveUp() ?? Promise.resolve()
      ended.then(() => done(error), done)
    }
  })
  return stream
}

/** How often the changes are counted. */
const INTERVAL = "15 seconds"

// The thresholds are those of PostgreSQL's autovacuum: 50 rows, and a fifth of the table for rows
// that are gone, or a tenth for rows that are new or changed; and 200,000,000 transactions since
// the table was frozen.
const changedTables = (sql: SqlClient.SqlClient) =>
  sql<{ readonly name: string }>`
    select format('%I.%I', stat.schemaname, stat.relname) as name
    from pg_stat_all_tables stat
    join pg_class on pg_class.oid = stat.relid
    where stat.schemaname <> 'pg_toast'
      and (
        stat.n_dead_tup > 50 + 0.2 * greatest(pg_class.reltuples, 0)
        or stat.n_mod_since_analyze > 50 + 0.1 * greatest(pg_class.reltuples, 0)
        or pg_class.relkind <> 'p' and age(pg_class.relfrozenxid) > 200000000
      )`.unprepared

/**
 * Tables that are not PostgreSQL's own, which change little. PostgreSQL loses its counts of changed
 * rows when its process is killed, so a directory that was opened has all of them analyzed once.
 */
const allTables = (sql: SqlClient.SqlClient) =>
  sql<{ readonly name: string }>`
    select format('%I.%I', pg_namespace.nspname, pg_class.relname) as name
    from pg_class
    join pg_namespace on pg_namespace.oid = pg_class.relnamespace
    where pg_class.relkind in ('r', 'm') and pg_namespace.nspname not in ('pg_catalog', 'information_schema')`
    .unprepared

/**
 * Analyzes tables. What fails is done the next time. Nothing else happens in the process while
 * PGlite works, so each table has a statement of its own, between which others have their turn.
 */
const vacuum = (sql: SqlClient.SqlClient, tables: ReturnType<typeof allTables>): Effect.Effect<void> =>
  // Failure: the next round analyzes them.
  Effect.ignore(
    Effect.flatMap(tables, (found) =>
      Effect.forEach(found, ({ name }) => Effect.ignore(sql.unsafe(`vacuum (analyze) ${name}`).unprepared), {
        discard: true
      })
    )
  )

/**
 * Analyzes what has changed, every 15 seconds until the scope ends, unless there is no room for it;
 * the first time all tables, if a directory was opened. The start does not wait for that.
 */
const upkeep = (sql: SqlClient.SqlClient, room?: Effect.Effect<void, unknown>) => {
  // Failure: the next round analyzes them.
  const round = (tables: ReturnType<typeof allTables>) =>
    Effect.delay(Effect.ignore(Effect.andThen(room ?? Effect.void, vacuum(sql, tables))), INTERVAL)
  const changed = Effect.repeat(round(changedTables(sql)), Schedule.forever)
  return Effect.forkScoped(room === undefined ? changed : Effect.andThen(round(allTables(sql)), changed))
}

const clientOf = (stream: () => Duplex) =>
  PgClient.make({
    stream,
    username: "postgres",
    database: "postgres",
    password: Redacted.make("unused"),
    maxConnections: 1,
    minConnections: 1,
    multiplex: true
  }).pipe(Effect.mapError(failed("PGlite does not answer")))

/** What the ports run on if the host has given the database, whose transactions they join. */
const ofGiven = Effect.fnUntraced(function* (given: Given) {
  yield* Effect.tryPromise({ try: () => given.waitReady, catch: failed("The PGlite cannot start") })
  const turns = Turns.make(given)
  const client = yield* clientOf(() => connect(given, turns))
  const home = yield* Effect.mapError(HostConnection.databaseOf(client), failed("PGlite does not answer"))
  return { reads: client, writes: client, home }
})

/**
 * The ports in this process. Fails with one sentence if an option is not allowed, and if the
 * directory is a file, has other files, may not be written, or is open in another process.
 */
export const layer = (options: Options = {}): Layer.Layer<Postgres.Provided, Storage.StorageError> =>
  Postgres.layerOf(
    Effect.gen(function* () {
      yield* checked(options)
      const { database: given, schema, secretKeys } = options
      if (given !== undefined) return { ...(yield* ofGiven(given)), schema, secretKeys }
      const path = options.dataDir === undefined ? undefined : yield* directory(options.dataDir)
      const opened = yield* database(path)
      const client = yield* clientOf(() => connect(opened, null))
      const room = path === undefined ? undefined : DataDirectory.roomForWrites(path)
      yield* upkeep(client, room)
      return { reads: client, writes: client, beforeWrites: room, schema, secretKeys }
    }).pipe(Effect.provide(Reactivity.layer))
  )
