import { execFileSync, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as BuiltCopy from "../BuiltCopy.ts"
import * as ServerProcess from "./ServerProcess.ts"

// A server starts in one to two seconds, and in many more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

let copy: BuiltCopy.BuiltCopy
let cwd: string
let used: string
let running: Array<ServerProcess.ServerProcess> = []

beforeAll(async () => {
  copy = BuiltCopy.make()
  used = mkdtempSync(join(tmpdir(), "simplan-used-"))
  const server = ServerProcess.start({ main: copy.main, cwd: used })
  await server.listening
  await server.kill("SIGTERM")
}, 120_000)
afterAll(() => {
  copy?.remove()
  if (used !== undefined) rmSync(used, { recursive: true, force: true })
})
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "simplan-serve-"))
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((server) => server.kill("SIGKILL")))
  rmSync(cwd, { recursive: true, force: true })
})

const start = (env: Readonly<Record<string, string>> = {}): ServerProcess.ServerProcess => {
  const server = ServerProcess.start({ main: copy.main, cwd, env })
  running.push(server)
  return server
}

/** Starts in a directory where a server has run before, which is faster than a first start. */
const reuse = (): void => cpSync(used, cwd, { recursive: true })

const up = async (env: Readonly<Record<string, string>> = {}): Promise<ServerProcess.ServerProcess> => {
  const server = start(env)
  await server.listening
  return server
}

/** Starts a server that fails; returns its sentence. */
const refused = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const server = start(env)
  expect((await server.ended).code).toBe(1)
  expect(server.out()).toBe("")
  expect(server.err().trimEnd()).not.toContain("\n")
  return server.err()
}

/**
 * Runs the commands to try that a server prints, in its directory, and looks at what they print.
 */
const follow = (server: ServerProcess.ServerProcess, env: Readonly<Record<string, string>> = {}): void => {
  const lines = server.out().split("\n")
  const commands = lines.slice(lines.findIndex((line) => line.startsWith("To try it")) + 1)
  expect(Math.max(...commands.map(({ length }) => length))).toBeLessThanOrEqual(100)
  // What is not installed here is not fetched.
  const npx = `npx() { [ "$1" = simplan ] && shift && "${process.execPath}" "${copy.main}" "$@"; }`
  const out = execFileSync("sh", ["-e", "-c", [npx, ...commands].join("\n")], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env }
  })
  expect(out).toMatch(/^plan_id +[\da-f-]{36}\nsubscription_id +[\da-f-]{36}\n/)
  expect(out).toContain("\n1 accepted, 0 duplicates, 0 rejected\n")
  expect(out).toMatch(/\n[\da-f-]{36} +ACTIVE +572 +1024 /)
  expect(out).toMatch(/\n\{"error":false,"data":\[\{.*"metadata":"my first subscription".*\}\]\}\n?$/)
}

const memory = { SIMPLAN_DATABASE_URL: "memory:" }

