/**
 * Requests are distinguished by the path and the host that they name, exactly as they name them.
 */
import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import * as RawHttp from "../RawHttp.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const acme = await World.tenant(world)

const HOST = "Host: x\r\n"

/** Asks for a target as it is written, which no client lets a test do. */
const ask = async (target: string, { method = "GET", headers = HOST, version = "1.1" } = {}) => {
  const sent = `${method} ${target} HTTP/${version}\r\n${headers}Connection: close\r\n\r\n`
  const answer = RawHttp.answer(await RawHttp.exchange(world.url, sent))
  return { ...answer, code: /"code":"(\w+)"/.exec(answer.body)?.[1] }
}

const notFound = { status: 404, code: "route_not_found" }

describe("a path", () => {
  it("is that of a route as it is written, or of none", async () => {
    const key = `key=${acme.key}`
    expect((await ask(`/v3/sims?${key}`)).status).toBe(200)
    expect((await ask("/metrics?x")).status).toBe(200)
    const targets = [
      "/metrics;x",
      "/metrics/",
      "/metrics#x",
      "/metrics/?x",
      "/Metrics",
      "/metric%73",
      "//metrics",
      "/%6detrics"
    ]
    const variants = [";", ";x", "/", "%2F", "#", "#x", ";x/", "%3B", "%00", "%20", "\\"]
    const prefixes = [
      "//v3/sims",
      "/v3//sims",
      "/v3/./sims",
      "/v3/x/../sims",
      "/V3/sims",
      "/%763/sims",
      "/v3%2Fsims",
      "/v3/sim%73",
      "/v3\\sims"
    ]
    const sims = [...variants.map((end) => `/v3/sims${end}`), ...prefixes].map((path) => `${path}?${key}`)
    for (const target of [
      ...targets,
      ...sims,
      `/v3/sims;${key}`,
      `/v3/sims#?${key}`,
      "/healthz;",
      "/docs/",
      "/openapi.json;x"
    ]) {
      expect({ target, ...(await ask(target)) }).toMatchObject({ target, ...notFound })
    }
    for (const method of ["PUT", "OPTIONS", "HEAD"]) {
      expect((await ask("/v3/sims;x", { method })).status).toBe(404)
    }
    expect(await ask("/v3/coverage-profiles/%63ustom-region", { method: "PUT" })).toMatchObject({ status: 405 })
    expect(await ask("/v3/coverage-profiles/%63ustom-region", { method: "POST" })).toMatchObject({ status: 405 })
  })

  it("may encode the values of its parameters", async () => {
    const one = encodeURIComponent(World.iccid(1)).replace("8", "%38")
    expect(await ask(`/v3/sims/${one}?key=${acme.key}`)).toMatchObject({ status: 404, code: "sim_not_found" })
    expect(await ask(`/v3/sims/a;b?key=${acme.key}`)).toMatchObject(notFound)
    for (const path of ["/v3/sims/", "/v3/sims//smdp-info", "/v3/subscriptions//plan-attachments"]) {
      expect(await ask(`${path}?key=${acme.key}`)).toMatchObject(notFound)
    }
  })

  it("may come after a host, and is still matched exactly", async () => {
    expect((await ask("http://any.example/metrics")).status).toBe(200)
    expect((await ask(`HTTPS://any.example:1/v3/sims?key=${acme.key}`)).status).toBe(200)
    for (const path of ["", "?x", "/metrics/", "/metrics#x", "/./metrics", "/x/../metrics"]) {
      expect({ path, ...(await ask(`http://any.example${path}`)) }).toMatchObject({ path, ...notFound })
    }
    for (const target of ["http:///metrics", "http://?x", "http://user@any.example/metrics", "http:metrics"]) {
      expect({ target, ...(await ask(target)) }).toMatchObject({ target, status: 400, code: "malformed_request" })
    }
    expect(await ask("*", { method: "OPTIONS" })).toMatchObject(notFound)
  })
})

describe("a key", () => {
  it("is in a parameter of the query, and nothing else of the target carries one", async () => {
    for (const query of [`x;key=${acme.key}`, `x#key=${acme.key}`, `label=a;key=${acme.key}`, `?key=${acme.key}`]) {
      expect({ query, ...(await ask(`/v3/sims?${query}`)) }).toMatchObject({ query, status: 401, code: "key_missing" })
    }
    for (const query of [`key=${acme.key};x`, `key=${acme.key}#x`, `key=${acme.key}%00`]) {
      expect({ query, ...(await ask(`/v3/sims?${query}`)) }).toMatchObject({ query, status: 401, code: "key_invalid" })
    }
  })
})

describe("a host", () => {
  it("is named once", async () => {
    const refused = { status: 400, code: "malformed_request" }
    expect(await ask("/healthz", { headers: "" })).toMatchObject(refused)
    expect(await ask("/healthz", { headers: `${HOST}${HOST}` })).toMatchObject(refused)
    expect(await ask("/healthz", { headers: "Host: x\r\nhOST: y\r\n" })).toMatchObject(refused)
    expect(await ask("/healthz", { headers: `${HOST}${HOST}`, version: "1.0" })).toMatchObject(refused)
    expect((await ask("/healthz", { headers: "", version: "1.0" })).status).toBe(200)
    expect((await ask("/healthz")).status).toBe(200)
    for (const name of [
      "a b",
      "a@b",
      "a/b",
      "a?b",
      "a#b",
      "a\\b",
      "a:x",
      "[::1",
      "[::1]x",
      "a,\tb",
      "<a>",
      '"a"',
      "\xe9"
    ]) {
      expect({ name, ...(await ask("/healthz", { headers: `Host: ${name}\r\n` })) }).toMatchObject({ name, ...refused })
    }
    for (const name of [
      "",
      "any.example",
      "any.example:80",
      "any.example:",
      "127.0.0.1:1",
      "[::1]:80",
      "a_b",
      "xn--e1a"
    ]) {
      expect({ name, ...(await ask("/healthz", { headers: `Host: ${name}\r\n` })) }).toMatchObject({
        name,
        status: 200
      })
    }
    const expecting = await ask("/healthz", { headers: "Expect: 100-continue\r\nContent-Length: 1\r\n" })
    expect(expecting).toMatchObject(refused)
  })
})

it("CONNECT is answered, and opens nothing", async () => {
  const answer = await ask("any.example:443", { method: "CONNECT" })
  expect(answer).toMatchObject({ status: 400, code: "malformed_request" })
  expect(answer.head).toMatch(/^cache-control: no-store$/im)
})

it("CONNECT keeps no connection of a client that does not close its own end", async () => {
  const socket = connect({ port: Number(new URL(world.url).port), host: "127.0.0.1", allowHalfOpen: true })
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  // A connection that is gone answers bytes with a reset.
  socket.on("error", () => {})
  socket.on("end", () => {
    const writes = setInterval(() => socket.write("x"), 10)
    void closed.then(() => clearInterval(writes))
  })
  socket.write("CONNECT any.example:443 HTTP/1.1\r\nHost: any.example:443\r\n\r\n")
  socket.resume()
  await closed
})
