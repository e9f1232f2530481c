/**
 * simplan's storage, jobs and outbox on PGlite: PostgreSQL in this very process, in memory or in a directory.
 *
 *     const layer = Pglite.layer({ dataDir: "./data" })
 *
 * The statements, codecs and migrations are those of `simplan/postgres`. There is one session, which every statement
 * shares, those of the host included; only a transaction has it for itself. It begins with `enable_seqscan=off` and
 * `jit=off`. A commit is in the operating system's hands when it is answered, so it survives the process, `kill -9`
 * included; PGlite does not force it to the disk, so a power cut can take the last ones.
 *
 * While the file system has less than 32 MB left, writes of the ports fail with a `StorageError`, reads go on, and the
 * directory cannot be opened. A host's own statements are not held back: PGlite spins for ever where one fills the disk.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { Storage } from "simplan/ports"
import * as Arguments from "../postgres/connection/Arguments.ts"
import * as Postgres from "../postgres/index.ts"
import * as Bridge from "./Bridge.ts"
import * as DataDirectory from "./DataDirectory.ts"
import * as Opening from "./Opening.ts"
import * as Upkeep from "./Upkeep.ts"

/** Where the embedded database is, and what is encrypted in it. */
export interface Options {
  /** Where the data are; made where it is missing. In memory where it is not given. */
  readonly dataDir?: string | undefined
  /** The schema that the tables are in, as for `simplan/postgres`. */
  readonly schema?: string | undefined
  /** The key that signing keys, webhook URLs and activation codes are encrypted with, as for `simplan/postgres`. */
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
    Effect.fromResult(Arguments.object("The options of Pglite.layer", options, ["dataDir", "schema", "secretKeys"])),
    (message) => new Storage.StorageError({ message })
  )

const database = (dataDir: string | undefined) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => (dataDir === undefined ? Opening.inMemory() : Opening.inDirectory(dataDir)),
      catch: failed(dataDir === undefined ? "PGlite cannot start" : `PGlite cannot open ${dataDir}`)
    }),
    (opened) => Effect.ignore(Effect.tryPromise(() => opened.close()))
  )

/**
 * The ports in this process. Fails with one sentence where an option is not allowed, and where the directory is a file,
 * has other files, may not be written, or is open in another process.
 */
export const layer = (options: Options = {}): Layer.Layer<Postgres.Provided, Storage.StorageError> =>
  Postgres.layerOf(
    Effect.gen(function* () {
      yield* checked(options)
      const path = options.dataDir === undefined ? undefined : yield* directory(options.dataDir)
      const opened = yield* database(path)
      const client = yield* PgClient.make({
        stream: () => Bridge.connect(opened),
        username: "postgres",
        database: "postgres",
        password: Redacted.make("unused"),
        maxConnections: 1,
        minConnections: 1,
        multiplex: true
      }).pipe(Effect.mapError(failed("PGlite does not answer")))
      const room = path === undefined ? undefined : DataDirectory.roomForWrites(path)
      if (path !== undefined) yield* Upkeep.all(client)
      yield* Upkeep.follow(client, room)
      const { schema, secretKeys } = options
      return { reads: client, writes: client, beforeWrites: room, schema, secretKeys }
    }).pipe(Effect.provide(Reactivity.layer))
  )
