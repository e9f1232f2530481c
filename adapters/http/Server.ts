/**
 * The HTTP server on Node. Input that is not HTTP gets an error body too.
 *
 * On stopping, the server takes no new connections and answers each request that has arrived. The
 * last answer on a connection says that it is closed. After the drain timeout what has no answer
 * yet is refused (503 `not_ready`), and all connections are closed.
 */
import { Context, Data, Deferred, Duration, Effect, Exit, Layer, Option, Scope } from "effect"
import { HttpMiddleware, HttpRouter } from "effect/http"
import * as Http from "node:http"
import * as Net from "node:net"
import type { Duplex } from "node:stream"
import * as Connection from "./connections/Connection.ts"
import * as Connections from "./connections/Connections.ts"
import type * as KeyLimits from "./middleware/KeyLimits.ts"
import * as Requests from "./middleware/Requests.ts"
import * as Routes from "./Routes.ts"
import * as Body from "./wire/Body.ts"
import { Codes } from "../fields/index.ts"

/** The server cannot listen on its host and port; the message says why. */
export class CannotListen extends Data.TaggedError("CannotListen")<{
  /** A sentence that names address and cause. */
  readonly message: string
  /** The address or name that was to be listened on. */
  readonly host: string
  /** The port that was to be listened on. */
  readonly port: number
  /** What the operating system said. */
  readonly cause: unknown
}> {}

/** Where the server listens. */
export class Server extends Context.Service<
  Server,
  {
    /** The address that it listens on. */
    readonly host: string
    /** The one that was taken, if 0 was asked for. */
    readonly port: number
    /** What clients on this machine use, without a slash at its end. */
    readonly url: string
    /**
     * From now on each connection is closed after what has arrived on it is answered, and the last
     * answer says so. The end of the scope does that too; this is for a process that has other
     * things to end before.
     */
    readonly leave: Effect.Effect<void>
  }
>()("simplan/http/Server") {}

/** Where the server listens, and how long it is patient. */
export interface Listen {
  /** An address or a name of this machine; `0.0.0.0` for all of its addresses. */
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** How long stopping waits for requests; 20 s by default. */
  readonly drainTimeout?: Duration.Input
  /**
   * After how long a client that has read less than 1 KiB a second of its answer is disconnected;
   * 30 s by default (rule W10).
   */
  readonly stallTimeout?: Duration.Input
  /**
   * How many bytes of answers and requests may wait for clients that read; 128 MiB by default. A
   * quarter may be for one address, and a half for one organization (rule W13).
   */
  readonly unreadBytes?: number
  /**
   * How many connections may be open; 10,000 by default, and no more than the limit of open files
   * leaves room for. A new one beyond takes the place of an idle one of the address that has the
   * most (rule W13).
   */
  readonly connections?: number
  /**
   * How many of them may be of one address; 1,000 by default. Behind trusted proxies there is no
   * such bound.
   */
  readonly connectionsOfAddress?: number
  /** How long a client may take to send the headers of a request; 30 s by default. */
  readonly headersTimeout?: Duration.Input
}

/**
 * How long a connection may be idle, in ms. Load balancers wait 60 s, and must not use a connection
 * that was just closed.
 */
const IDLE = 65_000

const CONNECTIONS = 10_000

const CONNECTIONS_OF_ADDRESS = 1_000

/** How many headers a request may have. Node drops those beyond its own limit and says nothing. */
const MAX_HEADERS = 200

/** How long a client may go on sending a body after its answer, in ms. */
const LINGER = 2_000

/** What is refused because the server stops may be tried again after so many seconds. */
const RETRY_AFTER = "5"

const STOPPING = "The server is stopping"

const body = (code: Codes.Code, message: string): string => JSON.stringify({ error: true, message, code })

const broken = (error: NodeJS.ErrnoException): readonly [Codes.Code, string] => {
  if (error.code === "HPE_HEADER_OVERFLOW") return ["headers_too_large", "The request's headers are too large"]
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return ["request_timeout", "The request did not arrive in time"]
  return ["malformed_request", "The request is not valid HTTP"]
}

// Connections whose request was answered before its body was read to the end.
const answeredEarly = new WeakSet<Duplex>()

const refusalHeaders = (code: Codes.Code, text: string): Readonly<Record<string, string>> => ({
  ...Requests.answerHeaders(Requests.makeId()),
  ...(code === "not_ready" && { "retry-after": RETRY_AFTER }),
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(text)),
  connection: "close"
})

// Answers a request that no route sees, and closes its connection.
const refuse = (response: Http.ServerResponse, code: Codes.Code, message: string): void => {
  const text = body(code, message)
  response.writeHead(Codes.status(code), refusalHeaders(code, text)).end(text)
}

