/**
 * The short way of creations answers as the ordinary way does but for what is new each time. It is taken where the body
 * tells its length and is of the common type; one that names a charset goes the ordinary way.
 */
import { Context, Effect } from "effect"
import { request } from "node:http"
import { Storage, Subscriptions } from "simplan"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

let world: World.World
let stock: Inventory.Stock
let daily: string

beforeAll(async () => {
  world = await World.start()
  stock = await Inventory.stock(world, 1, 60)
  const cycles = { recurring_periodicity_type: "0", recurring_periodicity_frequency: 1 }
  daily = await stock.plan({ recurring: true, period_days: 1, nb_occurrence: 3, ...cycles })
})

afterAll(() => world.close())

interface Raw {
  readonly status: number | undefined
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

const SHORT = { "content-type": "application/json" }
const ORDINARY = { "content-type": "application/json; charset=utf-8" }

const post = (
  of: World.World,
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string | number>>
): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const length = Buffer.byteLength(body)
    const options = { agent: false, method: "POST", headers: { "content-length": length, ...headers } }
    const sent = request(of.url + path, options, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      response.on("end", () => {
        const date = response.rawHeaders.indexOf("Date") + 1
        resolve({ status: response.statusCode, headers: response.rawHeaders.with(date, "now"), body: text })
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })

// What is new each time is as long each time.
const anonymous = ({ body, headers, status }: Raw): Raw => ({
  status,
  headers: headers.map((text) => text.replace(/[0-9a-f-]{36}/, "id")),
  body: body.replace(/[0-9a-f-]{36}/g, "id").replace(/\d{19}|M-\d+/g, "number")
})

const both = async (of: World.World, path: string, body: string | Buffer, key: string) => {
  const short = await post(of, `${path}?key=${key}`, body, SHORT)
  const byHeader = await post(of, path, body, { ...SHORT, "x-api-key": key })
  const ordinary = await post(of, path, body, { ...ORDINARY, "x-api-key": key })
  return [short, byHeader, ordinary].map(anonymous)
}

const PATH = "/v3/subscription"
const text = (fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ plan_id: stock.planId, metadata: 'm "é"', ...fields })

describe("the short way of a creation", () => {
  it.each([
    [201, () => text()],
    [201, () => text({ plan_id: daily, active_period: { start: "2026-01-10T12:00:00Z", end: null } })],
    [201, () => Buffer.from(text({ metadata: "m".repeat(60_000) }))],
    [400, () => text({ metadata: 7 })],
    [400, () => text({ metadata: "\u0000" })],
    [400, () => text({ active_period: { start: "today" } })],
    [400, () => "{"],
    [400, () => ""],
    [400, () => Buffer.from([0x22, 0xff, 0x22])],
    [404, () => text({ plan_id: "none" })],
    [404, () => text({ iccid: World.iccid(999) })]
  ])("answers as the ordinary one: %s (%#)", async (status, body) => {
    const [short, byHeader, ordinary] = await both(world, PATH, body(), stock.tenant.key)
    expect(ordinary?.status).toBe(status)
    expect(short).toEqual(ordinary)
    expect(byHeader).toEqual(ordinary)
  })

  it("takes a body in pieces", async () => {
    const body = text({ iccid: World.iccid(58) })
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...SHORT, "x-api-key": stock.tenant.key, "content-length": Buffer.byteLength(body) }
      const sent = request(world.url + PATH, { agent: false, method: "POST", headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on("error", reject)
      sent.write(body.slice(0, 9))
      setImmediate(() => sent.end(body.slice(9)))
    })
    expect(answer).toBe(201)
    expect((await stock.tenant.get(`/v3/subscriptions/${World.iccid(58)}`)).status).toBe(200)
  })

  it("creates nothing for a body that breaks off, and goes on", async () => {
    const body = text({ iccid: World.iccid(59) })
    const headers = { ...SHORT, "x-api-key": stock.tenant.key, "content-length": Buffer.byteLength(body) + 1 }
    const sent = request(world.url + PATH, { agent: false, method: "POST", headers })
    const failed = new Promise((resolve) => sent.on("error", resolve))
    sent.write(body)
    const count = async (): Promise<number> => {
      const { text: metrics } = await world.fetch("GET", "/metrics")
      return Number(/^http_requests_total\{[^}]*POST[^}]*499[^}]*\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
    }
    const before = await count()
    setImmediate(() => sent.destroy())
    await failed
    await vi.waitFor(async () => expect(await count()).toBe(before + 1))
    expect((await stock.tenant.get(`/v3/subscriptions/${World.iccid(59)}`)).status).toBe(404)
  })

  it("lets in no key that may only read, is wrong, or is over its limit, and reads no body then", async () => {
    const reader = await World.tenant(world, "read")
    for (const [status, key] of [
      [403, reader.key],
      [401, `${reader.key}x`]
    ] as const) {
      const [short, byHeader, ordinary] = await both(world, PATH, text(), key)
      expect(ordinary?.status).toBe(status)
      expect(short).toEqual(ordinary)
      expect(byHeader).toEqual(ordinary)
    }
    const limited = await World.start({ rateLimit: { requests: 4, window: "1 hour" } })
    const { key } = await World.tenant(limited)
    const answers = [...(await both(limited, PATH, "{", key)), ...(await both(limited, PATH, "{", key))]
    await limited.close()
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 429, 429])
    expect(answers[4]).toEqual(answers[5])
  })

  it("leaves what has an idempotency key to the ordinary one", async () => {
    const headers = { ...SHORT, "x-api-key": stock.tenant.key, "idempotency-key": "once" }
    const [first, again] = [await post(world, PATH, text(), headers), await post(world, PATH, text(), headers)]
    expect(first.status).toBe(201)
    expect(again.body).toBe(first.body)
    expect(again.headers).toContain("idempotent-replayed")
  })

  it("counts a request as the ordinary one does", async () => {
    const count = async (): Promise<number> => {
      const { text: metrics } = await world.fetch("GET", "/metrics")
      const series = [...metrics.matchAll(/^http_requests_total\{([^}]*)\} (\d+)$/gm)]
      const found = series.find(([, labels = ""]) => labels.includes(`route="${PATH}"`) && labels.includes('"201"'))
      return Number(found?.[2] ?? 0)
    }
    const before = await count()
    await both(world, PATH, text(), stock.tenant.key)
    expect(await count()).toBe(before + 3)
  })

  it("tells a failing storage and a defect as the ordinary one does, and logs where", async () => {
    const broken = await World.start({
      replace: (context) => {
        const subscriptions = Context.get(context, Subscriptions.Subscriptions)
        const create: typeof subscriptions.create = ({ metadata }) =>
          metadata === "full"
            ? Effect.fail(new Storage.StorageError({ message: "the disk is full" }))
            : Effect.die(new Error("a defect"))
        return Context.add(
          context,
          Subscriptions.Subscriptions,
          Subscriptions.Subscriptions.of({ ...subscriptions, create })
        )
      }
    })
    const { key } = await World.tenant(broken)
    for (const [metadata, status] of [
      ["full", 503],
      ["other", 500]
    ] as const) {
      const [short, byHeader, ordinary] = await both(broken, PATH, text({ metadata }), key)
      expect(ordinary?.status).toBe(status)
      expect(short).toEqual(ordinary)
      expect(byHeader).toEqual(ordinary)
    }
    const logged = broken.logs.filter((line) => line.includes(`"${PATH}"`))
    expect(logged).toHaveLength(6)
    expect(logged.every((line) => line.includes("POST"))).toBe(true)
    expect(logged.join()).not.toContain(key)
    await broken.close()
  })
})
