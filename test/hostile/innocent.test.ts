/**
 * The client that is not to notice attacks keeps within its limits by itself.
 */
import { createServer, type ServerResponse } from "node:http"
import { once } from "node:events"
import { expect, it, vi } from "vitest"
import * as Innocent from "./Innocent.ts"

it("sends no more after a pause of the server than a key may send at once", async () => {
  const waiting: Array<ServerResponse> = []
  let isPaused = true
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    if (isPaused) waiting.push(response)
    else response.end("{}")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  try {
    const client = Innocent.start({ url: `http://127.0.0.1:${port}`, key: "k", planId: "p", iccids: ["1"] })
    vi.advanceTimersByTime(60_000)
    const taken = client.taken()
    while (waiting.length === 0) await new Promise(setImmediate)
    isPaused = false
    for (const response of waiting) response.end("{}")
    expect((await taken).length).toBe(Innocent.MOST)
    // Where nothing is to be deleted nothing is sent.
    expect(asked).toBeGreaterThan(Innocent.MOST / 2)
    expect(asked).toBeLessThanOrEqual(Innocent.MOST)
    await client.stop()
  } finally {
    vi.useRealTimers()
    server.close()
  }
})
