/** A bridge that somebody wrote: it remembers each call, and answers what the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: unknown
}

export interface Bridge {
  readonly url: string
  readonly asked: Array<Asked>
  /** How many connections there were. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

export type Answer = (asked: Asked, response: ServerResponse, socket: Socket) => void

/** Answers with a status, and a body where one is given. */
export const answer =
  (status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body))
  }

export const start = async (answers: Answer): Promise<Bridge> => {
  const asked: Array<Asked> = []
  let connections = 0
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const part of request.setEncoding("utf8")) text += part
    const { headers, method = "", url = "" } = request
    const one = { method, path: url, headers, body: text === "" ? null : JSON.parse(text) }
    asked.push(one)
    answers(one, response, request.socket)
  })
  server.on("connection", () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    asked,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
