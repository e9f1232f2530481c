/**
 * All errors have one shape (rule W1), and the checks of a request run in a fixed order (rule W8).
 */
import { describe, expect, it } from "vitest"
import * as Definition from "./Definition.ts"
import * as RawHttp from "./RawHttp.ts"
import * as World from "./World.ts"

const world = await World.forFile()
const acme = await World.tenant(world)

const json = { "content-type": "application/json" }
const post = (path: string, raw: string | Uint8Array, headers: Readonly<Record<string, string>> = json) =>
  acme.call("POST", path, { raw, headers })

const expectError = (answer: World.Answer, status: number, code: string): void => {
  expect([answer.status, answer.body?.code]).toEqual([status, code])
  expect(answer.body).toMatchObject({ error: true, message: expect.any(String) })
  expect(answer.headers.get("content-type")).toBe("application/json")
}

const exchange = (bytes: string, rest?: string): Promise<string> => RawHttp.exchange(world.url, bytes, rest)

describe("routes", () => {
  it("that are unknown are 404, with or without a key", async () => {
    for (const path of [
      "/",
      "/nope",
      "/v3",
      "/v3/",
      "/v3/nope",
      "/V3/plans",
      "/v3//plans",
      "/v3/plans/a/b/c",
      "/v3/plans/%zz"
    ]) {
      expectError(await world.fetch("GET", path), 404, "route_not_found")
      expectError(await acme.get(path), 404, "route_not_found")
    }
  })

  it("answer 405 with Allow to other methods, and 204 with Allow to OPTIONS", async () => {
    for (const { method, path } of Definition.routes) {
      const url = path.replace(/:\w+/g, "x")
      const options = await world.fetch("OPTIONS", url)
      const allow = options.headers.get("allow")?.split(", ") ?? []
      expect([options.status, options.text]).toEqual([204, ""])
      expect(allow).toContain(method)
      const other = ["GET", "POST", "PUT", "PATCH", "DELETE"].find((name) => !allow.includes(name)) ?? "PROPFIND"
      const refused = await world.fetch(other, url)
      expectError(refused, 405, "method_not_allowed")
      expect(refused.headers.get("allow")).toBe(options.headers.get("allow"))
    }
  })

  it("answer HEAD as GET, without a body", async () => {
    for (const path of ["/v3/plans", "/v3/subscription", "/v3/coverage-profiles", "/healthz", "/openapi.json"]) {
      const head = await acme.call("HEAD", path)
      expect([head.status, head.text]).toEqual([200, ""])
    }
    expect((await world.fetch("HEAD", "/v3/plans")).status).toBe(401)
  })
})

describe("keys", () => {
  it("are taken from the query or the header, and must agree", async () => {
    const other = await World.tenant(world)
    const query = (text: string) => world.fetch("GET", `/v3/sims?${text}`)
    expect((await query(`key=${acme.key}`)).status).toBe(200)
    expect((await acme.get(`/v3/sims?key=${acme.key}`)).status).toBe(200)
    expectError(await acme.get(`/v3/sims?key=${other.key}`), 401, "key_invalid")
    expectError(await query(`key=${acme.key}&key=${other.key}`), 401, "key_invalid")
    expectError(await query(`key=${acme.key}x`), 401, "key_invalid")
    expectError(await query("key=%00"), 401, "key_invalid")
    const twice = { headers: { "x-api-key": `${acme.key}, ${acme.key}` } }
    expectError(await world.fetch("GET", "/v3/sims", twice), 401, "key_invalid")
  })

  it("that are missing are refused in the words of the interface", async () => {
    for (const { group, method, path } of Definition.routes) {
      if (!path.startsWith("/v3")) continue
      for (const query of ["", "?key="]) {
        const refused = await world.fetch(method, path.replace(/:\w+/g, "x") + query)
        expect([group, refused.status]).toEqual([group, 401])
        expect(refused.body).toStrictEqual({
          error: true,
          message: "Unauthorized: API key is missing",
          code: "key_missing"
        })
      }
    }
  })
})

