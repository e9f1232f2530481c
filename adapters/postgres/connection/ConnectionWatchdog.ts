/**
 * Connections that notice when nothing comes from the database any more. A network that swallows what is sent, or a
 * machine that is gone without a word, leaves a connection that looks open and never answers: a statement on it would
 * wait for ever, and so would all that wait for the connection.
 *
 * So a connection over which nothing has come for a while is ended. What was under way fails, and the pool opens another
 * one. A connection that is merely idle is closed by the pool before that, or speaks now and then by itself.
 */
import { connect, type Socket } from "node:net"
import { Duration, Redacted } from "effect"

/** How long silence may last: longer than any statement of the service takes, but not than a migration may. */
export const PATIENCE = "30 seconds"

/** How often a connection that is kept open has to say something so as not to be taken for lost. */
export const signOfLife = (patience: Duration.Input): Duration.Duration =>
  Duration.times(Duration.fromInputUnsafe(patience), 1 / 3)

const addressOf = (url: URL): { readonly host: string; readonly port: number } | { readonly path: string } => {
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ""))
  const port = Number(url.searchParams.get("port") ?? (url.port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host: host || "localhost", port }
}

/** Ends the socket once nothing has come for so long. What has come is counted below any encryption. */
const watch = (socket: Socket, patience: number): Socket => {
  let read = 0
  let since = performance.now()
  const timer = setInterval(() => {
    if (socket.bytesRead !== read) {
      read = socket.bytesRead
      since = performance.now()
    } else if (performance.now() - since >= patience) {
      socket.destroy(new Error(`The database has not said anything for ${patience} ms`))
    }
  }, patience / 4)
  timer.unref()
  socket.once("close", () => clearInterval(timer))
  return socket
}

/** Opens connections to the database of the URL, for the client's option `stream`. */
export const stream = (url: Redacted.Redacted, patience: Duration.Input): (() => Socket) => {
  const millis = Duration.toMillis(Duration.fromInputUnsafe(patience))
  return () => watch(connect({ ...addressOf(new URL(Redacted.value(url))), noDelay: true }), millis)
}
