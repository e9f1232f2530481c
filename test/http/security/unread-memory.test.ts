/**
 * The memory of a server whose clients read nothing, or send their bodies in the smallest chunks
 * (rule W13). The server is a process of its own.
 */
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, vi } from "vitest"
import * as ServerProcess from "../../cli/server/ServerProcess.ts"

vi.setConfig({ testTimeout: 120_000 })

const processes = ServerProcess.forEachTest()

/** The resident memory of a process, in MB. */
const memory = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

const pipelined = (url: string, path: string, count: number): Socket => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").pause()
  socket.on("error", () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count))
  return socket
}

for (const connections of [1, 100]) {
  it(`a thousand pipelined requests on each of ${connections} connections without a key fill no memory`, async () => {
    const server = processes.start({ env: { SIMPLAN_DATABASE_URL: "memory:" } })
    const url = await server.listening
    const status = () => fetch(`${url}/v3/sims?key=${server.fact("API key")}`).then(({ status }) => status)
    for (let n = 0; n < 20; n++) expect(await status()).toBe(200)
    await (await fetch(`${url}/docs/reference`)).arrayBuffer()
    const before = memory(server.process.pid)
    const sockets = Array.from({ length: connections }, () => pipelined(url, "/docs/reference", 1_000))
    let most = 0
    for (let n = 0; n < 100; n++) {
      expect(await status()).toBe(200)
      most = Math.max(most, memory(server.process.pid))
      await sleep(50)
    }
    expect(most - before, "MB more").toBeLessThan(250)
    for (const socket of sockets) socket.destroy()
  })
}

it("bodies in chunks of a byte fill no memory, whether they are read or wait", async () => {
  const server = processes.start({ env: { SIMPLAN_DATABASE_URL: "memory:" } })
  const url = await server.listening
  const key = server.fact("API key")
  const status = () => fetch(`${url}/v3/sims?key=${key}`).then(({ status }) => status)
  for (let n = 0; n < 20; n++) expect(await status()).toBe(200)
  const before = memory(server.process.pid)
  // More than a key may have under way, so that some wait.
  const sockets = Array.from({ length: 48 }, () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    socket.on("error", () => {})
    socket.write(`POST /v3/plans HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`)
    socket.write("1\r\n \r\n".repeat(100_000))
    return socket
  })
  let most = 0
  for (let n = 0; n < 60; n++) {
    most = Math.max(most, memory(server.process.pid))
    await sleep(50)
  }
  expect(most - before, "MB more").toBeLessThan(150)
  for (const socket of sockets) socket.destroy()
})