describe("bodies", () => {
  const plans = "/v3/plans"

  it("must be JSON, in UTF-8, of the right type", async () => {
    for (const raw of ["", "{", "{}x", "{'a':1}", "nul", '{"a":\u0001}', "\uFEFF{"]) {
      expectError(await post(plans, raw), 400, "malformed_json")
    }
    expectError(await post(plans, new Uint8Array([0x22, 0xff, 0x22])), 400, "malformed_body")
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=utf-16",
      "json",
      "multipart/form-data"
    ]) {
      expectError(await post(plans, "{}", { "content-type": type }), 415, "unsupported_media_type")
    }
    expectError(await post(plans, "{}", { ...json, "content-encoding": "gzip" }), 415, "unsupported_media_type")
    for (const type of ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"']) {
      expectError(await post(plans, "[]", { "content-type": type }), 400, "invalid_field")
    }
  })

  it("are refused with all wrong fields, by the names of the wire", async () => {
    const { body } = await acme.post(plans, { data_MBs: "1", recurring: 1, throttling: true, coverage_id: 5 })
    expect(body.message).toBe(
      "coverage_id must be a string; data_MBs must be a number; name is required; period_days is required; " +
        "recurring must be true or false"
    )
    for (const whole of [null, [], "x", 5, true]) {
      expect((await acme.post(plans, whole)).body.message).toBe("body must be an object")
    }
  })

  it("must not hold texts that no storage keeps", async () => {
    for (const [body, field] of [
      ['{"plan_id":"a\\u0000","metadata":""}', "plan_id"],
      ['{"plan_id":"a","metadata":"\\ud800"}', "metadata"],
      ['{"plan_id":"a","metadata":"\\udc00\\ud800"}', "metadata"],
      ['{"plan_id":"a","metadata":"","active_period":{"start":"\\u0000"}}', "active_period.start"],
      ['{"plan_id":"a","metadata":"","x":["\\uDFFF"]}', "x[0]"],
      ['{"\\u0000":1}', "body"],
      ['"\\ud800"', "body"]
    ] as const) {
      const refused = await post("/v3/subscription", body)
      expectError(refused, 400, "invalid_field")
      expect(refused.body.message.startsWith(`${field} must not contain`)).toBe(true)
    }
    expectError(await post("/v3/subscription", '{"plan_id":"\\ud83d\\ude00","metadata":"😀"}'), 404, "plan_not_found")
  })

  it("may be hostile", async () => {
    const deep = (open: string, close: string, inner: string, times: number) =>
      open.repeat(times) + inner + close.repeat(times)
    expectError(await post(plans, deep("[", "]", "", 500_000)), 400, "invalid_field")
    expectError(await post(plans, deep('{"a":', "}", '"\\u0000"', 150_000)), 400, "invalid_field")
    expectError(await post(plans, deep("[", "", "", 1_000_000)), 400, "invalid_field")
    expectError(await post(plans, deep("[", "", "", 20_000)), 400, "malformed_json")
    const proto = await post(plans, '{"__proto__":{"name":"x"},"constructor":{"prototype":{"name":"y"}}}')
    expect(proto.body.message).toContain("name is required")
    expect((await post(plans, `{"name":"a",${'"name":"b",'.repeat(1000)}"name":5}`)).body.message).toContain(
      "name must be a string"
    )
    expectError(await post(plans, `{"data_MBs":1e999}`), 400, "invalid_field")
  })

  it("over the limit are refused by a declared length, and while they are read", async () => {
    expectError(await post(plans, JSON.stringify("x".repeat(1_048_575))), 413, "body_too_large")
    expect((await post(plans, JSON.stringify("x".repeat(1_048_574)))).status).toBe(400)
    const head = `POST ${plans} HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\nContent-Type: application/json\r\n`
    expect(await exchange(`${head}Content-Length: 1048577\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 .*"body_too_large"\}$/s)
    const chunk = `${(0x80000).toString(16)}\r\n${"x".repeat(0x80000)}\r\n`
    expect(await exchange(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`)).toMatch(
      /^HTTP\/1\.1 413 .*"body_too_large"\}$/s
    )
    const without = `POST /v3/plans/x/archive HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\n`
    expect(await exchange(`${without}Content-Length: 1048577\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it("may come in pieces, with a length or in chunks", async () => {
    const head = `POST ${plans} HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\nContent-Type: application/json\r\n`
    expect(await exchange(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n`)).toContain(
      "body must be an object"
    )
    expect(await exchange(`${head}Content-Length: 2\r\n\r\n[`, "]")).toContain("body must be an object")
  })
})

