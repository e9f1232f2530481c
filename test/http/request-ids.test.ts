/**
 * Every answer has the headers that keep it out of caches, and the id of its request (rule W11).
 */
import { Context, Effect } from "effect"
import { Operators, RequestContext } from "simplan"
import { describe, expect, it } from "vitest"
import * as RawHttp from "./RawHttp.ts"
import * as World from "./World.ts"

const always = {
  "cache-control": "no-store",
  vary: "accept, authorization, x-api-key",
  "x-content-type-options": "nosniff"
}

const UUID = /^[0-9a-f-]{36}$/

describe("every answer", () => {
  it("has the headers and an id of its own", async () => {
    const world = await World.forTest()
    const acme = await World.tenant(world)
    const json = { "content-type": "application/json" }
    const answers = await Promise.all([
      acme.get("/v3/sims"),
      acme.get("/v3/coverage-profiles"),
      acme.get("/v3/plans/nope"),
      acme.get("/v3/sims?page_size=x"),
      acme.call("POST", "/v3/plans", { raw: "x".repeat(1_048_577), headers: json }),
      acme.call("POST", "/v3/plans", { raw: "{}", headers: { "content-type": "text/plain" } }),
      acme.call("PUT", "/v3/plans"),
      acme.call("OPTIONS", "/v3/plans"),
      acme.call("HEAD", "/v3/plans"),
      world.fetch("GET", "/v3/plans"),
      world.fetch("GET", "/v3/nope"),
      world.fetch("GET", "/admin/v1/organizations"),
      world.admin("GET", "/organizations"),
      world.telco([])
    ])
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 404, 400, 413, 415, 405, 204, 200, 401, 404, 401, 200, 200
    ])
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({ ...always, "x-request-id": expect.stringMatching(UUID) })
    }
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(answers.length)
    for (const bytes of ["GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"]) {
      const { head } = RawHttp.answer(await RawHttp.exchange(world.url, bytes))
      for (const [name, value] of Object.entries(always)) expect(head).toContain(`${name}: ${value}`)
      expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/)
    }
  })
})

describe("a request id", () => {
  it("is taken up from the caller where it cannot do harm", async () => {
    const world = await World.forTest()
    const answered = async (id: string) =>
      (await world.fetch("GET", "/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id")
    for (const id of ["a", "A-1_b.c", "x".repeat(128)]) expect(await answered(id)).toBe(id)
    for (const id of ["", "a b", "a,b", "é", "a/b", '"', "x".repeat(129)]) expect(await answered(id)).toMatch(UUID)
    const twice = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n"
    expect(await RawHttp.exchange(world.url, twice)).toMatch(/x-request-id: [0-9a-f-]{36}\r\n/)
  })

  it("is known to the use case and its log, with the caller's address, and is in the body of a 500", async () => {
    let seen: RequestContext.RequestContext | undefined
    const world = await World.forTest({
      replace: (context) => {
        const operators = Context.get(context, Operators.Operators)
        const list: typeof operators.list = () =>
          Effect.gen(function* () {
            seen = yield* RequestContext.Current
            yield* Effect.logInfo("looking")
            return yield* Effect.die("boom")
          })
        return Context.add(context, Operators.Operators, Operators.Operators.of({ ...operators, list }))
      }
    })
    const acme = await World.tenant(world)
    const answer = await acme.call("GET", "/v3/operators", { headers: { "x-request-id": "mine" } })
    expect(answer.body).toMatchObject({ code: "internal_error", request_id: "mine" })
    expect(seen).toMatchObject({ requestId: "mine", address: "127.0.0.1" })
    const lines = world.logs.map((line) => JSON.parse(line))
    expect(lines.filter(({ annotations }) => annotations.request_id === "mine")).toHaveLength(2)
  })
})
