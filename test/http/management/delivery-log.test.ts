/**
 * The delivery log of the management API, and endpoints that fail (rules W7 and E1).
 */
import { Effect, Layer } from "effect"
import { WebhookSender } from "simplan/ports"
import { expect, it } from "vitest"
import * as World from "../World.ts"

let acme: World.Tenant
/** What each URL answers; 200 where nothing is said. */
const answers = new Map<string, { readonly status: number; readonly body: string }>()
const sent: Array<{ readonly url: string; readonly type: string; readonly data: unknown }> = []

const sender = Layer.succeed(WebhookSender.WebhookSender, {
  send: ({ body, url }) => {
    const { data, type }: { readonly data: unknown; readonly type: string } = JSON.parse(body)
    sent.push({ url, type, data })
    return Effect.succeed({ ...(answers.get(url) ?? { status: 200, body: "ok" }), durationMillis: 7 })
  }
})

const at = (path: string) => `/organizations/${acme.organizationId}${path}`

const hook = async (name: string, events: ReadonlyArray<string> | null = null): Promise<string> => {
  const made = await world.admin("POST", at("/webhook-endpoints"), { url: `https://example.com/${name}`, events })
  return made.body.data.webhook_endpoint_id
}

const endpoint = async (id: string) =>
  (await world.admin("GET", at("/webhook-endpoints"))).body.data.find(
    (one: { readonly webhook_endpoint_id: string }) => one.webhook_endpoint_id === id
  )

const now = async (): Promise<string> => (await world.admin("GET", "/clock")).body.data.now

const advance = (by: string) => world.admin("POST", "/clock/advance", { by })

let reports = 0

/** Causes an event about a SIM. */
const cause = async (iccid: number): Promise<void> => {
  reports++
  await world.telco([
    {
      id: `report-${reports}`,
      type: "smdp_state",
      iccid: World.iccid(iccid),
      occurred_at: await now(),
      state: reports % 2 === 0 ? "Enable" : "Disable"
    }
  ])
  await advance("1 second")
}

const log = async (query = "") => (await world.admin("GET", at(`/deliveries${query}`))).body.data

const world = await World.forFile({ sender })
const organization = async () => {
  acme = await World.tenant(world)
  sent.length = 0
  answers.clear()
  reports += 1_000
  const sims = [1, 2].map((n) => ({ iccid: World.iccid(reports + n), label: "Green", is_esim: true }))
  await world.admin("POST", at("/sims"), { sims })
  return { first: reports + 1, second: reports + 2 }
}

it("a delivery shows its attempts, newest first", async () => {
  const { first } = await organization()
  await hook("a")
  answers.set("https://example.com/a", { status: 503, body: "down for maintenance" })
  await cause(first)
  answers.clear()
  await advance("1 minute")
  const [delivery] = await log()
  const shown = await world.admin("GET", at(`/deliveries/${delivery.delivery_id}`))
  expect(shown.body.data).toStrictEqual({
    ...delivery,
    body: JSON.stringify(delivery.event),
    headers: [
      { name: "content-type", value: "application/json" },
      { name: "user-agent", value: "simplan" },
      { name: "webhook-id", value: delivery.event.id },
      { name: "webhook-timestamp", value: null },
      { name: "webhook-signature", value: null },
      { name: "x-service-signature", value: null }
    ],
    attempt_log: [
      { number: 2, at: expect.any(String), duration_ms: 7, response_status: 200, error: null, response_body: "ok" },
      {
        number: 1,
        at: delivery.created_at,
        duration_ms: 7,
        response_status: 503,
        error: "status 503",
        response_body: "down for maintenance"
      }
    ]
  })
  expect((await world.admin("GET", at("/deliveries/nope"))).body.code).toBe("delivery_not_found")
})

it("the log is filtered by status, type, endpoint, ICCID and time", async () => {
  const { first, second } = await organization()
  const a = await hook("a")
  const b = await hook("b")
  answers.set("https://example.com/b", { status: 500, body: "" })
  const start = await now()
  await cause(first)
  await advance("1 hour")
  const middle = await now()
  await cause(second)
  const count = async (query: string) => (await log(query)).length
  expect(await count("")).toBe(4)
  expect(await count("?status=delivered")).toBe(2)
  expect(await count(`?status=pending&webhook_endpoint_id=${b}`)).toBe(2)
  expect(await count(`?status=pending&webhook_endpoint_id=${a}`)).toBe(0)
  expect(await count("?type=esim.smdp.stateChanged")).toBe(4)
  expect(await count("?type=package.created")).toBe(0)
  expect(await count(`?iccid=${World.iccid(first)}`)).toBe(2)
  expect(await count(`?from=${start}&to=${middle}`)).toBe(2)
  expect(await count(`?from=${middle}&iccid=${World.iccid(first)}`)).toBe(0)
  for (const query of ["status=nope", "type=nope", "from=yesterday", "to=2026-02-30T00:00:00Z"]) {
    const refused = await world.admin("GET", at(`/deliveries?${query}`))
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
  }
})

