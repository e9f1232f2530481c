/**
 * The HTTP API in a host's server: as a function of web requests, and as a handler of Node's server
 * and of frameworks over it.
 */
import Fastify, { type FastifyPluginAsync } from "fastify"
import { AsyncLocalStorage } from "node:async_hooks"
import { once } from "node:events"
import * as Http from "node:http"
import { type AddressInfo, connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { runInNewContext } from "node:vm"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  createSimplan,
  type HttpOperator,
  type HttpOptions,
  type Options,
  type Simplan,
  toNodeHandler
} from "simplan/promise"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import * as NodeAnswer from "../../adapters/promise/http/NodeAnswer.ts"
import * as Inventory from "../http/Inventory.ts"
import { make, selling, stocked, telco } from "./World.ts"

const TOKEN = "a-token-of-the-tests"

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
type Body = any

const open = (http: HttpOptions = {}, options: Partial<Options> = {}): Simplan => {
  const simplan = make({ http, logger: false, ...options })
  onTestFinished(simplan.close)
  return simplan
}

/** Listens with a handler of Node's server, and returns the URL. */
const listen = async (listener: Http.RequestListener): Promise<string> => {
  const server = Http.createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const json = { "content-type": "application/json" }

/** A key of an organization with three eSIMs and a plan. */
const tenant = async (simplan: Simplan) => {
  const { coverageId, organizationId, planId } = await selling(simplan)
  const { key } = await simplan.apiKeys.create({ organizationId, name: "tests" })
  return { organizationId, key, planId, coverageId, headers: { ...json, "x-api-key": key } }
}

const planOf = (coverage_id: string): string => JSON.stringify(Inventory.planBody(coverage_id, { name: "Another" }))

/** A promise that is settled from outside. */
const settled = () => {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const bodyOf = (answer: Response): Promise<Body> => answer.json()

describe("simplan.handler", () => {
  it("answers web requests below a prefix, with /v3 and its documents unless more is asked for", async () => {
    const simplan = open({ prefix: "/esim" })
    const { headers, planId } = await tenant(simplan)
    const call = (path: string) => simplan.handler(new Request(`https://host${path}`, { headers }))
    const plans = await call("/esim/v3/plans")
    expect([plans.status, (await bodyOf(plans)).data[0].plan_id]).toEqual([200, planId])
    const document = await bodyOf(await call("/esim/openapi.json"))
    expect(document.servers).toEqual([{ url: "/esim", description: "This server" }])
    expect(Object.keys(document.paths).every((path) => path.startsWith("/v3/"))).toBe(true)
    expect((await call("/esim/docs")).headers.get("content-type")).toContain("text/html")
    for (const path of ["/v3/plans", "/esim/admin/v1/organizations", "/esim/metrics", "/esim/healthz"]) {
      const answer = await call(path)
      expect([path, answer.status, (await bodyOf(answer)).code]).toEqual([path, 404, "route_not_found"])
    }
  })

  it("takes the host's word for who asks, and mounts what operators need", async () => {
    const seen: Array<unknown> = []
    const simplan = open({
      groups: ["v3", "admin", "telco"],
      adminToken: TOKEN,
      authenticate: async (request, { host }) => {
        seen.push([request.method, new URL(request.url).pathname, request.body, host])
        const organizationId = request.headers.get("x-user")
        return organizationId === null ? null : { organizationId, scope: "read", actor: "user 7" }
      },
      authenticateOperator: async () => ({ telco: true })
    })
    const { organizationId } = await stocked(simplan)
    const user = { ...json, "x-user": organizationId }
    const status = async (path: string, init: RequestInit, host?: unknown) =>
      (await simplan.handler(new Request(`http://host${path}`, init), host)).status
    expect(await status("/v3/sims", { headers: user }, "context")).toBe(200)
    expect(await status("/v3/sims", {})).toBe(401)
    expect(await status("/v3/plans", { method: "POST", body: "{}", headers: user })).toBe(403)
    expect(seen).toEqual([
      ["GET", "/v3/sims", null, "context"],
      ["GET", "/v3/sims", null, undefined],
      ["POST", "/v3/plans", null, undefined]
    ])
    const bearer = { ...json, authorization: `Bearer ${TOKEN}` }
    expect(await status("/admin/v1/organizations", { headers: bearer })).toBe(200)
    expect(await status("/admin/v1/organizations", { headers: user })).toBe(401)
    expect(await status("/telco/v1/events", { method: "POST", body: '{"events":[]}', headers: json })).toBe(200)
    const hook = (url: string) => ({ method: "POST", headers: bearer, body: JSON.stringify({ url }) })
    const endpoints = `/admin/v1/organizations/${organizationId}/webhook-endpoints`
    expect(await status(endpoints, hook("https://example.com/hook"))).toBe(201)
    expect(await status(endpoints, hook("ftp://example.com/hook"))).toBe(400)
  })

  it("reads an import whose stream is of another realm", async () => {
    const simplan = open({ groups: ["admin"], adminToken: TOKEN })
    const { organizationId } = await simplan.organizations.create({ name: "Acme" })
    const path = `/admin/v1/organizations/${organizationId}/sims`
    const headers = { "content-type": "text/csv", authorization: `Bearer ${TOKEN}` }
    const bytes = Buffer.from("iccid,label,is_esim\n8944500000000000014,Green,true\n")
    const body = runInNewContext("(async function* () { yield bytes })()", { bytes })
    const request = new Request(`http://host${path}`, { method: "POST", headers })
    const answer = await simplan.handler(Object.defineProperty(request, "body", { value: body }))
    expect([answer.status, await bodyOf(answer)]).toMatchObject([200, { data: { imported: 1 } }])
  })

  it("takes no change that a page of another origin has a browser ask for by the host's login, whatever is mounted", async () => {
    const simplan = open({
      groups: ["v3", "admin", "telco"],
      trustedOrigins: ["https://app.example"],
      authenticate: async ({ headers }) =>
        headers.get("cookie") === "login=1" ? { organizationId: organization.organizationId } : null,
      authenticateOperator: async ({ headers }) =>
        headers.get("cookie") === "login=1" ? { admin: true, telco: true } : null
    })
    const { coverageId, ...organization } = await selling(simplan)
    const writes: ReadonlyArray<readonly [path: string, body: string, status: number]> = [
      ["/v3/plans", planOf(coverageId), 201],
      ["/admin/v1/organizations", JSON.stringify({ name: "Other" }), 201],
      ["/telco/v1/events", '{"events":[]}', 200]
    ]
    const ask = (path: string, headers: Readonly<Record<string, string>>, body?: string) =>
      simplan.handler(
        new Request(`https://host${path}`, {
          headers: { ...json, cookie: "login=1", ...headers },
          ...(body !== undefined && { method: "POST", body })
        })
      )
    const elsewhere = [
      { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
      { "sec-fetch-site": "same-site", origin: "https://other.host" },
      { origin: "https://evil.example" },
      { origin: "https://app.example.evil.example" },
      { origin: "null" }
    ]
    const own = [
      { "sec-fetch-site": "same-origin" },
      { origin: "https://host" },
      { origin: "https://app.example", "sec-fetch-site": "cross-site" }
    ]
    for (const [path, body, status] of writes) {
      for (const headers of elsewhere) {
        const answer = await ask(path, headers, body)
        expect([path, headers, answer.status]).toEqual([path, headers, 403])
      }
      // A program with a cookie, as browsers have all changes say from where they come.
      expect([path, (await ask(path, {}, body)).status]).toEqual([path, path.startsWith("/admin") ? 403 : status])
      for (const headers of own)
        expect([path, headers, (await ask(path, headers, body)).status]).toEqual([path, headers, status])
    }
    // What only reads may be asked for from anywhere: its answer is not for other pages.
    expect((await ask("/v3/plans", { "sec-fetch-site": "cross-site" })).status).toBe(200)
    expect(() => open({ trustedOrigins: ["https://app.example/"] })).toThrow("trustedOrigins")
  })

  it("takes the host's word for what an operator may do and see (W14)", async () => {
    const operators: Readonly<Record<string, HttpOperator>> = {
      before: { admin: true },
      reader: { role: "read", actor: "Ada" },
      narrow: { admin: true, role: "support" },
      none: { telco: true },
      refused: { admin: false, role: "admin" }
    }
    let bound: HttpOperator | undefined
    const simplan = open({
      groups: ["admin"],
      authenticateOperator: async ({ headers }) => bound ?? operators[headers.get("x-user") ?? ""] ?? null
    })
    const { organizationId } = await stocked(simplan)
    const other = await simplan.organizations.create({ name: "Other" })
    const ask = async (user: string, path: string, body?: object) => {
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      const init = { ...sent, headers: { ...json, "x-user": user } }
      return simplan.handler(new Request(`http://host/admin/v1/organizations${path}`, init))
    }
    const statuses = async (user: string) => [
      (await ask(user, "")).status,
      (await ask(user, `/${organizationId}/deliveries/replay`, { status: "failed" })).status,
      (await ask(user, `/${organizationId}/api-keys`, { name: user })).status
    ]
    expect(await statuses("before")).toEqual([200, 200, 201])
    expect(await statuses("reader")).toEqual([200, 403, 403])
    expect(await statuses("narrow")).toEqual([200, 200, 403])
    for (const user of ["none", "refused", "nobody"]) expect(await statuses(user)).toEqual([401, 401, 401])
    bound = { role: "admin", organizationId, actor: "Bob" }
    const listed = await bodyOf(await ask("", ""))
    expect(listed.data.map((one: { readonly organization_id: string }) => one.organization_id)).toEqual([
      organizationId
    ])
    expect((await ask("", `/${organizationId}/api-keys`, { name: "by Bob" })).status).toBe(201)
    const foreign = await ask("", `/${other.organizationId}/api-keys`, { name: "by Bob" })
    expect([foreign.status, (await bodyOf(foreign)).code]).toEqual([404, "organization_not_found"])
    const entries = await simplan.auditLog.list({ organizationId, actor: "Bob" }).toArray()
    expect(entries.map(({ action }) => action)).toEqual(["api_key.create"])
  })

  it("says at once what it takes, and what a hook has to answer", async () => {
    const error = vi.fn()
    const silent = () => undefined
    const logger = { debug: silent, info: silent, warn: silent, error }
    const simplan = open({ authenticate: async () => "me" as never }, { logger })
    for (const wrong of [undefined, "http://host/v3/plans", { method: "GET", url: "/v3/plans", headers: {} }]) {
      expect(() => simplan.handler(wrong as never)).toThrow(/^simplan.handler: request must be a web Request/)
    }
    expect((await simplan.handler(new Request("http://host/v3/plans"))).status).toBe(500)
    expect(error.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining("http.authenticate: its answer must be an object")
    ])
  })

  it("asks the host in the asynchronous context of the request, where frameworks keep its cookies", async () => {
    const context = new AsyncLocalStorage<string>()
    const seen: Array<readonly [string | null, string | undefined]> = []
    const simplan = open({
      authenticate: async ({ headers }) => {
        seen.push([headers.get("x-user"), context.getStore()])
        return null
      }
    })
    const users = ["ann", "bob", "eve"]
    await Promise.all(
      users.map((user) =>
        context.run(user, () => simplan.handler(new Request("http://host/v3/plans", { headers: { "x-user": user } })))
      )
    )
    expect(seen).toEqual(users.map((user) => [user, user]))
  })

  it("warns once, at the start, that the files of the console are not there, and serves the rest", async () => {
    const warned: Array<string> = []
    const warn = (text: string) => void (text.includes("console") && warned.push(text))
    const logger = { debug: () => {}, info: () => {}, error: () => {}, warn }
    // The sources have no built console beside them.
    const simplan = open({ groups: ["console", "health"], adminToken: TOKEN }, { logger })
    await vi.waitFor(() => expect(warned).toEqual([expect.stringMatching(/^The files of the console are not beside/)]))
    const answers = ["/healthz", "/admin/v1/overview", "/admin/console"].map((path) =>
      simplan.handler(new Request(`http://host${path}`))
    )
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 401, 404])
    expect(warned).toHaveLength(1)
  })

  it("answers 503 while the service cannot start, and tries again at the next request", async () => {
    let isUp = false
    const storage = Layer.unwrap(Effect.suspend(() => (isUp ? Effect.succeed(Memory.layer) : Effect.fail("down"))))
    const simplan = open({}, { database: { storage } })
    const answer = await simplan.handler(new Request("http://host/v3/plans", { headers: { "x-request-id": "r-1" } }))
    expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("x-request-id")]).toEqual([
      503,
      "5",
      "r-1"
    ])
    expect(await bodyOf(answer)).toMatchObject({ error: true, code: "not_ready" })
    isUp = true
    expect((await simplan.handler(new Request("http://host/v3/plans"))).status).toBe(401)
  })
})

