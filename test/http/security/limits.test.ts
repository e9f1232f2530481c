/**
 * What one customer does costs no other (rule W10): streams, requests under way, and what answers
 * cost.
 */
import { Clock, Context, Effect, Latch, Layer, Redacted } from "effect"
import { RequestContext } from "simplan"
import { Storage } from "simplan/ports"
import * as Postgres from "simplan/postgres"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Document from "../../fuzz/Document.ts"
import * as Lists from "../Lists.ts"
import * as World from "../World.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Leaks from "../../setup/Leaks.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as Inventory from "../Inventory.ts"

let world: World.World

describe("an API key", () => {
  it("has at most eight lists under way", async () => {
    world = await Lists.world(100_000)
    const [acme, other] = [await World.tenant(world), await World.tenant(world)]
    const sockets = await Promise.all(Array.from({ length: 8 }, () => Lists.stalled(world.url, acme.key)))
    const refused = await acme.get("/v3/subscription")
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "concurrency_limited",
      "1"
    ])
    expect((await acme.get("/v3/sims")).status).toBe(200)
    const theirs = await Lists.stalled(world.url, other.key)
    theirs.destroy()
    sockets[0]?.destroy()
    const again = async (): Promise<Socket> => {
      const socket = await Lists.stalled(world.url, acme.key)
      if (String(socket.read()).startsWith("HTTP/1.1 200")) return socket
      socket.destroy()
      return again()
    }
    sockets[0] = await again()
    for (const socket of sockets) socket.destroy()
  })

  // `concurrency.test.ts` has how long one waits for its place, under virtual time.
  it("has a bound of requests under way; one beyond is refused until there is a place", async () => {
    let open: (() => void) | undefined
    const gate = Effect.callback<void>((resume) => {
      open = () => resume(Effect.void)
    })
    world = await Lists.world(1, (n) => Effect.as(gate, Lists.page(n)), { bounds: { requests: 1 } })
    const [acme, other] = [await World.tenant(world), await World.tenant(world)]
    const first = acme.get("/v3/subscription")
    while (open === undefined) await sleep(5)
    const refused = await acme.get("/v3/sims")
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "concurrency_limited",
      "1"
    ])
    expect((await other.get("/v3/sims")).status).toBe(200)
    open()
    expect([(await first).status, (await acme.get("/v3/sims")).status]).toEqual([200, 200])
  })

  it("frees its places where the client goes away", async () => {
    let asked = 0
    const never = Effect.andThen(
      Effect.sync(() => asked++),
      Effect.never
    )
    world = await Lists.world(1, () => never, { bounds: { requests: 3 } })
    const acme = await World.tenant(world)
    const gone = new AbortController()
    const calls = [1, 2, 3].map(() =>
      fetch(`${world.url}/v3/subscription?key=${acme.key}`, { signal: gone.signal }).catch(() => "aborted")
    )
    while (asked < 3) await sleep(5)
    gone.abort()
    await Promise.all(calls)
    await expect.poll(async () => (await acme.get("/v3/sims")).status).toBe(200)
  })
})

const left = (answer: { readonly headers: Headers }): number =>
  Number(/;r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1])

