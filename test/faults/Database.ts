/**
 * The database of a round: behind proxies that spoil it for the servers, and open for the checks.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Pglite from "simplan/pglite"
import * as Proxy from "../setup/databases/Proxy.ts"

export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

export interface Session {
  readonly query: (text: string) => Promise<Rows>
  readonly close: () => Promise<void>
}

const session = <E>(layer: Layer.Layer<SqlClient.SqlClient, E>): Session => {
  const runtime = ManagedRuntime.make(layer)
  return {
    query: (text) => runtime.runPromise(SqlClient.SqlClient.use((sql) => sql.unsafe<Record<string, unknown>>(text))),
    close: () => runtime.dispose()
  }
}

/** A session of its own on a server. */
export const onServer = (url: string): Session =>
  session(
    Layer.effect(
      SqlClient.SqlClient,
      PgClient.PgClient.use((client) => Effect.succeed(client))
    ).pipe(Layer.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
  )

/** A session on a data directory that no server has open. */
export const inDirectory = (dataDir: string): Session => session(Pglite.layer({ dataDir }))

/** A proxy to the database of the URL, and the URL through it. */
export const through = async (url: string): Promise<{ readonly proxy: Proxy.Proxy; readonly url: string }> => {
  const target = new URL(url)
  const proxy = await Proxy.start(target.hostname, Number(target.port))
  const around = new URL(url)
  around.port = String(proxy.port)
  return { proxy, url: around.toString() }
}
