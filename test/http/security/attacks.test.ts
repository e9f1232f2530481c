/**
 * What an attacker sends: requests that two servers in a row would read differently, requests that
 * cost more than they should, and keys that are not good any more. `errors`, `paths`, `tenancy` and
 * `fuzz` have the rest.
 */
import { describe, expect, it } from "vitest"
import * as Definition from "../Definition.ts"
import * as Inventory from "../Inventory.ts"
import * as RawHttp from "../RawHttp.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 3)
const acme = stock.tenant

const send = async (bytes: string): Promise<ReadonlyArray<number>> =>
  RawHttp.statuses(await RawHttp.exchange(world.url, Buffer.from(bytes, "latin1")))

/** A request that must not be answered, because it is part of the one before it. */
const SMUGGLED = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

const post = (headers: string, body: string): string =>
  `POST /v3/plans?key=${acme.key} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`

describe("a request whose end is not clear", () => {
  it.each([
    ["a length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked", `0\r\n\r\n${SMUGGLED}`],
    ["chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 4", `0\r\n\r\n${SMUGGLED}`],
    ["two lengths", "Content-Length: 0\r\nContent-Length: 37", SMUGGLED],
    ["one length twice", "Content-Length: 2\r\nContent-Length: 2", `{}${SMUGGLED}`],
    ["a list of lengths", "Content-Length: 2, 2", `{}${SMUGGLED}`],
    ["a length with a sign", "Content-Length: +2", `{}${SMUGGLED}`],
    ["a negative length", "Content-Length: -2", `{}${SMUGGLED}`],
    ["a hexadecimal length", "Content-Length: 0x2", `{}${SMUGGLED}`],
    ["a length beyond all numbers", "Content-Length: 99999999999999999999999", "{}"],
    ["an encoding that is not the last", "Transfer-Encoding: chunked, identity", `0\r\n\r\n${SMUGGLED}`],
    ["an encoding that nobody knows", "Transfer-Encoding: xchunked", `0\r\n\r\n${SMUGGLED}`],
    ["a space before the colon", "Transfer-Encoding : chunked", `0\r\n\r\n${SMUGGLED}`],
    ["a folded header", "Transfer-Encoding:\r\n chunked", `0\r\n\r\n${SMUGGLED}`],
    ["a header that ends in a bare line feed", "X: y\nContent-Length: 0", SMUGGLED],
    ["a header that ends in a bare carriage return", "X: y\rContent-Length: 0", SMUGGLED],
    ["a chunk whose size is no number", "Transfer-Encoding: chunked", `zz\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
    ["a chunk with a negative size", "Transfer-Encoding: chunked", `-2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
    ["a chunk whose size overflows", "Transfer-Encoding: chunked", `fffffffffffffffff\r\n{}\r\n0\r\n\r\n`],
    ["a chunk that is longer than its size", "Transfer-Encoding: chunked", `1\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
    ["a chunk that ends in a bare line feed", "Transfer-Encoding: chunked", `2\n{}\n0\n\n${SMUGGLED}`]
  ])("is refused: %s", async (_, headers, body) => {
    const statuses = await send(post(headers, body))
    expect(statuses).toEqual([400])
  })

  it("is refused where its first line or its headers are not those of HTTP/1", async () => {
    for (const bytes of [
      "GET /healthz\0 HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /healthz\rx HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /heal thz HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: x\r\nA\0: b\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
      "GET /healthz HTTP/1.1\r\n Host: x\r\n\r\n",
      "GET /healthz\r\n\r\n",
      "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "get /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    ]) {
      expect({ bytes, statuses: await send(bytes) }).toEqual({ bytes, statuses: [400] })
    }
  })
})

describe("a request", () => {
  it("has 200 headers and 16 KiB of them at most, its target included", async () => {
    const get = (target: string, headers: string) => send(`GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
    expect(await get("/healthz", "A: b\r\n".repeat(199))).toEqual([200])
    expect(await get("/healthz", "A: b\r\n".repeat(200))).toEqual([431])
    expect(await get("/healthz", "A: b\r\n".repeat(5_000))).toEqual([431])
    expect(await get("/healthz", `A: ${"b".repeat(17_000)}\r\n`)).toEqual([431])
    expect(await get(`/healthz?${"a=b&".repeat(5_000)}`, "")).toEqual([431])
    expect(await get(`/v3/sims?${"label=Green&".repeat(1_000)}key=${acme.key}`, "")).toEqual([400])
    expect(await get(`/v3/sims?${"a&".repeat(5_000)}key=${acme.key}`, "")).toEqual([200])
  })

  it("has its method in its first line, and nowhere else", async () => {
    const path = `/v3/plans/${stock.planId}`
    for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
      expect((await acme.call("GET", path, { headers: { [name]: "DELETE" } })).status).toBe(200)
      expect((await acme.call("POST", path, { headers: { [name]: "DELETE" } })).status).toBe(405)
    }
    expect((await acme.get(`${path}?_method=DELETE`)).status).toBe(200)
    expect((await acme.get(path)).status).toBe(200)
  })

  it("has its headers sent in time", async () => {
    const slow = await World.start({ headersTimeout: "200 millis" })
    const answer = RawHttp.answer(await RawHttp.exchange(slow.url, "GET /healthz HTTP/1.1\r\nHost:"))
    expect([answer.status, answer.body]).toEqual([408, expect.stringContaining('"code":"request_timeout"')])
    await slow.close()
  })
})

describe("JSON", () => {
  it("of any depth, with any names and any numbers, changes nothing but what it names", async () => {
    const body = (text: string) =>
      acme.call("POST", "/v3/plans", { raw: text, headers: { "content-type": "application/json" } })
    const valid = JSON.stringify(Inventory.planBody(stock.coverageId)).slice(1, -1)
    const nested = '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000)
    const refused = [
      [nested, "coverage_id is required"],
      [`{"__proto__":{${valid}}}`, "coverage_id is required"],
      [`{"constructor":{"prototype":{${valid}}}}`, "coverage_id is required"],
      [`{${valid},"data_MBs":1e308}`, "data_MBs"],
      [`{${valid},"data_MBs":-1e999}`, "data_MBs"],
      [`{${valid},"data_MBs":1${"0".repeat(400)}}`, "data_MBs"],
      [`{${valid},"period_days":30.0000001}`, "period_days"],
      [`{${valid},"name":"a","name":null}`, "name"]
    ] as const
    for (const [text, message] of refused) {
      const answer = await body(text)
      expect([answer.status, answer.body.code]).toEqual([400, "invalid_field"])
      expect(answer.body.message).toContain(message)
    }
    const added = `{${valid},"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"x":${nested}}`
    expect((await body(added)).status).toBe(201)
    expect(Reflect.has({}, "polluted")).toBe(false)
    expect((await acme.get("/v3/sims?__proto__=x&constructor=y&toString=z")).status).toBe(200)
  })
})

describe("a key", () => {
  const v3 = Definition.routes.filter(({ path }) => path.startsWith("/v3"))

  const answers = (key: string, routes: ReadonlyArray<Definition.Route>) =>
    Promise.all(
      routes.map(async ({ method, path }) => {
        const answer = await world.fetch(method, `${path.replace(/:\w+/g, "x")}?key=${key}`)
        return answer.status === 200 ? "ok" : answer.body.code
      })
    )

  const make = async (fields: object): Promise<{ readonly key: string; readonly id: string }> => {
    const path = `/organizations/${acme.organizationId}/api-keys`
    const { body } = await world.admin("POST", path, { name: "k", scope: "full", ...fields })
    return { key: body.data.key, id: body.data.api_key_id }
  }

  it("that only reads changes nothing", async () => {
    const { key } = await make({ scope: "read" })
    const writes = v3.filter(({ method }) => method !== "GET")
    expect(new Set(await answers(key, writes))).toEqual(new Set(["key_read_only"]))
    const reads = v3.filter(({ method }) => method === "GET")
    for (const code of await answers(key, reads)) expect(code).toMatch(/^ok$|_not_found$/)
  })

  it("that is revoked or has expired opens nothing", async () => {
    const revoked = await make({})
    expect((await answers(revoked.key, v3.slice(0, 1)))[0]).toBe("ok")
    await world.admin("DELETE", `/organizations/${acme.organizationId}/api-keys/${revoked.id}`)
    expect(new Set(await answers(revoked.key, v3))).toEqual(new Set(["key_invalid"]))
    const expiring = await make({ expires_at: new Date(World.START + 60_000).toISOString() })
    expect((await answers(expiring.key, v3.slice(0, 1)))[0]).toBe("ok")
    await world.admin("POST", "/clock/advance", { to: new Date(World.START + 60_000).toISOString() })
    expect(new Set(await answers(expiring.key, v3))).toEqual(new Set(["key_invalid"]))
  })
})