describe("the rate limit", () => {
  it("shows what is left", async () => {
    world = await World.forTest({ rateLimit: { requests: 3, window: "1 hour" } })
    const acme = await World.tenant(world)
    const answers = [await acme.get("/v3/sims"), await acme.get("/v3/plans/none"), await acme.get("/v3/sims")]
    expect(answers.map(({ headers }) => headers.get("ratelimit-policy"))).toEqual(
      answers.map(() => '"default";q=3;w=3600')
    )
    const announced = answers.map(({ headers }) => /^"default";r=(\d);t=(\d+)$/.exec(headers.get("ratelimit") ?? ""))
    expect(announced.map((found) => found?.[1])).toEqual(["2", "1", "0"])
    // Quota comes back while a slow machine answers.
    for (const [index, seconds] of [1_200, 2_400, 3_600].entries()) {
      expect(Math.abs(seconds - Number(announced[index]?.[2]))).toBeLessThan(60)
    }
    const refused = await acme.get("/v3/sims")
    expect([refused.status, left(refused)]).toEqual([429, 0])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1_000)
  })

  it("charges for the attachments that are read, where these are more than what is answered", async () => {
    world = await World.forTest({ rateLimit: { requests: 1_000, window: "24 hours" } })
    const acme = await World.tenant(world)
    const iccid = World.iccid(1)
    await world.admin("POST", `/organizations/${acme.organizationId}/sims`, {
      sims: [{ iccid, label: "Green", is_esim: true }]
    })
    const profiles = await acme.get("/v3/coverage-profiles?label=Green&region_code=FR")
    const plan = await acme.post("/v3/plans", Inventory.planBody(profiles.body.data[0].coverage_id, { name: "Plan" }))
    const order = { plan_id: plan.body.plan_id, iccid, metadata: "x".repeat(4_096) }
    for (let count = 0; count < 28; count++) expect((await acme.post("/v3/subscription", order)).status).toBe(201)
    const path = `/v3/subscriptions/${iccid}`
    const before = left(await acme.get(path))
    const list = await acme.get(`${path}/plan-attachments`)
    expect(list.body.data).toHaveLength(28)
    expect(before - left(list)).toBe(3)
    expect(left(list) - left(await acme.get(`${path}/location`))).toBe(1)
    const preview = await acme.call("DELETE", `${path}?dry_run=true`)
    expect(preview.text.length).toBeLessThan(65_536)
    expect(left(list) - 1 - left(preview)).toBe(3)
  })

  it("charges for the plans that a search scans, not for those that it finds", async () => {
    world = await World.forTest({ rateLimit: { requests: 1_000, window: "24 hours" } })
    const acme = await World.tenant(world)
    const profiles = await acme.get("/v3/coverage-profiles?label=Green&region_code=FR")
    const made = await acme.post("/v3/plans", Inventory.planBody(profiles.body.data[0].coverage_id, { name: "Plan" }))
    const planId: string = made.body.plan_id
    const { organizationId } = acme
    await world.run(
      Storage.Storage.use((storage) =>
        Effect.flatMap(storage.plans.get({ organizationId, planId }), (plan) =>
          plan === null
            ? Effect.die("no plan")
            : storage.commit({
                plans: Array.from({ length: 2_047 }, (_, n) => ({ ...plan, planId: `${planId}-${n}`, version: 0 }))
              })
        )
      )
    )
    const before = left(await acme.get("/v3/plans"))
    const searched = await acme.get("/v3/plans?search_query=nowhere")
    expect([searched.body.data, searched.body.next_page]).toEqual([[], null])
    expect(before - left(searched)).toBe(5)
    expect(left(searched) - left(await acme.get("/v3/plans?search_query=plan"))).toBe(1)
  })

  it("charges for the time that heavy reads take, and refuses them in turn where they cost too much", async () => {
    const refused = (refusedRead: Storage.RefusedRead) =>
      new Storage.StorageError({ message: `refused: ${refusedRead}`, refusedRead })
    const outcomes: Readonly<Record<string, Storage.Read<ReadonlyArray<never>>>> = {
      country: Effect.as(RequestContext.countMillis(1_004), []),
      day: refused("own"),
      label: refused("others"),
      plan: refused("too long")
    }
    const totals = ({ by }: { readonly by: ReadonlyArray<string> }) => outcomes[by.join()] ?? Effect.succeed([])
    const storage = World.changed(({ usage }) => ({ usage: { ...usage, totals } }))
    world = await World.forTest({ storage, rateLimit: { requests: 1_000, window: "24 hours" } })
    const acme = await World.tenant(world)
    const before = left(await acme.get("/v3/usage?by=nothing"))
    // What the machine took comes to it.
    expect(before - left(await acme.get("/v3/usage?by=country"))).toBeGreaterThanOrEqual(1 + 200)
    const answers = await Promise.all(["day", "label", "plan"].map((by) => acme.get(`/v3/usage?by=${by}`)))
    expect(
      answers.map(({ body, headers, status }) => [status, body.code, body.message, headers.get("retry-after")])
    ).toEqual([
      [429, "concurrency_limited", "refused: own", "1"],
      [503, "storage_unavailable", "refused: others", "1"],
      [503, "storage_unavailable", "refused: too long", "10"]
    ])
    expect(world.logs.join("")).not.toContain("refused: ")
  })

  it("charges for a body as for an answer, also where nothing of it is used", async () => {
    world = await World.forTest({ rateLimit: { requests: 1_000, window: "24 hours" } })
    const acme = await World.tenant(world)
    const before = left(await acme.get("/v3/sims"))
    const refused = await acme.post("/v3/plans", { name: "x".repeat(1_000_000) })
    expect([refused.status, before - left(refused)]).toEqual([400, 16])
  })

  it("charges for what was answered, and a list goes no faster than its cost comes back", async () => {
    world = await Lists.world(40, undefined, { rateLimit: { requests: 100, window: "2 seconds" } })
    const acme = await World.tenant(world)
    const before = left(await acme.get("/v3/sims"))
    // 4 MB of JSON cost 64: half of the quota at once, the rest as it comes back.
    const began = performance.now()
    const list = await acme.get("/v3/subscription")
    expect(performance.now() - began).toBeGreaterThan(150)
    expect(list.body.data).toHaveLength(40 * Lists.PAGE)
    const after = await acme.get("/v3/sims")
    expect(after.status).toBe(200)
    // The quota comes back at 50 a second, also while a slow machine answers.
    const cameBack = ((performance.now() - began) / 1000) * 50
    expect(before - left(after) + cameBack).toBeGreaterThan(60)
  })
})

