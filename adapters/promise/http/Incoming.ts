/**
 * Requests as `node:http`, Express, Nest, Connect, Fastify and Koa hand them on: Node's request and response, where the router
 * has found the handler, and what a parser has made of the body.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Errors from "../errors/Errors.ts"
import type { Mounted } from "./Http.ts"

export interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The path and the query, as the client sent them. */
  readonly target: string
  /** The part of the path that the host's router has matched; empty where it gave none. */
  readonly base: string
  /** What parsers have made of the body. */
  readonly parsed: { readonly raw: unknown; readonly value: unknown }
  /** The request as the framework has it. */
  readonly host: unknown
  /** Goes on to the host's next handler; undefined where there is none. */
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
  const base = textIn(request, "baseUrl") ?? ""
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
export const of = (first: unknown, second: unknown, third: unknown): Incoming => {
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
export interface Body {
  readonly content: Uint8Array | string | ReadableStream<Uint8Array>
  readonly isParsed: boolean
}

const asText = (value: unknown): Uint8Array | string =>
  typeof value === "string" || value instanceof Uint8Array ? value : JSON.stringify(value)

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

/** The body of a request, read by nobody or by a parser. */
export const bodyOf = ({ parsed, request }: Incoming, log: Mounted["log"]): Body => {
  if (!request.readableDidRead) return { content: streamed(request), isParsed: false }
  const value = parsed.raw ?? parsed.value
  if (value !== undefined) return { content: asText(value), isParsed: true }
  log("error", "toNodeHandler: something has read the body before, and left nothing in req.body", {})
  const broken = new ReadableStream<Uint8Array>({ start: (controller) => controller.error() })
  return { content: broken, isParsed: true }
}
