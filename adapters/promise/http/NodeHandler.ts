/**
 * The HTTP API as a handler of Node's HTTP server and of the frameworks over it.
 *
 * - A body that a parser has read before is taken from `req.body`: bytes and texts as they are, anything else as JSON.
 * - Answers go out as fast as the client reads them. One that reads nothing for 30 s is disconnected (rule W10).
 * - A client that goes away interrupts what it has asked for.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { WebHandler } from "../../http/index.ts"
import * as Errors from "../errors/Errors.ts"
import * as Http from "./Http.ts"
import * as Incoming from "./Incoming.ts"
import * as NodeAnswer from "./NodeAnswer.ts"
import type { NodeHandler } from "../types/Http.ts"
import type { Simplan } from "../types/Simplan.ts"

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

/** The web request. A path that URLs write in another way is one that no route has: a guard of the host may not know it. */
const webRequest = (incoming: Incoming.Incoming, mounted: Http.Mounted, signal: AbortSignal | null): Request => {
  const { request, target } = incoming
  const method = request.method ?? "GET"
  const url = urlOf(request, target)
  const isExact = url.pathname === target.split("?", 1)[0]
  if (!isExact || !/^[A-Z]+$/.test(method) || ["CONNECT", "TRACE", "TRACK"].includes(method)) {
    return new Request(new URL(NOWHERE, url), { signal })
  }
  const body = isBodiless(method) ? undefined : Incoming.bodyOf(incoming, mounted.log)
  return new Request(url, {
    method,
    headers: headersOf(request, body?.isParsed ?? false),
    signal,
    ...(body !== undefined && { body: body.content, duplex: "half" })
  })
}

/** A request as the service sees it. A signal costs as much as the rest of a web request: only a host's hook needs one. */
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

const serve = async (mounted: Http.Mounted, incoming: Incoming.Incoming, prefix: string): Promise<void> => {
  const { host, request, response } = incoming
  try {
    const { direct, signal, taken } = exchange(response, mounted.asksHost)
    const web = webRequest(incoming, mounted, signal)
    const answer = await mounted.answer(web, { prefix, address: addressOf(request), host, direct })
    await NodeAnswer.send(answer, request, response, taken())
  } catch (error) {
    mounted.log("error", "A request could not be answered", { err: error })
    response.destroy()
  }
}

/** Where the routes are, and whether a request is for one of the groups that are mounted. */
const place = (mounted: Http.Mounted, { base, target }: Incoming.Incoming) => {
  const prefix = mounted.prefix ?? base
  const isBelow = prefix === "" || target.startsWith(`${prefix}/`)
  return { prefix, isMine: isBelow && mounted.has(target.slice(prefix.length)) }
}

/**
 * A handler of Node's HTTP server with the HTTP API of a service, as `http` of its options mounts it. It goes before or behind
 * a body parser.
 *
 *     createServer(toNodeHandler(simplan))                    // node:http
 *     app.use("/esim", toNodeHandler(simplan))                // Express 4 and 5, Nest, Connect
 *     app.all("/esim/*", toNodeHandler(simplan))              // Fastify
 *     app.use(toNodeHandler(simplan))                         // Koa, with http: { prefix: "/esim" }
 *
 * Fastify refuses bodies that it has no parser for, such as text/csv, before the handler gets them.
 *
 * Where the handler is given a `next` and the path is below no group that is mounted, it calls `next`; else such a path is
 * 404. An unknown path below a group that is mounted is always 404.
 *
 * Throws a `SimplanError` where it is given something else than a service of `createSimplan`.
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
    const incoming = Incoming.of(first, second, third)
    const { isMine, prefix } = place(mounted, incoming)
    if (!isMine && incoming.next !== undefined) return Promise.resolve(incoming.next())
    incoming.take()
    return mounted.hold(serve(mounted, incoming, prefix))
  }
  return handle
}
