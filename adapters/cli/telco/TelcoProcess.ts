/**
 * The simulated telco as a process of its own, until the scope closes: it serves the contract of `telco-http` and the
 * routes of `ControlApi`, and keeps its books in a store.
 */
import { Effect, type FileSystem, Layer, Redacted, type Scope } from "effect"
import { TelcoServer } from "../../telco-http/index.ts"
import { TelcoSimulator } from "../../telco-simulator/index.ts"
import { type CommandFailed, impossible, systemCode } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import { type DatabaseUrl, withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Settings from "../settings/Settings.ts"
import * as Stores from "../server/Stores.ts"
import * as ControlApi from "./ControlApi.ts"

export interface Options {
  readonly host: string
  readonly port: number
  readonly books: DatabaseUrl
  /** The direct address of the books, where `books` is that of a pooler; null where there is none. */
  readonly direct: string | null
}

/** A telco that is listening. */
export interface Telco {
  readonly url: string
  readonly books: string
  /** The token for calls, if it was generated, and kept in a file; null if the operator set it. */
  readonly generatedKey: string | null
}

/** The key from the environment, else one that is generated once and kept in `.simplan/`. */
const keyOf = Effect.gen(function* () {
  const set = yield* Settings.telcoKey
  if (set !== null) return { key: set, generatedKey: null }
  const fresh = Credentials.newToken()
  const { telcoKey = fresh } = yield* Credentials.change((kept) => ({ telcoKey: fresh, ...kept }))
  yield* Credentials.writeFiles({ telcoKey })
  return { key: Redacted.make(telcoKey), generatedKey: telcoKey }
})

/** Starts the telco, and returns when it is listening. */
export const start = ({
  books,
  direct,
  host,
  port
}: Options): Effect.Effect<Telco, CommandFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const secretKeys = yield* Settings.secretKeys
    const schema = yield* Settings.schema
    const stores = yield* Stores.open({
      ...{ database: books, databaseDirect: direct, directVariable: Settings.TELCO_BOOKS_DIRECT },
      ...{ schema, secretKeys }
    })
    const { generatedKey, key } = yield* keyOf
    const simulator = yield* Layer.build(TelcoSimulator.layer()).pipe(Effect.provideContext(stores))
    const routes = Layer.merge(TelcoServer.routes({ token: key }), ControlApi.layer({ token: key }))
    const url = yield* TelcoServer.listen(
      { host, port },
      routes.pipe(Layer.provide(Layer.succeedContext(simulator)))
    ).pipe(
      Effect.catchTag("ServeError", ({ cause }) =>
        impossible(
          systemCode(cause) === "EADDRINUSE"
            ? `Port ${port} on ${host} is in use: name another with --port (0 takes any that is free).`
            : `The telco cannot listen on ${host}:${port} (${String(systemCode(cause))}).`
        )
      )
    )
    return { url, books: withoutPassword(books.url), generatedKey }
  })
