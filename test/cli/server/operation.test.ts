/**
 * What happens to processes in operation: the database fails, a process is stopped during calls
 * without an answer, and a second process starts beside a virtual clock.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { describe, expect, it, vi } from "vitest"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Leaks from "../../setup/Leaks.ts"
import * as Proxy from "../../setup/databases/Proxy.ts"
import * as Collector from "./Collector.ts"
import * as ServerProcess from "./ServerProcess.ts"

// A server starts in one to two seconds, and in many more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** For what takes a second or two on an idle machine. */
const LONG = { timeout: 30_000, interval: 50 }

const processes = ServerProcess.forEachTest()
const { closing } = processes

const database = Databases.forEachTest()

const start = (env: Readonly<Record<string, string>> = {}): ServerProcess.ServerProcess =>
  processes.start({ env: { SIMPLAN_DATABASE_URL: database(), SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true", ...env } })

const up = async (env: Readonly<Record<string, string>> = {}): Promise<ServerProcess.ServerProcess> => {
  const server = start(env)
  await server.listening
  return server
}

const status = (url: string): Promise<number> => fetch(url).then((response) => response.status)

/** Posts to the management API and returns the `data` of its answer. */
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

const sql = (text: string): Promise<ReadonlyArray<unknown>> =>
  Effect.runPromise(
    PgClient.PgClient.use((client) => client.unsafe(text)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(database()), maxConnections: 1 }))
    )
  )

interface Call {
  readonly path: string
  /** The idempotency key. */
  readonly id: string
  readonly answer: (body: unknown) => void
}

/** A telco and webhook receiver that leaves each call open until the test answers it. */
const silent = async () => {
  const calls: Array<Call> = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    calls.push({
      path: request.url ?? "",
      id: String(request.headers["webhook-id"] ?? request.headers["idempotency-key"]),
      answer: (body) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    to: (path: string): ReadonlyArray<Call> => calls.filter((call) => call.path === path)
  }
}

describe("readiness", () => {
  it("follows the database while it is gone, stalls and comes back; the process goes on", async () => {
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
      await expect.poll(ready, LONG).toBe(503)
      expect(await status(`${address}/healthz`)).toBe(200)
      proxy.resume()
      await expect.poll(ready, LONG).toBe(200)
    }
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })
  })

  it("ends when the process is asked to stop", async () => {
    const server = await up()
    const socket = connect(Number(new URL(await server.listening).port), "127.0.0.1")
    // This request begins before the signal, so that its connection is in use.
    socket.write("GET /readyz HTTP/1.1\r\nHost: simplan\r\n")
    await expect.poll(() => socket.bytesWritten, LONG).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const ended = server.kill("SIGTERM")
    await expect.poll(server.err, LONG).toContain("stopping")
    await expect.poll(() => fetch(`${server.fact("address")}/healthz`).catch(() => "closed"), LONG).toBe("closed")
    socket.write("\r\n")
    const [answer] = await once(socket.setEncoding("utf8"), "data")
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(answer).toContain('"code":"not_ready"')
    expect(await ended).toEqual({ code: 0, signal: null })
  })
})

