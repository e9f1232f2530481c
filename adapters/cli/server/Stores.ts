/**
 * The storage of a database URL, together with the books of the simulated telco and the journal of
 * telco calls.
 */
import { type Context, Effect, Layer, Redacted, type Scope } from "effect"
import { SqlError } from "effect/sql"
import type { Jobs, Outbox, Storage } from "simplan/ports"
import * as Memory from "../../memory/index.ts"
import type * as Pglite from "../../pglite/index.ts"
import * as Postgres from "../../postgres/index.ts"
import { Journal, SqlJournal } from "../../telco-calls/index.ts"
import { Books, SqlBooks } from "../../telco-simulator/index.ts"
import { type CommandFailed, impossible, sentence } from "../output/CommandFailed.ts"
import { type DatabaseUrl, withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Definitions from "../settings/Definitions.ts"
import * as Start from "../Start.ts"

export type Stores = Storage.Storage | Jobs.Jobs | Outbox.Outbox | Books.Books | Journal.Journal

/**
 * The message, and the message of its cause if that says more: what a failed statement says is in
 * the message.
 */
const reasonOf = (error: Storage.StorageError): string => {
  const cause = error.cause instanceof Error && !SqlError.isSqlError(error.cause) ? error.cause.message : ""
  return error.message.includes(cause) ? error.message : `${error.message.replace(/\.$/, "")}: ${cause}`
}

const unusable = (
  { database, directVariable = Definitions.DATABASE_DIRECT_URL }: Pick<Options, "database" | "directVariable">,
  error: Storage.StorageError
): CommandFailed => {
  const reason = sentence(withoutPassword(reasonOf(error)))
  return database._tag === "Postgres"
    ? impossible(
        `The database at ${withoutPassword(database.url)} cannot be used: ${reason.replaceAll("directUrl", directVariable)}`
      )
    : impossible(reason)
}

/** Loaded only if it is needed; it is an optional dependency. */
const pglite = (options: Pglite.Options) =>
  Layer.unwrap(
    Effect.promise(async () => {
      Start.limitWebAssembly()
      // The adapter imports it once a database opens. If it is absent, the command says what to
      // install.
      await import("@electric-sql/pglite")
      return (await import("../../pglite/index.ts")).layer(options)
    })
  )

/** What telcos keep in the schema of the service. */
export interface Keeps {
  /** The books of simulated telcos. */
  readonly books: boolean
  /** The journal of the calls of others. */
  readonly journal: boolean
}

/** What of the settings says how the storage is opened. */
export interface Options {
  readonly database: DatabaseUrl
  /** The direct address, if `database` is that of a pooler; none unless given. */
  readonly databaseDirect?: string | null
  /** The variable that says it; that of a server unless given. */
  readonly directVariable?: string
  readonly schema: string
  readonly secretKeys: Redacted.Redacted | null
  /** What of the telcos is kept beside the storage, and else is empty and not stored. */
  readonly keeps: Keeps
}

const layer = (
  { database, databaseDirect, keeps, schema, secretKeys: given }: Options,
  alone: boolean
): Layer.Layer<Stores, Storage.StorageError> => {
  const secretKeys = given ?? undefined
  const beside = Layer.merge(
    keeps.books ? SqlBooks.layerIn(schema) : Books.layerMemory,
    keeps.journal ? SqlJournal.layerIn(schema) : Journal.layerMemory
  )
  switch (database._tag) {
    case "Memory":
      return Layer.mergeAll(Memory.layer, Books.layerMemory, Journal.layerMemory)
    case "Pglite":
      return Layer.provideMerge(beside, pglite({ dataDir: database.directory, schema, secretKeys }))
    case "Postgres": {
      const url = Redacted.make(database.url)
      const directUrl = databaseDirect ? Redacted.make(databaseDirect) : undefined
      const storage = Postgres.layer({ url, directUrl, schema, alone, secretKeys })
      if (directUrl === undefined) return Layer.provideMerge(beside, storage)
      // The user of the other address may have rows alone.
      const client = Layer.suspend(() => Postgres.migratingClient({ url: directUrl, schema }))
      const made = Layer.effectDiscard(Effect.scoped(Layer.build(Layer.fresh(Layer.provide(beside, client)))))
      return Layer.provideMerge(beside, Layer.provideMerge(made, storage))
    }
  }
}

/**
 * Opens the storage and the books until the scope closes. Until then a data directory is locked,
 * and with `alone` the database of a server too.
 */
export const open = (
  options: Options,
  alone = false
): Effect.Effect<Context.Context<Stores>, CommandFailed, Scope.Scope> =>
  Effect.mapError(Layer.build(layer(options, alone)), (error) => unusable(options, error))

/** All that the schema of a server has, as SQL text for a migration tool of one's own. */
export const migrations = (schema: string): string =>
  [Postgres.migrations({ schema }), SqlBooks.migration(schema), SqlJournal.migration(schema)].join("\n")

/** What the migrations that the server's database has not had will do to it. */
export const pendingMigrations = (database: DatabaseUrl & { readonly _tag: "Postgres" }, schema: string) =>
  Effect.mapError(Postgres.pendingMigrations({ url: Redacted.make(database.url), schema }), (error) =>
    unusable({ database }, error)
  )

/** Places the tables of a server's database on its servers, or says what there is to do. */
export const distribute = (
  database: DatabaseUrl & { readonly _tag: "Postgres" },
  schema: string,
  isDry: boolean
): Effect.Effect<ReadonlyArray<Postgres.PlacingStep>, CommandFailed> =>
  Effect.mapError(Postgres.distribute({ url: Redacted.make(database.url), schema }, { isDry }), (error) =>
    unusable({ database }, error)
  )

/**
 * Brings the secrets in the database to the first of the keys; returns how many rows were changed.
 */
export const reencrypt = (
  database: Exclude<DatabaseUrl, { readonly _tag: "Memory" }>,
  schema: string,
  secretKeys: Redacted.Redacted
): Effect.Effect<number, CommandFailed> =>
  Postgres.reencrypt(secretKeys, { schema }).pipe(
    Effect.provide(
      database._tag === "Pglite"
        ? pglite({ dataDir: database.directory, schema, secretKeys })
        : Postgres.layer({ url: Redacted.make(database.url), schema, secretKeys })
    ),
    Effect.mapError((error) => unusable({ database }, error))
  )
