/**
 * The short way of common reads answers as the ordinary way does, byte for byte. It is taken where the rest is as
 * expected, with the key in the query or in the header; a request that tells the length of a body never takes it.
 */
import { Context, Effect } from "effect"
import { get } from "node:http"
import { Organizations, Storage, Subscriptions } from "simplan"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

let world: World.World
let acme: World.Tenant

beforeAll(async () => {
  world = await World.start()
  const stock = await Inventory.stock(world, 1, 60)
  acme = stock.tenant
  for (const n of [1, 2]) {
    await acme.post("/v3/subscription", { plan_id: stock.planId, metadata: `m${n} "é"`, iccid: World.iccid(n) })
  }
})

afterAll(() => world.close())

interface Raw {
  readonly status: number | undefined
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

const raw = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers }, (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      response.on("end", () => {
        const date = response.rawHeaders.indexOf("Date") + 1
        resolve({ status: response.statusCode, headers: response.rawHeaders.with(date, "now"), body })
      })
    })
    request.on("error", reject)
  })

const withQuery = (path: string, query: string): string => `${path}${path.includes("?") ? "&" : "?"}${query}`

const both = async (of: World.World, path: string, key: string): Promise<readonly [short: Raw, ordinary: Raw]> => [
  await raw(of.url + withQuery(path, `key=${key}`)),
  await raw(of.url + path, { "x-api-key": key, "content-length": "0" })
]

const byHeader = (of: World.World, path: string, key: string): Promise<Raw> => raw(of.url + path, { "x-api-key": key })

describe("the short way", () => {
  it.each([
    () => `/v3/subscriptions/${World.iccid(1)}`,
    () => `/v3/subscriptions/${World.iccid(3)}`,
    () => `/v3/subscriptions/${World.iccid(1)}/plan-attachments`,
    () => `/v3/subscriptions/${World.iccid(3)}/plan-attachments`,
    () => "/v3/subscriptions/00000000000000000000",
    () => "/v3/sims",
    () => "/v3/sims?page_size=7",
    () => "/v3/sims?page_size=100",
    () => "/v3/sims?page_size=0",
    () => "/v3/sims?page_size=101",
    () => "/v3/sims?page_size=7&page_size=8",
    () => "/v3/sims?page=made-up",
    () => "/v3/sims?page_size=7&is_esim=true"
  ])("answers as the ordinary one (%#)", async (path) => {
    const [short, ordinary] = await both(world, path(), acme.key)
    expect(short).toEqual(ordinary)
    expect(await byHeader(world, path(), acme.key)).toEqual(ordinary)
    expect(short.body).not.toBe("")
  })

  it("goes through the pages", async () => {
    const seen: Array<string> = []
    for (let page = "/v3/sims?page_size=9"; page !== ""; ) {
      const [short, ordinary] = await both(world, page, acme.key)
      expect(short).toEqual(ordinary)
      expect(await byHeader(world, page, acme.key)).toEqual(ordinary)
      const { data, next_page: next } = JSON.parse(short.body)
      seen.push(...data.map(({ iccid }: { readonly iccid: string }) => iccid))
      page = next === null ? "" : `/v3/sims?page_size=9&page=${next}`
    }
    expect(new Set(seen).size).toBe(60)
    expect(seen).toHaveLength(60)
  })

  it("knows no other organization's SIMs", async () => {
    const other = await World.tenant(world)
    const [short, ordinary] = await both(world, `/v3/subscriptions/${World.iccid(1)}`, other.key)
    expect(short.status).toBe(404)
    expect(short).toEqual(ordinary)
  })

  it("lets in no key that is wrong, revoked, or another one than in the header", async () => {
    const path = `/v3/subscriptions/${World.iccid(1)}`
    const [wrong, ordinary] = await both(world, path, `${acme.key.slice(0, -1)}x`)
    expect(wrong.status).toBe(401)
    expect(wrong).toEqual(ordinary)
    expect(await byHeader(world, path, `${acme.key.slice(0, -1)}x`)).toEqual(ordinary)
    expect((await byHeader(world, path, `${acme.key}, ${acme.key}`)).status).toBe(401)
    const [, missing] = await both(world, path, "")
    expect(missing.status).toBe(401)
    expect((await raw(world.url + path)).body).toBe(missing.body)
    const twice = await raw(`${world.url}${path}?key=${acme.key}`, { "x-api-key": acme.key })
    expect(twice.status).toBe(200)

    const other = await World.tenant(world)
    const unclear = await raw(`${world.url}${path}?key=${acme.key}`, { "x-api-key": other.key })
    expect(unclear.status).toBe(401)

    const keys = await world.admin("GET", `/organizations/${other.organizationId}/api-keys`)
    expect((await raw(`${world.url}/v3/sims?key=${other.key}`)).status).toBe(200)
    await world.admin("DELETE", `/organizations/${other.organizationId}/api-keys/${keys.body.data[0].api_key_id}`)
    expect((await raw(`${world.url}/v3/sims?key=${other.key}`)).status).toBe(401)
  })

  it("counts a request once, as the ordinary one does", async () => {
    const count = async (): Promise<number> => {
      const { text } = await world.fetch("GET", "/metrics")
      const series = /^http_requests_total\{([^}]*)\} (\d+)$/gm
      const found = [...text.matchAll(series)].find(
        ([, labels = ""]) => labels.includes('route="/v3/sims"') && labels.includes('status="200"')
      )
      return Number(found?.[2] ?? 0)
    }
    const before = await count()
    const [short] = await both(world, "/v3/sims?page_size=3", acme.key)
    expect(short.status).toBe(200)
    expect(await count()).toBe(before + 2)
  })
})