describe("a first start", () => {
  it("makes a demonstration whose printed commands work, repeatedly and after a restart", async () => {
    const first = await up({ SIMPLAN_PORT: "0" })
    const address = await first.listening
    follow(first)
    follow(first)

    expect(first.fact("API key")).toMatch(/^simplan_[0-9A-Za-z]+$/)
    expect(statSync(join(cwd, ".simplan")).mode & 0o777).toBe(0o700)
    expect(statSync(join(cwd, ".simplan/credentials.json")).mode & 0o777).toBe(0o600)
    expect(await first.kill("SIGTERM")).toEqual({ code: 0, signal: null })
    for (const [secret, file] of [
      ["API key", "demo.key"],
      ["admin token", "admin.token"],
      ["telco token", "telco.token"]
    ] as const) {
      expect(first.fact(secret).length).toBeGreaterThan(20)
      expect(first.out() + first.err()).not.toContain(first.fact(secret))
      expect(first.out()).toContain(`in ${join(realpathSync(cwd), ".simplan", file)}\n`)
      expect(statSync(join(cwd, ".simplan", file)).mode & 0o777).toBe(0o600)
    }

    const second = await up({ SIMPLAN_PORT: new URL(address).port })
    expect(second.out()).toBe(first.out())
    const list = await fetch(`${address}/v3/subscription?key=${second.fact("API key")}`)
    expect(await list.json()).toMatchObject({ data: [{}] })
    follow(second)
    const organizations = await fetch(`${address}/admin/v1/organizations`, {
      headers: { authorization: `Bearer ${second.fact("admin token")}` }
    })
    expect(await organizations.json()).toMatchObject({ data: [{ name: "Demo" }] })
    const sims = await fetch(`${address}/v3/sims?page_size=100&key=${second.fact("API key")}`)
    expect(await sims.json()).toMatchObject({ data: { length: 32 } })
  })

  it("makes a new key for the demonstration if the kept one is lost", async () => {
    reuse()
    const first = await up()
    await first.kill("SIGTERM")
    const lost = first.fact("API key")
    rmSync(join(cwd, ".simplan/credentials.json"))
    const second = await up()
    expect(second.fact("API key")).not.toBe(lost)
    follow(second)
    const organizations = await fetch(`${await second.listening}/admin/v1/organizations`, {
      headers: { authorization: `Bearer ${second.fact("admin token")}` }
    })
    expect(await organizations.json()).toMatchObject({ data: { length: 1 } })
  })

  it("neither keeps nor prints tokens from the environment", async () => {
    const tokens = { SIMPLAN_ADMIN_TOKEN: "set-admin-token-of-16", SIMPLAN_TELCO_TOKEN: "set-telco-token-of-16" }
    const server = await up({ ...memory, ...tokens })
    follow(server, tokens)
    const said = server.out() + server.err() + readFileSync(join(cwd, ".simplan/credentials.json"), "utf8")
    expect(said).not.toMatch(/set-(admin|telco)-token/)
    expect(server.fact("admin token")).toBe("as set in SIMPLAN_ADMIN_TOKEN")
  })

  it("turns an API off if only its token is missing", async () => {
    const server = await up({ ...memory, SIMPLAN_ADMIN_TOKEN: "set-admin-token-of-16" })
    expect(server.fact("telco token")).toContain("SIMPLAN_TELCO_TOKEN is not set")
    const response = await fetch(`${await server.listening}/telco/v1/events`, { method: "POST" })
    expect(response.status).toBe(404)
  })

  it("runs on a virtual clock, which continues at its stored time", async () => {
    reuse()
    const first = await up({ SIMPLAN_CLOCK: "virtual:2026-01-31T00:00:00Z" })
    expect(first.fact("clock")).toBe("virtual, stands at 2026-01-31T00:00:00.000Z")
    follow(first)
    const advance = ServerProcess.start({ main: copy.main, cwd, args: ["clock", "advance", "--by", "31 days"] })
    expect((await advance.ended).code).toBe(0)
    expect(advance.out()).toBe("now  2026-03-03T00:00:00.000Z\n")
    await first.kill("SIGTERM")
    const second = await up({ SIMPLAN_CLOCK: "virtual:2026-02-01T00:00:00Z" })
    expect(second.fact("clock")).toBe("virtual, stands at 2026-03-03T00:00:00.000Z")
    await second.kill("SIGTERM")
    const third = await up({ SIMPLAN_CLOCK: "virtual:2027-01-01T00:00:00Z" })
    expect(third.fact("clock")).toBe("virtual, stands at 2027-01-01T00:00:00.000Z")
  })
})

