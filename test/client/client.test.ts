/**
 * The typed client against a real server: every part of the API, what is repeated and what is not,
 * and pages.
 */
import { readdirSync, readFileSync } from "node:fs"
import { Effect, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ApiError, Client } from "../../adapters/client/index.ts"
import * as Rules from "../architecture/rules.ts"
import * as World from "../http/World.ts"

let world: World.World
let key: string
let organizationId: string

const admin = () => Client.connect({ url: world.url, adminToken: World.ADMIN_TOKEN })

/** How a call to the server goes, before or after the server has answered it. */
type Fate = "passes" | "is lost" | "breaks off" | Response

/** A client whose calls go as given, one after the other; and what was sent. */
const through = (...fates: ReadonlyArray<Fate>) => {
  const sent: Array<{
    readonly method: string
    readonly idempotencyKey: string | null
    readonly reason: string | null
    readonly version: string | null
  }> = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const fate = fates[sent.length] ?? "passes"
    sent.push({
      method: init?.method ?? "GET",
      idempotencyKey: new Headers(init?.headers).get("idempotency-key"),
      reason: new Headers(init?.headers).get("x-audit-log-reason"),
      version: new Headers(init?.headers).get("if-match")
    })
    if (fate instanceof Response) return fate
    const response = await globalThis.fetch(input, init)
    if (fate === "passes") return response
    await response.arrayBuffer()
    if (fate === "is lost") throw new TypeError("fetch failed")
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("broken off")) })
    return new Response(broken, { status: response.status, headers: response.headers })
  }
  const client = Client.connect({
    url: `${world.url}/`,
    key,
    adminToken: World.ADMIN_TOKEN,
    telcoToken: World.TELCO_TOKEN,
    fetch
  })
  return { client, sent }
}

const refused = (status: number, headers: Readonly<Record<string, string>>, code = "rate_limited"): Response =>
  Response.json({ error: true, message: "Not now", code }, { status, headers })

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

beforeAll(async () => {
  world = await World.start()
  const { data } = await admin().organizations.create({ payload: { name: "Acme" } })
  organizationId = data.organization_id
  const made = await admin().organizations.createKey({ params: { id: organizationId }, payload: { name: "tests" } })
  key = made.data.key
  const sims = Array.from({ length: 30 }, (_, index) => ({
    iccid: World.iccid(index),
    label: "Green",
    is_esim: true,
    lpa: `LPA:1$rsp.example.com$${index}`
  }))
  const { data: report } = await admin().imports.importSims({ params: { id: organizationId }, payload: { sims } })
  expect(report.imported).toBe(30)
})

afterAll(() => world.close())

const planOf = async (client: Client.Promised): Promise<string> => {
  const { data: profiles } = await client.coverage.list({ query: { region_code: "SE", label: "Green" } })
  const { plan_id } = await client.plans.create({
    payload: {
      coverage_id: profiles[0]?.coverage_id ?? "",
      data_MBs: 1_024,
      name: "Sweden",
      period_days: 30,
      recurring: false,
      throttling: false
    }
  })
  return plan_id
}

