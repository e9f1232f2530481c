/** A receiver of webhooks that remembers every call. */
import { createServer } from "node:http"

export interface Event {
  readonly id: string
  readonly type: string
  readonly data: { readonly usagePercentage: number; readonly attachmentId: string; readonly esim: string }
}

export interface Receiver {
  readonly url: string
  readonly events: Array<Event>
  readonly close: () => Promise<void>
}

export const start = async (): Promise<Receiver> => {
  const events: Array<Event> = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const part of request.setEncoding("utf8")) body += part
    events.push(JSON.parse(body))
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/`,
    events,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
