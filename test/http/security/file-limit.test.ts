/**
 * A server whose limit of open files is near (rule W13): connections without a key shut nobody else
 * out.
 */
import { connect } from "node:net"
import { expect, it, vi } from "vitest"
import * as ServerProcess from "../../cli/server/ServerProcess.ts"

vi.setConfig({ testTimeout: 120_000 })

const processes = ServerProcess.forEachTest()

it("600 idle connections shut out no new connection of another address", async () => {
  const server = processes.start({ files: 400, env: { SIMPLAN_DATABASE_URL: "memory:" } })
  const url = await server.listening
  const port = Number(new URL(url).port)
  const from = (localAddress: string) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress })
    socket.on("error", () => {})
    return socket
  }
  const idle = Array.from({ length: 600 }, () => from("127.0.0.2").resume())
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))))
  for (let n = 0; n < 20; n++) {
    const socket = from("127.0.0.3")
    const answer = new Promise<string>((resolve) => {
      socket.once("data", (bytes) => resolve(String(bytes)))
      socket.once("close", () => resolve("closed"))
      setTimeout(() => resolve("no answer"), 10_000)
    })
    socket.write(`GET /v3/sims?key=${server.fact("API key")} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await answer).toMatch(/^HTTP\/1.1 200/)
    socket.destroy()
  }
  for (const socket of idle) socket.destroy()
})
