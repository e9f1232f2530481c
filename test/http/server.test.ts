/**
 * The server: its answers to defects, secrets in logs, spans and metrics, rate limits, health,
 * stopping.
 */
import { Context, Deferred, Effect, Exit, Layer, Result, Tracer } from "effect"
import { createServer } from "node:net"
import { Operators, ApiKeys, Plans } from "simplan"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { Server } from "../../adapters/http/index.ts"
import * as World from "./World.ts"

describe("a defect", () => {
  it("is 500 with a request id, and is logged without any key", async () => {
    const world = await World.forTest({
      replace: (context) => {
        const plans = Context.get(context, Plans.Plans)
        const get = () =>
          Effect.die(new Error(`boom at /v3/plans?key=${"simplan_"}abc123 with Bearer t0ken and whsec_zzz`))
        return Context.add(context, Plans.Plans, Plans.Plans.of({ ...plans, get }))
      }
    })
    const acme = await World.tenant(world)
    const { body, headers, status } = await world.fetch("GET", `/v3/plans/x?key=${acme.key}`)
    expect(status).toBe(500)
    expect(body).toStrictEqual({
      error: true,
      message: "Something went wrong on our side",
      code: "internal_error",
      request_id: headers.get("x-request-id")
    })
    const logs = world.logs.join("\n")
    expect(logs).toContain("boom")
    expect(logs).toContain('"/v3/plans/x"')
    expect(logs).toContain(body.request_id)
    for (const secret of [acme.key, "abc123", "t0ken", "whsec_zzz"]) expect(logs).not.toContain(secret)
  })

  it("of the authentication is 500 as well", async () => {
    const world = await World.forTest({
      replace: (context) => {
        const apiKeys = Context.get(context, ApiKeys.ApiKeys)
        const authenticate = () => Effect.die("no")
        return Context.add(context, ApiKeys.ApiKeys, ApiKeys.ApiKeys.of({ ...apiKeys, authenticate }))
      }
    })
    expect((await world.fetch("GET", "/v3/plans?key=x")).body.code).toBe("internal_error")
  })
})

describe("a connection", () => {
  it("stays open for longer than load balancers keep theirs idle", async () => {
    const world = await World.forTest()
    const { headers } = await world.fetch("GET", "/healthz")
    expect(headers.get("keep-alive")).toBe("timeout=65")
  })
})

describe("a key", () => {
  it("is in no span and in no metric", async () => {
    const spans: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        const end = span.end.bind(span)
        span.end = (time, exit) => {
          spans.push(JSON.stringify([span.name, [...span.attributes], Exit.isSuccess(exit)]))
          end(time, exit)
        }
        return span
      }
    })
    const world = await World.forTest({ around: Layer.succeed(Tracer.Tracer, tracer) })
    const acme = await World.tenant(world)
    await world.fetch("GET", `/v3/plans?key=${acme.key}`)
    await acme.get(`/v3/plans/x?key=${acme.key}`)
    await world.fetch("GET", `/v3/nope?key=${acme.key}`)
    const metrics = await world.fetch("GET", "/metrics")
    expect(spans.join()).toContain("GET /v3/plans/:planId")
    for (const text of [spans.join(), metrics.text, world.logs.join()]) expect(text).not.toContain(acme.key)
    expect(metrics.text).toMatch(/http_requests_total\{method="GET",route="\/v3\/plans\/:planId",status="404"\} \d+/)
    expect(metrics.text).toMatch(/http_request_duration_seconds_bucket\{.*route="\/v3\/plans".*le="0\.1"/)
  })
})

describe("rate limits", () => {
  it("are per key, with Retry-After in seconds", async () => {
    const world = await World.forTest({ rateLimit: { requests: 2, window: "4 seconds" } })
    const [one, other] = [await World.tenant(world), await World.tenant(world)]
    const statuses = []
    for (const _ of [1, 2, 3]) statuses.push((await one.get("/v3/sims")).status)
    expect(statuses).toEqual([200, 200, 429])
    expect((await one.get("/v3/sims")).headers.get("retry-after")).toMatch(/^[12]$/)
    expect((await other.get("/v3/sims")).status).toBe(200)
    await expect.poll(async () => (await one.get("/v3/sims")).status).toBe(200)
  })
})

