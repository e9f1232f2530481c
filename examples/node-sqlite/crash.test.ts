import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Storage } from "simplan/ports"
import { layer } from "./Storage.ts"

const directory = mkdtempSync(join(tmpdir(), "simplan-sqlite-"))
const children = new Set<ChildProcess>()

after(() => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(directory, { recursive: true })
})

const start = (script: string, args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, path, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  children.add(child)
  const ended = once(child, "exit")
  const stop = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal)
    const [code] = await ended
    return code
  }
  return { lines: createInterface({ input: child.stdout }), stop }
}

/** How many organizations of each name the file has. */
const namesIn = (file: string) =>
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const names = new Map<string, number>()
    for (const { name } of yield* storage.organizations.page({ after: null, limit: 1e9 }))
      names.set(name, (names.get(name) ?? 0) + 1)
    return names
  }).pipe(Effect.provide(layer({ file })), Effect.runPromise)

test("kill -9 in the middle of commits leaves nothing half, and loses nothing that was answered", async () => {
  const file = join(directory, "crash.db")
  const answered = new Set<string>()
  for (const round of [1, 2, 3]) {
    const writer = start("writer.ts", [file, `${round}`])
    const enough = answered.size + 10 * round
    for await (const name of writer.lines) if (answered.add(name).size === enough) void writer.stop("SIGKILL")
    assert.equal(await writer.stop("SIGKILL"), null)
    const names = await namesIn(file)
    assert.deepEqual(
      [...names].filter(([, count]) => count !== 50),
      []
    )
    assert.deepEqual(
      [...answered].filter((name) => !names.has(name)),
      []
    )
  }
})

test("a second process on the file is refused in one sentence", async () => {
  const file = join(directory, "held.db")
  const writer = start("writer.ts", [file, "1"])
  await once(writer.lines, "line")
  await assert.rejects(namesIn(file), { message: `The database ${file} is open in another process` })
  await writer.stop("SIGKILL")
  assert.notEqual((await namesIn(file)).size, 0)
})

test("the server goes on where it was", async () => {
  const env = { ADMIN_TOKEN: "a-token-for-the-test", FILE: join(directory, "server.db"), PORT: "0" }
  const headers = { authorization: `Bearer ${env.ADMIN_TOKEN}`, "content-type": "application/json" }
  const serve = async () => {
    const server = start("server.ts", [], env)
    const [line] = await once(server.lines, "line")
    return { ...server, url: `http://127.0.0.1:${JSON.parse(line).port}/admin/v1/organizations` }
  }
  const first = await serve()
  const created = await fetch(first.url, { method: "POST", headers, body: JSON.stringify({ name: "Acme" }) })
  assert.equal(created.status, 201)
  await first.stop("SIGKILL")
  const second = await serve()
  const listed = await fetch(second.url, { headers })
  assert.match(await listed.text(), /"Acme"/)
  assert.equal(await second.stop("SIGTERM"), 0)
})
