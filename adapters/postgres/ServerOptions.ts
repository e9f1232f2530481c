/**
 * The options of the layer on a server, and their check at the start.
 */
import { type Duration, Effect, type Redacted, Result } from "effect"
import { Storage } from "simplan/ports"
import * as Arguments from "./connection/Arguments.ts"
import * as ConnectionWatchdog from "./connection/ConnectionWatchdog.ts"
import * as DatabaseSchema from "./connection/DatabaseSchema.ts"
import * as DatabaseUrl from "./connection/DatabaseUrl.ts"
import * as FastPaths from "./fast/FastPaths.ts"

export interface Options {
  /** With several hosts, `postgres://a:1,b:2/database`, the one that takes writes is found and followed. */
  readonly url: DatabaseUrl.DatabaseUrl
  /**
   * The schema of the database that the tables are in, `simplan` where it is absent; made where it is missing. Services
   * in two schemas of one database share nothing. 1 to 63 lower-case letters, digits and underscores.
   */
  readonly schema?: string | undefined
  /** How many connections commits may use at once, 10 where it is absent; reads share one more, one holds the database,
   * and one is for telling other processes and hearing of them. */
  readonly maxConnections?: number | undefined
  /** Whether the process is to be the only one on the database, as with a virtual clock; not where it is absent. */
  readonly alone?: boolean | undefined
  /** How long the database may be silent before a connection counts as lost, 1 s to 1 h; 30 s where it is absent. */
  readonly patience?: Duration.Input | undefined
  /** Which fast paths are taken; all of them where it is absent. */
  readonly fastPaths?: Partial<FastPaths.FastPaths> | undefined
  /**
   * The key that signing keys and activation codes are encrypted with, 32 bytes in base64 or hexadecimal; during a
   * rotation the new and the old one with a comma between. Where it is absent they are stored plain.
   */
  readonly secretKeys?: string | Redacted.Redacted | undefined
}

const known = [
  "url",
  "schema",
  "maxConnections",
  "alone",
  "patience",
  "fastPaths",
  "secretKeys"
] as const satisfies ReadonlyArray<keyof Options>

const fastPathsOf = (given: Options["fastPaths"]): Arguments.Checked<FastPaths.FastPaths> =>
  Result.gen(function* () {
    const found = yield* Arguments.object("fastPaths", given ?? {}, Object.keys(FastPaths.defaults))
    for (const [name, value] of Object.entries(found)) {
      if (value !== undefined) yield* Arguments.trueOrFalse(`fastPaths.${name}`, value)
    }
    return { ...FastPaths.defaults, ...given }
  })

const read = (options: Options) =>
  Result.gen(function* () {
    yield* Arguments.object("The options of Postgres.layer", options, known)
    return {
      url: yield* DatabaseUrl.parse(options.url),
      schema: yield* DatabaseSchema.parse(options.schema ?? DatabaseSchema.DEFAULT),
      maxConnections: yield* Arguments.wholeNumber("maxConnections", options.maxConnections ?? 10, 1, 1_000),
      alone: yield* Arguments.trueOrFalse("alone", options.alone ?? false),
      patience: yield* Arguments.duration(
        "patience",
        options.patience ?? ConnectionWatchdog.PATIENCE,
        "1 second",
        "1 hour"
      ),
      fastPaths: yield* fastPathsOf(options.fastPaths),
      secretKeys: options.secretKeys
    }
  })

/** The options, with what is absent filled in. Fails with the sentence about the first that is not allowed. */
export const check = (options: Options) =>
  Effect.mapError(
    Effect.suspend(() => Effect.fromResult(read(options))),
    (message) => new Storage.StorageError({ message })
  )
