/**
 * The connections of the sender (rule W7). They are kept for further calls, under these conditions:
 *
 * - An organization never uses the connection of another one: whoever controls a receiver could answer late, and the answer
 *   would be taken for the answer to the other's call.
 * - A connection on which anything came after a response, or between two calls, is closed.
 * - At most 1,024 are kept, the last used ones, 4 for an organization and receiver, each for 10 s.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import { type Duplex, PassThrough } from "node:stream"
import { Effect, type Scope } from "effect"
import * as ReusableConnection from "./ReusableConnection.ts"
import * as Proxy from "./Proxy.ts"

/** How many connections are kept. */
const KEPT = 1_024
const KEPT_PER_RECEIVER = 4
const KEPT_MILLIS = 10_000

export interface Options {
  /** Resolves names for an organization. */
  readonly lookupOf: (organizationId: string) => LookupFunction
  readonly proxy: Proxy.Proxy | null
  /** The time limit of connecting through the proxy, in milliseconds. */
  readonly timeoutMillis: number
}

export interface Connections {
  /** For requests with the option `organizationId`. */
  readonly http: Http.Agent
  readonly https: Https.Agent
}

interface Owned {
  readonly organizationId?: unknown
}

/**
 * Whose connection it is, and to where. Everything else that Node names a connection by is the same for all of one agent,
 * and Node asks for the name three times for each call.
 */
const nameOf = (options: Http.RequestOptions & Owned = {}): string =>
  `${String(options.organizationId)} ${options.host ?? ""} ${options.port ?? ""}`

/** Connections that nothing uses now, the last used one last. */
const makeIdle = () => {
  const idle = new Set<Duplex>()
  const watched = new WeakSet<Duplex>()
  const close = (socket: Duplex): void => {
    idle.delete(socket)
    socket.destroy()
  }
  return {
    add: (socket: Duplex): void => {
      if (idle.size >= KEPT) {
        const [oldest] = idle
        if (oldest !== undefined) close(oldest)
      }
      if (!watched.has(socket)) socket.once("close", () => idle.delete(socket))
      watched.add(socket)
      idle.add(socket)
    },
    remove: (socket: Duplex): void => {
      idle.delete(socket)
    }
  }
}

/** Makes an agent keep these conditions, and resolve names for whom it connects. */
const guarded = <Agent extends Http.Agent>(
  agent: Agent,
  idle: ReturnType<typeof makeIdle>,
  lookupOf: Options["lookupOf"]
): Agent => {
  const { createConnection, keepSocketAlive, reuseSocket } = agent
  agent.createConnection = (request: Http.ClientRequestArgs & Owned, callback) =>
    createConnection.call(agent, { ...request, lookup: lookupOf(String(request.organizationId)) }, callback)
  agent.getName = nameOf
  agent.keepSocketAlive = (socket): boolean => {
    const kept: unknown = keepSocketAlive.call(agent, socket)
    if (kept === false || !ReusableConnection.end(socket)) return false
    idle.add(socket)
    return true
  }
  agent.reuseSocket = (socket, request) => {
    idle.remove(socket)
    reuseSocket.call(agent, socket, request)
  }
  return agent
}

/** Connections are closed with the scope. */
export const make = ({ lookupOf, proxy, timeoutMillis }: Options): Effect.Effect<Connections, never, Scope.Scope> => {
  const options = { keepAlive: true, maxFreeSockets: KEPT_PER_RECEIVER, timeout: KEPT_MILLIS }
  return Effect.acquireRelease(
    Effect.sync(() => {
      const idle = makeIdle()
      const https = guarded(new Https.Agent(options), idle, lookupOf)
      if (proxy !== null) {
        https.createConnection = (request: Http.ClientRequestArgs & Owned, callback) => {
          const lookup = lookupOf(String(request.organizationId))
          const tunnel = Proxy.tunnelTo(request, { lookup, proxy, timeoutMillis })
          tunnel.then(
            (connection) => callback?.(null, connection),
            // With an error, the agent ignores the connection.
            (error: Error) => callback?.(error, new PassThrough())
          )
          return undefined
        }
      }
      return { http: guarded(new Http.Agent(options), idle, lookupOf), https }
    }),
    ({ http, https }) =>
      Effect.sync(() => {
        http.destroy()
        https.destroy()
      })
  )
}
