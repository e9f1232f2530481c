/**
 * The simulated telco as a process of its own: its calls over the contract of `telco-http`, its books where they
 * survive, and control of its faults, for as long as the scope is open.
 */
import { Effect, type FileSystem, Layer, Redacted, type Scope } from "effect"
import { TelcoServer } from "../../telco-http/index.ts"
import { TelcoSimulator } from "../../telco-simulator/index.ts"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import { type DatabaseUrl, withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Settings from "../settings/Settings.ts"
import * as Stores from "../server/Stores.ts"
import * as ControlRoutes from "./ControlRoutes.ts"

export interface Options {
  readonly host: string
  readonly port: number
  readonly books: DatabaseUrl
}

/** What to print once it is listening. A key that was set is not printed. */
export interface Telco {
  readonly url: string
  readonly books: string
  readonly madeKey: string | null
}

/** The key that is set, or else one that is made once and kept in `.simplan/`. */
const keyOf = Effect.gen(function* () {
  const set = yield* Effect.mapError(Settings.telcoKey, ({ message }) => impossible(message))
  if (set !== null) return { key: set, made: null }
  const fresh = Credentials.newToken()
  const { telcoKey: made = fresh } = yield* Credentials.change((kept) => ({ telcoKey: fresh, ...kept }))
  return { key: Redacted.make(made), made }
})

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** Starts it; it is listening when this returns. */
export const start = ({
  books,
  host,
  port
}: Options): Effect.Effect<Telco, CommandFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const stores = yield* Stores.open(books)
    const { key, made } = yield* keyOf
    const simulator = yield* Layer.build(TelcoSimulator.layer()).pipe(Effect.provideContext(stores))
    const routes = Layer.merge(TelcoServer.routes({ token: key }), ControlRoutes.layer({ token: key }))
    const url = yield* TelcoServer.listen(
      { host, port },
      routes.pipe(Layer.provide(Layer.succeedContext(simulator)))
    ).pipe(
      Effect.catchTag("ServeError", ({ cause }) =>
        impossible(
          codeOf(cause) === "EADDRINUSE"
            ? `Port ${port} on ${host} is in use: name another with --port (0 takes any that is free).`
            : `The telco cannot listen on ${host}:${port} (${String(codeOf(cause))}).`
        )
      )
    )
    return { url, books: withoutPassword(books.url), madeKey: made }
  })
