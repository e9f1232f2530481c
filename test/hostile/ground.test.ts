/**
 * What is read of a process that is attacked.
 */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { expect, it } from "vitest"
import * as Ground from "./Ground.ts"

it.runIf(process.platform === "linux")("the connections of a process are counted by port and state", async () => {
  const accepted: Array<Socket> = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket.resume())
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? (address?.port ?? 0) : 0
  const clients = [connect(port, "127.0.0.1"), connect({ port, host: "127.0.0.1", allowHalfOpen: true })]
  await Promise.all(clients.map((client) => once(client, "connect")))
  await expect.poll(() => accepted.length).toBe(2)
  clients[0]?.end()
  await expect
    .poll(() =>
      Ground.connectionsOf(process.pid)
        .filter((line) => line.includes(` ${port},`))
        .sort()
    )
    .toEqual([
      `1 at port ${port}, ended by the peer`,
      `1 at port ${port}, established`,
      `1 at port ${port}, listening`,
      `1 to port ${port}, ended here, and acknowledged`,
      `1 to port ${port}, established`
    ])
  for (const socket of [...clients, ...accepted]) socket.destroy()
  server.close()
})