describe("W13: a heavy read that lasts on PostgreSQL", { timeout: 60_000 }, () => {
  const path = "/v3/usage?from=2026-01-01&to=2026-01-10"

  /**
   * A world whose time stands still until it is moved, and a lock on the book of usage, which its
   * second pages run into.
   */
  const held = async () => {
    const database = await Databases.create()
    onTestFinished(database.drop)
    const connected = async () => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      onTestFinished(() => client.end())
      return client
    }
    // What a transaction sees of statements that wait stays.
    const [client, watcher] = [await connected(), await connected()]
    let now = 0
    const lock = () =>
      client.query("begin; lock table simplan.usage_entry, simplan.usage_total in access exclusive mode")
    const storage = Layer.effectContext(
      Effect.map(Layer.build(Postgres.layer({ url: Redacted.make(database.url), maxConnections: 2 })), (context) => {
        const stored = Context.get(context, Storage.Storage)
        const sims: Storage.UsageBooks["sims"] = (query) =>
          query.after === null
            ? stored.usage.sims(query)
            : Effect.andThen(Effect.promise(lock), stored.usage.sims(query))
        return Context.add(context, Storage.Storage, { ...stored, usage: { ...stored.usage, sims } })
      })
    )
    const around = Layer.effect(
      Clock.Clock,
      Effect.map(Clock.Clock, (clock) => SteppedClock.at(clock, () => now))
    )
    world = await World.forTest({ storage, around, rateLimit: { requests: 10_000, window: "24 hours" } })
    const acme = await World.tenant(world)
    await client.query(
      `insert into simplan.usage_entry select $1, lpad(i::text, 19, '0'), 'a', ${World.START - (World.START % 86_400_000)}, 'FR', 1
        from generate_series(1, 1000) i`,
      [acme.organizationId]
    )
    let asked = 0
    return {
      acme,
      lock,
      unlock: () => client.query("rollback"),
      /** Moves the time, when a statement waits for the lock. */
      lasts: async (millis: number) => {
        await expect.poll(() => waiting(watcher), { timeout: 20_000 }).toBe(1)
        now += millis
      },
      /** When the server has stopped the statement. */
      isStopped: () => expect.poll(() => waiting(watcher), { timeout: 20_000 }).toBe(0),
      /** What was charged for all but these questions. */
      charged: async () => 10_000 - left(await acme.get("/v3/sims")) - ++asked,
      ask: (by: string, signal: AbortSignal, accept = "application/json") =>
        fetch(`${world.url}${path}&by=${by}&key=${acme.key}`, { signal, headers: { accept } })
    }
  }

  const waiting = async (client: pg.Client): Promise<number> => {
    const { rows } = await client.query(
      `select count(*)::int as count from pg_stat_activity
        where application_name = 'simplan' and datname = current_database() and wait_event_type = 'Lock'`
    )
    return rows[0].count
  }

  it("is charged to a client that goes away, and ends, so that the next one has its turn", async () => {
    const { acme, ask, charged, isStopped, lasts, lock, unlock } = await held()
    await lock()
    const gone = new AbortController()
    const answer = ask("country", gone.signal).catch(() => "gone")
    await lasts(3_000)
    gone.abort()
    expect(await answer).toBe("gone")
    await isStopped()
    await expect.poll(charged).toBe(1 + 3_000 / 5)
    await unlock()
    expect((await acme.get(`${path}&by=country`)).status).toBe(200)
  })

  it.each(["application/json", "text/csv"])("is charged where it is a page of a stream of %s", async (accept) => {
    const { acme, ask, charged, isStopped, lasts, unlock } = await held()
    const whole = ask("sim", new AbortController().signal, accept).then((answer) => answer.text())
    await lasts(4_000)
    await unlock()
    expect((await whole).match(/0{15}\d{4}/g)).toHaveLength(1_000)
    // What is answered costs about one unit more, and less than one has come back.
    const isCharged = async (units: number) => Math.abs((await charged()) - units) <= 1
    expect(await isCharged(1 + 4_000 / 5)).toBe(true)
    const gone = new AbortController()
    const broken = ask("sim", gone.signal, accept).then((answer) => answer.text())
    await lasts(2_000)
    gone.abort()
    await expect(broken).rejects.toThrow()
    await isStopped()
    await unlock()
    await expect.poll(() => isCharged(2 + 6_000 / 5)).toBe(true)
    expect((await acme.get(`${path}&by=country`)).status).toBe(200)
  })
})