describe("both ways", () => {
  it("share the rate limit, and one that is over it takes nothing", async () => {
    const limited = await World.start({ rateLimit: { requests: 3, window: "1 hour" } })
    const { key } = await World.tenant(limited)
    const statuses: Array<number | undefined> = []
    for (let time = 0; time < 3; time++) {
      const [short, ordinary] = await both(limited, "/v3/sims?page_size=3", key)
      statuses.push(short.status, ordinary.status)
      if (time === 2) {
        expect(short.body).toBe(ordinary.body)
        expect(short.headers).toContain("retry-after")
      }
    }
    await limited.close()
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429])
  })

  it("tell a failing storage and a defect alike, and log where", async () => {
    const broken = await World.start({
      replace: (context) => {
        const subscriptions = Context.get(context, Subscriptions.Subscriptions)
        const get: typeof subscriptions.get = ({ iccid }) =>
          iccid === World.iccid(1)
            ? Effect.fail(new Storage.StorageError({ message: "the disk is full" }))
            : Effect.die(new Error("a defect"))
        return Context.add(
          context,
          Subscriptions.Subscriptions,
          Subscriptions.Subscriptions.of({ ...subscriptions, get })
        )
      }
    })
    const { key } = await World.tenant(broken)
    const anonymous = ({ body, headers, status }: Raw) => ({
      status,
      body: body.replace(/[0-9a-f-]{36}/, "id"),
      headers: headers.map((text) => text.replace(/[0-9a-f-]{36}/, "id"))
    })
    for (const [n, status] of [
      [1, 503],
      [2, 500]
    ] as const) {
      const path = `/v3/subscriptions/${World.iccid(n)}`
      const [short, ordinary] = await both(broken, path, key)
      expect(short.status).toBe(status)
      expect(anonymous(short)).toEqual(anonymous(ordinary))
      const logged = broken.logs.filter((line) => line.includes(path))
      expect(logged).toHaveLength(2)
      expect(logged.join()).not.toContain(key)
    }
    await broken.close()
  })

  it("end with their client, and with the server", async () => {
    const [begun, ended]: [Array<string>, Array<string>] = [[], []]
    const hanging = await World.start({
      drainTimeout: "100 millis",
      replace: (context) => {
        const subscriptions = Context.get(context, Subscriptions.Subscriptions)
        const get: typeof subscriptions.get = ({ iccid }) =>
          Effect.suspend(() => {
            begun.push(iccid)
            return Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push(iccid)))
          })
        return Context.add(
          context,
          Subscriptions.Subscriptions,
          Subscriptions.Subscriptions.of({ ...subscriptions, get })
        )
      }
    })
    const { key } = await World.tenant(hanging)
    const ask = (n: number, headers: Readonly<Record<string, string>>) => {
      const request = get(`${hanging.url}/v3/subscriptions/${World.iccid(n)}`, { agent: false, headers })
      const failed = new Promise((resolve) => request.on("error", resolve))
      return { hangUp: () => request.destroy(), failed }
    }
    const asked = [1, 2].flatMap((n) => [
      ask(n, { "x-api-key": key }),
      ask(n, { "x-api-key": key, "content-length": "0" })
    ])
    await vi.waitFor(() => expect(begun).toHaveLength(4))
    for (const { hangUp } of asked.slice(0, 2)) hangUp()
    await vi.waitFor(() => expect(ended).toEqual([World.iccid(1), World.iccid(1)]))
    await hanging.close()
    expect(ended).toHaveLength(4)
    await Promise.all(asked.map(({ failed }) => failed))
  })

  it("tell a defect in looking up the key alike", async () => {
    const broken = await World.start({
      replace: (context) => {
        const organizations = Context.get(context, Organizations.Organizations)
        const authenticate = () => Effect.die("no")
        return Context.add(
          context,
          Organizations.Organizations,
          Organizations.Organizations.of({ ...organizations, authenticate })
        )
      }
    })
    const [short, ordinary] = await both(broken, "/v3/sims", "x")
    await broken.close()
    expect([short.status, ordinary.status]).toEqual([500, 500])
  })
})
