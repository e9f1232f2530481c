/**
 * The API as a function of web requests, for hosts that bring their own server.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Effect, Layer, Redacted, Result } from "effect"
import { Services } from "simplan"
import { Clocks, WebhookSender } from "simplan/ports"
import { afterAll, describe, expect, it } from "vitest"
import { StandardCatalogue } from "../../adapters/catalogue/index.ts"
import { WebHandler } from "../../adapters/http/index.ts"
import * as Memory from "../../adapters/memory/index.ts"
import { TelcoSimulator } from "../../adapters/telco-simulator/index.ts"
import type * as World from "./World.ts"

const services = Services.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Clocks.system,
      TelcoSimulator.layerMemory(),
      Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.succeed({ status: 200 }) }),
      StandardCatalogue.layer,
      NodeCrypto.layer
    ).pipe(Layer.provideMerge(Memory.layer))
  )
)

const { dispose, handler } = WebHandler.make(
  { rateLimit: "off", checkUrl: Result.succeed, adminToken: Redacted.make("t") },
  services
)

afterAll(dispose)

const bodyOf = (answer: Response): Promise<World.Answer["body"]> => answer.json()

const admin = async (path: string, body: unknown): Promise<World.Answer["body"]> => {
  const answer = await handler(
    new Request(`http://host/admin/v1${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", authorization: "Bearer t" }
    })
  )
  expect(answer.status).toBe(201)
  return bodyOf(answer)
}

describe("a web handler", () => {
  it("answers, streams, and reads bodies of any kind", async () => {
    expect((await handler(new Request("http://host/healthz"))).status).toBe(200)
    const organization = (await admin("/organizations", { name: "Acme" })).data.organization_id
    const { key } = (await admin(`/organizations/${organization}/api-keys`, { name: "k" })).data
    const list = await handler(new Request(`http://host/v3/coverage-profiles?key=${key}`))
    const { data } = await bodyOf(list)
    expect(data.length).toBeGreaterThan(500)
    const csv = "iccid,label,is_esim,lpa\n8944500000000000014,Green,true,LPA:1$a$b\n"
    const imported = await handler(
      new Request(`http://host/admin/v1/organizations/${organization}/sims`, {
        method: "POST",
        body: csv,
        headers: { "content-type": "text/csv", authorization: "Bearer t" }
      })
    )
    expect((await bodyOf(imported)).data.imported).toBe(1)
    const large = await handler(
      new Request(`http://host/v3/plans?key=${key}`, {
        method: "POST",
        body: JSON.stringify("x".repeat(2_000_000)),
        headers: { "content-type": "application/json" }
      })
    )
    expect(large.status).toBe(413)
    const bodiless = await handler(new Request(`http://host/v3/plans/x/archive?key=${key}`, { method: "POST" }))
    expect(bodiless.status).toBe(404)
  })

  it("answers in the shape of all errors", async () => {
    for (const [path, status] of [
      ["/nope", 404],
      ["/v3/plans", 401],
      ["/telco/v1/events", 404]
    ] as const) {
      const answer = await handler(new Request(`http://host${path}`))
      expect([answer.status, (await bodyOf(answer)).error]).toEqual([status, true])
    }
  })
})

describe("a web handler below a prefix, with the host's authentication", () => {
  let asked: ReadonlyArray<unknown> = []
  const mounted = WebHandler.make(
    {
      rateLimit: { requests: 1_000, window: "1 hour" },
      checkUrl: Result.succeed,
      prefix: "/esim",
      groups: ["v3", "admin", "docs"],
      authenticate: ({ headers, url }, arrival) => {
        asked = [url, arrival?.host]
        const [organizationId = "", scope = "full"] = (headers["x-user"] ?? "").split(",")
        if (organizationId === "broken") return Effect.die(new Error("a fault of the host"))
        return Effect.succeed(
          organizationId === "" ? null : { organizationId, scope: scope === "read" ? "read" : "full", actor: "user 7" }
        )
      },
      authenticateOperator: ({ headers }) =>
        Effect.succeed(headers["x-user"] === "root" ? { admin: true, actor: "root" } : { telco: true })
    },
    services
  )
  const call = async (path: string, user = "", init: RequestInit = {}) => {
    const request = new Request(`http://host${path}`, {
      ...init,
      headers: { "x-user": user, "content-type": "application/json" }
    })
    const answer = await mounted.handler(request)
    return { status: answer.status, headers: answer.headers, body: await bodyOf(answer) }
  }
  const post = (path: string, user: string, body: unknown) =>
    call(path, user, { method: "POST", body: JSON.stringify(body) })

  afterAll(mounted.dispose)

  it("serves the groups that were chosen below the prefix, and nothing else", async () => {
    const { body } = await call("/esim/openapi.json")
    expect(body.servers).toEqual([{ url: "/esim", description: "This server" }])
    const firsts = Object.keys(body.paths).map((path) => path.split("/")[1])
    expect(new Set(firsts)).toEqual(new Set(["v3", "admin"]))
    expect(body.components.securitySchemes).toEqual({})
    expect(body.tags.map(({ name }: { readonly name: string }) => name)).not.toContain("reports")
    for (const path of [
      "/openapi.json",
      "/esim",
      "/esim/",
      "/esimx/openapi.json",
      "/esim/healthz",
      "/esim/telco/v1/events"
    ]) {
      const answer = await call(path, "root")
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, "route_not_found"])
    }
    expect((await call("/esim/openapi.json", "", { method: "DELETE" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS")
    const page = await mounted.handler(new Request("http://host/esim/docs"))
    const links = (await page.text()).match(/href="(?!#)[^"]*"/g)
    expect(links).toEqual(['href="docs/reference"', 'href="openapi.json"'])
    const form = await mounted.handler(new Request("http://host/esim/docs/reference"))
    expect(await form.text()).toContain('"servers":[{"url":"/esim"')
    expect(form.headers.get("content-security-policy")).toContain("connect-src 'self'")
  })

  it.each(["/openapi.json", "/docs", "/docs/reference"])("makes and compresses %s once", async (path) => {
    const bodies: Array<unknown> = []
    const direct = { take: (body: unknown) => void bodies.push(body), begin: () => undefined }
    const arrival = { prefix: "/esim", address: null, host: undefined, direct }
    for (const encoding of ["gzip", "identity", "gzip", "identity"]) {
      const request = new Request(`http://host/esim${path}`, { headers: { "accept-encoding": encoding } })
      const { headers } = await mounted.handler(request, arrival)
      expect(headers.get("content-encoding")).toBe(encoding === "gzip" ? "gzip" : null)
    }
    const [compressed, plain, ...later] = bodies
    expect(compressed).not.toBe(plain)
    expect(later[0]).toBe(compressed)
    expect(later[1]).toBe(plain)
  })

  it.each(["/openapi.json", "/docs", "/docs/reference"])(
    "leaves it to the host's server to compress %s",
    async (path) => {
      // A server may drop the header and send the bytes, as Next.js does, or compress them once
      // more.
      const ask = (headers: Readonly<Record<string, string>>) =>
        mounted.handler(
          new Request(`http://host/esim${path}`, { headers: { "accept-encoding": "gzip, deflate, br", ...headers } })
        )
      const whole = await ask({})
      expect([whole.status, whole.headers.get("content-encoding")]).toEqual([200, null])
      expect(await whole.text()).toMatch(path === "/openapi.json" ? /^{"openapi"/ : /^<!doctype html>/i)
      const tag = whole.headers.get("etag") ?? ""
      expect((await ask({ "if-none-match": tag })).status).toBe(304)
    }
  )

  it("asks the host for whom a request is", async () => {
    const made = await post("/esim/admin/v1/organizations", "root", { name: "Hosted" })
    expect(made.status).toBe(201)
    const { organization_id: organization } = made.body.data
    const sims = await call("/esim/v3/sims", organization)
    expect([sims.status, sims.body.data]).toEqual([200, []])
    expect(sims.headers.get("ratelimit")).toContain("r=999")
    expect(asked).toEqual(["/v3/sims", undefined])
    const statuses = [
      await call("/esim/v3/sims"),
      await call("/esim/v3/sims", "nobody"),
      await post("/esim/v3/plans/x/archive", `${organization},read`, {}),
      await post("/esim/v3/plans/x/archive", organization, {}),
      await call("/esim/v3/sims", "broken"),
      await call("/esim/admin/v1/organizations", "someone")
    ].map(({ body, status }) => `${status} ${body.code}`)
    expect(statuses).toEqual([
      "401 unauthenticated",
      "404 organization_not_found",
      "403 key_read_only",
      "404 plan_not_found",
      "500 internal_error",
      "401 unauthenticated"
    ])
    const audit = await call(`/esim/admin/v1/organizations/${organization}/audit`, "root")
    expect(audit.body.data).toMatchObject([{ actor: "root", action: "organization.create" }])
  })

  it("takes from the host's server where the routes are and who calls", async () => {
    const arrival = { prefix: "/of/router", address: "203.0.113.7", host: "the host's request" }
    const document = await mounted.handler(new Request("http://host/of/router/openapi.json"), arrival)
    expect((await bodyOf(document)).servers[0].url).toBe("/of/router")
    expect((await mounted.handler(new Request("http://host/esim/openapi.json"), arrival)).status).toBe(404)
    await mounted.handler(new Request("http://host/of/router/v3/sims"), arrival)
    expect(asked).toEqual(["/v3/sims", "the host's request"])
  })
})
