/**
 * The requests at a server that is stopped are counted: those that were sent to their end, and
 * those that got any answer.
 */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import * as Stopping from "./Stopping.ts"

const stopped = async (onCreation: RequestListener) => {
  let creations = 0
  const server = createServer((request, response) => {
    if (request.method === "GET") return response.end("well")
    creations += 1
    return onCreation(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const end = async () => {
    await expect.poll(() => creations).toBe(16)
    server.close()
    server.closeAllConnections()
  }
  return Stopping.whileAsked({ name: "server 0", url: `http://127.0.0.1:${port}`, end })
}

it("counts requests that were answered", async () => {
  const stop = await stopped((_, response) => void response.end("made"))
  expect(stop).toEqual({ name: "server 0", sent: 16, answered: 16 })
})

it("counts requests that got no byte", async () => {
  let asked = 0
  const stop = await stopped((_, response) => void (asked++ < 5 && response.end("made")))
  expect(stop).toEqual({ name: "server 0", sent: 16, answered: 5 })
})
