/** A receiver of webhooks that remembers every call, and answers as it is set. */
import { createServer, type ServerResponse } from "node:http"

export interface Event {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

export type Mood = "well" | "failing" | "hanging" | "slow" | "redirecting" | "cutting"

export const moods: ReadonlyArray<Mood> = ["well", "failing", "hanging", "slow", "redirecting", "cutting"]

export interface Receiver {
  readonly url: string
  /** What came, in order, also where the answer was no 2xx. */
  readonly events: Array<Event>
  /** How often a redirect was followed. */
  readonly strays: () => number
  readonly become: (mood: Mood) => void
  readonly close: () => Promise<void>
}

const SLOW = 300

export const start = async (): Promise<Receiver> => {
  const events: Array<Event> = []
  const hanging = new Set<ServerResponse>()
  let mood: Mood = "well"
  let strays = 0

  const answer = (response: ServerResponse): void => {
    switch (mood) {
      case "well":
        return void response.writeHead(204).end()
      case "failing":
        return void response.writeHead(500).end("not now")
      case "hanging":
        return void hanging.add(response)
      case "slow":
        return void setTimeout(() => response.writeHead(200).end(), SLOW)
      case "redirecting":
        return void response.writeHead(307, { location: "/elsewhere" }).end()
      case "cutting":
        return void response.destroy()
    }
  }

  const server = createServer(async (request, response) => {
    let body = ""
    try {
      for await (const part of request.setEncoding("utf8")) body += part
    } catch {
      return
    }
    if (request.url === "/elsewhere") strays += 1
    else events.push(JSON.parse(body))
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/`,
    events,
    strays: () => strays,
    become: (next) => {
      mood = next
      if (mood === "hanging") return
      for (const response of hanging) response.destroy()
      hanging.clear()
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
