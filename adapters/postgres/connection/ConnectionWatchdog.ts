/**
 * Ends connections on which the database has gone silent. A network that drops packets, or a machine that is gone,
 * leaves a connection that looks open. A statement on it would wait for ever.
 *
 * A connection that has received nothing for `waitLimit` is destroyed. Its statements fail, and the pool opens another
 * connection. An idle connection is closed by the pool before that, or sends a heartbeat.
 */
import { connect, type Socket } from "node:net"
import { Duration, Redacted } from "effect"

/** How long a connection may be silent: longer than any statement takes, but not longer than a migration may. */
export const PATIENCE = "30 seconds"

/** The interval of heartbeats on a connection that is kept open. */
export const heartbeatInterval = (waitLimit: Duration.Input): Duration.Duration =>
  Duration.times(Duration.fromInputUnsafe(waitLimit), 1 / 3)

const addressOf = (url: URL): { readonly host: string; readonly port: number } | { readonly path: string } => {
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ""))
  const port = Number(url.searchParams.get("port") ?? (url.port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host: host || "localhost", port }
}

/** Destroys the socket after so many milliseconds without a byte received, counted below any encryption. */
const watch = (socket: Socket, waitLimit: number): Socket => {
  let read = 0
  let since = performance.now()
  const timer = setInterval(() => {
    if (socket.bytesRead !== read) {
      read = socket.bytesRead
      since = performance.now()
    } else if (performance.now() - since >= waitLimit) {
      socket.destroy(new Error(`The database has not said anything for ${waitLimit} ms`))
    }
  }, waitLimit / 4)
  timer.unref()
  socket.once("close", () => clearInterval(timer))
  return socket
}

/** Opens a watched connection to the URL's host, for the client's option `stream`. */
export const open = (url: Redacted.Redacted, waitLimit: Duration.Input): Socket =>
  watch(
    connect({ ...addressOf(new URL(Redacted.value(url))), noDelay: true }),
    Duration.toMillis(Duration.fromInputUnsafe(waitLimit))
  )