describe("the commands in the directory of a server", () => {
  const command = async (...args: ReadonlyArray<string>) => {
    const run = ServerProcess.start({ main: copy.main, cwd, args })
    const { code } = await run.ended
    return { code, out: run.out(), err: run.err() }
  }

  it("need no flags", async () => {
    const server = await up(memory)
    const sim = await command("sims", "list", "--limit", "1", "--json")
    expect(JSON.parse(sim.out)).toMatchObject({ iccid: expect.stringMatching(/^8999900/), used: false })
    const org = await command("org", "create", "Acme", "--json")
    const { organization_id: id } = JSON.parse(org.out)
    const key = JSON.parse((await command("key", "create", "--org", id, "--json")).out)
    writeFileSync(
      join(cwd, "sims.csv"),
      "iccid,label,is_esim,lpa\n8910300000000000019,Green,true,LPA:1$smdp.example.com$A\n12,Green,true,\n"
    )
    const imported = await command("sims", "import", "sims.csv", "--org", id)
    expect(imported.code).toBe(1)
    expect(imported.out).toMatch(/^imported +1\nupdated +0\nduplicates +0\nerrors +1\n/)
    expect(imported.out).toContain("error in line 3 (12): ")
    expect(imported.err).toContain("1 of 2 rows were not imported.")
    const sims = await fetch(`${await server.listening}/v3/sims?key=${key.key}`)
    expect(await sims.json()).toMatchObject({ data: [{ iccid: "8910300000000000019" }] })

    const webhook = await command("webhook", "add", "https://hooks.example.com", "--org", id)
    expect(webhook.out).toContain("whsec_")
    const location = ["--country", "DE", "--operator", "Telekom", "--rat", "4G", "--imei", "356938035643809"]
    const sent = await command("events", "send", "--type", "location", "--iccid", "8910300000000000019", ...location)
    expect(sent).toMatchObject({ code: 0, out: "1 accepted, 0 duplicates, 0 rejected\n" })
    expect(await command("clock", "advance", "--by", "1 hour")).toMatchObject({
      code: 1,
      err: expect.stringContaining("clock_is_system")
    })
  })
})

it("refuses variables that are no settings, and with --production what is for trying out; warns of DATABASE_URL", async () => {
  expect(await refused({ ...memory, SIMPLAN_PROT: "0" })).toBe(
    "SIMPLAN_PROT is no setting: SIMPLAN_PORT is the nearest.\n"
  )
  const args = ["serve", "--production"]
  const server = ServerProcess.start({ main: copy.main, cwd, args, env: memory })
  running.push(server)
  expect((await server.ended).code).toBe(1)
  expect(server.err()).toMatch(/^With --production a server does not start while the telco is simulated: .*; .*\.\n$/)
  reuse()
  const warned = await up({ DATABASE_URL: "postgres://me:secret@db/mine" })
  expect(warned.err()).toContain("DATABASE_URL is set and is not read")
  expect(warned.err()).not.toContain("secret")
  expect(warned.out()).toContain("Not for production:\n  the telco is simulated")
})

it("says which build it is, by the digest of the build's sources", () => {
  const built = readFileSync(join(copy.directory, "dist", ".sources"), "utf8")
  const output = execFileSync(process.execPath, [copy.main, "--version"], { encoding: "utf8" })
  expect(output.trim()).toBe(`simplan v0.2.0+${built.slice(0, 12)}`)
})

it("serves the console that was built, unless it is off", async () => {
  const server = await up(memory)
  const [address = ""] = server.fact("console").split(",")
  const page = await fetch(address)
  expect(page.status).toBe(200)
  const [, script = ""] = /src="([^"]+)"/.exec(await page.text()) ?? []
  expect((await fetch(new URL(script, address))).headers.get("content-type")).toContain("text/javascript")
  expect((await fetch(server.fact("address"))).url).toBe(address)
  const off = await up({ ...memory, SIMPLAN_CONSOLE: "off" })
  expect((await fetch(`${off.fact("address")}/admin/console`)).status).toBe(404)
  expect((await fetch(off.fact("address"))).url).toBe(`${off.fact("address")}/docs`)
  expect(off.out()).not.toContain("console")
})

it("leaves the console its reads alone", async () => {
  const server = await up({ ...memory, SIMPLAN_CONSOLE_READ_ONLY: "true" })
  const url = `${server.fact("address")}/admin/v1`
  const authorization = `Bearer ${server.fact("admin token")}`
  const session = await fetch(`${url}/session`, { method: "POST", headers: { authorization } })
  const [cookie = ""] = (session.headers.get("set-cookie") ?? "").split(";")
  const make = (headers: Readonly<Record<string, string>>) =>
    fetch(`${url}/organizations`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ name: "Acme" })
    })
  expect((await fetch(`${url}/organizations`, { headers: { cookie } })).status).toBe(200)
  expect((await make({ cookie, "sec-fetch-site": "same-origin" })).status).toBe(403)
  expect((await make({ authorization })).status).toBe(201)
})

