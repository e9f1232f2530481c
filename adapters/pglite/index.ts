/**
 * simplan's storage, jobs and outbox on PGlite: PostgreSQL in this very process, in memory or in a directory.
 *
 *     const layer = Pglite.layer({ dataDir: "./data" })
 *
 * The statements, codecs and migrations are those of `simplan/postgres`. There is one session, which every statement
 * shares; only a transaction has it for itself. A commit is in the operating system's hands when it is answered, so it
 * survives the process, `kill -9` included; PGlite does not force it to the disk, so a power cut can take the last ones.
 */
import { mkdir } from "node:fs/promises"
import { resolve } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { Storage } from "simplan/ports"
import * as Postgres from "../postgres/index.ts"
import * as Bridge from "./Bridge.ts"
import * as DirectoryLock from "./DirectoryLock.ts"
import * as Opening from "./Opening.ts"
import * as Upkeep from "./Upkeep.ts"

export interface Options {
  /** Where the data are; made where it is missing. In memory where it is not given. */
  readonly dataDir?: string | undefined
  /** The key that signing keys and activation codes are encrypted with, as for `simplan/postgres`. */
  readonly secretKeys?: Redacted.Redacted | undefined
}

const failed = (what: string) => (cause: unknown) => new Storage.StorageError({ message: what, cause })

const directory = Effect.fnUntraced(function* (dataDir: string) {
  const path = resolve(dataDir)
  yield* Effect.tryPromise({
    try: () => mkdir(path, { recursive: true, mode: 0o700 }),
    catch: failed(`The data directory ${path} cannot be made`)
  })
  yield* DirectoryLock.acquire(path)
  return path
})

const database = (dataDir: string | undefined) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => (dataDir === undefined ? Opening.inMemory() : Opening.inDirectory(dataDir)),
      catch: failed(dataDir === undefined ? "PGlite cannot start" : `PGlite cannot open ${dataDir}`)
    }),
    (opened) => Effect.ignore(Effect.tryPromise(() => opened.close()))
  )

/** The ports in this process. A directory that another process has open is refused. */
export const layer = (options: Options = {}): Layer.Layer<Postgres.Provided, Storage.StorageError> =>
  Postgres.layerOf(
    Effect.gen(function* () {
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
      if (path !== undefined) yield* Upkeep.run(client)
      return { reads: client, writes: client, secretKeys: options.secretKeys }
    }).pipe(Effect.provide(Reactivity.layer))
  )
