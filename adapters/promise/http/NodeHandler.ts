/**
 * The HTTP API as a handler of Node's HTTP server and of the frameworks over it.
 *
 * `node:http`, Express, Nest, Connect, Fastify and Koa hand on Node's request and response, where
 * the router has found the handler, and what a parser has made of the body.
 *
 * - A body that a parser has read before is taken from `req.body`: bytes and texts as they are,
 *   anything else as JSON.
 * - Answers go out as fast as the client reads them. One that reads nothing for 30 s is
 *   disconnected (rule W10).
 * - A client that goes away interrupts what it has asked for.
 * - Once `close` of the service was called, each answer over HTTP/1 closes its connection.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { types } from "node:util"
import type { WebHandler } from "../../http/index.ts"
import * as Errors from "../errors/Errors.ts"
import * as Http from "./Http.ts"
import * as NodeAnswer from "./NodeAnswer.ts"
import type { NodeHandler } from "../types/Http.ts"
import type { Simplan } from "../types/Simplan.ts"

/** A request as `node:http`, Express, Nest, Connect, Fastify or Koa hands it on. */
interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The path and the query, as the client sent them. */
  readonly target: string
  /** The part of the path that the host's router has matched; empty if it gave none. */
  readonly base: string
  /** What parsers have made of the body. */
  readonly parsed: { readonly raw: unknown; readonly value: unknown }
  /** The request as the framework has it. */
  readonly host: unknown
  /** Goes on to the host's next handler; undefined if there is none. */
  readonly next: (() => unknown) | undefined
  /** Tells the framework that the response is made here. */
  readonly take: () => void
}

const field = (of: unknown, name: string): unknown =>
  typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined

const textIn = (of: unknown, name: string): string | undefined => {
  const value = field(of, name)
  return typeof value === "string" ? value : undefined
}

const isRequest = (value: unknown): value is IncomingMessage =>
  typeof field(value, "on") === "function" && typeof field(value, "headers") === "object"

const isResponse = (value: unknown): value is ServerResponse => typeof field(value, "writeHead") === "function"

const isFunction = (value: unknown): value is () => unknown => typeof value === "function"

const pathOf = (target: string): string => target.split("?", 1)[0] ?? target

/** What a router has cut off the beginning of the path. */
const cutOff = (target: string, url: string): string => {
  const [whole, rest] = [pathOf(target), pathOf(url)]
  return whole.endsWith(rest) ? whole.slice(0, whole.length - rest.length) : ""
}

const parsedIn = (of: unknown) => ({ raw: field(of, "rawBody"), value: field(of, "body") })

const ofFastify = (request: object, reply: object, raw: IncomingMessage, response: ServerResponse): Incoming => {
  const route = textIn(field(request, "routeOptions"), "url") ?? ""
  return {
    request: raw,
    response,
    target: textIn(request, "originalUrl") ?? raw.url ?? "/",
    base: route.endsWith("/*") ? route.slice(0, -2) : "",
    parsed: parsedIn(request),
    host: request,
    next: undefined,
    take: () => {
      const headers = field(reply, "getHeaders")
      const hijack = field(reply, "hijack")
      // What plugins have set, such as the headers of CORS, is the reply's.
      const set: unknown = isFunction(headers) ? Reflect.apply(headers, reply, []) : {}
      if (typeof set === "object" && set !== null) {
        for (const [name, value] of Object.entries(set)) if (value !== undefined) response.setHeader(name, value)
      }
      if (isFunction(hijack)) Reflect.apply(hijack, reply, [])
    }
  }
}

const ofKoa = (context: object, next: unknown, request: IncomingMessage, response: ServerResponse): Incoming => {
  const target = textIn(context, "originalUrl") ?? request.url ?? "/"
  return {
    request,
    response,
    target,
    base: cutOff(target, request.url ?? "/"),
    parsed: parsedIn(field(context, "request")),
    host: context,
    next: isFunction(next) ? next : undefined,
    take: () => void Reflect.set(context, "respond", false)
  }
}

const ofNode = (request: IncomingMessage, response: ServerResponse, next: unknown): Incoming => {
  const url = request.url ?? "/"
  const target = textIn(request, "originalUrl") ?? url
  const found = textIn(request, "baseUrl") ?? ""
  // Requests of `node-mocks-http` have their whole URL there.
  const base = found === url ? "" : found
  return {
    request,
    response,
    target,
    base: base === "" ? cutOff(target, url) : base,
    parsed: parsedIn(request),
    host: request,
    next: isFunction(next) ? () => next() : undefined,
    take: () => undefined
  }
}

