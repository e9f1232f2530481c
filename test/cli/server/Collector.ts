/** An OpenTelemetry collector that records what it receives. */
import { once } from "node:events"
import { createServer } from "node:http"
import * as Leaks from "../../setup/Leaks.ts"

export interface Received {
  /** Such as `/v1/traces`. */
  readonly path: string
  readonly type: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface Collector {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** All values of a field in the received JSON, at any depth. */
  readonly all: (path: string, field: string) => ReadonlyArray<Record<string, unknown>>
  readonly close: () => Promise<void>
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const under = (value: unknown, field: string): ReadonlyArray<Record<string, unknown>> => {
  if (Array.isArray(value)) return value.flatMap((item) => under(item, field))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === field && Array.isArray(inner) ? inner.filter(isRecord) : under(inner, field)
  )
}

export const start = async (): Promise<Collector> => {
  const received: Array<Received> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const { headers, url = "" } = request
    received.push({ path: url, type: headers["content-type"], headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  Leaks.watch({ what: "what a collector got", text: () => received.map(({ body }) => body).join("\n") })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    received,
    all: (path, field) =>
      received.flatMap((one) =>
        one.path === path && one.type === "application/json" ? under(JSON.parse(one.body), field) : []
      ),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
