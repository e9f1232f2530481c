/**
 * The sockets of connections: each is watched, and leads to the host that takes writes.
 *
 * A network that drops packets, or a machine that is gone, leaves a connection that looks open, and
 * a statement on it would wait for ever. So a connection that has received nothing for `waitLimit`
 * is destroyed: its statements fail, and the pool opens another connection. An idle connection is
 * closed by the pool before that, or sends a heartbeat.
 *
 * If a URL names several hosts, a primary and its standbys, all are asked every two seconds.
 * When another one takes writes and the present one does not, new connections go there, and those
 * to the former primary are closed. Of two that take writes the present one stays.
 */
import { connect, type Socket } from "node:net"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Duration, Effect, Redacted, Schedule, type Scope } from "effect"
import { Storage } from "simplan/ports"

/**
 * How long a connection may be silent: longer than any statement takes, but not longer than a
 * migration may.
 */
export const WAIT_LIMIT = "30 seconds"

/** The interval of heartbeats on a connection that is kept open: two of them within the limit. */
export const heartbeatInterval = (waitLimit: Duration.Input): Duration.Duration =>
  Duration.times(Duration.fromInputUnsafe(waitLimit), 2 / 5)

const addressOf = (url: URL): { readonly host: string; readonly port: number } | { readonly path: string } => {
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ""))
  const port = Number(url.searchParams.get("port") ?? (url.port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host: host || "localhost", port }
}

/**
 * Destroys the socket after so many milliseconds without a byte received, counted below any
 * encryption.
 */
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

/**
 * Opens a connection to the host that takes writes, for the client's option `stream`. It may be
 * silent for `waitLimit`.
 */
export type Connect = (waitLimit: Duration.Input) => Socket

const INTERVAL = "2 seconds"

/** How long a host may take to answer. */
const TIMEOUT = "2 seconds"

/** The pause between two attempts of a process that starts, and how long it tries in all. */
const PAUSE = "500 millis"
const AT_START = "4500 millis"

const takesWrites = (url: Redacted.Redacted, config: PgConnection.Config): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const stream = () => open(url, TIMEOUT)
    const connection = yield* PgConnection.make({ ...config, url, stream })
    // Not prepared: a pooler would keep the statement.
    const { rows } = yield* connection.query(
      "select current_setting('transaction_read_only') = 'off' as writes",
      [],
      false
    )
    return rows[0]?.["writes"] === true
  }).pipe(
    Effect.scoped,
    Effect.timeout(TIMEOUT),
    // Failure: the next round asks the host again.
    Effect.catch(() => Effect.succeed(false))
  )

/**
 * Follows the host that takes writes until the scope ends. Fails within 5 s if there is none at the
 * start.
 */
export const follow = Effect.fnUntraced(function* (
  argument: string,
  urls: ReadonlyArray<Redacted.Redacted>,
  config: PgConnection.Config & { readonly url: Redacted.Redacted }
): Effect.fn.Return<Connect, Storage.StorageError, Scope.Scope> {
  const sockets = new Set<Socket>()
  const noneTakesWrites = new Storage.StorageError({
    message: `${argument} names ${urls.length} hosts, of which none can be reached and takes writes, and must name one that does`
  })
  let chosen: Redacted.Redacted = config.url

  const choose = Effect.gen(function* () {
    const answers = yield* Effect.forEach(urls, (url) => takesWrites(url, config), { concurrency: "unbounded" })
    const writable = urls.filter((_, index) => answers[index])
    const [found] = writable
    if (found === undefined) return yield* noneTakesWrites
    if (writable.includes(chosen)) return
    if (sockets.size > 0) {
      yield* Effect.logWarning("another database host takes writes now", { host: urls.indexOf(found) + 1 })
    }
    chosen = found
    for (const socket of sockets) socket.destroy(new Error("Another database host takes writes now"))
  })

  yield* Effect.retry(choose, { schedule: Schedule.spaced(PAUSE) }).pipe(
    Effect.timeoutOrElse({ duration: AT_START, orElse: () => Effect.fail(noneTakesWrites) })
  )
  // Failure: the next round chooses; the sockets stay with the host that they have.
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(INTERVAL), Effect.ignore(choose))))
  return (waitLimit) => {
    const socket = open(chosen, waitLimit)
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    return socket
  }
})
