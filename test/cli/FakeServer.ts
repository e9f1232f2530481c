/** A server that records the requests and gives the test's answers. */
import { createServer, type Server } from "node:http"
import { afterEach } from "vitest"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly type: string | undefined
  readonly body: string
}

export interface Answer {
  readonly status?: number
  readonly body: unknown
  readonly location?: string
}

export interface FakeServer {
  readonly url: string
  readonly asked: Array<Asked>
  readonly close: () => Promise<void>
}

/** Starts servers that are closed after each test. */
export const forEachTest = (): ((answer: (asked: Asked) => Answer) => Promise<FakeServer>) => {
  const servers: Array<FakeServer> = []
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))
  return async (answer) => {
    const server = await start(answer)
    servers.push(server)
    return server
  }
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

const start = async (answer: (asked: Asked) => Answer): Promise<FakeServer> => {
  const asked: Array<Asked> = []
  const server = createServer(async (request, response) => {
    const parts: Array<Buffer> = []
    for await (const part of request) parts.push(Buffer.from(part))
    const { authorization, "content-type": type } = request.headers
    const question = {
      method: request.method ?? "",
      path: request.url ?? "",
      authorization,
      type,
      body: Buffer.concat(parts).toString()
    }
    asked.push(question)
    const { body, location, status = 200 } = answer(question)
    response.writeHead(status, { "content-type": "application/json", ...(location !== undefined && { location }) })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
