/**
 * The storage that the option `database` names. A storage is loaded when it is needed, so that a
 * host pays for no other.
 */
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Jobs, Outbox, Storage } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Errors from "../errors/Errors.ts"
import type { Journal } from "../../telco-calls/index.ts"
import type * as Postgres from "../../postgres/index.ts"
import type { Database, Options, PgliteDatabase } from "../Options.ts"

type StorageLayer<More = never> = Layer.Layer<Storage.Storage | Jobs.Jobs | Outbox.Outbox | More, unknown>

/** A storage that can be opened. */
export interface Opening {
  readonly layer: () => Promise<StorageLayer>
  /** The storage with a journal of telco calls in it; null if it can keep none. */
  readonly journaled: (() => Promise<StorageLayer<Journal.Journal>>) | null
  /** Whether no other process can be on it. */
  readonly isOwn: boolean
}

const METHOD = "createSimplan"

const ALLOWED =
  'must be "postgres://…" or a URL, a Pool of pg, { client }, "memory", a directory such as "./data", a PGlite, or { storage }'

const refused = (is: string): Errors.InvalidFieldError =>
  Arguments.invalid(METHOD, "database", `${ALLOWED}; it is ${is}`)

/** Where the layer of `simplan/postgres` finds the database. */
type Where = Pick<Postgres.Options, "url" | "pool" | "client">

const isPool = (database: object): database is NonNullable<Where["pool"]> =>
  "connect" in database && typeof database.connect === "function" && "options" in database

const isPglite = (database: object): database is PgliteDatabase =>
  "execProtocolRawStream" in database && "_runExclusiveTransaction" in database

// The layer refuses what is no client.
const isClient = (client: unknown): client is NonNullable<Where["client"]> =>
  typeof client === "function" || (typeof client === "object" && client !== null)

// Which ports a layer gives shows when it is built.
const isStorage = (value: unknown): value is StorageLayer => Layer.isLayer(value)

const isMissing = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND")

/** PGlite is an optional dependency. */
const pglite = async (dataDir: string, { schema, secretKeys }: Opened): Promise<StorageLayer<SqlClient.SqlClient>> => {
  try {
    await import("@electric-sql/pglite")
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    throw new Errors.InvalidFieldError({
      code: "invalid_field",
      status: 400,
      field: "database",
      message: `createSimplan: database ${Arguments.shown(dataDir)} is a directory, which needs the package @electric-sql/pglite: npm install @electric-sql/pglite`,
      cause
    })
  }
  return (await import("../../pglite/index.ts")).layer({ dataDir, schema, secretKeys })
}

const given = async (database: PgliteDatabase, { schema, secretKeys }: Opened) =>
  (await import("../../pglite/index.ts")).layer({ database, schema, secretKeys })

const postgres = async (where: Where, options: Opened): Promise<StorageLayer<SqlClient.SqlClient>> =>
  (await import("../../postgres/index.ts")).layer({ ...where, ...options })

/** How it is opened. */
interface Opened {
  readonly directUrl: string | URL | undefined
  readonly schema: string | undefined
  readonly secretKeys: string | undefined
  /** Whether no other process may be on it. */
  readonly alone: boolean | undefined
}

const ofSql = (layer: () => Promise<StorageLayer<SqlClient.SqlClient>>, { schema }: Opened) => ({
  layer,
  journaled: async () => {
    const { DatabaseSchema } = await import("../../postgres/index.ts")
    const { SqlJournal } = await import("../../telco-calls/index.ts")
    return Layer.provideMerge(SqlJournal.layerIn(schema ?? DatabaseSchema.DEFAULT), await layer())
  }
})

const memory = async () => (await import("../../memory/index.ts")).layer

const inMemory = {
  layer: memory,
  journaled: async () => Layer.merge(await memory(), (await import("../../telco-calls/index.ts")).Journal.layerMemory)
}

const ofText = (text: string, opened: Opened): Opening => {
  if (/^postgres(?:ql)?:\/\//.test(text))
    return { ...ofSql(() => postgres({ url: text }, opened), opened), isOwn: false }
  if (opened.directUrl !== undefined) throw noPooler()
  if (text === "memory" || text === "memory:") {
    return { ...inMemory, isOwn: true }
  }
  const directory = text.startsWith("pglite://") ? text.slice("pglite://".length) : text
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(directory)?.[1]
  if (directory.trim() === "") throw refused("empty")
  // What may hold a password is not shown.
  if (scheme !== undefined) throw refused(`a text that begins with "${scheme}:"`)
  if (directory.includes("@") || /:\d+/.test(directory)) throw refused("like an address without postgres://")
  return { ...ofSql(() => pglite(directory, opened), opened), isOwn: true }
}

// What `SecretKeys` of simplan/postgres reads, which is loaded when the service starts; a test
// compares the two.
const SECRET_KEY = /^\s*(?:[0-9A-Fa-f]{64}|[A-Za-z0-9+/_-]{43}=?)\s*$/

const areSecretKeys = (value: unknown): boolean => {
  const keys = typeof value === "string" ? value.split(",") : []
  return keys.length >= 1 && keys.length <= 2 && keys.every((key) => SECRET_KEY.test(key))
}

const noPooler = (): Errors.InvalidFieldError =>
  Arguments.invalid(METHOD, "directUrl", "must be absent where database is not in PostgreSQL")

/** The storage of the option. Throws if the option is none of those that are allowed. */
export const open = (options: Options): Opening => {
  const { alone, clock, database, directUrl, schema, secretKeys } = options
  if (schema !== undefined && (typeof schema !== "string" || !/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(schema))) {
    const allowed =
      "must be 1 to 63 lower-case letters, digits and underscores, and begin with no digit and not with pg_"
    throw Arguments.invalid(METHOD, "schema", allowed, schema)
  }
  if (secretKeys !== undefined && !areSecretKeys(secretKeys)) {
    const allowed =
      "must be a text of 32 bytes in base64 or hexadecimal, or of two such keys with a comma between: the new key, the old key"
    throw Arguments.invalid(METHOD, "secretKeys", allowed)
  }
  // A virtual clock is for one process.
  const isVirtual = typeof clock === "object" && clock !== null && "start" in clock
  const opened: Opened = { directUrl, schema, secretKeys, alone: isVirtual ? true : alone }
  const named: Database | null | undefined = database
  if (named === undefined || named === null) throw refused("missing")
  if (typeof named === "string") return ofText(named, opened)
  if (typeof named !== "object") throw refused(Arguments.shown(named))
  if (Arguments.isUrl(named)) return ofText(named.href, opened)
  if ("storage" in named) {
    const { storage } = named
    if (directUrl !== undefined) throw noPooler()
    if (!isStorage(storage)) throw refused("{ storage } with something that is no Layer of this copy of effect")
    return { layer: async () => storage, journaled: null, isOwn: false }
  }
  if ("client" in named) {
    const { client } = named
    if (!isClient(client)) throw refused(`{ client } with ${Arguments.shown(client)}`)
    return { ...ofSql(() => postgres({ client }, opened), opened), isOwn: false }
  }
  if (isPglite(named)) {
    if (directUrl !== undefined) throw noPooler()
    return { ...ofSql(() => given(named, opened), opened), isOwn: true }
  }
  if (isPool(named)) return { ...ofSql(() => postgres({ pool: named }, opened), opened), isOwn: false }
  throw refused("an object of another kind")
}