it("an endpoint is listed with since when it fails, its last success and what is pending", async () => {
  const { first, second } = await organization()
  const id = await hook("ups-and-downs")
  const health = async () => {
    const { failing_since, last_success_at, pending_deliveries } = await endpoint(id)
    return [failing_since, last_success_at, pending_deliveries]
  }
  const answer = (status: number) => answers.set("https://example.com/ups-and-downs", { status, body: "" })
  expect(await health()).toEqual([null, null, 0])
  answer(500)
  const down = await now()
  await cause(first)
  await advance("10 minutes")
  await cause(second)
  expect(await health()).toEqual([down, null, 2])
  answer(200)
  const up = await now()
  await cause(second)
  expect(await health()).toEqual([null, up, 2])
  // A delivery from before waits still, and fails now that the endpoint is down again.
  answer(500)
  await advance("1 hour")
  const [since, succeeded, pending] = await health()
  expect([Date.parse(since) > Date.parse(up), succeeded, pending]).toEqual([true, up, 2])
  await cause(first)
  expect(await health()).toEqual([since, up, 3])
  answer(200)
  await advance("3 days")
  expect(await health()).toEqual([null, expect.any(String), 0])
})

it("an endpoint that fails for five days is disabled, the others are notified, and it is enabled again (W7, E1)", async () => {
  const { first } = await organization()
  const failing = await hook("failing")
  const asking = await hook("asking", ["endpoint.disabled"])
  answers.set("https://example.com/failing", { status: 500, body: "" })
  await cause(first)
  await advance("96 hours")
  expect(await endpoint(failing)).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null })
  await advance("24 hours")
  await cause(first)
  const disabled = await endpoint(failing)
  expect(disabled).toMatchObject({ enabled: false, disabled_reason: "failing", disabled_at: expect.any(String) })
  const url = "https://example.com/failing"
  const data = { webhookEndpointId: failing, url, reason: "failing", disabledAt: disabled.disabled_at }
  expect(sent.filter(({ type }) => type === "endpoint.disabled")).toEqual([
    { url: "https://example.com/asking", type: "endpoint.disabled", data }
  ])
  expect(await log("?type=endpoint.disabled")).toMatchObject([{ webhook_endpoint_id: asking }])
  const enabled = await world.admin("PATCH", at(`/webhook-endpoints/${failing}`), { enabled: true })
  expect(enabled.body.data).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null })
  await cause(first)
  expect(await endpoint(failing)).toMatchObject({ enabled: true })
})

it("what an endpoint misses while the service has it disabled is logged, and replayed once it is enabled (W7)", async () => {
  const { first, second } = await organization()
  const id = await hook("missing")
  const url = "https://example.com/missing"
  answers.set(url, { status: 410, body: "" })
  await cause(first)
  expect(await endpoint(id)).toMatchObject({ enabled: false, disabled_reason: "gone" })
  answers.clear()
  sent.length = 0
  await cause(second)
  const missed = { status: "failed", attempts: 0, next_attempt_at: null, last_error: "the endpoint is disabled" }
  expect(await log(`?webhook_endpoint_id=${id}&iccid=${World.iccid(second)}`)).toMatchObject([missed])
  expect(sent).toEqual([])
  await world.admin("PATCH", at(`/webhook-endpoints/${id}`), { enabled: true })
  const replayed = await world.admin("POST", at("/deliveries/replay"), { webhook_endpoint_id: id, status: "failed" })
  expect(replayed.body.data.replayed).toBe(2)
  await advance("1 second")
  expect(sent.map((one) => one.data)).toMatchObject([{ sim: World.iccid(first) }, { sim: World.iccid(second) }])
})

it("what an endpoint misses that its organization has disabled is not logged", async () => {
  const { first } = await organization()
  const id = await hook("paused")
  await world.admin("PATCH", at(`/webhook-endpoints/${id}`), { enabled: false })
  await cause(first)
  expect(await log()).toEqual([])
})