describe("health", () => {
  it("differs from readiness", async () => {
    let ready = false
    const world = await World.forTest({ ready: Effect.sync(() => ready) })
    expect((await world.fetch("GET", "/healthz")).body).toEqual({ status: "ok" })
    const starting = await world.fetch("GET", "/readyz")
    expect([starting.status, starting.body.code]).toEqual([503, "not_ready"])
    ready = true
    expect((await world.fetch("GET", "/readyz")).body).toEqual({ status: "ok", dead_servers: [] })
  })

  it("names the servers of a distributed database that do not answer, and is ready", async () => {
    let dead: ReadonlyArray<string> = []
    const world = await World.forTest({ storage: World.changed(() => ({ deadServers: Effect.sync(() => dead) })) })
    const seen = async () => {
      const { body, status } = await world.fetch("GET", "/readyz")
      const { database } = (await world.admin("GET", "/overview")).body.data.service
      return [status, body.dead_servers, database.dead_servers, database.takes_writes]
    }
    expect(await seen()).toEqual([200, [], [], true])
    dead = ["10.0.0.2:5432"]
    expect(await seen()).toEqual([200, dead, dead, true])
    dead = []
    expect(await seen()).toEqual([200, [], [], true])
  })

  it("is not ready, and shows so in its metrics, while the storage can be read and not be written", async () => {
    const disk = { isFull: true }
    const full = <A, E>(write: Effect.Effect<A, E>) =>
      Effect.suspend(
        (): Effect.Effect<A, E | Storage.StorageError> =>
          disk.isFull ? new Storage.StorageError({ message: "No space left on device" }) : write
      )
    const storage = World.changed(({ commit, probe }) => ({
      commit: (of) => full(commit(of)),
      probe: (at) => full(probe(at))
    }))
    const world = await World.forTest({ storage })
    const up = async () => /^simplan_storage_up (\d)$/m.exec((await world.fetch("GET", "/metrics")).text)?.[1]
    expect((await world.admin("GET", "/organizations")).status).toBe(200)
    expect((await world.admin("POST", "/organizations", { name: "Acme" })).status).toBe(503)
    const refused = await world.fetch("GET", "/readyz")
    expect([refused.status, refused.body.code]).toEqual([503, "storage_unavailable"])
    expect(await up()).toBe("0")
    disk.isFull = false
    await expect.poll(async () => (await world.fetch("GET", "/readyz")).status).toBe(200)
    expect(await up()).toBe("1")
  })
})

describe("stopping", () => {
  it("finishes the requests that are there, and takes no others", async () => {
    const [begun, answer] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const world = await World.forTest({
      replace: (context) => {
        const operators = Context.get(context, Operators.Operators)
        const list = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(answer), []))
        return Context.add(context, Operators.Operators, Operators.Operators.of({ ...operators, list }))
      }
    })
    const acme = await World.tenant(world)
    const slow = acme.get("/v3/operators")
    await Effect.runPromise(Deferred.await(begun))
    const stopped = world.close()
    const other = () => fetch(`${world.url}/healthz`, { headers: { connection: "close" } })
    await expect
      .poll(() =>
        Promise.resolve(other()).then(
          ({ status }) => status,
          () => "refused"
        )
      )
      .toBe("refused")
    Effect.runSync(Deferred.succeed(answer, undefined))
    const { headers, status } = await slow
    expect([status, headers.get("connection")]).toEqual([200, "close"])
    await stopped
  })

  it("does not wait for ever", async () => {
    const begun = Deferred.makeUnsafe<void>()
    const world = await World.forTest({
      drainTimeout: "200 millis",
      replace: (context) => {
        const operators = Context.get(context, Operators.Operators)
        return Context.add(
          context,
          Operators.Operators,
          Operators.Operators.of({
            ...operators,
            list: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
          })
        )
      }
    })
    const acme = await World.tenant(world)
    const hanging = acme.get("/v3/operators")
    await Effect.runPromise(Deferred.await(begun))
    await world.close()
    expect((await hanging).body.code).toBe("not_ready")
  })
})

describe("listening", () => {
  it("fails with the reason", async () => {
    const world = await World.forTest()
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const exit = await world.run(
      Effect.exit(
        Effect.scoped(
          Layer.build(Server.layer({ host: "127.0.0.1", port }, { rateLimit: "off", checkUrl: Result.succeed }))
        )
      )
    )
    taken.close()
    expect(JSON.stringify(exit)).toContain("the port is in use")
    expect(JSON.stringify(exit)).toContain("CannotListen")
  })
})