describe("what is not HTTP", () => {
  it("is answered in the shape of all errors", async () => {
    const garbage = await exchange("GARBAGE\r\n\r\n")
    expect(garbage).toMatch(/^HTTP\/1\.1 400 .*\{"error":true,"message":".*","code":"malformed_request"\}$/s)
    const headers = await exchange(`GET / HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(20_000)}\r\n\r\n`)
    expect(headers).toMatch(/^HTTP\/1\.1 431 .*"headers_too_large"\}$/s)
  })

  it("must not expect the unknown", async () => {
    const expecting = await exchange("GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\n\r\n")
    expect(expecting).toMatch(/^HTTP\/1\.1 417 .*"code":"expectation_failed"\}/s)
  })
})

describe("paths and queries", () => {
  it("with texts that no storage keeps find nothing, or are refused", async () => {
    for (const id of ["a%00b", "%00", "..%2f..", "%F0%9F%98%80", "x".repeat(500)]) {
      expectError(await acme.get(`/v3/plans/${id}`), 404, "plan_not_found")
      expectError(await acme.get(`/v3/subscriptions/${id}`), 404, "subscription_not_found")
      expectError(await acme.get(`/v3/sims/${id}/smdp-info`), 404, "sim_not_found")
    }
    expectError(await acme.get("/v3/plans/%ED%A0%80"), 404, "route_not_found")
    for (const path of [
      "/v3/sims?label",
      "/v3/plans?search_query",
      "/v3/operators?country",
      "/v3/coverage-profiles?region_code"
    ]) {
      const field = path.split("?")[1]
      expect((await acme.get(`${path}=%00`)).body.message.startsWith(`${field} must not contain`)).toBe(true)
      expect((await acme.get(`${path}=a&${field}=b`)).body.message).toBe(`${field} must be given once`)
      // A percent sign that begins no escape is text as any other, which is no country code.
      expect((await acme.get(`${path}=%zz`)).status).toBe(field === "country" ? 400 : 200)
    }
  })
})

describe("the order of checks", () => {
  it("is 401, 403, 429, 400, 404, 409", async () => {
    const limited = await World.start({ rateLimit: { requests: 1, window: "1 hour" } })
    const reader = await World.tenant(limited, "read")
    const writer = await World.tenant(limited)
    const bad = { raw: "{", headers: json }
    expectError(await limited.fetch("POST", "/v3/plans/nope/archive?key=nope", bad), 401, "key_invalid")
    for (const _ of [1, 2, 3]) expectError(await reader.call("POST", "/v3/plans", bad), 403, "key_read_only")
    expectError(await writer.call("POST", "/v3/plans", bad), 400, "malformed_json")
    const tooMany = await writer.call("POST", "/v3/plans", bad)
    expectError(tooMany, 429, "rate_limited")
    expect(Number(tooMany.headers.get("retry-after"))).toBeGreaterThan(3000)
    const unread = { raw: "x".repeat(2_000_000), headers: json }
    expectError(await writer.call("POST", "/v3/plans", unread), 429, "rate_limited")
    expect((await reader.get("/v3/plans")).status).toBe(200)
    expectError(await reader.get("/v3/plans?page_size=x"), 429, "rate_limited")
    await limited.close()
    expectError(await acme.post("/v3/subscription", { plan_id: "nope", metadata: 5 }), 400, "invalid_field")
  })
})