describe("The client", () => {
  it("calls /v3, the management API and the telco's API, each with its own credentials", async () => {
    const { client } = through()
    const plan_id = await planOf(client)
    const created = await client.subscriptions.create({ payload: { plan_id, metadata: "order 4711" } })
    const { iccid } = created.esimdata
    const occurred_at = new Date(World.START).toISOString()
    const outcome = await client.reports.take({
      payload: { events: [{ id: "1", type: "usage", iccid, occurred_at, total_bytes: 5 }] }
    })
    expect(outcome).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
    const { data } = await client.subscriptions.attachments({ params: { iccid } })
    expect(data).toMatchObject([{ state: "ACTIVE", used_allowance: { dataBytes: 5 } }])
    expect((await client.clock.read()).data.virtual).toBe(true)
    expect(await client.system.metrics()).toContain("# TYPE")
  })

  it("finds a SIM and says what has become of it: search, usage, history", async () => {
    const { client } = through()
    const plan_id = await planOf(client)
    const created = await client.subscriptions.create({ payload: { plan_id, metadata: "Found 1" } })
    const { iccid } = created.esimdata
    const occurred_at = new Date(World.START).toISOString()
    await client.reports.take({
      payload: { events: [{ id: "found", type: "usage", iccid, occurred_at, total_bytes: 7, country_alpha_2: "SE" }] }
    })
    const params = { iccid }
    const [found] = (await client.sims.list({ query: { search: "found" } })).data
    expect(found?.iccid).toBe(iccid)
    const [line] = (await client.subscriptions.list({ query: { search: "FOUND", status: "active" } })).data
    expect(line?.subscription_id).toBe(created.subscription_id)
    const day = occurred_at.slice(0, 10)
    const days = { from: day, to: day }
    expect(await client.usage.ofSim({ params, query: { ...days, by: "day,country" } })).toMatchObject({
      data: [{ day, country_alpha_2: "SE", used_bytes: 7 }]
    })
    expect(await client.usage.ofOrganization({ query: { ...days, by: "sim" } })).toMatchObject({
      data: expect.arrayContaining([{ iccid, used_bytes: 7 }])
    })
    const history: Array<string> = []
    for await (const { type } of Client.items((request) => client.subscriptions.history({ ...request, params }), {
      query: {}
    })) {
      history.push(type)
    }
    expect(history).toEqual(expect.arrayContaining(["change", "package", "usage"]))
  })

  it("corrects SIMs, one and many, and shows stock, levels, links and QR codes", async () => {
    const { client } = through()
    const params = { iccid: World.iccid(28) }
    const lpa_string = "LPA:1$rsp.example.com$corrected"
    const tried = await client.sims.update({ params, query: { dry_run: "true" }, payload: { lpa_string } })
    expect(tried.preview).toEqual({ changed: ["lpa_string"] })
    const updated = await client.sims.update({ params, query: { install: "true" }, payload: { lpa_string } })
    expect(updated.data).toMatchObject({ lpa: lpa_string, install: { apple: expect.stringContaining("corrected") } })
    const rows = {
      sims: [
        { ...params, label: "Blue" },
        { iccid: World.iccid(99), label: "Blue" }
      ]
    }
    const ofRows = [
      { row: 1, result: "corrected" },
      { row: 2, result: "refused", code: "sim_not_found" }
    ]
    expect((await client.sims.updateMany({ query: { dry_run: "true" }, payload: rows })).data).toMatchObject(ofRows)
    expect((await client.sims.updateMany({ payload: rows })).data).toMatchObject(ofRows)
    const levels = [{ label: "Blue" as const, level: 2 }]
    expect((await client.sims.setStockLevels({ payload: { levels } })).data).toEqual({ levels })
    expect((await client.sims.stock()).data).toContainEqual(
      expect.objectContaining({ label: "Blue", free: 1, level: 2 })
    )
    expect(await client.sims.qrCode({ params })).toMatch(/^<svg /)
  })

  it("pauses, resumes, replaces and deletes a subscription, each previewed before", async () => {
    const { client } = through()
    const query = { dry_run: "true" as const }
    const payload = { plan_id: await planOf(client), metadata: "" }
    expect((await client.subscriptions.create({ query, payload })).preview).toMatchObject({ next_package_at: null })
    const { iccid } = (await client.subscriptions.create({ payload })).esimdata
    const params = { iccid }
    expect((await client.subscriptions.pause({ params, query })).preview).toMatchObject({ changed: true })
    await client.subscriptions.pause({ params })
    const paused = await client.subscriptions.list({ query: { status: "paused" } })
    expect(paused.data.map(({ esim }) => esim.iccid)).toEqual([iccid])
    expect((await client.subscriptions.resume({ params, query })).preview).toEqual({ changed: true, paused_at: null })
    await client.subscriptions.resume({ params })
    expect((await client.subscriptions.list({ query: { status: "paused" } })).data).toEqual([])
    const [attachment] = (await client.subscriptions.attachments({ params })).data
    const ofAttachment = { iccid, id: attachment?.plan_attachment_id ?? "" }
    const suspended = await client.subscriptions.suspend({ params: ofAttachment, query })
    expect(suspended.preview).toMatchObject({ packages: [{}] })
    const previewed = await client.subscriptions.replace({ params, query })
    expect(previewed.preview).toMatchObject({ packages: [{ data_mega_bytes: 1_024 }], cancelled_packages: [{}] })
    const replaced = await client.subscriptions.replace({ params })
    expect(replaced.replaced_iccid).toBe(iccid)
    const moved = { iccid: replaced.data.esim.iccid }
    expect((await client.subscriptions.remove({ params: moved, query })).preview).toMatchObject({ used: false })
    expect((await client.subscriptions.get({ params: moved })).data.subscription_id).toBe(replaced.data.subscription_id)
    await client.subscriptions.remove({ params: moved })
  })

  it("rejects with the status, the code and the request's id", async () => {
    const { client } = through()
    const error = await failure(client.plans.get({ params: { planId: "none" } }))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ _tag: "ApiError", status: 404, code: "plan_not_found", message: "Plan not found" })
    expect(error).toMatchObject({ requestId: expect.stringMatching(/^[\w-]+$/), retryAfterSeconds: null })
    const stranger = Client.connect({ url: world.url })
    expect(await failure(stranger.plans.list({ query: {} }))).toMatchObject({ status: 401, code: "key_missing" })
  })

  it("keeps the fields that an error adds", async () => {
    const { client } = through()
    const error = await failure(
      client.coverage.createRegion({ payload: { region_name: "Ice", label: "Green", iso2_list: ["AQ"] } })
    )
    expect(error).toMatchObject({ code: "region_uncovered", body: { missing_iso2: ["AQ"] } })
  })

  it("sends an empty query where none is given", async () => {
    const { client } = through()
    const { data } = await client.sims.list({ query: {} })
    expect(await client.sims.list()).toMatchObject({ data })
    const make = Client.make({ url: world.url, key }).pipe(Effect.provide(FetchHttpClient.layer))
    const answer = Effect.flatMap(make, ({ sims }) => sims.list())
    expect(await Effect.runPromise(answer)).toMatchObject({ data })
  })

  it("gives the items of all pages, as an async iterable and as a Stream", async () => {
    const { client, sent } = through()
    const iccids: Array<string> = []
    for await (const sim of Client.items(client.sims.list, { query: { page_size: "12" } })) iccids.push(sim.iccid)
    expect(iccids).toEqual(Array.from({ length: 30 }, (_, index) => World.iccid(index)))
    expect(sent).toHaveLength(3)
    const streamed = await Effect.runPromise(
      Effect.gen(function* () {
        const client = yield* Client.make({ url: world.url, key })
        return yield* Stream.runCollect(
          Client.stream((page) => client.sims.list({ query: { ...page, page_size: "12" } }))
        )
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
    expect(streamed.map(({ iccid }) => iccid)).toEqual(iccids)
  })

  it("end after a list that comes whole, which has no next page", async () => {
    const whole: { readonly data: ReadonlyArray<number>; readonly next_page: string | null } =
      JSON.parse('{"data":[1,2]}')
    const items = Client.items(async () => whole, { query: {} })
    const taken = [await items.next(), await items.next(), await items.next()]
    expect(taken.map(({ value }) => value)).toEqual([1, 2, undefined])
    const streamed = Stream.runCollect(
      Stream.take(
        Client.stream(() => Effect.succeed(whole)),
        3
      )
    )
    expect(await Effect.runPromise(streamed)).toEqual([1, 2])
  })

  it("asks for no page that is not taken", async () => {
    const { client, sent } = through()
    for await (const _ of Client.items(client.sims.list, { query: { page_size: "12" } })) break
    expect(sent).toHaveLength(1)
  })

  it("stops at an abort", async () => {
    const { client } = through()
    const aborted = client.plans.list({ query: {} }, { signal: AbortSignal.abort() })
    expect(await failure(aborted)).toBeDefined()
  })
})

describe("A request is sent again", () => {
  it.each<Fate>(["is lost", "breaks off"])(
    "whose answer %s, under the same key, and has its effect once",
    async (fate) => {
      const plan_id = await planOf(through().client)
      const before = await through().client.subscriptions.list()
      const { client, sent } = through(fate)
      const created = await client.subscriptions.create({ payload: { plan_id, metadata: "" } })
      expect(sent.map(({ method }) => method)).toEqual(["POST", "POST"])
      expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
      const after = await client.subscriptions.list()
      expect(after.data).toHaveLength(before.data.length + 1)
      expect(after.data.map((one) => one.subscription_id)).toContain(created.subscription_id)
    }
  )

  it("under another key for each call, or under the caller's", async () => {
    const { client, sent } = through()
    const plan_id = await planOf(client)
    const request = { payload: { plan_id, metadata: "" } }
    const first = await client.subscriptions.create(request, { idempotencyKey: "order 4711" })
    const second = await client.subscriptions.create(request, { idempotencyKey: "order 4711" })
    const third = await client.subscriptions.create(request)
    expect(second).toEqual(first)
    expect(third.subscription_id).not.toBe(first.subscription_id)
    expect(sent.slice(-3).map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      "order 4711",
      "order 4711",
      expect.stringMatching(/^[0-9a-f-]{36}$/)
    ])
  })

  it("and the reason of an operator goes to the management API only", async () => {
    const { client, sent } = through()
    const options = { auditReason: "Größe" }
    await client.organizations.create({ payload: { name: "Reasoned" } }, options)
    await client.plans.list({ query: {} }, options)
    await client.organizations.list({ query: {} })
    expect(sent.map(({ reason }) => reason)).toEqual(["Gr%C3%B6%C3%9Fe", null, null])
  })

  it("and the version that an edit is of, where it is given", async () => {
    const { client, sent } = through()
    const params = { iccid: World.iccid(29) }
    const {
      data: { version: ifVersion }
    } = await client.sims.get({ params })
    const edited = await client.sims.update({ params, payload: { status: "withdrawn", reason: "lost" } }, { ifVersion })
    expect(edited.data.version).toBe(ifVersion + 1)
    const late = client.sims.update({ params, payload: { status: "available" } }, { ifVersion })
    await expect(late).rejects.toMatchObject({ status: 412, code: "changed_meanwhile" })
    expect(sent.map(({ version }) => version)).toEqual([null, `"${ifVersion}"`, `"${ifVersion}"`])
  })

  it("after a 429, a 503, and while the first one is under way", async () => {
    const now = { "retry-after": "0" }
    const busy = refused(409, now, "request_in_progress")
    const { client, sent } = through(refused(429, now), refused(503, now, "storage_unavailable"), busy)
    await planOf(client)
    expect(sent).toHaveLength(5)
  })

  it("at most four times", async () => {
    const { client, sent } = through(...Array.from({ length: 9 }, () => refused(429, { "retry-after": "0" })))
    expect(await failure(client.plans.list({ query: {} }))).toMatchObject({ status: 429, retryAfterSeconds: 0 })
    expect(sent).toHaveLength(5)
  })

  it.each([
    ["which the server wants to wait for longer than 30 s", refused(429, { "retry-after": "31" })],
    ["which the server refuses for good", refused(404, {}, "plan_not_found")],
    ["which the telco refuses", refused(502, {}, "telco_refused")]
  ])("but not one %s", async (_, response) => {
    const { client, sent } = through(response)
    expect(await failure(client.plans.list({ query: {} }))).toBeInstanceOf(ApiError)
    expect(sent).toHaveLength(1)
  })

  it("but not a change by the management API, which has no keys", async () => {
    const { client, sent } = through("is lost")
    expect(await failure(client.organizations.create({ payload: { name: "Twice" } }))).toMatchObject({
      _tag: "HttpClientError"
    })
    expect(sent).toMatchObject([{ method: "POST", idempotencyKey: null }])
  })

  it("of the telco's reports, which have ids", async () => {
    const { client, sent } = through("is lost")
    expect(await client.reports.take({ payload: { events: [] } })).toMatchObject({ accepted: 0 })
    expect(sent).toHaveLength(2)
  })
})

it("loads nothing of the server", () => {
  const root = new URL("../../", import.meta.url)
  const text = (path: string) => readFileSync(new URL(path, root), "utf8")
  const files = ["src", "adapters"].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => ({ path: `${folder}/${path}`, text: text(`${folder}/${path}`) }))
  )
  const loaded = Rules.loadedWith("adapters/client/index.ts", files, Rules.manifestOf(text("package.json")))
  const strangers = [...loaded.files].filter(
    (path) =>
      !/^(?:adapters\/client|adapters\/http\/api|adapters\/operations|adapters\/fields|src\/domain|src\/ports|src\/views)\//.test(
        path
      )
  )
  expect(strangers).toEqual([])
  for (const path of loaded.files) expect(text(path)).not.toMatch(/from "node:/)
})