describe("a process that is stopped", () => {
  it("releases its jobs to another process, and ends although a telco, a receiver and a client hang", async () => {
    const outside = await silent()
    const telco = { SIMPLAN_TELCO_URL: outside.url, SIMPLAN_TELCO_KEY: "key-of-the-telco" }
    const [stopped, other] = [await up(telco), await up(telco)]
    const { organization_id: id } = await admin(stopped, "/organizations", { name: "Acme" })
    const { key } = await admin(stopped, `/organizations/${id}/api-keys`, { name: "mine" })
    await admin(stopped, `/organizations/${id}/webhook-endpoints`, { url: `${outside.url}/hook` })
    const [first, second] = ["8910300000000000019", "8910300000000000027"]
    const sims = [first, second].map((iccid) => ({ iccid, label: "Green", is_esim: true, lpa: "LPA:1$smdp.example$A" }))
    await admin(stopped, `/organizations/${id}/sims`, { sims })
    const v3 = async (server: ServerProcess.ServerProcess, path: string, body?: unknown) => {
      const asked = { "x-api-key": key ?? "", "content-type": "application/json" }
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      return JSON.parse(await (await fetch(`${await server.listening}/v3${path}`, { headers: asked, ...sent })).text())
    }
    const [{ coverage_id }] = (await v3(stopped, "/coverage-profiles?region_code=FR&label=Green")).data
    const size = { data_MBs: 100, period_days: 30, recurring: false, throttling: false }
    const { plan_id } = await v3(stopped, "/plans", { name: "France", coverage_id, ...size })

    // This process is frozen, so that the other one makes all calls.
    other.process.kill("SIGSTOP")
    const hanging = connect(Number(new URL(await stopped.listening).port), "127.0.0.1").on("error", () => {})
    hanging.write("POST /telco/v1/events HTTP/1.1\r\nHost: simplan\r\nContent-Length: 1000\r\n")
    hanging.write(`Authorization: Bearer ${stopped.fact("telco token")}\r\nContent-Type: application/json\r\n\r\n{`)
    const smdp = {
      id: "r-1",
      type: "smdp_state",
      iccid: second,
      state: "Enable",
      occurred_at: new Date().toISOString()
    }
    const reported = await fetch(`${await stopped.listening}/telco/v1/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${stopped.fact("telco token")}`, "content-type": "application/json" },
      body: JSON.stringify({ events: [smdp] })
    })
    expect(await reported.json()).toMatchObject({ accepted: 1 })
    const order = v3(stopped, "/subscription", { plan_id, metadata: "trip", iccid: first })
    await expect.poll(() => outside.to("/hook").length, LONG).toBe(1)
    await expect.poll(() => outside.to("/packages").length, LONG).toBe(1)

    // The calls hang for longer than the test may take.
    expect(await stopped.kill("SIGTERM")).toEqual({ code: 0, signal: null })
    expect(await order).toMatchObject({ code: "not_ready" })
    const [held] = await sql(
      `select (select count(*)::int from simplan.job where lease_token is not null) as jobs,
        (select count(*)::int from simplan.delivery where lease_token is not null) as deliveries`
    )
    expect(held).toEqual({ jobs: 0, deliveries: 0 })

    other.process.kill("SIGCONT")
    for (const path of ["/hook", "/packages"]) {
      await expect.poll(() => outside.to(path).length, LONG).toBe(2)
      const [before, after] = outside.to(path)
      expect(after?.id).toBe(before?.id)
      after?.answer({ telco_package_id: "telco-1" })
    }
    await expect
      .poll(async () => (await v3(other, "/subscription")).data, LONG)
      .toMatchObject([{ metadata: "trip", esim: { iccid: first } }])
    hanging.destroy()
    expect(await other.kill("SIGTERM")).toEqual({ code: 0, signal: null })
  })
})

