/**
 * A fake of Airalo's Partner API, written from its documents alone: HTTP on a socket, tokens,
 * multipart bodies, and the troubles that integrators have had. `FakeBooks` has what it sells.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type Asked, type Books, invalid, make, ok, type Options, type Reply, routeOf } from "./FakeBooks.ts"

/** What befalls one call. */
export type Trouble =
  /** The connection is cut before the call is done, or after it. */
  | "request lost"
  | "answer lost"
  /** The call is done only when `arrive` says so, and never answered. */
  | "late"
  /** The call is done, and half of its answer is sent. */
  | "half body"
  /** The call is done, and the answer is no JSON. */
  | "garbled"
  /** Not done. */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

export interface FakeAiralo extends Books {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly asked: Array<Asked>
  /** What befalls the next calls of `METHOD path`, in order; ids in paths are `*`. */
  readonly troubles: Map<string, Array<Trouble>>
  /** Has what is late done now. */
  readonly arrive: () => void
  /** No token that was given is known any more. */
  readonly forgetTokens: () => void
  readonly close: () => Promise<void>
}

const CLIENT = { clientId: "client-1", clientSecret: "a-secret-of-the-client" }

const read = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(Buffer.from(part))
  const bytes = Buffer.concat(parts)
  if (bytes.length === 0) return {}
  const type = request.headers["content-type"] ?? ""
  if (type.startsWith("application/json")) {
    const value: unknown = JSON.parse(bytes.toString("utf8"))
    return typeof value === "object" && value !== null ? { ...value } : {}
  }
  if (!type.startsWith("multipart/form-data")) return {}
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData()
  return Object.fromEntries(Array.from(form.entries()).map(([name, value]) => [name, String(value)]))
}

export const start = async (options: Options = {}): Promise<FakeAiralo> => {
  const { answer, books } = make(options)
  const tokens = new Set<string>()
  const late: Array<() => void> = []
  const asked: FakeAiralo["asked"] = []
  const troubles: FakeAiralo["troubles"] = new Map()
  let given = 0

  const token = ({ fields }: Asked): Reply => {
    if (fields["client_id"] !== CLIENT.clientId) {
      return invalid({ client_id: "The selected client id is invalid." })
    }
    if (fields["client_secret"] !== CLIENT.clientSecret) {
      return { status: 401, body: { data: [], meta: { message: "Client authentication failed" } } }
    }
    const access_token = `token-${++given}-of-the-fake`
    tokens.add(access_token)
    return ok({ token_type: "Bearer", expires_in: 31_622_400, access_token })
  }

  const perform = (call: Asked): Reply => (routeOf(call) === "POST /token" ? token(call) : answer(call))

  const send = (response: ServerResponse, { body, status }: Reply, headers: Readonly<Record<string, string>> = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }

  const befall = (trouble: Trouble | undefined, call: Asked, response: ServerResponse): void => {
    switch (trouble) {
      case undefined:
        send(response, perform(call))
        return
      case "request lost":
        response.destroy()
        return
      case "answer lost":
        perform(call)
        response.destroy()
        return
      case "late":
        late.push(() => void perform(call))
        response.destroy()
        return
      case "half body": {
        const whole = JSON.stringify(perform(call).body)
        response.writeHead(200, { "content-type": "application/json", "content-length": String(whole.length) })
        response.write(whole.slice(0, whole.length / 2), () => response.destroy())
        return
      }
      case "garbled":
        perform(call)
        response.writeHead(200).end("<html>")
        return
      default:
        send(response, { status: trouble.status, body: trouble.body }, trouble.headers)
    }
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://airalo.test")
    const call: Asked = {
      method: request.method ?? "",
      path: url.pathname.replace(/^\/v2/, ""),
      query: url.searchParams,
      headers: request.headers,
      fields: await read(request)
    }
    asked.push(call)
    const route = routeOf(call)
    const bearer = (request.headers.authorization ?? "").replace(/^Bearer /, "")
    if (route !== "POST /token" && !tokens.has(bearer)) {
      send(response, { status: 401, body: { data: [], meta: { message: "This action is unauthorized." } } })
    } else befall(troubles.get(route)?.shift(), call, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return Object.assign(books, {
    ...CLIENT,
    url: `http://127.0.0.1:${port}/v2`,
    asked,
    troubles,
    arrive: () => {
      for (const run of late.splice(0)) run()
    },
    forgetTokens: () => tokens.clear(),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  })
}

export { routeOf }