/**
 * Mounts the console below a prefix, behind a login of its own, and prints what came of some
 * requests.
 */
const HOST = `
  import { createServer } from "node:http"
  import { createSimplan, toNodeHandler } from "simplan/promise"
  const authenticateOperator = async (request) =>
    request.headers.get("cookie") === "login=ada" ? { role: "admin", actor: "ada" } : null
  const simplan = createSimplan({
    database: "memory",
    telco: "simulator",
    http: { groups: ["console"], prefix: "/esim", authenticateOperator }
  })
  const server = createServer(toNodeHandler(simplan)).listen(0, "127.0.0.1", async () => {
    const at = "http://127.0.0.1:" + server.address().port + "/esim/admin/"
    const page = await fetch(at + "console")
    const [, script] = /src="([^"]+)"/.exec(await page.text())
    const json = { "content-type": "application/json" }
    const make = (headers) =>
      fetch(at + "v1/organizations", { method: "POST", headers: { ...json, ...headers }, body: '{"name":"Acme"}' })
    const cookie = "login=ada"
    console.log(JSON.stringify([
      page.status,
      (await fetch(new URL(script, page.url))).status,
      (await (await fetch(at + "v1/whoami", { headers: { cookie } })).json()).data.name,
      (await fetch(at + "v1/whoami")).status,
      (await make({ cookie, "sec-fetch-site": "same-origin" })).status,
      (await make({ cookie, "sec-fetch-site": "cross-site" })).status,
      (await make({ cookie, origin: "https://evil.example" })).status,
      (await fetch(at.replace("/admin/", "/v3/plans"))).status
    ]))
    server.closeAllConnections()
    server.close()
    await simplan.close()
  })
`

it("is mounted by a host with its own login, and takes no change from another origin", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", HOST], {
    cwd: copy.directory,
    encoding: "utf8"
  })
  expect(JSON.parse(output.trim().split("\n").at(-1) ?? "")).toEqual([200, 200, "ada", 401, 201, 403, 403, 404])
})

describe("a listener for operators", () => {
  it("has the management API and the metrics for itself, and commands find it", async () => {
    const server = await up({ ...memory, SIMPLAN_ADMIN_PORT: "0" })
    const [callers, operators] = [server.fact("address"), server.fact("operators")]
    const authorization = `Bearer ${server.fact("admin token")}`
    const paths = [
      "/admin/console",
      "/healthz",
      "/readyz",
      "/metrics",
      "/admin/v1/organizations",
      "/v3/plans",
      "/telco/v1/events",
      "/docs"
    ]
    const statuses = (url: string) =>
      Promise.all(paths.map(async (path) => (await fetch(url + path, { headers: { authorization } })).status))
    expect(new URL(operators).hostname).toBe("127.0.0.1")
    expect(await statuses(callers)).toEqual([404, 200, 200, 404, 404, 401, 405, 200])
    expect(await statuses(operators)).toEqual([200, 200, 200, 200, 200, 404, 404, 200])
    follow(server)

    const run = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
      const child = ServerProcess.start({ main: copy.main, cwd, args, env })
      return { ...(await child.ended), out: child.out(), err: child.err() }
    }
    expect(await run(["org", "create", "Acme"])).toMatchObject({ code: 0 })
    const wrong = await run(["org", "create", "Acme"], { SIMPLAN_URL: callers })
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("SIMPLAN_ADMIN_URL") })
    const both = { SIMPLAN_URL: callers, SIMPLAN_ADMIN_URL: operators }
    expect(await run(["org", "create", "Acme"], both)).toMatchObject({ code: 0 })
    const usage = ["--type", "usage", "--iccid", "8910300000000000019", "--total-bytes", "1"]
    expect((await run(["events", "send", ...usage], both)).out).toContain("1 rejected")
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })
  })
})