/** What a framework has called the handler with. */
const incomingOf = (first: unknown, second: unknown, third: unknown): Incoming => {
  if (isRequest(first) && isResponse(second)) return ofNode(first, second, third)
  if (typeof first === "object" && first !== null) {
    const [raw, reply] = [field(first, "raw"), field(second, "raw")]
    if (isRequest(raw) && isResponse(reply) && typeof second === "object" && second !== null) {
      return ofFastify(first, second, raw, reply)
    }
    const [request, response] = [field(first, "req"), field(first, "res")]
    if (isRequest(request) && isResponse(response)) return ofKoa(first, second, request, response)
  }
  throw new Errors.SimplanError({
    code: "invalid_field",
    status: 400,
    message: "The handler of toNodeHandler must be called with a request and a response of Node, Fastify or Koa"
  })
}

/** A body, and whether a parser has read it before. */
interface Body {
  readonly content: Uint8Array | string | ReadableStream<Uint8Array>
  readonly isParsed: boolean
}

const asText = (value: unknown): Uint8Array | string | null => {
  if (typeof value === "string") return value
  if (types.isAnyArrayBuffer(value)) return Buffer.from(value)
  if (types.isUint8Array(value)) return value
  const text: unknown = JSON.stringify(value)
  return typeof text === "string" ? text : null
}

// Reading stops where the reader does, and leaves the connection open for the answer.
const streamed = (request: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = request.iterator({ destroyOnReturn: false })
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await chunks.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      cancel: async () => void (await chunks.return?.())
    },
    { highWaterMark: 0 }
  )
}

/** A body that never comes. */
const broken = () => new ReadableStream<Uint8Array>({ start: (controller) => controller.error() })

/** What a parser has made, as a body; null: there is no JSON of it. */
const parsedBody = (value: unknown, log: Http.Mounted["log"]): Uint8Array | string | null => {
  try {
    return asText(value)
  } catch (error) {
    log("error", "toNodeHandler: what a parser has left in req.body has no JSON", { err: error })
    return null
  }
}

/** The body of a request, read by nobody or by a parser. */
const bodyOf = ({ parsed, request }: Incoming, log: Http.Mounted["log"]): Body => {
  const isStream = typeof request.iterator === "function"
  if (isStream && !request.readableDidRead) return { content: streamed(request), isParsed: false }
  const value = parsed.raw ?? parsed.value ?? (isStream ? undefined : "")
  if (value !== undefined) return { content: parsedBody(value, log) ?? broken(), isParsed: true }
  log("error", "toNodeHandler: something has read the body before, and left nothing in req.body", {})
  return { content: broken(), isParsed: true }
}

/** The path of what matches no route. */
const NOWHERE = "/"

const isBodiless = (method: string): boolean => method === "GET" || method === "HEAD"

const addressOf = ({ socket }: IncomingMessage): string | null => socket?.remoteAddress ?? null

const headersOf = ({ headers }: IncomingMessage, isParsed: boolean): Headers => {
  const made = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":")) continue
    // A parser has decoded the body.
    if (isParsed && (name === "content-encoding" || name === "content-length" || name === "transfer-encoding")) continue
    const text = Array.isArray(value) ? value.join(", ") : value
    made.set(name, isParsed && name === "content-type" ? (text.split(";", 1)[0] ?? text) : text)
  }
  return made
}

/** A host's name or address, perhaps with a port. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?$/

const urlOf = ({ headers, socket }: IncomingMessage, target: string): URL => {
  const scheme = socket !== undefined && "encrypted" in socket ? "https" : "http"
  const path = target.startsWith("/") ? target : NOWHERE
  const url = `${scheme}://${headers.host ?? ""}${path}`
  return new URL(HOST.test(headers.host ?? "") && URL.canParse(url) ? url : `${scheme}://localhost${path}`)
}

/**
 * The web request. A path that URLs write in another way is one that no route has: a guard of the
 * host may not know it.
 */