/**
 * Parses bodies as `express.json()` does, and hands what is below `/esim` on with the rest of its
 * path.
 */
const router =
  (handler: ReturnType<typeof toNodeHandler>, parse: (bytes: Buffer) => unknown): Http.RequestListener =>
  async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const url = request.url ?? "/"
    const next = () => void response.writeHead(299).end("next")
    if (!url.startsWith("/esim/")) return next()
    const parsed = { body: parse(Buffer.concat(chunks)), originalUrl: url, url: url.slice("/esim".length) }
    handler(Object.assign(request, parsed), response, next)
  }

describe("toNodeHandler", () => {
  it("serves node:http, with bodies of any length and lists that are streamed", async () => {
    const simplan = open({ groups: ["v3", "admin"], adminToken: TOKEN })
    const { coverageId, headers, organizationId } = await tenant(simplan)
    const url = await listen(toNodeHandler(simplan))
    const made = await fetch(`${url}/v3/plans`, { method: "POST", headers, body: planOf(coverageId) })
    expect([made.status, made.headers.get("content-length") === null]).toEqual([201, false])
    expect((await bodyOf(made)).plan_id).toEqual(expect.any(String))
    const list = await fetch(`${url}/v3/coverage-profiles`, { headers })
    expect(list.headers.get("transfer-encoding")).toBe("chunked")
    expect((await bodyOf(list)).data.length).toBeGreaterThan(500)
    const csv = "iccid,label,is_esim,lpa\n8944500000000000014,Green,true,LPA:1$a$b\n"
    const imported = await fetch(`${url}/admin/v1/organizations/${organizationId}/sims`, {
      method: "POST",
      body: csv,
      headers: { "content-type": "text/csv", authorization: `Bearer ${TOKEN}` }
    })
    expect((await bodyOf(imported)).data.imported).toBe(1)
    const large = await fetch(`${url}/v3/plans`, { method: "POST", headers, body: `"${"x".repeat(3_000_000)}"` })
    expect([large.status, (await bodyOf(large)).code]).toEqual([413, "body_too_large"])
    const head = await fetch(`${url}/v3/plans`, { method: "HEAD", headers })
    expect([head.status, await head.text()]).toEqual([200, ""])
    expect((await fetch(`${url}/somewhere`)).status).toBe(404)
  })

  it("adds to the headers that the host has set", async () => {
    const handler = toNodeHandler(open())
    const url = await listen((request, response) => {
      response.setHeader("vary", "Origin")
      response.setHeader("set-cookie", ["a=1", "b=2"])
      handler(request, response)
    })
    const { headers } = await fetch(`${url}/v3/plans`)
    expect(headers.get("vary")).toBe("Origin, accept, authorization, x-api-key")
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"])
  })

  it("knows no path that only a URL makes one of its own", async () => {
    const simplan = open({ groups: ["v3", "admin"], adminToken: TOKEN })
    const url = await listen(toNodeHandler(simplan))
    const { port } = new URL(url)
    const status = (path: string, host = "host") =>
      new Promise((resolve) => {
        const headers = { host, authorization: `Bearer ${TOKEN}` }
        Http.get({ port, path, headers }, (response) => resolve(response.resume().statusCode))
      })
    expect(await status("/admin/v1/organizations")).toBe(200)
    expect(await status("/admin/v1/organizations", "no host /?#@")).toBe(200)
    for (const path of [
      "/v3/../admin/v1/organizations",
      "/v3/%2e%2e/admin/v1/organizations",
      "//admin/v1/organizations",
      "/v3\\..\\..\\admin/v1/organizations",
      "http://other/admin/v1/organizations"
    ]) {
      expect([path, await status(path)]).toEqual([path, 404])
    }
  })

  it.each([
    ["JSON", (bytes: Buffer): unknown => JSON.parse(bytes.toString())],
    ["a text", (bytes: Buffer): unknown => bytes.toString()],
    ["bytes", (bytes: Buffer): unknown => bytes],
    ["bytes of another realm", (bytes: Buffer): unknown => runInNewContext("Uint8Array.from(bytes)", { bytes })],
    ["a buffer", (bytes: Buffer): unknown => Uint8Array.from(bytes).buffer],
    [
      "a buffer of another realm",
      (bytes: Buffer): unknown => runInNewContext("Uint8Array.from(bytes).buffer", { bytes })
    ]
  ])("takes a body that was parsed to %s, and the prefix from the router", async (_, parse) => {
    const simplan = open()
    const { coverageId, headers } = await tenant(simplan)
    const url = await listen(router(toNodeHandler(simplan), parse))
    const sent = { method: "POST", headers: { ...headers, "content-type": "application/json; charset=utf-16le" } }
    const made = await fetch(`${url}/esim/v3/plans`, { ...sent, body: planOf(coverageId) })
    expect([made.status, (await bodyOf(made)).plan_id]).toEqual([201, expect.any(String)])
  })

  it("serves parts of the API at paths of their own, with documents of each", async () => {
    const simplan = open({
      groups: ["v3", "docs", "console", "metrics", "health"],
      adminToken: TOKEN,
      metricsPrefix: "esim"
    })
    const { headers } = await tenant(simplan)
    const api = toNodeHandler(simplan.mount({ prefix: "/esim", groups: ["v3", "docs"] }))
    const ops = toNodeHandler(simplan.mount({ prefix: "/ops", groups: ["console", "docs"] }))
    const url = await listen((request, response) => {
      api(request, response, () => void ops(request, response))
    })
    const inside = simplan.mount({ groups: ["metrics", "health"] }).handler
    const authorized = { ...headers, authorization: `Bearer ${TOKEN}` }
    const statuses = async (paths: ReadonlyArray<string>) =>
      Promise.all(paths.map(async (path) => (await fetch(url + path, { headers: authorized })).status))
    expect(await statuses(["/esim/v3/plans", "/esim/openapi.json", "/ops/admin/v1/organizations"])).toEqual([
      200, 200, 200
    ])
    expect(
      await statuses([
        ...["/ops/metrics", "/ops/healthz", "/ops/v3/plans", "/ops/%6detrics", "/ops/v3/../metrics"],
        ...["/esim/admin/v1/organizations", "/esim/admin/console", "/esim/metrics", "/metrics", "/v3/plans"]
      ])
    ).toEqual(Array(10).fill(404))
    // By turns, since documents are kept.
    for (const [path, own] of [...(["/esim", "/ops"] as const), "/esim", "/ops"].map((one) => [one, one === "/esim"])) {
      const { paths, servers } = await bodyOf(await fetch(`${url}${path}/openapi.json`))
      expect([servers[0].url, "/v3/plans" in paths, "/admin/v1/organizations" in paths]).toEqual([path, own, !own])
    }
    const ask = async (path: string) => inside(new Request(`http://host${path}`, { headers: authorized }))
    const text = await (await ask("/metrics")).text()
    expect(text).toMatch(/^esim_http_requests_total\{.* \d+$/m)
    expect(text.split("\n").filter((line) => /^(?!esim_)\w/.test(line))).toEqual([])
    expect([(await ask("/healthz")).status, (await ask("/v3/plans")).status]).toEqual([200, 404])
  })

  it("refuses a place for what it does not mount", () => {
    const simplan = open()
    const mount = (options: unknown) => () => Reflect.apply(simplan.mount, simplan, [options])
    expect(mount({ groups: ["console"] })).toThrow(
      "mount: groups must be among those of http.groups, which are v3, docs, not 'console'"
    )
    expect(mount({ prefix: "ops" })).toThrow("mount: prefix must be a path such as /esim")
    expect(mount({ group: ["v3"] })).toThrow(/mount: group is not/)
  })

  it("hands on what is below none of its groups, where there is a next handler", async () => {
    const simplan = open()
    const url = await listen(router(toNodeHandler(simplan), () => undefined))
    const answers = ["/v3/plans", "/esim/admin/v1/organizations", "/esim/v3/nothing", "/esim/openapi.json"].map(
      async (path) => (await fetch(url + path)).status
    )
    expect(await Promise.all(answers)).toEqual([299, 299, 404, 200])
    const document = await bodyOf(await fetch(`${url}/esim/openapi.json`))
    expect(document.servers[0].url).toBe("/esim")
  })

  it("serves Fastify, which has parsed the body, and keeps the headers of its plugins", async () => {
    const hosts: Array<unknown> = []
    const simplan = open({
      authenticate: async (_, { host }) => {
        hosts.push(host)
        return { organizationId: tenantOf.organizationId }
      }
    })
    const tenantOf = await tenant(simplan)
    const app = Fastify()
    onTestFinished(() => app.close())
    app.addHook("onRequest", async (_, reply) => void reply.header("access-control-allow-origin", "*"))
    app.all("/esim/*", toNodeHandler(simplan))
    const url = await app.listen({ port: 0, host: "127.0.0.1" })
    const body = planOf(tenantOf.coverageId)
    const made = await fetch(`${url}/esim/v3/plans`, { method: "POST", headers: json, body })
    expect([made.status, made.headers.get("access-control-allow-origin")]).toEqual([201, "*"])
    expect(hosts).toMatchObject([{ originalUrl: "/esim/v3/plans", body: { coverage_id: tenantOf.coverageId } }])
    const document = await bodyOf(await fetch(`${url}/esim/openapi.json`))
    expect(document.servers[0].url).toBe("/esim")
  })

  it("serves Fastify within a plugin that leaves bodies alone, as imports of CSV want it", async () => {
    const simplan = open({ groups: ["admin", "docs"], adminToken: TOKEN })
    const { organizationId } = await stocked(simplan)
    const app = Fastify()
    onTestFinished(() => app.close())
    const mount: FastifyPluginAsync = async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser("*", (_, __, done) => done(null))
      scope.all("/esim/*", toNodeHandler(simplan))
    }
    await app.register(mount, { prefix: "/api" })
    const url = await app.listen({ port: 0, host: "127.0.0.1" })
    const imported = await fetch(`${url}/api/esim/admin/v1/organizations/${organizationId}/sims`, {
      method: "POST",
      body: "iccid,label,is_esim,lpa\n8944500000000000014,Green,true,LPA:1$a$b\n",
      headers: { "content-type": "text/csv", authorization: `Bearer ${TOKEN}` }
    })
    expect((await bodyOf(imported)).data.imported).toBe(1)
    const document = await bodyOf(await fetch(`${url}/api/esim/openapi.json`))
    expect(document.servers[0].url).toBe("/api/esim")
  })

  it("answers requests without a connection, as injections and mocks of requests are", async () => {
    const simplan = open({ prefix: "/esim" })
    const { coverageId, headers } = await tenant(simplan)
    const app = Fastify()
    onTestFinished(() => app.close())
    app.all("/esim/*", toNodeHandler(simplan))
    const url = "/esim/v3/plans"
    const made = await app.inject({ method: "POST", url, headers, payload: planOf(coverageId) })
    expect([made.statusCode, made.json().plan_id]).toEqual([201, expect.any(String)])

    // As those of `node-mocks-http`: a few methods, which return nothing, and no stream.
    const handler = toNodeHandler(simplan)
    const ask = async (method: string, path: string, body?: object) => {
      let [status, text] = [0, ""]
      const add = (chunk?: Uint8Array | string) => {
        text += typeof chunk === "string" ? chunk : Buffer.from(chunk ?? []).toString()
      }
      const ignored = () => undefined
      const request = { method, url: path, baseUrl: path, originalUrl: path, headers, body, socket: {}, on: ignored }
      await new Promise<void>((resolve) => {
        const response = {
          ...{ on: ignored, once: ignored, removeListener: ignored, getHeader: ignored, write: add },
          writeHead: (given: number) => {
            status = given
          },
          end: (chunk?: Uint8Array | string) => {
            add(chunk)
            resolve()
          }
        }
        handler(request, response)
      })
      return { status, body: JSON.parse(text) }
    }
    expect(await ask("POST", url, JSON.parse(planOf(coverageId)))).toMatchObject({ status: 201 })
    expect(await ask("POST", url)).toMatchObject({ status: 400, body: { code: "malformed_json" } })
    const listed = await ask("GET", "/esim/v3/coverage-profiles")
    expect([listed.status, listed.body.data.length > 500]).toEqual([200, true])
  })

  it("keeps away from an answer that something of the host's has made meanwhile", async () => {
    const simplan = open()
    const url = await listen((request, response) => {
      toNodeHandler(simplan)(request, response)
      response.writeHead(299).end("too late")
    })
    const answer = await fetch(`${url}/v3/plans`)
    expect([answer.status, await answer.text()]).toEqual([299, "too late"])
    expect((await fetch(`${url}/v3/plans`)).status).toBe(299)
  })

  it("serves Koa below the prefix of the options, and hands on the rest", async () => {
    const simplan = open({ prefix: "/esim" })
    const { coverageId, headers } = await tenant(simplan)
    const handler = toNodeHandler(simplan)
    const contexts: Array<object> = []
    const url = await listen(async (req, res) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of req) chunks.push(chunk)
      const body: unknown = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())
      const context = { req, res, originalUrl: req.url, request: { body } }
      contexts.push(context)
      await handler(context, async () => void res.writeHead(299).end())
    })
    const made = await fetch(`${url}/esim/v3/plans`, { method: "POST", headers, body: planOf(coverageId) })
    expect(made.status).toBe(201)
    expect((await fetch(`${url}/v3/plans`, { headers })).status).toBe(299)
    expect(contexts).toMatchObject([{ respond: false }, {}])
    expect(contexts[1]).not.toHaveProperty("respond")
  })

  it("refuses what is no service", () => {
    expect(() => toNodeHandler({ handler: async () => new Response() })).toThrow(
      /must be what createSimplan has returned/
    )
  })
})

