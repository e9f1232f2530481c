/**
 * The connections of a server, and their bounds (rules W10 and W13).
 *
 * A reader that is too slow is disconnected: in each span of the stall timeout in which it has something to read, it has
 * to read as much as `SLOWEST` comes to. It has read what the operating system has taken.
 */
import { Duration, Effect, Metric, Schedule } from "effect"
import type * as Http from "node:http"
import type { Socket } from "node:net"
import * as ClientAddress from "../middleware/ClientAddress.ts"
import { Connection, type Reason, type Shared } from "./Connection.ts"
import * as UnreadBytes from "./UnreadBytes.ts"

/** The bytes per second that a reader takes at least, over the stall timeout. */
const SLOWEST = 1_024

/** How often connections are measured at least, in ms. */
const MEASURED = 1_000

/** How many pipelined requests begin in one turn of the event loop, those of all connections together. */
const TURN = 16

export interface Options {
  /** After how long a client that reads too little of its answer is disconnected. */
  readonly stallTimeout: Duration.Input
  /** The bytes that may wait for readers. */
  readonly unreadBytes: number
  /** How many proxies tell the client's address. */
  readonly trustedProxies: number
}

/** Some work in each turn of the event loop, in the order in which it was asked for. */
const turns = (): Shared["inTurn"] => {
  const due: Array<() => void> = []
  const go = (): void => {
    const now = due.splice(0, TURN)
    if (due.length > 0) setImmediate(go)
    for (const run of now) run()
  }
  return (run) => {
    due.push(run)
    if (due.length === 1) setImmediate(go)
  }
}

const openConnections = Metric.gauge("http_connections", { description: "Open connections of clients" })

const unreadBytes = Metric.gauge("http_unread_bytes", {
  description: "Bytes of answers and pipelined requests that wait until clients read"
})

const closedConnections = (reason: Reason) =>
  Metric.counter("http_connections_closed_total", {
    description: "Connections of clients that the server closed",
    attributes: { reason },
    incremental: true
  })

interface Reading {
  /** The bytes of the connection that the operating system had taken at the beginning of a span. */
  readonly taken: number
  /** When the span began, in ms of the process's clock. */
  readonly since: number
}

/** The connections of one server. */
export interface Connections {
  /** The connection of a socket of the server. */
  readonly of: (socket: Socket) => Connection
  readonly all: () => Iterable<Connection>
  readonly unread: UnreadBytes.UnreadBytes
}

/** Follows the connections of a server until the scope ends. */
export const make = Effect.fnUntraced(function* (server: Http.Server, options: Options) {
  const connections = new Map<Socket, Connection>()
  const all = (): Iterable<Connection> => connections.values()
  const unread = new UnreadBytes.UnreadBytes(options.unreadBytes, all)
  const context = yield* Effect.context<never>()
  const shared: Shared = {
    unread,
    onClose: (reason) => closedConnections(reason).updateUnsafe(1, context),
    inTurn: turns(),
    networkOf: ({ headers, socket }) => {
      const header = headers["x-forwarded-for"]
      const forwarded = typeof header === "string" ? header : undefined
      const address = ClientAddress.named(socket.remoteAddress ?? null, forwarded, options.trustedProxies)
      return address === null ? "" : ClientAddress.network(address)
    }
  }
  const open = (socket: Socket): Connection => {
    const connection = new Connection(socket, shared)
    connections.set(socket, connection)
    socket.once("close", () => {
      connections.delete(socket)
      connection.closed()
    })
    return connection
  }
  server.on("connection", open)

  const limitMillis = Duration.toMillis(Duration.fromInputUnsafe(options.stallTimeout))
  const least = (SLOWEST * limitMillis) / 1_000
  const readings = new WeakMap<Connection, Reading>()
  const measure = Effect.suspend(() => {
    const now = performance.now()
    for (const connection of connections.values()) {
      connection.count()
      if (connection.answer.bytes === 0) {
        readings.delete(connection)
        continue
      }
      const taken = connection.socket.bytesWritten - connection.socket.writableLength
      const before = readings.get(connection)
      if (before === undefined) readings.set(connection, { taken, since: now })
      else if (now - before.since >= limitMillis) {
        if (taken - before.taken < least) connection.close("slow_reader")
        else readings.set(connection, { taken, since: now })
      }
    }
    return Effect.andThen(Metric.update(openConnections, connections.size), Metric.update(unreadBytes, unread.total))
  })
  const interval = Math.min(limitMillis / 10, MEASURED)
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(measure, interval), Schedule.forever))
  return { all, unread, of: (socket: Socket) => connections.get(socket) ?? open(socket) } satisfies Connections
})
