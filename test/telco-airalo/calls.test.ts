/**
 * The calls of Airalo's Partner API over a socket: tokens, connections that end anywhere, limits of
 * time and size, and that no secret is told.
 */
import { Effect, Exit, Layer, Logger, Redacted, Tracer } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { HttpPartnerApi, PartnerApi } from "../../adapters/telco-airalo/index.ts"
import * as FakeAiralo from "./FakeAiralo.ts"

let fake: FakeAiralo.FakeAiralo

beforeEach(async () => {
  fake = await FakeAiralo.start()
})
afterEach(() => fake.close())

const layer = (options: Partial<HttpPartnerApi.Options> = {}) =>
  HttpPartnerApi.layer({
    url: fake.url,
    clientId: fake.clientId,
    clientSecret: Redacted.make(fake.clientSecret),
    timeout: "5 seconds",
    callsPerSecond: 1_000,
    ...options
  }).pipe(Layer.fresh)

const of = { packageId: "kallur-digital-7days-1gb", reference: "purchase-1" }
const order = PartnerApi.PartnerApi.use((api) => api.order(of))
const balance = PartnerApi.PartnerApi.use((api) => api.balance)

const tokens = () => fake.asked.filter(({ path }) => path === "/token")

describe("A token", () => {
  it("is asked for once, however many calls begin at once", async () => {
    await Effect.runPromise(
      Effect.all(
        Array.from({ length: 8 }, () => balance),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(layer()))
    )
    expect(tokens().map(({ fields }) => fields)).toEqual([
      { client_id: "client-1", client_secret: fake.clientSecret, grant_type: "client_credentials" }
    ])
    expect(fake.asked.filter(({ path }) => path === "/balance").map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 8 }, () => "Bearer token-1-of-the-fake")
    )
  })

  it("that is not known any more is replaced once, and an order is made once", async () => {
    const bought = Effect.gen(function* () {
      yield* balance
      fake.forgetTokens()
      const both = yield* Effect.all([order, balance], { concurrency: 2 })
      return both[0]
    })
    expect((await Effect.runPromise(Effect.provide(bought, layer()))).sims).toHaveLength(1)
    expect(tokens()).toHaveLength(2)
    expect(fake.orders).toHaveLength(1)
  })

  it("that is never known leaves the order certainly undone", async () => {
    const refused = Array.from({ length: 4 }, () => ({ status: 401, body: { data: [], meta: { message: "no" } } }))
    fake.troubles.set("POST /orders", refused)
    const failure = await Effect.runPromise(Effect.flip(Effect.provide(order, layer())))
    expect(failure).toMatchObject({ outcome: "NotDone", isAnswered: true })
    expect(failure.message).toBe("Airalo answers order with HTTP 401; check the client id and the client secret")
    expect(fake.asked.filter(({ path }) => path === "/orders")).toHaveLength(2)
  })

  it.each([
    [
      "the secret is wrong",
      { clientSecret: Redacted.make("another-secret") },
      /HTTP 401: Client authentication failed/
    ],
    ["the id is wrong", { clientId: "client-2" }, /client_id: The selected client id is invalid/]
  ])("cannot be had if %s: nothing is asked for, and no other token for 20 seconds", async (_, options, said) => {
    const [first, second] = await Effect.runPromise(
      Effect.all([Effect.flip(order), Effect.flip(order)]).pipe(Effect.provide(layer(options)))
    )
    expect(first).toMatchObject({ outcome: "NotDone", isAnswered: true })
    expect(first.message).toMatch(said)
    expect(second).toMatchObject({ outcome: "NotDone", retryAfterSeconds: 20 })
    expect(fake.asked.map(({ path }) => path)).toEqual(["/token"])
  })

  it.each(["request lost", "answer lost", "half body", "garbled"] as const)(
    "whose answer is a %s leaves the order undone, and is asked for again",
    async (trouble) => {
      fake.troubles.set("POST /token", [trouble])
      const failure = await Effect.runPromise(Effect.flip(Effect.provide(order, layer())))
      expect(failure.outcome).toBe("NotDone")
      expect(fake.orders).toEqual([])
      await Effect.runPromise(Effect.provide(order, layer()))
      expect(fake.orders).toHaveLength(1)
    }
  )
})

describe("An order leaves its outcome unknown", () => {
  const done: ReadonlyArray<readonly [FakeAiralo.Trouble, number]> = [
    ["request lost", 0],
    ["answer lost", 1],
    ["half body", 1],
    ["garbled", 1],
    ["late", 0]
  ]

  it.each(done)("with %s", async (trouble, made) => {
    fake.troubles.set("POST /orders", [trouble])
    const failure = await Effect.runPromise(Effect.flip(Effect.provide(order, layer())))
    expect(failure.outcome).toBe("Unknown")
    expect(fake.orders).toHaveLength(made)
    fake.arrive()
    expect(fake.orders).toHaveLength(trouble === "late" ? 1 : made)
    expect(fake.asked.filter(({ path }) => path === "/orders")).toHaveLength(1)
  })
})

it("has certainly not asked if nobody listens, or the name is unknown", async () => {
  await fake.close()
  for (const url of [fake.url, "http://airalo.invalid/v2", "no address"]) {
    const failure = await Effect.runPromise(Effect.flip(Effect.provide(order, layer({ url }))))
    expect(failure).toMatchObject({ outcome: "NotDone", isAnswered: false })
  }
})

it("shows neither secret nor token in any message, span or log", async () => {
  const logged: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const end = span.end.bind(span)
      span.end = (time, exit) => {
        end(time, exit)
        logged.push(span.name, JSON.stringify([...span.attributes]), String(exit))
      }
      return span
    }
  })
  const log = Logger.make(({ cause, message }) => {
    logged.push(JSON.stringify(message), String(cause))
  })
  const observed = Layer.merge(Logger.layer([log]), Layer.succeed(Tracer.Tracer, tracer))
  const secrets = `${fake.clientSecret} token-1-of-the-fake`
  fake.troubles.set("POST /orders", [
    { status: 422, body: { code: 43, reason: secrets } },
    { status: 422, body: { data: { [secrets]: secrets }, meta: { message: secrets } } },
    { status: 500, body: secrets },
    "half body"
  ])
  const exits = await Effect.runPromise(
    Effect.forEach([1, 2, 3, 4], () => Effect.exit(Effect.tapError(order, Effect.logError))).pipe(
      Effect.provide(layer()),
      Effect.provide(observed)
    )
  )
  expect(exits.every(Exit.isFailure)).toBe(true)
  const texts = [...logged, ...exits.map(String), ...exits.map((exit) => JSON.stringify(exit))]
  expect(texts.filter((text) => text === "airalo.order")).toHaveLength(4)
  for (const text of texts) expect(text).not.toMatch(/a-secret-of-the-client|token-1-of-the-fake/)
})