// The answer is the same if Node has made no response.
const refuseOn = (socket: Duplex, code: Codes.Code, message: string): void => {
  const text = body(code, message)
  const status = Codes.status(code)
  const lines = Object.entries(refusalHeaders(code, text)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${Http.STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${text}`)
}

const onClientError =
  (connections: Connections.Connections) =>
  (error: NodeJS.ErrnoException, socket: Net.Socket): void => {
    const end = (): void => {
      if (socket.writable) refuseOn(socket, ...broken(error))
      else socket.destroy()
    }
    if (error.code === "ECONNRESET" || !socket.writable || answeredEarly.has(socket)) socket.destroy()
    else if (!connections.of(socket).endAfterAnswer()) end()
  }

// Node leaves this connection and its errors to its listener: no time limit and no stop of the
// server would close it. What has arrived is read first, because a connection that is closed with
// unread bytes may lose its answer.
const onConnect =
  (connections: Connections.Connections) =>
  (_: Http.IncomingMessage, socket: Net.Socket): void => {
    socket.on("error", () => socket.destroy())
    const connection = connections.of(socket)
    if (connection.endAfterAnswer()) return
    connection.discard()
    socket.once("finish", () => socket.destroy())
    socket.resume()
    refuseOn(socket, "malformed_request", "The server is no proxy and takes no CONNECT")
  }

const hasBody = ({ headers }: Http.IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** A host, perhaps empty, and a port (RFC 3986, section 3.2). */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w\-.~!$&'()*+,;=]|%[\da-f]{2})*)(?::\d*)?$/i

// HTTP/1.1 asks for exactly one `Host`, and HTTP/1.0 for one at most (RFC 9112, section 3.2). Node
// shows the first one only.
const hasOneHost = ({ headers, httpVersionMinor, rawHeaders }: Http.IncomingMessage): boolean => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1
  }
  return count === 0 ? httpVersionMinor === 0 : count === 1 && HOST.test(headers.host ?? "")
}

// The absolute form, which clients send to proxies and every server has to take, names the same
// path as its origin form. It has a host and no user (RFC 9110, section 4.2).
const ABSOLUTE = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i

const isAbsolute = (target: string): boolean => /^https?:/i.test(target)

const originForm = (target: string): string => {
  if (target.startsWith("/")) return target
  const rest = target.replace(ABSOLUTE, "")
  return rest.startsWith("?") || rest === "" ? `/${rest}` : rest
}

type Listener = Connection.Listener

const problemOf = (request: Http.IncomingMessage): readonly [Codes.Code, string] | undefined => {
  if (request.httpVersionMajor !== 1) return ["malformed_request", "The request must be HTTP/1.1"]
  if (request.rawHeaders.length > 2 * MAX_HEADERS) return ["headers_too_large", "The request has too many headers"]
  const target = request.url ?? "/"
  if (isAbsolute(target) && !ABSOLUTE.test(target)) return ["malformed_request", "The request's target is not valid"]
  return hasOneHost(request) ? undefined : ["malformed_request", "The request must have exactly one valid Host header"]
}

/** Refuses what Node takes and a proxy may read in another way. */
const checked =
  (listener: Listener): Listener =>
  (request, response) => {
    const problem = problemOf(request)
    if (problem === undefined) listener(request, response)
    else refuse(response, ...problem)
  }

// Discards the rest of a body after the answer: a client that is still sending would else not see
// the answer.
const linger = (request: Http.IncomingMessage): void => {
  if (request.complete) return
  request.resume()
  const { socket } = request
  const timer = setTimeout(() => socket.destroy(), LINGER)
  answeredEarly.add(socket)
  const done = (): void => {
    clearTimeout(timer)
    answeredEarly.delete(socket)
    request.off("end", done)
    socket.off("close", done)
  }
  request.once("end", done)
  socket.once("close", done)
}

const listening = (server: Http.Server, { host, port }: Listen): Effect.Effect<number, CannotListen> =>
  Effect.callback((resume) => {
    const onError = (cause: NodeJS.ErrnoException): void => {
      const reason =
        cause.code === "EADDRINUSE"
          ? "the port is in use"
          : cause.code === "EACCES"
            ? "the port needs more rights"
            : cause.message
      resume(
        Effect.fail(new CannotListen({ message: `Cannot listen on ${host}:${port}: ${reason}`, host, port, cause }))
      )
    }
    server.once("error", onError)
    server.listen(port, host, () => {
      server.off("error", onError)
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/**
 * For how long a server that stops takes the connections that the operating system has taken for
 * it, in ms, and how it knows.
 */
const BACKLOG = { millis: 100, turns: 3 }

/**
 * Ends when no connection has come in a few turns of the event loop, in each of which one is
 * accepted.
 */
const accepted = (connections: Connections.Connections): Effect.Effect<void> =>
  Effect.gen(function* () {
    const since = performance.now()
    let quiet = 0
    while (quiet < BACKLOG.turns && performance.now() - since < BACKLOG.millis) {
      const before = connections.opened()
      yield* turn
      quiet = connections.opened() === before ? quiet + 1 : 0
    }
  })

/** How long the refusals of what is not done after the drain timeout may take to be sent. */
const CUT = "500 millis"

/** Refuses what has no answer yet, and ends all else. */
const cut = (connections: Connections.Connections): void => {
  for (const connection of connections.all()) {
    const { current, socket } = connection
    if (current?.headersSent === false) refuse(current, "not_ready", STOPPING)
    else if (current === undefined && connection.isBegun && socket.writable) refuseOn(socket, "not_ready", STOPPING)
    else socket.destroy()
  }
}

/**
 * Stops the server. Node's own way closes each connection that it thinks is idle at once, also
 * if a request has arrived that was not parsed yet.
 */
const closed = Effect.fnUntraced(function* (
  server: Http.Server,
  connections: Connections.Connections,
  timeout: Duration.Input
) {
  connections.stop()
  yield* accepted(connections)
  const ended = Deferred.makeUnsafe<void>()
  Net.Server.prototype.close.call(server, () => Deferred.doneUnsafe(ended, Exit.void))
  const within = (limit: Duration.Input) => Effect.timeoutOption(Deferred.await(ended), limit)
  if (Option.isNone(yield* within(timeout))) {
    cut(connections)
    if (Option.isNone(yield* within(CUT))) server.closeAllConnections()
  }
  // Ends what else Node has begun with the server.
  server.close()
})

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

// Loaded with the first server, so that hosts that bring a server of their own do without it.
const platform = Effect.promise(async () => {
  const { makeHandler } = await import("@effect/platform-node/NodeHttpServer")
  const { toServerResponse } = await import("@effect/platform-node/NodeHttpServerRequest")
  return { makeHandler, toServerResponse }
})

/** Serves the routes of `Routes.layer`, and all other routes on the router. */
export const layer = (listen: Listen, options: Routes.Options) =>
  Layer.effect(
    Server,
    Effect.gen(function* () {
      const { makeHandler, toServerResponse } = yield* platform
      // `hasOneHost` refuses what Node would, with an error body.
      const headersTimeout = Duration.toMillis(Duration.fromInputUnsafe(listen.headersTimeout ?? "30 seconds"))
      const server = Http.createServer({
        ServerResponse: Connection.Answer,
        requireHostHeader: false,
        keepAliveTimeout: IDLE,
        headersTimeout,
        connectionsCheckingInterval: headersTimeout / 2
      })
      const connections = yield* Connections.make(server, {
        stallTimeout: listen.stallTimeout ?? "30 seconds",
        unreadBytes: listen.unreadBytes ?? Connections.UNREAD_BYTES,
        most: Connections.mostWithin(listen.connections ?? CONNECTIONS),
        mostOfAddress: listen.connectionsOfAddress ?? CONNECTIONS_OF_ADDRESS,
        trustedProxies: options.trustedProxies ?? 0
      })
      const readers: KeyLimits.Readers = {
        hasRoom: (reader) => connections.unread.hasRoom(reader),
        follow: (request, reader, gone) => {
          const response = toServerResponse(request)
          if (response.destroyed) return false
          const { socket } = response
          if (socket === null) return false
          connections.of(socket).follow(reader, gone)
          return true
        }
      }
      const httpEffect = yield* HttpRouter.toHttpEffect(Routes.layer(options, readers))
      const scope = yield* Scope.Scope
      const requests = yield* Scope.fork(scope, "parallel")
      const handle = yield* makeHandler(httpEffect, { scope: requests }).pipe(
        Effect.provideService(HttpMiddleware.TracerDisabledWhen, Routes.isUntraced),
        Effect.updateContext((services: Context.Context<never>) => Requests.observed(services))
      )
      const onRequest: Listener = (request, response) => {
        request.url = originForm(request.url ?? "/")
        if (hasBody(request)) response.once("finish", () => linger(request))
        handle(request, response)
      }
      const inTurn =
        (listener: Listener): Listener =>
        (request, response) =>
          connections.of(request.socket).take(request, response, listener)
      server.on("request", inTurn(checked(onRequest)))
      // A client that waits for "100 Continue" does not get it for a body that every route refuses.
      const onExpectation = inTurn(
        checked((request, response) => {
          if (Number(request.headers["content-length"] ?? 0) <= Body.IMPORT_LIMIT) response.writeContinue()
          onRequest(request, response)
        })
      )
      server.maxHeadersCount = MAX_HEADERS + 1
      server.on("checkContinue", onExpectation)
      server.on(
        "checkExpectation",
        inTurn((_, response) => {
          refuse(response, "expectation_failed", "The server can only be expected to say 100-continue")
        })
      )
      server.on("clientError", onClientError(connections))
      server.on("connect", onConnect(connections))
      const port = yield* listening(server, listen)
      yield* Effect.addFinalizer(() => closed(server, connections, listen.drainTimeout ?? "20 seconds"))
      const leave = Effect.sync(connections.stop)
      return Server.of({ host: listen.host, port, url: urlOf(listen.host, port), leave })
    })
  ).pipe(Layer.provide(Routes.routerConfig))