describe("no secret is written", () => {
  const ADMIN = "admin-token-that-is-set"
  const TELCO = "telco/token+that=is-set"
  const VENDOR = "vendor-key-of-the-collector"

  it("to logs, traces, metrics or errors at any failure; traces and logs reach a collector", async () => {
    const collector = await Collector.start()
    closing.push(collector.close)
    Leaks.know(VENDOR)
    const server = await up({
      SIMPLAN_ADMIN_TOKEN: ADMIN,
      SIMPLAN_TELCO_TOKEN: TELCO,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-vendor-key=${VENDOR}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_SERVICE_NAME: "simplan-of-the-tests"
    })
    const address = await server.listening
    const answers: Array<string> = []
    const ask = async (
      method: string,
      path: string,
      { body, ...headers }: Readonly<Record<string, string>> = {}
    ): Promise<Record<string, unknown>> => {
      const response = await fetch(address + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body })
      })
      const text = await response.text()
      if (response.status >= 400) answers.push(text)
      return { status: response.status, ...(text.startsWith("{") ? JSON.parse(text) : {}) }
    }
    const asAdmin = { authorization: `Bearer ${ADMIN}` }
    const manage = async (path: string, body: unknown): Promise<Record<string, string>> => {
      const { data } = await ask("POST", `/admin/v1${path}`, { ...asAdmin, body: JSON.stringify(body) })
      return JSON.parse(JSON.stringify(data))
    }
    const { organization_id: id } = await manage("/organizations", { name: "Acme" })
    const { key = "" } = await manage(`/organizations/${id}/api-keys`, { name: "mine" })
    const { signing_key = "" } = await manage(`/organizations/${id}/webhook-endpoints`, { url: "http://127.0.0.1:9/" })
    expect(Leaks.secretsIn(`${key} ${signing_key}`)).toEqual([key, signing_key])
    const sim = { iccid: "8910300000000000019", label: "Green", is_esim: true, lpa: "LPA:1$smdp.example.com$A" }
    await manage(`/organizations/${id}/sims`, { sims: [sim] })
    const profiles = await fetch(`${address}/v3/coverage-profiles?region_code=FR&label=Green&key=${key}`)
    const coverage_id = JSON.parse(await profiles.text()).data[0].coverage_id
    const plan = { name: "France", coverage_id, data_MBs: 100, period_days: 30, recurring: false, throttling: false }
    const { plan_id } = await ask("POST", `/v3/plans?key=${key}`, { body: JSON.stringify(plan) })
    const trace = "0af7651916cd43dd8448eb211c80319c"
    const order = { body: JSON.stringify({ plan_id, metadata: key }), traceparent: `00-${trace}-b7ad6b7169203331-01` }
    expect(await ask("POST", `/v3/subscription?key=${key}`, order)).toMatchObject({ status: 201 })
    const smdp = {
      id: "r-1",
      type: "smdp_state",
      iccid: sim.iccid,
      state: "Enable",
      occurred_at: new Date().toISOString()
    }
    const report = { authorization: `Bearer ${TELCO}`, body: JSON.stringify({ events: [smdp] }) }
    expect(await ask("POST", "/telco/v1/events", report)).toMatchObject({ accepted: 1 })

    // Wrong addresses.
    for (const secret of [key, ADMIN, TELCO, signing_key].map(encodeURIComponent)) {
      for (const path of [
        "/nothing",
        "/v3/nothing",
        `/${secret}`,
        `/v3/plans/${secret}`,
        "/v3/plans/x",
        "/v3/sims/x"
      ]) {
        expect((await ask("GET", `${path}?key=${secret}&x=${secret}`)).status).toBeGreaterThanOrEqual(400)
      }
      await ask("GET", `/v3/sims;key=${secret}`)
      await ask("PATCH", `/v3/plans?key=${secret}`)
      await ask("GET", "/admin/v1/organizations", { authorization: `Bearer ${secret}x`, "x-api-key": secret })
    }
    // Malformed requests.
    for (const secret of [key, ADMIN, signing_key]) {
      await ask("POST", `/v3/plans?key=${key}`, { body: `{"name": "${secret}` })
      await ask("POST", `/v3/plans?key=${key}`, { body: JSON.stringify({ ...plan, data_MBs: secret }) })
      await ask("POST", `/admin/v1/organizations/${id}/webhook-endpoints`, {
        ...asAdmin,
        body: JSON.stringify({ url: `ftp://${secret}` })
      })
      const socket = connect(Number(new URL(address).port), "127.0.0.1")
      socket.end(`GET /?key=${secret} NOTHTTP\r\n\r\n`)
      answers.push(String(await once(socket.setEncoding("utf8"), "data")))
    }
    // Internal failures: an invalid row, a missing table, keys in what could not be stored.
    await sql("update simplan.plan set terms = '{}'")
    expect(await ask("GET", `/v3/plans/${plan_id}?key=${key}`, { "x-api-key": key })).toMatchObject({ status: 500 })
    for (const table of ["webhook_endpoint", "sim"]) await sql(`alter table simplan.${table} rename to ${table}_gone`)
    expect(await ask("GET", `/v3/sims?key=${key}`)).toMatchObject({ status: 503 })
    const hook = { ...asAdmin, body: JSON.stringify({ url: `http://127.0.0.1:9/?token=${signing_key}` }) }
    expect(await ask("POST", `/admin/v1/organizations/${id}/webhook-endpoints`, hook)).toMatchObject({ status: 503 })
    await sql("alter table simplan.api_key rename to api_key_gone")
    expect(await ask("GET", `/v3/operators?key=${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`)).toMatchObject({
      status: 401
    })
    await ask("POST", `/admin/v1/organizations/${id}/api-keys`, { ...asAdmin, body: JSON.stringify({ name: key }) })

    const metrics = await (await fetch(`${address}/metrics?key=${key}`)).text()
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })
    expect(answers.length).toBeGreaterThan(40)
    expect(answers.filter((answer) => Leaks.secretsIn(answer).length > 0)).toEqual([])
    expect(Leaks.secretsIn(metrics)).toEqual([])
    expect(Leaks.secretsIn(server.err())).toEqual([])
    expect(server.err()).toContain("A request failed")
    for (const line of server.err().trimEnd().split("\n")) expect(JSON.parse(line)).toHaveProperty("message")

    const ofTrace = collector.all("/v1/traces", "spans").filter(({ traceId }) => traceId === trace)
    expect(ofTrace.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "POST /v3/subscription",
        "job Provision",
        "telco createPackage",
        new URL(database()).pathname.slice(1)
      ])
    )
    expect(collector.all("/v1/logs", "logRecords").map(({ severityText }) => severityText)).toContain("Error")
    expect(collector.all("/v1/metrics", "metrics").map(({ name }) => name)).toContain("simplan_jobs_total")
    expect(collector.received.every(({ headers }) => headers["x-vendor-key"] === VENDOR)).toBe(true)
    expect(collector.received.flatMap(({ body }) => Leaks.secretsIn(body))).toEqual([])
  })
})

describe("a virtual clock on PostgreSQL", () => {
  const virtual = { SIMPLAN_CLOCK: "virtual:2026-01-31T00:00:00Z" }

  const refused = async (env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const server = start(env)
    expect((await server.ended).code).toBe(1)
    return server.err()
  }

  it("is for one process only, until that process ends in any way", async () => {
    const alone = await up(virtual)
    expect(await refused(virtual)).toMatch(
      /^The database at .* cannot be used: other processes are on it: session \d+ of \S+ from \S+; a process that is to be alone, as with a virtual clock, is refused\.\n$/
    )
    expect(await refused()).toMatch(
      /^The database at .* cannot be used: a process that is alone, as with a virtual clock, has it for itself: session \d+ of \S+ from \S+\.\n$/
    )
    await alone.kill("SIGKILL")
    const shared = await up()
    expect(await refused(virtual)).toContain("other processes are on it: session ")
    await shared.kill("SIGTERM")
    await up(virtual)
  })
})
