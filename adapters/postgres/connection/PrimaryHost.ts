/**
 * Which of a database's hosts takes writes, where its URL names several: a primary and its standbys.
 *
 * All hosts are asked every two seconds. When another one takes writes and the present one does not, new connections go
 * there, and those to the former primary are closed. Of two that take writes the present one stays.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted, Schedule, type Duration, type Scope } from "effect"
import { Storage } from "simplan/ports"
import type { Socket } from "node:net"
import * as ConnectionWatchdog from "./ConnectionWatchdog.ts"

/**
 * Opens a connection to the host that takes writes, for the client's option `stream`. It may be silent for `waitLimit`.
 */
export type Connect = (waitLimit: Duration.Input) => Socket

const INTERVAL = "2 seconds"

/** How long a host may take to answer. */
const TIMEOUT = "2 seconds"

/** The pause between two attempts of a process that starts, and how long it tries in all. */
const PAUSE = "500 millis"
const AT_START = "4500 millis"

const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** The URL of each host, in the order given. */
export const urlsOf = (url: Redacted.Redacted): ReadonlyArray<Redacted.Redacted> => {
  const [, before, hosts, after] = SEVERAL.exec(Redacted.value(url)) ?? []
  return hosts === undefined ? [url] : hosts.split(",").map((host) => Redacted.make(`${before}${host}${after}`))
}

const takesWrites = (url: Redacted.Redacted, config: PgConnection.Config): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const stream = () => ConnectionWatchdog.open(url, TIMEOUT)
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
    Effect.catch(() => Effect.succeed(false))
  )

/**
 * Follows the host that takes writes until the scope ends. Fails within 5 s if there is none at the start.
 */
export const follow = Effect.fnUntraced(function* (
  urls: ReadonlyArray<Redacted.Redacted>,
  config: PgConnection.Config & { readonly url: Redacted.Redacted }
): Effect.fn.Return<Connect, Storage.StorageError, Scope.Scope> {
  const sockets = new Set<Socket>()
  const noneTakesWrites = new Storage.StorageError({
    message: `url names ${urls.length} hosts, of which none can be reached and takes writes, and must name one that does`
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
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(INTERVAL), Effect.ignore(choose))))
  return (waitLimit) => {
    const socket = ConnectionWatchdog.open(chosen, waitLimit)
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    return socket
  }
})
