/**
 * The connections of the sender (rule W7). They are kept for further calls, under these conditions:
 *
 * - An organization never uses the connection of another one: whoever controls a receiver could
 *   answer late, and the answer would be taken for the answer to the other's call.
 * - A connection on which anything came after a response, or between two calls, is closed. So each
 *   response is followed to its end: bytes beyond would be taken for the answer to the next call.
 * - At most 1,024 are kept, the last used ones, 4 for an organization and receiver, each for 10 s.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import { type Duplex, PassThrough } from "node:stream"
import { Effect, type Scope } from "effect"
import * as Proxy from "./Proxy.ts"

/** The longest head that is followed; Node itself refuses longer ones. */
const LONGEST_HEAD = 16 * 1024

const HEAD_END = "\r\n\r\n"
const LAST_CHUNK = "0\r\n\r\n"

interface Following {
  /** The bytes up to the end of the head; null once that is known. */
  head: Buffer | null
  bodyBytes: number
  /** The last bytes of a chunked body. */
  tail: Buffer
  /** What the head says about the body: its length, -1 if it is chunked, null if neither. */
  length: number | null
}

/** Reads the head of a final response. */
const lengthOf = (head: string): number | null => {
  if (/^HTTP\/1\.1 (?:204|304) /.test(head)) return 0
  if (/^transfer-encoding:[ \t]*chunked[ \t]*$/im.test(head)) return -1
  const lengths = head.match(/^content-length:[ \t]*\d+[ \t]*$/gim) ?? []
  return lengths.length === 1 ? Number(lengths[0].replace(/^[^:]*:/, "")) : null
}

const NOTHING = Buffer.alloc(0)

const takeBody = (following: Following, chunk: Buffer): void => {
  following.bodyBytes += chunk.length
  if (following.length !== null && following.length >= 0) return
  // A copy: the tail of an idle connection would else keep a whole chunk in memory.
  following.tail = Buffer.concat([following.tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length)
}

const take = (following: Following, chunk: Buffer): void => {
  if (following.head === null) {
    takeBody(following, chunk)
    return
  }
  let head = following.head.length === 0 ? chunk : Buffer.concat([following.head, chunk])
  for (;;) {
    const end = head.indexOf(HEAD_END)
    if (end < 0) {
      following.head = head.subarray(0, LONGEST_HEAD)
      return
    }
    const text = head.toString("latin1", 0, end)
    head = head.subarray(end + HEAD_END.length)
    // An informational response comes before the final one.
    if (/^HTTP\/1\.1 1/.test(text)) continue
    following.head = null
    following.length = lengthOf(text)
    takeBody(following, head)
    return
  }
}

// Null: between two requests.
const followed = new WeakMap<Duplex, Following | null>()

/** Follows the response to a request that begins now on this connection. */
export const beginResponse = (socket: Duplex): void => {
  const isNew = !followed.has(socket)
  followed.set(socket, { head: NOTHING, bodyBytes: 0, tail: NOTHING, length: null })
  if (!isNew) return
  socket.on("data", (chunk: Buffer) => {
    const following = followed.get(socket)
    if (following) take(following, chunk)
    else socket.destroy()
  })
}

// Whether exactly one response was received. False if its length is unknown.
const isClean = ({ bodyBytes, head, length, tail }: Following): boolean => {
  if (head !== null || length === null) return false
  // A chunked body ends with this. Node closes a connection on which a second head follows.
  return length < 0 ? tail.toString("latin1") === LAST_CHUNK : bodyBytes === length
}

/** Ends following the response. Returns whether the connection can be used for another request. */
export const endResponse = (socket: Duplex): boolean => {
  const following = followed.get(socket)
  followed.set(socket, null)
  return following ? isClean(following) : false
}

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
 * Whose connection it is, and to where. Everything else that Node names a connection by is the same
 * for all of one agent, and Node asks for the name three times for each call.
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
    if (kept === false || !endResponse(socket)) return false
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