const webRequest = (incoming: Incoming, mounted: Http.Mounted, signal: AbortSignal | null): Request => {
  const { request, target } = incoming
  const method = request.method ?? "GET"
  const url = urlOf(request, target)
  const isExact = url.pathname === target.split("?", 1)[0]
  if (!isExact || !/^[A-Z]+$/.test(method) || ["CONNECT", "TRACE", "TRACK"].includes(method)) {
    return new Request(new URL(NOWHERE, url), { signal })
  }
  const body = isBodiless(method) ? undefined : bodyOf(incoming, mounted.log)
  return new Request(url, {
    method,
    headers: headersOf(request, body?.isParsed ?? false),
    signal,
    ...(body !== undefined && { body: body.content, duplex: "half" })
  })
}

/**
 * A request as the service sees it. A signal costs as much as the rest of a web request: only a
 * host's hook needs one.
 */
const exchange = (response: ServerResponse, isAsked: boolean) => {
  const signals = isAsked ? new AbortController() : null
  let taken: Uint8Array | string | undefined
  let interrupt: (() => void) | undefined
  let isGone = false
  response.once("close", () => {
    if (response.writableFinished) return
    isGone = true
    signals?.abort()
    interrupt?.()
  })
  const direct: NonNullable<WebHandler.Arrival["direct"]> = {
    take: (body) => {
      taken = body
    },
    begin: (given) => {
      interrupt = given
      if (isGone) given()
    }
  }
  return { direct, signal: signals?.signal ?? null, taken: () => taken }
}

const serve = async (mounted: Http.Mounted, incoming: Incoming, prefix: string): Promise<void> => {
  const { host, request, response } = incoming
  try {
    const { direct, signal, taken } = exchange(response, mounted.asksHost)
    const web = webRequest(incoming, mounted, signal)
    const answer = await mounted.answer(web, {
      prefix,
      groups: mounted.groups,
      address: addressOf(request),
      host,
      direct
    })
    // Whoever asks again on a connection to a process that stops would get no answer.
    if (mounted.isClosing() && request.httpVersionMajor === 1 && !response.headersSent) {
      response.setHeader("connection", "close")
    }
    await NodeAnswer.send(answer, request, response, taken())
  } catch (error) {
    mounted.log("error", "A request could not be answered", { err: error })
    NodeAnswer.breakOff(response)
  }
}

/** Where the routes are, and whether a request is for one of the groups that are mounted. */
const place = (mounted: Http.Mounted, { base, target }: Incoming) => {
  const prefix = mounted.prefix ?? base
  const isBelow = prefix === "" || target.startsWith(`${prefix}/`)
  return { prefix, isMine: isBelow && mounted.has(target.slice(prefix.length)) }
}

/**
 * A handler of Node's HTTP server with the HTTP API of a service, as `http` of its options mounts
 * it. It goes before or behind a body parser.
 *
 *     createServer(toNodeHandler(simplan))                    // node:http
 *     app.use("/esim", toNodeHandler(simplan))                // Express 4 and 5, Nest, Connect
 *     app.all("/esim/*", toNodeHandler(simplan))              // Fastify
 *     app.use(toNodeHandler(simplan))                         // Koa, with http: { prefix: "/esim" }
 *
 * Fastify refuses bodies that it has no parser for, such as text/csv, before the handler gets them,
 * unless `addContentTypeParser("text/csv", (request, payload, done) => done(null))` lets them go on
 * as they are.
 *
 * If the handler is given a `next` and the path is below no group that is mounted, it calls
 * `next`; else such a path is 404. An unknown path below a group that is mounted is always 404.
 *
 * Throws a `SimplanError` if it is given something else than a service of `createSimplan`, or
 * what its `mount` gives.
 */
export const toNodeHandler = (simplan: Pick<Simplan, "handler">): NodeHandler => {
  const mounted = typeof simplan?.handler === "function" ? Http.of(simplan.handler) : undefined
  if (mounted === undefined) {
    throw new Errors.SimplanError({
      code: "invalid_field",
      status: 400,
      field: "simplan",
      message: "toNodeHandler: simplan must be what createSimplan has returned"
    })
  }
  // One function for three frameworks, which are distinguished by what they give.
  const handle = (first: unknown, second: unknown, third?: unknown): Promise<unknown> => {
    const incoming = incomingOf(first, second, third)
    const { isMine, prefix } = place(mounted, incoming)
    if (!isMine && incoming.next !== undefined) return Promise.resolve(incoming.next())
    incoming.take()
    return mounted.hold(serve(mounted, incoming, prefix))
  }
  return handle
}
