/**
 * The API as a function of web requests, for hosts that bring their own server.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Effect, Layer, Redacted, Result } from "effect"
import { Services } from "simplan"
import { WebhookSender } from "simplan/ports"
import { afterAll, describe, expect, it } from "vitest"
import { StandardCatalogue } from "../../adapters/catalogue/index.ts"
import { WebHandler } from "../../adapters/http/index.ts"
import * as Memory from "../../adapters/memory/index.ts"
import { TelcoSimulator } from "../../adapters/telco-simulator/index.ts"
import * as VirtualClock from "../../adapters/virtual-clock/index.ts"
import type * as World from "./World.ts"

const services = Services.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      VirtualClock.system,
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