/** A telco whose creations wait until `go` is called. */
const slowTelco = () => {
  const [started, go] = [settled(), settled()]
  const slow = telco({
    createPackage: async ({ packageId }) => {
      started.resolve()
      await go.promise
      return { telcoPackageId: `t-${packageId}` }
    }
  })
  return { telco: slow, started: started.promise, go: go.resolve }
}

const inFastify = async (simplan: Simplan): Promise<string> => {
  const app = Fastify()
  onTestFinished(() => app.close())
  app.all("/esim/*", toNodeHandler(simplan))
  return app.listen({ port: 0, host: "127.0.0.1" })
}

it("a body of which a parser has made what has no JSON is answered with 400", async () => {
  const simplan = open()
  const { headers } = await tenant(simplan)
  const round: { self?: unknown } = {}
  round.self = round
  for (const value of [{ a: 1n }, round, Symbol("a")]) {
    const url = await listen(router(toNodeHandler(simplan), () => value))
    const answer = await fetch(`${url}/esim/v3/plans`, { method: "POST", headers, body: "{}" })
    expect([answer.status, (await bodyOf(answer)).code]).toEqual([400, "malformed_body"])
  }
})

describe("a request under way", () => {
  it("is finished before the service stops, and later ones get 503", async () => {
    const slow = slowTelco()
    const simplan = open({}, { telco: slow.telco })
    const { headers, planId } = await tenant(simplan)
    const url = await listen(toNodeHandler(simplan))
    const body = JSON.stringify({ plan_id: planId, metadata: "" })
    const creating = fetch(`${url}/v3/subscription`, { method: "POST", headers, body })
    await slow.started
    const closing = simplan.close()
    slow.go()
    expect((await creating).status).toBe(201)
    await closing
    const late = await fetch(`${url}/v3/plans`, { headers })
    expect([late.status, (await bodyOf(late)).code]).toEqual([503, "not_ready"])
  })

  it.each<readonly [string, (simplan: Simplan) => Promise<string>]>([
    ["node:http", (simplan) => listen(toNodeHandler(simplan))],
    ["a router behind a body parser", (simplan) => listen(router(toNodeHandler(simplan), (bytes) => bytes.toString()))],
    ["Fastify", inFastify]
  ])("is answered by %s where it has arrived on a kept connection before the service stops", async (name, mount) => {
    const base = name === "node:http" ? "" : "/esim"
    const simplan = open({ rateLimit: "off" })
    const { headers, organizationId, planId } = await tenant(simplan)
    const rows = Inventory.esims(9_000, 40).map(({ iccid }) => ({ iccid, label: "Green", isEsim: true }) as const)
    await simplan.sims.import({ organizationId, rows })
    const url = await mount(simplan)
    const clients = Array.from({ length: 40 }, () => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("latin1")
      const received: Array<string> = []
      socket.on("data", (text: string) => void received.push(text))
      socket.write(`GET ${base}/docs HTTP/1.1\r\nHost: x\r\n\r\n`)
      return { socket, received, ended: once(socket, "close") }
    })
    // Too many at once are refused, on connections that are kept too.
    const isAnswered = ({ received }: { readonly received: ReadonlyArray<string> }) =>
      /(?:<\/html>\s*|\})$/.test(received.join(""))
    await expect.poll(() => clients.filter(isAnswered).length).toBe(40)
    const body = JSON.stringify({ plan_id: planId, metadata: "" })
    const lines = Object.entries({ host: "x", "content-length": body.length, ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
    for (const { received, socket } of clients) {
      received.length = 0
      socket.write(`POST ${base}/v3/subscription HTTP/1.1\r\n${head}\r\n${body}`)
    }
    await simplan.close()
    await Promise.all(clients.map(({ ended }) => ended))
    const answered = clients.map(({ received }) => received.join(""))
    expect(answered.map((text) => text.slice(9, 12))).toEqual(clients.map(() => "201"))
    expect(answered.filter((text) => !/^connection: close\r$/im.test(text))).toEqual([])
  })

  it("is answered by simplan.handler with a connection that closes once the service stops", async () => {
    const simplan = open()
    const { headers } = await tenant(simplan)
    const ask = async () => {
      const answer = await simplan.handler(new Request("http://host/v3/plans", { headers }))
      return [answer.status, answer.headers.get("connection")]
    }
    expect(await ask()).toEqual([200, null])
    const closing = simplan.close()
    expect(await ask()).toEqual([200, "close"])
    await closing
    expect(await ask()).toEqual([503, "close"])
  })

  it("is read to its end before the service stops, where its answer streams", async () => {
    const simplan = open()
    const { headers } = await tenant(simplan)
    const list = await simplan.handler(new Request("http://host/v3/coverage-profiles", { headers }))
    let isClosed = false
    const closing = simplan.close().then(() => {
      isClosed = true
    })
    await sleep(50)
    expect(isClosed).toBe(false)
    expect((await bodyOf(list)).data.length).toBeGreaterThan(500)
    await closing
  })

  it("is interrupted where its client goes away", async () => {
    const [asked, aborted] = [settled(), settled()]
    const simplan = open({
      authenticate: ({ signal }) => {
        signal.addEventListener("abort", aborted.resolve)
        asked.resolve()
        return new Promise(() => undefined)
      }
    })
    const url = await listen(toNodeHandler(simplan))
    const client = new AbortController()
    const asking = fetch(`${url}/v3/sims`, { signal: client.signal })
    await asked.promise
    client.abort()
    await expect(asking).rejects.toThrow()
    await aborted.promise
    // Else it would wait for the request, for as long as these timers stand still.
    vi.useFakeTimers({ toFake: ["setTimeout"] })
    try {
      await simplan.close()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("an answer that streams", () => {
  const CHUNK = new Uint8Array(65_536)
  const CHUNKS = 400

  /**
   * Serves a long stream, and reports how much of it was asked for and whether it was cancelled.
   */
  const served = async () => {
    let pulled = 0
    const cancelled = settled()
    const url = await listen(async (request, response) => {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 1
          if (pulled > CHUNKS) controller.close()
          else controller.enqueue(CHUNK)
        },
        cancel: () => cancelled.resolve()
      })
      await NodeAnswer.send(new Response(body), request, response)
    })
    return { url, pulled: () => pulled, cancelled: cancelled.promise }
  }

  it("goes no faster than its client reads", async () => {
    const { pulled, url } = await served()
    const answer = await fetch(url)
    let before = -1
    while (before !== pulled()) {
      before = pulled()
      await sleep(50)
    }
    expect(pulled()).toBeLessThan(CHUNKS / 2)
    expect((await answer.arrayBuffer()).byteLength).toBe(CHUNKS * CHUNK.length)
  })

  it("ends where its client goes away", async () => {
    const { cancelled, url } = await served()
    const client = new AbortController()
    const answer = await fetch(url, { signal: client.signal })
    await answer.body?.getReader().read()
    client.abort()
    await cancelled
  })
})

describe("the options of http", () => {
  const error = (http: object): unknown => {
    try {
      createSimplan({ database: "memory", telco: "simulator", http })
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : thrown
    }
    return undefined
  }

  it("are checked at once, in a sentence each, which shows no token", () => {
    expect([
      error({ prefix: "esim" }),
      error({ prefix: "/esim/" }),
      error({ prefix: "/esim/.." }),
      error({ groups: ["v4"] }),
      error({ groups: ["admin"] }),
      error({ adminToken: "short-secret" }),
      error({ authenticate: "me" }),
      error({ rateLimit: { requests: 0, window: 1 } }),
      error({ nothing: 1 })
    ]).toEqual([
      "createSimplan, http: prefix must be a path such as /esim, without a slash at its end, not 'esim'",
      "createSimplan, http: prefix must be a path such as /esim, without a slash at its end, not '/esim/'",
      "createSimplan, http: prefix must be a path such as /esim, without a slash at its end, not '/esim/..'",
      "createSimplan, http: groups[0] must be one of v3, admin, console, telco, docs, metrics, health, not 'v4'",
      'createSimplan, http: adminToken is needed where groups has "admin"; or give authenticateOperator',
      "createSimplan, http: adminToken is too short, with less than 16 characters",
      "createSimplan, http: authenticate must be an async function, not 'me'",
      "createSimplan, http: rateLimit.requests must be an integer of at least 1, not 0",
      "createSimplan, http: nothing is not known"
    ])
  })
})