it("W13: reports that wait for their turn on PostgreSQL hold up no other reads", { timeout: 60_000 }, async () => {
  const database = await Databases.create()
  onTestFinished(database.drop)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  const storage = Postgres.layer({ url: Redacted.make(database.url), maxConnections: 2 })
  world = await World.forTest({ storage, rateLimit: "off" })
  const busy = [await World.tenant(world), await World.tenant(world), await World.tenant(world)]
  const other = await World.tenant(world)
  await client.query("begin; lock table simplan.usage_entry, simplan.usage_total in access exclusive mode")
  const gone = new AbortController()
  const reports = busy.flatMap(({ key }) =>
    Array.from({ length: 16 }, () =>
      fetch(`${world.url}/v3/usage?from=2026-01-01&to=2026-01-10&by=country&key=${key}`, { signal: gone.signal }).then(
        ({ status }) => status,
        () => 0
      )
    )
  )
  await expect.poll(async () => (await world.admin("GET", "/organizations")).status).toBe(200)
  const isOneAnswered = Promise.race(reports).then(() => true)
  for (const tenant of [other, ...busy]) {
    for (const path of ["/v3/plans", "/v3/coverage-profiles"]) expect((await tenant.get(path)).status).toBe(200)
  }
  // The reports were waiting all the while.
  expect(await Promise.race([isOneAnswered, Promise.resolve(false)])).toBe(false)
  gone.abort()
  await client.query("rollback")
  await Promise.all(reports)
})