describe("on a database server", () => {
  const database = Databases.forEachTest()

  const run = async (...args: ReadonlyArray<string>) => {
    const child = ServerProcess.start({ main: copy.main, cwd, args, env: { SIMPLAN_DATABASE_URL: database() } })
    return { ...(await child.ended), out: child.out(), err: child.err() }
  }

  it("there is no demonstration; tokens are generated and kept", async () => {
    const env = { SIMPLAN_DATABASE_URL: database(), SIMPLAN_CLOCK: "virtual:2026-01-31T00:00:00Z" }
    const first = await up(env)
    expect(first.out()).toContain("npx simplan org create")
    expect(first.fact("API key")).toBe("")
    expect((await run("org", "create", "Acme")).code).toBe(0)
    expect((await run("clock", "advance", "--to", "2026-02-01T00:00:00Z")).code).toBe(0)
    expect(await first.kill("SIGTERM")).toEqual({ code: 0, signal: null })

    const token = first.fact("admin token")
    const second = await up(env)
    expect(second.fact("admin token")).toBe(token)
    expect(second.fact("clock")).toBe("virtual, stands at 2026-02-01T00:00:00.000Z")
    const key = await run("key", "create")
    expect(key).toMatchObject({ code: 0, out: expect.stringContaining("simplan_") })
  })

  it("`migrate` updates it, and prints no password", async () => {
    const once = await run("migrate")
    expect(once).toMatchObject({ code: 0, err: "" })
    expect(once.out).toMatch(/^The database at postgres.* is up to date\.\n$/)
    expect(once.out).not.toContain(`:${new URL(database()).password}@`)
    expect(await run("migrate")).toEqual(once)
  })
})

describe("one sentence and exit code 1 say that", () => {
  it("the port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const address = other.address()
    const port = String(typeof address === "object" && address !== null ? address.port : 0)
    expect(await refused({ ...memory, SIMPLAN_PORT: port })).toContain(`Port ${port} on 127.0.0.1 is in use`)
    other.close()
  })

  it("the port for operators is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const address = other.address()
    const port = String(typeof address === "object" && address !== null ? address.port : 0)
    expect(await refused({ ...memory, SIMPLAN_ADMIN_PORT: port })).toContain("set SIMPLAN_ADMIN_PORT to another port")
    other.close()
  })

  it("the data directory is in use by another process", async () => {
    reuse()
    const server = await up()
    expect(await refused({})).toContain("is in use by another process")
    await server.kill("SIGKILL")
    await up()
  })

  it("the database cannot be reached, without its password", async () => {
    const sentence = await refused({ SIMPLAN_DATABASE_URL: "postgres://me:secret@127.0.0.1:9/simplan" })
    expect(sentence).toMatch(/^The database at postgres:\/\/me:\*\*\*@127\.0\.0\.1:9\/simplan cannot be used: .+\.\n$/)
    expect(sentence).not.toContain("secret")
  })

  it("a setting is not allowed", async () => {
    expect(await refused({ SIMPLAN_PORT: "http" })).toMatch(/^SIMPLAN_PORT is "http", but must be .+\.\n$/)
    expect(existsSync(join(cwd, ".simplan"))).toBe(false)
  })
})

