/**
 * What an operator's platform does to processes on one PostgreSQL: takes the database away, stops one while nobody
 * answers it, and starts one too many.
 */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import * as Databases from "../setup/Databases.ts"
import * as Proxy from "../setup/Proxy.ts"
import * as BuiltCopy from "./BuiltCopy.ts"
import * as ServerProcess from "./ServerProcess.ts"

// A server starts in one to two seconds, and in many more where the tests have the machine's processors to share.
vi.setConfig({ testTimeout: 120_000 })

/** For what takes a second or two on a machine that does nothing else. */
const PATIENT = { timeout: 30_000, interval: 50 }

let copy: BuiltCopy.BuiltCopy
let cwd: string
let closing: Array<() => unknown> = []

beforeAll(() => {
  copy = BuiltCopy.make()
}, 120_000)
afterAll(() => copy?.remove())
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "simplan-operation-"))
})
afterEach(async () => {
  await Promise.all(closing.map((close) => close()))
  closing = []
  rmSync(cwd, { recursive: true, force: true })
})

const database = Databases.forEachTest()

const start = (env: Readonly<Record<string, string>> = {}): ServerProcess.ServerProcess => {
  const server = ServerProcess.start({
    main: copy.main,
    cwd,
    env: { SIMPLAN_DATABASE_URL: database(), SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true", ...env }
  })
  closing.push(() => server.kill("SIGKILL"))
  return server
}

const up = async (env: Readonly<Record<string, string>> = {}): Promise<ServerProcess.ServerProcess> => {
  const server = start(env)
  await server.listening
  return server
}

const status = (url: string): Promise<number> => fetch(url).then((response) => response.status)

/** What the management API answers. */
const admin = async (
  server: ServerProcess.ServerProcess,
  path: string,
  body: unknown
): Promise<Record<string, string>> => {
  const response = await fetch(`${await server.listening}/admin/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.fact("admin token")}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  expect(response.status).toBeLessThan(300)
  return JSON.parse(await response.text()).data
}

/** A receiver of webhooks that leaves every call open until the test answers it. */
const receiver = async () => {
  const calls: Array<{ readonly id: string; readonly answer: () => void }> = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    calls.push({ id: String(request.headers["webhook-id"]), answer: () => response.writeHead(204).end() })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { calls, url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/` }
}

describe("readiness", () => {
  it("follows the database as it goes, stalls and comes back, while the process lives on", async () => {
    const url = new URL(database())
    const proxy = await Proxy.start(url.hostname, Number(url.port))
    closing.push(proxy.close)
    url.host = `127.0.0.1:${proxy.port}`
    const server = await up({ SIMPLAN_DATABASE_URL: url.toString() })
    const address = await server.listening
    const ready = (): Promise<number> => status(`${address}/readyz`)
    expect(await ready()).toBe(200)
    for (const fault of [proxy.cut, proxy.stall, proxy.cut]) {
      fault()
      await expect.poll(ready, PATIENT).toBe(503)
      expect(await status(`${address}/healthz`)).toBe(200)
      proxy.resume()
      await expect.poll(ready, PATIENT).toBe(200)
    }
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })
  })

  it("ends when the process is told to stop", async () => {
    const server = await up()
    const socket = connect(Number(new URL(await server.listening).port), "127.0.0.1")
    // Begun before the signal, so that its connection is one with a request.
    socket.write("GET /readyz HTTP/1.1\r\nHost: simplan\r\n")
    await expect.poll(() => socket.bytesWritten, PATIENT).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const ended = server.kill("SIGTERM")
    await expect.poll(server.err, PATIENT).toContain("stopping")
    await expect.poll(() => fetch(`${server.fact("address")}/healthz`).catch(() => "closed"), PATIENT).toBe("closed")
    socket.write("\r\n")
    const [answer] = await once(socket.setEncoding("utf8"), "data")
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(answer).toContain('"code":"not_ready"')
    expect(await ended).toEqual({ code: 0, signal: null })
  })
})

describe("a process that is told to stop", () => {
  it("leaves what it has not done to another at once, and ends within 10 s with a client and a receiver hanging", async () => {
    const hooks = await receiver()
    const [stopped, other] = [await up(), await up()]
    const { organization_id: id } = await admin(stopped, "/organizations", { name: "Acme" })
    await admin(stopped, `/organizations/${id}/webhook-endpoints`, { url: hooks.url })
    await admin(stopped, `/organizations/${id}/sims`, {
      sims: [{ iccid: "8910300000000000019", label: "Green", is_esim: true, lpa: "LPA:1$smdp.example.com$A" }]
    })
    const hanging = connect(Number(new URL(await stopped.listening).port), "127.0.0.1").on("error", () => {})
    hanging.write(`POST /telco/v1/events HTTP/1.1\r\nHost: simplan\r\nContent-Length: 1000\r\n`)
    hanging.write(`Authorization: Bearer ${stopped.fact("telco token")}\r\nContent-Type: application/json\r\n\r\n{`)

    // Of two idle processes, the one that takes the report looks for work at once.
    other.process.kill("SIGSTOP")
    const smdp = { type: "smdp_state", iccid: "8910300000000000019", state: "Enable" }
    const reported = await fetch(`${await stopped.listening}/telco/v1/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${stopped.fact("telco token")}`, "content-type": "application/json" },
      body: JSON.stringify({ events: [{ ...smdp, id: "r-1", occurred_at: new Date().toISOString() }] })
    })
    expect(await reported.json()).toMatchObject({ accepted: 1 })
    await expect.poll(() => hooks.calls.length, PATIENT).toBe(1)

    const since = performance.now()
    const ended = stopped.kill("SIGTERM")
    other.process.kill("SIGCONT")
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(performance.now() - since).toBeLessThan(10_000)
    // A lease lasts a minute; what was handed back is taken within seconds.
    await expect.poll(() => hooks.calls.length, PATIENT).toBe(2)
    expect(hooks.calls[1]?.id).toBe(hooks.calls[0]?.id)
    hooks.calls[1]?.answer()
    hanging.destroy()
    expect(await other.kill("SIGTERM")).toEqual({ code: 0, signal: null })
  })
})

describe("a virtual clock on PostgreSQL", () => {
  const virtual = { SIMPLAN_CLOCK: "virtual:2026-01-31T00:00:00Z" }

  const refused = async (env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const server = start(env)
    expect((await server.ended).code).toBe(1)
    return server.err()
  }

  it("is for one process only, and ends with it however that ends", async () => {
    const alone = await up(virtual)
    expect(await refused(virtual)).toMatch(
      /^The database at .* cannot be used: other processes are on it, and a virtual clock is for one process only\.\n$/
    )
    expect(await refused()).toMatch(
      /^The database at .* cannot be used: a process with a virtual clock has it for itself\.\n$/
    )
    await alone.kill("SIGKILL")
    const shared = await up()
    expect(await refused(virtual)).toContain("a virtual clock is for one process only")
    await shared.kill("SIGTERM")
    await up(virtual)
  })
})
