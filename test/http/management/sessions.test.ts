/**
 * Sessions of browsers in the management API: cookies in place of tokens (rule W14).
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import * as fc from "fast-check"
import { Operator } from "simplan/ports"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as Auth from "../../../adapters/http/middleware/Auth.ts"
import * as Leaks from "../../setup/Leaks.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as RawHttp from "../RawHttp.ts"
import * as World from "../World.ts"

const SAME = { "sec-fetch-site": "same-origin" }

interface Signed {
  readonly answer: World.Answer
  readonly cookie: string
  readonly ask: (
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: unknown
  ) => Promise<World.Answer>
}

const signIn = async (world: World.World, token: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await world.fetch("POST", "/admin/v1/session", {
    headers: { authorization: `Bearer ${token}`, ...headers }
  })
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";")
  const signed: Signed = {
    answer,
    cookie,
    ask: (method, path, more = {}, body) =>
      world.fetch(method, `/admin/v1${path}`, { body, headers: { cookie: `other=1; ${cookie}`, ...more } })
  }
  return signed
}

const operator = async (world: World.World, name: string, role: Operator.Role, more: object = {}) => {
  const { body } = await world.admin("POST", "/operators", { name, role, ...more })
  Leaks.know(body.data.token)
  return { id: String(body.data.operator_id), token: String(body.data.token) }
}

const world = await World.forFile()

it("a token is exchanged for a cookie that no script reads and no other site sends", async () => {
  const { answer, ask, cookie } = await signIn(world, World.ADMIN_TOKEN)
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"])
  expect(answer.headers.get("set-cookie")).toBe(`${cookie}; Max-Age=28800; HttpOnly; SameSite=Strict`)
  expect(Buffer.from(cookie, "base64url").toString("latin1")).not.toContain(World.ADMIN_TOKEN)
  expect((await ask("GET", "/whoami")).body.data).toMatchObject({ name: "bootstrap", role: "admin" })
})

it("roles hold, and audit entries name the operator and the session", async () => {
  for (const role of Operator.roles) {
    const { token } = await operator(world, `by ${role}`, role)
    const { answer, ask } = await signIn(world, token)
    expect((await ask("GET", "/whoami")).body.data).toMatchObject({ name: `by ${role}`, role })
    const expected = { read: [403, 403], support: [200, 403], admin: [200, 201] }[role]
    const retried = await ask("POST", "/jobs/retry", SAME, {})
    const made = await ask("POST", "/organizations", SAME, { name: "Acme" })
    expect([retried.status, made.status]).toEqual(expected)
    const id = answer.body.data.session_id
    const [entry] = (await world.admin("GET", `/audit?resource_id=${id}`)).body.data
    expect(entry).toMatchObject({ actor: `by ${role}`, action: "session.create", resource_type: "session" })
  }
})

it("what changes anything has to come from the same origin", async () => {
  const { ask } = await signIn(world, World.ADMIN_TOKEN)
  const { host } = new URL(world.url)
  const status = async (headers: Readonly<Record<string, string>>) =>
    (await ask("POST", "/jobs/retry", headers, {})).status
  expect(await status({})).toBe(403)
  for (const site of ["cross-site", "same-site", "none"]) expect(await status({ "sec-fetch-site": site })).toBe(403)
  expect(await status({ "sec-fetch-site": "cross-site", origin: `http://${host}` })).toBe(403)
  for (const origin of ["https://evil.example", "null", "", `http://${host}.evil.example`]) {
    expect(await status({ origin })).toBe(403)
  }
  expect(await status({ origin: `http://${host}` })).toBe(200)
  expect(await status(SAME)).toBe(200)
  expect((await ask("GET", "/organizations", { "sec-fetch-site": "cross-site" })).status).toBe(200)
})

it("a page of another origin changes nothing by another method, a form or an upgrade", async () => {
  const { cookie } = await signIn(world, World.ADMIN_TOKEN)
  const names = async () => (await world.admin("GET", "/organizations")).text
  const before = await names()
  const elsewhere = { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" }
  const path = "/admin/v1/organizations"
  const send = async (method: string, to: string, headers: Readonly<Record<string, string>>, body?: string) => {
    const answer = await fetch(`${world.url}${to}`, {
      method,
      headers: { ...elsewhere, ...headers },
      body: body ?? null
    })
    await answer.arrayBuffer()
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([])
    return answer.status
  }
  for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
    expect([name, await send("GET", path, { [name]: "POST" })]).toEqual([name, 200])
    expect([name, await send("HEAD", path, { [name]: "POST" })]).toEqual([name, 200])
    expect([name, await send("HEAD", "/admin/v1/jobs/retry", { [name]: "POST" })]).toEqual([name, 405])
  }
  const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" }
  expect(await send("OPTIONS", path, preflight)).toBe(204)
  const forms = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json"
  ]
  for (const type of forms) {
    expect([type, await send("POST", path, { "content-type": type }, '{"name":"Evil"}')]).toEqual([type, 403])
  }
  for (const protocol of ["websocket", "h2c", "TLS/1.0"]) {
    const upgrade = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13`
    const head = `Host: x\r\nCookie: ${cookie}\r\nOrigin: https://evil.example\r\n${upgrade}\r\n`
    const write = `POST ${path} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name":"Evil"}`
    const sent = async (bytes: string) => RawHttp.statuses(await RawHttp.exchange(world.url, bytes))
    expect([protocol, await sent(write)]).toEqual([protocol, [403]])
    expect([protocol, await sent(`GET ${path} HTTP/1.1\r\n${head}\r\n`)]).toEqual([protocol, [200]])
  }
  expect(await names()).toBe(before)
})

it("a session that was ended is refused, and no other one", async () => {
  const mine = await signIn(world, World.ADMIN_TOKEN)
  const other = await signIn(world, World.ADMIN_TOKEN)
  expect((await mine.ask("DELETE", "/session")).status).toBe(403)
  const ended = await mine.ask("DELETE", "/session", SAME)
  expect([ended.status, ended.headers.get("set-cookie")]).toEqual([
    200,
    "simplan_session=; Max-Age=0; HttpOnly; SameSite=Strict"
  ])
  expect((await mine.ask("GET", "/whoami")).status).toBe(401)
  expect((await other.ask("GET", "/whoami")).status).toBe(200)
  expect((await world.admin("DELETE", "/session")).body.code).toBe("session_not_found")
})

it("a session ends with its operator's token", async () => {
  const gone = await operator(world, "Gone", "read")
  const rotated = await operator(world, "Rotated", "read")
  const expiring = await operator(world, "Expiring", "read", {
    expires_at: new Date(World.START + 3 * 86_400_000).toISOString()
  })
  const sessions = await Promise.all([gone, rotated, expiring].map(({ token }) => signIn(world, token)))
  const statuses = () => Promise.all(sessions.map(async ({ ask }) => (await ask("GET", "/whoami")).status))
  expect(await statuses()).toEqual([200, 200, 200])
  await world.admin("DELETE", `/operators/${gone.id}`)
  Leaks.know((await world.admin("POST", `/operators/${rotated.id}/rotate`)).body.data.token)
  expect(await statuses()).toEqual([401, 200, 200])
  await world.admin("POST", "/clock/advance", { by: "25 hours" })
  expect(await statuses()).toEqual([401, 401, 200])
  await world.admin("POST", "/clock/advance", { by: "48 hours" })
  expect(await statuses()).toEqual([401, 401, 401])
})

it("a cookie that was changed, made elsewhere, or that names no session is refused", async () => {
  const { ask, cookie } = await signIn(world, World.ADMIN_TOKEN)
  const elsewhere = await World.forTest({ adminToken: undefined })
  expect((await elsewhere.fetch("POST", "/admin/v1/session")).status).toBe(404)
  const changed = `${cookie.slice(0, -3)}${cookie.endsWith("AAA") ? "BBB" : "AAA"}`
  for (const wrong of [changed, "simplan_session=", "simplan_session=x", `${cookie.slice(0, 40)}`]) {
    expect((await ask("GET", "/whoami", { cookie: wrong })).body.code).toBe("token_invalid")
  }
  // The cookie alone begins no other session, and a token goes before it.
  expect((await ask("POST", "/session", SAME)).body.code).toBe("token_missing")
  expect((await ask("GET", "/whoami", { authorization: "Bearer wrong" })).status).toBe(401)
  expect((await world.fetch("GET", "/v3/sims", { headers: { cookie } })).body.code).toBe("key_missing")
})

it("a session lasts eight hours of the machine's clock", async () => {
  let step: (millis: number) => void = () => undefined
  const around = Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (clock) => {
      const stepped = SteppedClock.of(clock)
      step = stepped.step
      return stepped.clock
    })
  )
  const stepping = await World.forTest({ around })
  const { ask } = await signIn(stepping, World.ADMIN_TOKEN)
  await stepping.admin("POST", "/clock/advance", { by: "2 days" })
  expect((await ask("GET", "/whoami")).status).toBe(200)
  step(8 * 3_600_000 - 60_000)
  expect((await ask("GET", "/whoami")).status).toBe(200)
  step(60_000)
  expect((await ask("GET", "/whoami")).status).toBe(401)
})

it("its cookie lasts eight hours, however long it takes to make it", async () => {
  // Each reading of the clock shows a later time.
  let readings = 0
  const around = Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (clock) => SteppedClock.at(clock, () => clock.currentTimeMillisUnsafe() + readings++))
  )
  const { answer } = await signIn(await World.forTest({ around }), World.ADMIN_TOKEN)
  expect(answer.headers.get("set-cookie")).toContain("; Max-Age=28800;")
})

it("behind a trusted proxy the cookie is sent over TLS alone, and the origin is the proxy's", async () => {
  const proxied = await World.forTest({ trustedProxies: 1 })
  const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "ops.example" }
  const { ask, answer } = await signIn(proxied, World.ADMIN_TOKEN, forwarded)
  expect(answer.headers.get("set-cookie")).toMatch(/; Secure$/)
  const status = async (origin: string) => (await ask("DELETE", "/session", { ...forwarded, origin })).status
  expect([await status("https://other.example"), await status("https://ops.example")]).toEqual([403, 200])
  const untrusted = await signIn(world, World.ADMIN_TOKEN, forwarded)
  expect(untrusted.answer.headers.get("set-cookie")).not.toContain("Secure")
  expect((await untrusted.ask("DELETE", "/session", { ...forwarded, origin: "https://ops.example" })).status).toBe(403)
})

it("who signed in only reads where that is set, and a token may what it may", async () => {
  const reading = await World.forTest({ consoleReadsOnly: true })
  const { ask } = await signIn(reading, World.ADMIN_TOKEN)
  expect((await ask("GET", "/whoami")).body.data.role).toBe("read")
  expect((await ask("POST", "/jobs/retry", SAME, {})).body.code).toBe("forbidden")
  expect((await ask("DELETE", "/session", SAME)).status).toBe(200)
  expect((await reading.admin("POST", "/jobs/retry", {})).status).toBe(200)
})

it("wrong tokens and cookies are limited by address, and right ones go on", async () => {
  const limited = await World.forTest({ failedAuthentication: { requests: 3, window: "10 minutes" } })
  const right = await signIn(limited, World.ADMIN_TOKEN)
  const statuses: Array<number> = []
  for (let turn = 0; turn < 4; turn += 1) {
    statuses.push((await right.ask("GET", "/whoami", { cookie: `simplan_session=${turn}` })).status)
  }
  statuses.push((await signIn(limited, "simplan_wrong")).answer.status)
  expect(statuses).toEqual([401, 401, 401, 429, 429])
  expect((await right.ask("GET", "/whoami")).status).toBe(200)
  expect((await signIn(limited, World.ADMIN_TOKEN)).answer.status).toBe(201)
})

it("a host's own login is not taken from a page of another origin, whatever it goes by", async () => {
  const folder = mkdtempSync(join(tmpdir(), "simplan-console-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, "console", "assets"), { recursive: true })
  writeFileSync(join(folder, "index.html"), "<!doctype html>")
  const hosted = await World.forTest({
    console: folder,
    adminToken: undefined,
    authenticateOperator: ({ headers }) =>
      Effect.succeed(headers["x-user"] === undefined ? null : { role: "admin" as const, actor: headers["x-user"] })
  })
  const status = async (headers: Readonly<Record<string, string>>) =>
    (await hosted.fetch("POST", "/admin/v1/jobs/retry", { headers: { "x-user": "ada", ...headers }, body: {} })).status
  const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
  const sent = [{ cookie: "session=1" }, { authorization: "Basic YWRhOnB3" }, {}]
  for (const credentials of sent) {
    expect([credentials, await status({ ...credentials, ...elsewhere })]).toEqual([credentials, 403])
    expect([credentials, await status({ ...credentials, origin: "https://evil.example" })]).toEqual([credentials, 403])
    expect([credentials, await status({ ...credentials, ...SAME })]).toEqual([credentials, 200])
  }
  // What no browser sends by itself, and what is no browser's.
  expect(await status({ authorization: "Bearer x", ...elsewhere })).toBe(200)
  expect(await status({ authorization: "Basic YWRhOnB3" })).toBe(200)
})

it("tokens of less than 128 bits are warned of, and random ones are not", async () => {
  const bytes = fc.noBias(fc.uint8Array({ minLength: 64, maxLength: 64 }))
  fc.assert(
    fc.property(bytes, fc.integer({ min: 16, max: 64 }), (all, length) => {
      const [few, some] = [Buffer.from(all.subarray(0, 16)), Buffer.from(all.subarray(0, length))]
      const uuid = few.toString("hex").replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-a$4-")
      const random = [few, some].flatMap((one) => [
        one.toString("hex"),
        one.toString("base64"),
        one.toString("base64url")
      ])
      for (const token of [uuid, ...random]) {
        for (const one of [token, /[g-z]/i.test(token) ? token : token.toUpperCase()]) {
          expect([one, Auth.isGuessable(one)]).toEqual([one, false])
        }
      }
      for (const short of [few.toString("hex").slice(1), few.toString("base64url").slice(2)]) {
        expect([short, Auth.isGuessable(short)]).toEqual([short, true])
      }
    }),
    { numRuns: 2_000 }
  )
  const ofPeople = [
    ...["MyCompany-Admin-Token-2026", "correct-horse-battery-staple", "administrator@mycompany.example"],
    ...["simplan-admin-token-production-1", "CorrectHorseBatteryStaple2026", "motdepasse-administrateur-production"],
    ...["Geheimnis-Schluessel-Verwaltung-2026", "thisisthesimplanadmintokenfor2026prod"],
    ...["0123456789abcdef0123456789abcdef", "abcdefghijklmnopqrstuvwxyz0123456789", "Summer2026!Summer2026!"],
    ...["00112233445566778899aabbccddeeff", "deadbeefdeadbeefdeadbeefdeadbeef", "fedcba9876543210FEDCBA9876543210"],
    ...["00000000-0000-0000-0000-000000000000", "AdminAdminAdminAdmin2026!", "qwertyuiopasdfghjklzxcvbnm1234567890"]
  ]
  for (const chosen of ofPeople) expect([chosen, Auth.isGuessable(chosen)]).toEqual([chosen, true])
  // Twelve words that dice chose among 7,776.
  const dice = "acorn-blimp-crust-dwell-eject-flint-gulp-hazy-ivory-jolt-knelt-lunar-mango-nutty"
  expect(Auth.isGuessable(dice)).toBe(false)
  for (const chosen of ["", "change-me-please", "a".repeat(200), "0123456789".repeat(3), "Summer-2026-Summer!"]) {
    expect([chosen, Auth.isGuessable(chosen)]).toEqual([chosen, true])
  }
  const warnings = async (adminToken: string) => {
    const { logs } = await World.forTest({ adminToken: Redacted.make(adminToken) })
    return logs.filter((line) => line.includes("of the management API can be guessed")).length
  }
  expect(await warnings("a-token-of-people")).toBe(1)
  expect(await warnings("5f0c4b5a9d1e4b7f8a3c2d6e9b0a7c1d")).toBe(0)
})