describe("W13: all keys of an organization", () => {
  /** So many keys of one organization more. */
  const keysOf = async ({ organizationId }: World.Tenant, count: number): Promise<ReadonlyArray<string>> => {
    const keys: Array<string> = []
    for (let n = 0; n < count; n++) {
      const made = await world.admin("POST", `/organizations/${organizationId}/api-keys`, { name: `key ${n}` })
      keys.push(made.body.data.key)
    }
    return keys
  }
  const get = (key: string, path = "/v3/sims") => world.fetch("GET", `${path}?key=${key}`)

  it("have four times the rate of one, and are shown it where it is nearer", async () => {
    world = await World.forTest({ rateLimit: { requests: 5, window: "1 hour" } })
    const [acme, other] = [await World.tenant(world), await World.tenant(world)]
    const keys = await keysOf(acme, 20)
    const answers: Array<World.Answer> = []
    for (const key of keys) for (let n = 0; n < 2; n++) answers.push(await get(key))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(new Set(answers.slice(20).map(({ body }) => body.code))).toEqual(new Set(["rate_limited"]))
    expect(answers[0]?.headers.get("ratelimit-policy")).toBe('"default";q=5;w=3600')
    expect(answers[0]?.headers.get("ratelimit")).toMatch(/^"default";r=4;/)
    expect(answers[19]?.headers.get("ratelimit-policy")).toBe('"organization";q=20;w=3600')
    expect(answers[19]?.headers.get("ratelimit")).toMatch(/^"organization";r=0;/)
    expect(Number(answers[20]?.headers.get("retry-after"))).toBeGreaterThan(100)
    expect((await other.get("/v3/sims")).status).toBe(200)
  })

  it("have so many times the places of one", { timeout: 30_000 }, async () => {
    const gate = Latch.makeUnsafe(false)
    let asked = 0
    const read = (n: number) =>
      Effect.andThen(
        Effect.suspend(() => {
          asked += 1
          return gate.await
        }),
        Effect.succeed(Lists.page(n))
      )
    world = await Lists.world(1, read, { bounds: { requests: 1 }, organizationShare: 2 })
    const [acme, other] = [await World.tenant(world), await World.tenant(world)]
    const [one = "", two = "", three = ""] = await keysOf(acme, 3)
    const held = [one, two].map((key) => get(key, "/v3/subscription"))
    await expect.poll(() => asked).toBe(2)
    const tooMany = await get(three)
    expect([tooMany.status, tooMany.body.code]).toEqual([429, "concurrency_limited"])
    expect((await other.get("/v3/sims")).status).toBe(200)
    gate.openUnsafe()
    for (const { status } of await Promise.all(held)) expect(status).toBe(200)
    expect((await get(three)).status).toBe(200)
  })
})

describe("an operator", () => {
  it("has a limit on each route", async () => {
    world = await World.forTest({ rateLimit: { requests: 3, window: "24 hours" } })
    const { operations } = await Document.read(world.url)
    const routes = operations.filter(({ path }) => path.startsWith("/admin/v1"))
    const made = await world.admin("POST", "/operators", { name: "Ada", role: "admin", organization_id: null })
    const headers = { authorization: `Bearer ${made.body.data.token}` }
    Leaks.know(made.body.data.token)
    const asks = (method: string, path: string) => world.fetch(method, path, { headers })
    const list = () => asks("GET", "/admin/v1/organizations")
    expect([(await list()).status, (await list()).status, (await list()).status]).toEqual([200, 200, 200])
    const id = "01890a5d-ac96-774b-bcce-b302099a8057"
    const answers = await Promise.all(
      routes.map(async ({ method, path }) => {
        const answer = await asks(method, path.replaceAll(/\{\w+\}/g, id))
        return [method, path, answer.status, answer.headers.get("retry-after") !== null]
      })
    )
    expect(answers).toEqual(routes.map(({ method, path }) => [method, path, 429, true]))
    expect(routes.length).toBeGreaterThan(50)
    // The server's own token provisions organizations.
    expect((await world.admin("GET", "/organizations")).status).toBe(200)
  })
})