it("a success within the five days keeps the endpoint enabled", async () => {
  const { first } = await organization()
  const flapping = await hook("flapping")
  answers.set("https://example.com/flapping", { status: 500, body: "" })
  await cause(first)
  answers.clear()
  await advance("48 hours")
  answers.set("https://example.com/flapping", { status: 500, body: "" })
  await advance("48 hours")
  await cause(first)
  await advance("48 hours")
  await cause(first)
  expect(await endpoint(flapping)).toMatchObject({ enabled: true })
  await advance("72 hours")
  await cause(first)
  expect(await endpoint(flapping)).toMatchObject({ enabled: false, disabled_reason: "failing" })
})

it("an endpoint that answers 410 is disabled with that reason, and the others are notified", async () => {
  const { first } = await organization()
  const gone = await hook("gone")
  await hook("asking", ["endpoint.disabled"])
  answers.set("https://example.com/gone", { status: 410, body: "" })
  await cause(first)
  expect(await endpoint(gone)).toMatchObject({ enabled: false, disabled_reason: "gone" })
  expect(sent.filter(({ type }) => type === "endpoint.disabled")).toMatchObject([{ data: { reason: "gone" } }])
})

it("what waits for its next attempt is sent at once by a replay of what is pending, and what is due is left alone", async () => {
  const { first, second } = await organization()
  const a = await hook("a")
  answers.set("https://example.com/a", { status: 500, body: "" })
  await cause(first)
  await cause(second)
  await advance("1 hour")
  expect(await log("?status=pending")).toHaveLength(2)
  answers.clear()
  const replay = (body: unknown) => world.admin("POST", at("/deliveries/replay"), body)
  expect((await replay({ status: "pending", webhook_endpoint_id: a })).body.data.replayed).toBe(2)
  expect((await replay({ status: "pending" })).body.data.replayed).toBe(0)
  await advance("1 second")
  expect(await log("?status=pending")).toEqual([])
  expect(await log("?status=delivered")).toHaveLength(2)
})

it("all failures of an endpoint are replayed, in pages of a request", async () => {
  const { first, second } = await organization()
  const a = await hook("a")
  await hook("b")
  answers.set("https://example.com/a", { status: 500, body: "" })
  await cause(first)
  await cause(second)
  for (const _ of [1, 2, 3, 4]) await advance("23 hours")
  expect(await log(`?status=failed&webhook_endpoint_id=${a}`)).toHaveLength(2)
  answers.clear()
  const replay = (body: unknown) => world.admin("POST", at("/deliveries/replay"), body)
  const replayed = await replay({ status: "failed", webhook_endpoint_id: a })
  expect(replayed.body.data).toStrictEqual({ replayed: 2, has_more: false, next: null })
  expect((await replay({ status: "failed" })).body.data.replayed).toBe(0)
  await advance("1 second")
  expect(await log(`?status=delivered&webhook_endpoint_id=${a}`)).toMatchObject([{ attempts: 11 }, { attempts: 11 }])
  expect((await replay({ iccid: World.iccid(first) })).body.data.replayed).toBe(2)
  expect((await replay({ status: "pending" })).body.data.replayed).toBe(0)
  expect((await replay({ webhook_endpoint_id: "nope" })).body.code).toBe("webhook_endpoint_not_found")
  expect((await replay({ after: "nope" })).body.message).toBe("after must be a token that next gave")
  expect((await replay({ from: "yesterday" })).body.code).toBe("invalid_field")
})

it("a test event goes to its endpoint alone, and not to one that is disabled", async () => {
  await organization()
  await hook("other")
  const tested = await hook("tested", ["package.created"])
  const test = () => world.admin("POST", at(`/webhook-endpoints/${tested}/test`))
  expect((await test()).status).toBe(200)
  await advance("1 second")
  const data = { webhookEndpointId: tested }
  const tests = sent.filter(({ type }) => type === "endpoint.test")
  expect(tests).toEqual([{ url: "https://example.com/tested", type: "endpoint.test", data }])
  await world.admin("PATCH", at(`/webhook-endpoints/${tested}`), { enabled: false })
  const refused = await test()
  expect([refused.status, refused.body.code]).toEqual([409, "webhook_endpoint_disabled"])
  const replayed = await world.admin("POST", at("/deliveries/replay"), { webhook_endpoint_id: tested })
  expect(replayed.body.code).toBe("webhook_endpoint_disabled")
})