describe("a server that is stopped", () => {
  it("releases its data directory and ends with 0 on SIGINT too", async () => {
    reuse()
    const server = await up()
    expect(await server.kill("SIGINT")).toEqual({ code: 0, signal: null })
    await up()
  })

  it("finishes its current request, and accepts no other", async () => {
    const server = await up(memory)
    const url = await server.listening
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const writer = body.writable.getWriter()
    const encode = (text: string) => new TextEncoder().encode(text)
    const request = fetch(`${url}/admin/v1/organizations`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.fact("admin token")}`, "content-type": "application/json" },
      body: body.readable,
      duplex: "half"
    })
    await writer.write(encode('{"name":'))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const ended = server.kill("SIGTERM")
    const other = () => fetch(`${url}/healthz`, { headers: { connection: "close" } })
    await expect
      .poll(() =>
        other().then(
          ({ status }) => status,
          () => "refused"
        )
      )
      .toBe("refused")
    await writer.write(encode('"late"}'))
    await writer.close()
    expect((await request).status).toBe(201)
    expect(await ended).toEqual({ code: 0, signal: null })
  })

  it("answers what was sent whole on kept connections before the signal, and says that it closes them", async () => {
    const server = await up(memory)
    const url = await server.listening
    const body = (index: number) => JSON.stringify({ name: `Organization ${index}` })
    const head = (text: string) =>
      `POST /admin/v1/organizations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.fact("admin token")}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    const clients = Array.from({ length: 40 }, () => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("latin1")
      const received = { text: "" }
      socket.on("data", (text) => {
        received.text += text
      })
      socket.on("error", () => {})
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      return { socket, received, ended: once(socket, "close") }
    })
    await expect.poll(() => clients.filter(({ received }) => received.text.endsWith("}")).length).toBe(40)
    // So it has read nothing of them before the signal.
    server.process.kill("SIGSTOP")
    for (const [index, { socket }] of clients.entries()) socket.write(head(body(index)))
    const ended = server.kill("SIGTERM")
    server.process.kill("SIGCONT")
    await Promise.all(clients.map((client) => client.ended))
    const answered = clients.map(({ received: { text } }) => {
      const answer = text.slice(text.lastIndexOf("HTTP/1.1 "))
      return `${answer.slice(9, 12)} ${/^connection: (.+)\r$/im.exec(answer)?.[1]}`
    })
    // Those of one turn of the event loop, 16 at most, may be answered before the signal is read.
    const isFirst = (answer: string, index: number) => answer === "201 keep-alive" && index < 16
    expect(answered.filter((answer, index) => answer !== "201 close" && !isFirst(answer, index))).toEqual([])
    expect(await ended).toEqual({ code: 0, signal: null })
  })

  const hung = async (): Promise<readonly [ServerProcess.ServerProcess, Promise<unknown>]> => {
    const server = await up(memory)
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const request = fetch(`${await server.listening}/admin/v1/organizations`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.fact("admin token")}`, "content-type": "application/json" },
      body: readable,
      duplex: "half"
    })
    // The headers go out with the first part of the body.
    await writable.getWriter().write(new TextEncoder().encode("{"))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return [server, request.catch(() => undefined)]
  }

  it("ends at once on a second signal, but not on a doubled Ctrl-C", async () => {
    const [server, request] = await hung()
    server.process.kill("SIGINT")
    server.process.kill("SIGINT")
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(server.process.exitCode).toBe(null)
    // A graceful stop would wait for the request, and end with 0.
    expect(await server.kill("SIGINT")).toEqual({ code: 130, signal: null })
    await request
  })
})

describe("npm start", () => {
  it("builds, serves, and handles signals in the same process", async () => {
    const main = join(copy.directory, "adapters/cli/build/build.mjs")
    const server = ServerProcess.start({ main, cwd: copy.directory, env: memory })
    running.push(server)
    await server.listening
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })
  })

  it("has `npx simplan` work in the repository", async () => {
    const modules = join(copy.directory, "node_modules")
    const installed = realpathSync(modules)
    rmSync(modules)
    mkdirSync(join(modules, ".bin"), { recursive: true })
    for (const name of readdirSync(installed).filter((name) => !name.startsWith(".")))
      symlinkSync(join(installed, name), join(modules, name))
    const main = join(copy.directory, "adapters/cli/build/build.mjs")
    const server = ServerProcess.start({ main, cwd: copy.directory, env: memory })
    running.push(server)
    await server.listening
    const args = ["--no", "simplan", "plans", "list"]
    expect(spawnSync("npx", args, { cwd: copy.directory, encoding: "utf8" }).stderr).toBe("There are none.\n")
  })
})

describe("the package", () => {
  it("contains the command line, but neither the playground nor the sources' documents", () => {
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts"]
    const packed = execFileSync("npm", args, { cwd: copy.directory, encoding: "utf8", stdio: "pipe" })
    const [{ files }]: readonly [{ readonly files: ReadonlyArray<{ readonly path: string }> }] = JSON.parse(packed)
    const paths = files.map(({ path }) => path)
    expect(paths).toContain("dist/adapters/cli/main.js")
    expect(paths.filter((path) => path.includes("playground") || /^dist\/.*\.md$/.test(path))).toEqual([])
  })
})
