/**
 * The embedded database on a disk that gets full: writes are refused before it is, reads go on, and
 * where another program takes the last room during a write, the process ends with a sentence and
 * nothing that was answered is lost.
 *
 * The disk is that of the test; how much it has left, and the failure of a write, are put into
 * Node's `fs` of the process.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, expect, it, vi } from "vitest"
import * as ServerProcess from "./ServerProcess.ts"

vi.setConfig({ testTimeout: 240_000 })

const { cwd, start } = ServerProcess.forEachTest()

const MB = 1_048_576

/** The file with what the disk has left, in bytes. */
const room = (): string => join(cwd(), "room")
/** As long as this file is there, the database's next file of its log meets a full disk. */
const fills = (): string => join(cwd(), "fills")

const disk = (): string => `
const fs = require("node:fs")
const [room, fills] = ${JSON.stringify([room(), fills()])}
const { openSync, readFileSync, statfsSync, writeFileSync, writeSync } = fs
const logs = new Set()
fs.statfsSync = (path) => ({ ...statfsSync(path), bsize: 1, bavail: Number(readFileSync(room, "utf8")) })
fs.openSync = (path, ...rest) => {
  const file = openSync(path, ...rest)
  logs.delete(file)
  if (String(path).includes("xlogtemp")) logs.add(file)
  return file
}
fs.writeSync = (file, ...rest) => {
  if (!logs.has(file) || !fs.existsSync(fills)) return writeSync(file, ...rest)
  writeFileSync(room, "${3 * MB}")
  throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", errno: -28, syscall: "write" })
}
require("node:module").syncBuiltinESMExports()
`

beforeEach(() => {
  writeFileSync(room(), String(1_000 * MB))
  writeFileSync(join(cwd(), "disk.cjs"), disk())
})

const server = (): ServerProcess.ServerProcess =>
  start({ env: { NODE_OPTIONS: `--require=${join(cwd(), "disk.cjs")}`, SIMPLAN_RATE_LIMIT: "off" } })

/** Calls the management API; undefined where it is not answered. */
const admin = async (of: ServerProcess.ServerProcess, path: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${of.fact("admin token")}`, "content-type": "application/json" }
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  const asked = fetch(`${await of.listening}/admin/v1${path}`, { headers, ...sent })
  const response = await asked.catch(() => undefined)
  if (response === undefined) return undefined
  return { status: response.status, data: JSON.parse(await response.text()).data }
}

const status = async (of: ServerProcess.ServerProcess, path: string): Promise<number> =>
  (await fetch(`${await of.listening}${path}`)).status

it("refuses writes before the disk is full, reads on, and writes when there is room", async () => {
  const running = server()
  await running.listening
  const before = await admin(running, "/organizations", { name: "Before" })
  expect(before?.status).toBe(201)

  writeFileSync(room(), String(31 * MB))
  expect((await admin(running, "/organizations", { name: "Meanwhile" }))?.status).toBe(503)
  expect((await admin(running, "/organizations"))?.data).toContainEqual(before?.data)
  await expect.poll(() => status(running, "/readyz"), { timeout: 30_000 }).toBe(503)
  expect(await status(running, "/healthz")).toBe(200)
  expect(running.err()).toMatch(/The file system of .* has 31 MB left, and has to have 32 MB for writes/)

  writeFileSync(room(), String(32 * MB))
  expect((await admin(running, "/organizations", { name: "After" }))?.status).toBe(201)
  await expect.poll(() => status(running, "/readyz"), { timeout: 30_000 }).toBe(200)

  writeFileSync(room(), String(31 * MB))
  expect(await running.kill("SIGTERM")).toEqual({ code: 0, signal: null })
  const refused = server()
  expect(await refused.ended).toEqual({ code: 1, signal: null })
  expect(refused.err()).toMatch(/^The file system of .* has 31 MB left, and has to have 32 MB for writes\.\n$/)
})

it("ends where the disk is full all the same, and has all that was answered when it starts again", async () => {
  const running = server()
  await running.listening
  const organization = await admin(running, "/organizations", { name: "Acme" })
  const path = `/organizations/${organization?.data.organization_id}`
  writeFileSync(fills(), "")
  const asImported = (first: number) =>
    Array.from({ length: 500 }, (_, index) => ({
      iccid: `89103${String(first + index).padStart(14, "0")}`,
      label: "Green",
      is_esim: true,
      lpa: `LPA:1$smdp.example$${"A".repeat(200)}`
    }))
  let answered = 0
  for (;;) {
    const imported = await admin(running, `${path}/sims`, { sims: asImported(answered) })
    if (imported === undefined) break
    expect(imported).toMatchObject({ status: 200, data: { imported: 500 } })
    answered += 500
  }
  expect(await running.ended).toEqual({ code: 1, signal: null })
  expect(running.err()).toContain("is full, and the embedded database hangs. The process ends;")

  rmSync(fills())
  writeFileSync(room(), String(1_000 * MB))
  const again = server()
  await again.listening
  const kept = await admin(again, `${path}/sims`, { sims: asImported(0) })
  expect(kept).toMatchObject({ status: 200, data: { imported: 0, duplicates: 500 } })
  for (let first = 500; first < answered; first += 500) {
    expect((await admin(again, `${path}/sims`, { sims: asImported(first) }))?.data.imported).toBe(0)
  }
})

it("ends by a signal while it loads, and has made nothing", async () => {
  // The signal comes as soon as there is a listener, without which it would end the process by
  // itself.
  const early = `process.on("newListener", (name) => {
    if (name === "SIGTERM") queueMicrotask(() => process.kill(process.pid, name))
  })`
  writeFileSync(join(cwd(), "disk.cjs"), early)
  expect(await server().ended).toEqual({ code: 143, signal: null })
  expect(existsSync(join(cwd(), ".simplan"))).toBe(false)
})
