/**
 * The calls of eSIM Go over HTTP: the exact requests, what becomes of the answers that its
 * documents show, of each status, and of connections that end anywhere.
 */
import { Effect, Exit, Layer, Logger, Redacted, Tracer } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { CallFailure } from "../../adapters/telco-calls/index.ts"
import { AccountApi, HttpApi, Units } from "../../adapters/telco-esim-go/index.ts"
import * as Bridge from "../telco-http/Bridge.ts"

const KEY = "a secret+key"

const ICCID = "8943108165015003887"

let answers: Array<Bridge.Answer> = []
let esimGo: Bridge.Bridge

beforeEach(async () => {
  answers = []
  // The last one answers all further calls.
  esimGo = await Bridge.start((...asked) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(...asked)
  })
})
afterEach(() => esimGo.close())

type Call<A> = (api: AccountApi.AccountApi["Service"]) => Effect.Effect<A, CallFailure.CallFailure>

const run = <A, E>(
  call: (api: AccountApi.AccountApi["Service"]) => Effect.Effect<A, E>,
  { observe = Layer.empty, url = esimGo.url }: { readonly observe?: Layer.Layer<never>; readonly url?: string } = {}
) =>
  Effect.runPromiseExit(
    AccountApi.AccountApi.use(call).pipe(
      Effect.provide(HttpApi.layer({ url: `${url}/v2.5`, key: Redacted.make(KEY), callsPerSecond: 1_000_000 })),
      Effect.provide(observe)
    )
  )

const json = (body: unknown, status = 200) => Bridge.answer(status, body)

const failureOf = async <A>(call: Call<A>, ...given: ReadonlyArray<Bridge.Answer>) => {
  answers = [...given]
  const exit = await run((api) => Effect.flip(call(api)))
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value
}

const valueOf = async <A>(call: Call<A>, ...given: ReadonlyArray<Bridge.Answer>): Promise<A> => {
  answers = [...given]
  const exit = await run(call)
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value
}

/** The example of `OrderResponseTransaction` in OpenAPI 2.5. */
const ORDER = {
  order: [
    {
      type: "bundle",
      item: "esim_data_plan_2",
      quantity: 1,
      subTotal: 9.99,
      pricePerUnit: 9.99,
      AllowReassign: false,
      esims: [{ iccid: "8900000000000000001", matchingId: "MATCH-001", smdpAddress: "http://smdp.example.com" }],
      iccids: ["8900000000000000001"]
    }
  ],
  total: 9.99,
  currency: "USD",
  status: "completed",
  statusMessage: "Order completed: 1 eSIM assigned",
  orderReference: "order-ref-002",
  createdDate: "2023-06-14T15:45:00Z",
  assigned: true
}

const orderRead: AccountApi.Order = {
  reference: "order-ref-002",
  status: "completed",
  createdAt: Date.UTC(2023, 5, 14, 15, 45),
  items: [
    {
      type: "bundle",
      name: "esim_data_plan_2",
      quantity: 1,
      esims: [{ iccid: "8900000000000000001", matchingId: "MATCH-001", smdpAddress: "http://smdp.example.com" }]
    }
  ],
  total: { units: 999, scale: 2, currency: "USD" }
}

const order: Call<AccountApi.Order> = (api) => api.order({ bundle: "esim_data_plan_2", iccid: null })
const topUp: Call<AccountApi.Order> = (api) => api.order({ bundle: "esim_data_plan_2", iccid: ICCID })
const assignments: Call<ReadonlyArray<AccountApi.Assignment>> = (api) => api.assignments(ICCID)

describe("the requests of eSIM Go", () => {
  it("are those of its documents, with the key in the header alone", async () => {
    await valueOf(order, json(ORDER))
    await valueOf(topUp, json(ORDER))
    await valueOf(
      (api) => api.quote({ bundle: "esim_1GB_7D_AX_V2", iccid: null }),
      json({ total: 2.28, currency: "USD" })
    )
    await valueOf((api) => api.orders(Date.UTC(2024, 2, 1)), json([]))
    await valueOf(assignments, json({ bundles: [] }))
    const assignment = { name: "a/b", assignmentId: "215009266" }
    await valueOf((api) => api.revoke({ iccid: ICCID, assignment, isRefunded: true }), json({ status: "ok" }))
    await valueOf((api) => api.setSuspended({ iccid: ICCID, isSuspended: true }), json({ status: "ok" }, 201))
    await valueOf((api) => api.sendSms({ iccid: ICCID, from: "eSIM", text: "Hello!" }), json({ status: "sent" }))
    expect(esimGo.asked.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`)).toEqual([
      "POST /v2.5/orders",
      "POST /v2.5/orders",
      "POST /v2.5/orders",
      "GET /v2.5/orders?includeIccids=true&limit=100&createdAt=gte:2024-03-01T00:00:00.000Z&page=1",
      `GET /v2.5/esims/${ICCID}/bundles?includeUsed=true&limit=200`,
      `DELETE /v2.5/esims/${ICCID}/bundles/a/b/assignments/215009266?type=transaction&refundToBalance=true`,
      `POST /v2.5/esims/${ICCID}/suspend`,
      `POST /v2.5/esims/${ICCID}/sms`
    ])
    const item = { type: "bundle", quantity: 1, item: "esim_data_plan_2", allowReassign: false }
    expect(esimGo.asked.map(({ body }) => body).filter((body) => body !== null)).toEqual([
      { type: "transaction", assign: true, order: [item] },
      { type: "transaction", assign: true, order: [{ ...item, iccids: [ICCID] }] },
      { type: "validate", assign: true, order: [{ ...item, item: "esim_1GB_7D_AX_V2" }] },
      { suspend: true },
      { message: "Hello!", from: "eSIM" }
    ])
    expect(esimGo.asked.every(({ headers }) => headers["x-api-key"] === KEY)).toBe(true)
    expect(esimGo.asked[5]?.path).toContain("bundles/a%2Fb/assignments")
  })
})

describe("the answers of eSIM Go", () => {
  it("are read as its examples show them", async () => {
    expect(await valueOf(order, json(ORDER))).toEqual(orderRead)
    expect(
      await valueOf(
        assignments,
        json({
          bundles: [
            {
              name: "esim_1GB_7D_GB_V2",
              description: "eSIM, 1GB, 7 Days, United Kingdom, V2",
              assignments: [
                {
                  id: "215009266",
                  callTypeGroup: "data",
                  initialQuantity: 1000000000,
                  remainingQuantity: 1000000000,
                  assignmentDateTime: "2024-12-11T10:47:00.34523Z",
                  assignmentReference: "3a6e2e40-c674-45e9-b289-b35027bf72a9-0",
                  bundleState: "queued",
                  unlimited: false
                }
              ]
            }
          ]
        })
      )
    ).toEqual([
      {
        name: "esim_1GB_7D_GB_V2",
        assignmentId: "215009266",
        order: "3a6e2e40-c674-45e9-b289-b35027bf72a9",
        state: "queued",
        initialBytes: 1_000_000_000,
        remainingBytes: 1_000_000_000,
        assignedAt: Date.UTC(2024, 11, 11, 10, 47, 0, 345),
        startedAt: null,
        endsAt: null,
        isUnlimited: false
      }
    ])
    const quote = { total: 2.28, valid: true, currency: "USD", createdDate: "2025-03-28T14:47:26.153875019Z" }
    expect(await valueOf((api) => api.quote({ bundle: "esim_1GB_7D_AX_V2", iccid: null }), json(quote))).toEqual({
      units: 228,
      scale: 2,
      currency: "USD"
    })
  })

  it.each([
    ["with the time under its other name", { ...ORDER, createdDate: undefined, createDate: ORDER.createdDate }],
    ["with numbers as texts", { ...ORDER, total: "9.99" }],
    ["with what nobody needs left out", { ...ORDER, status: "completed", statusMessage: undefined, assigned: null }]
  ])("are read %s", async (_, body) => {
    expect(await valueOf(order, json(body))).toEqual(orderRead)
  })

  it("may have an ICCID as a number, whose digits all count", async () => {
    const body = JSON.stringify(ORDER).replaceAll('"8900000000000000001"', "8900000000000000001")
    expect(await valueOf(order, json(body))).toEqual(orderRead)
  })

  it("may name only the ICCIDs, or none yet", async () => {
    const [item] = ORDER.order
    const bare = await valueOf(order, json({ ...ORDER, order: [{ ...item, esims: undefined }] }))
    expect(bare.items[0]?.esims).toEqual([{ iccid: "8900000000000000001", matchingId: null, smdpAddress: null }])
    const none = await valueOf(order, json({ ...ORDER, order: [{ ...item, esims: null, iccids: null }] }))
    expect(none.items[0]?.esims).toEqual([])
  })

  it.each([
    ["alone", [[ORDER], []]],
    ["in an object", [{ orders: [ORDER] }, { orders: [] }]],
    ["in an object, with no rows as null", [{ orders: [ORDER], rows: 1 }, { orders: null }]],
    ["as the only order, which comes again", [ORDER, ORDER]],
    ["with null after the last page", [[ORDER], null]]
  ])("have lists %s", async (_, pages) => {
    expect(await valueOf((api) => api.orders(0), ...pages.map((page) => json(page)))).toEqual([orderRead])
  })

  it("have lists whose short pages are not the last", async () => {
    const page = (reference: string) => json([{ ...ORDER, orderReference: reference }])
    const orders = await valueOf(
      (api) => api.orders(0),
      page("one"),
      page("two"),
      page("three"),
      json({ message: "no such page" }, 404)
    )
    expect(orders.map(({ reference }) => reference)).toEqual(["one", "two", "three"])
  })

  it("are read as a whole or not at all", async () => {
    const failure = await failureOf((api) => api.orders(0), json([ORDER, { ...ORDER, orderReference: undefined }]))
    expect(failure.outcome).toBe("Unknown")
  })

  it("have times in milliseconds or as texts, and states by any case", async () => {
    const body = { iccid: ICCID, matchingId: "JQ-1", smdpAddress: "rsp.example.com", state: "Suspended" }
    const details = (more: object): Promise<AccountApi.Details> =>
      valueOf((api) => api.details(ICCID), json({ ...body, ...more }))
    expect((await details({ firstInstalledDateTime: 1723541877280 })).installedAt).toBe(1_723_541_877_280)
    expect((await details({ firstInstalledDateTime: "2023-06-15T14:30:00.000Z" })).installedAt).toBe(
      Date.UTC(2023, 5, 15, 14, 30)
    )
    expect(await details({})).toMatchObject({ installedAt: null, state: "suspended" })
  })

  it("have the account alone or in a list", async () => {
    const account = { name: "Acme", balance: 10000, testCredit: 500, currency: "USD" }
    for (const body of [account, { organisations: [account] }]) {
      expect(await valueOf((api) => api.balance, json(body))).toEqual({ units: 10_000, scale: 0, currency: "USD" })
    }
  })

  it("have the catalogue in pages, with volumes in decimal MB", async () => {
    const bundle = {
      name: "esim_1GB_7D_GB_V2",
      description: "eSIM, 1GB, 7 Days, United Kingdom, V2",
      countries: [{ name: "United Kingdom", region: "Europe", iso: "GB" }],
      dataAmount: 1000,
      duration: 7,
      speed: ["4G"],
      autostart: true,
      unlimited: false,
      price: 1.5
    }
    const bundles = await valueOf(
      (api) => api.bundles,
      json({ balance: 1, currency: "GBP" }),
      json({ bundles: [bundle] }),
      json([{ ...bundle, name: "months", duration: 1, durationUnit: "month", unlimited: true, countries: ["FR"] }]),
      json([])
    )
    expect(bundles).toEqual([
      {
        name: "esim_1GB_7D_GB_V2",
        description: "eSIM, 1GB, 7 Days, United Kingdom, V2",
        countries: ["GB"],
        dataBytes: 1_000_000_000,
        periodDays: 7,
        isUnlimited: false,
        startsAtOnce: true,
        price: { units: 15, scale: 1, currency: "GBP" }
      },
      expect.objectContaining({ name: "months", dataBytes: null, periodDays: null, countries: ["FR"] })
    ])
  })
})

describe("the units of eSIM Go", () => {
  it("are decimal: its GB is 953 MB of ours", () => {
    expect(Units.bytesOf(1_000)).toBe(1_000_000_000)
    expect(Units.megaBytesOf(1_000_000_000)).toBe(953)
    // The example of a callback: A_BUNDLE_20GB_30D_EU_U has 20000000000 bytes.
    expect(Units.bytesOf(20_000)).toBe(20_000_000_000)
    // N decimal GB are whole MB of ours only if 2,048 divides N.
    expect(Units.megaBytesOf(2_048_000_000_000) * 1_048_576).toBe(2_048_000_000_000)
  })

  it.each([
    ["9.99", { units: 999, scale: 2, currency: "USD" }],
    ["2.2800000000000002", { units: 228, scale: 2, currency: "USD" }],
    ["0.30000000000000004", { units: 3, scale: 1, currency: "USD" }],
    ["99.99999999999999", { units: 100, scale: 0, currency: "USD" }],
    ["-1.0000005", { units: -1_000_001, scale: 6, currency: "USD" }],
    ["12345678901234.56", { units: 1_234_567_890_123_456, scale: 2, currency: "USD" }],
    ["1e3", null],
    ["free", null],
    ["", null]
  ])("are exact: %s", (text, amount) => {
    expect(Units.amountOf(text, "usd")).toEqual(amount)
  })

  it("are no amount without a currency", () => {
    expect(Units.amountOf("1", undefined)).toBe(null)
  })
})

describe("the statuses of eSIM Go", () => {
  const message = (status: number, text = "the text") => json({ message: text }, status)

  it.each([
    [400, "Refused", undefined],
    [401, "NotDone", undefined],
    [403, "NotDone", undefined],
    [404, "NotFound", undefined],
    [408, "Unknown", undefined],
    [409, "Refused", undefined],
    [410, "NotFound", undefined],
    [429, "NotDone", 1],
    [500, "Unknown", undefined],
    [503, "Unknown", undefined],
    [302, "NotDone", undefined]
  ] as const)("%i: an order is %s", async (status, outcome, retryAfterSeconds) => {
    expect(await failureOf(order, message(status))).toMatchObject({ outcome })
    expect((await failureOf(order, message(status))).retryAfterSeconds).toBe(retryAfterSeconds)
  })

  it("without a text, 404 is a wrong address", async () => {
    const failure = await failureOf(order, Bridge.answer(404, "<html>Not Found</html>"))
    expect(failure).toMatchObject({
      outcome: "NotDone",
      message: "eSIM Go answers order with HTTP 404; check the address"
    })
  })

  it("say until when by Retry-After, or by the end of the window", async () => {
    const after = { "retry-after": "7" }
    expect(await failureOf(order, Bridge.answer(429, {}, after))).toMatchObject({
      retryAfterSeconds: 7,
      isOverloaded: true
    })
    expect(await failureOf(order, Bridge.answer(503, {}, after))).toMatchObject({
      retryAfterSeconds: 7,
      outcome: "Unknown"
    })
    const reset = { "x-ratelimit-reset": "2020-01-01T00:00:00Z" }
    expect(await failureOf(order, Bridge.answer(429, {}, reset))).toMatchObject({ retryAfterSeconds: 1 })
  })

  it.each([
    ["insufficient balance to complete the order", "no_balance"],
    ["Not enough credit", "no_balance"],
    ["bundle esim_1GB is not available", "sold_out"],
    ["the bundle is incompatible with the eSIM profile", undefined]
  ])("say why an order is refused: %s", async (text, reason) => {
    expect((await failureOf(order, message(400, text))).reason).toBe(reason)
    // In the schema the errors of orders are plain text.
    const plain: Bridge.Answer = (_, response) =>
      void response.writeHead(400, { "content-type": "text/plain" }).end(text)
    const failure = await failureOf(order, plain)
    expect(failure).toMatchObject({ outcome: "Refused", message: `eSIM Go answers order with HTTP 400: ${text}` })
    expect(failure.reason).toBe(reason)
  })

  it("403 is an eSIM of somebody else if the account is not refused, else the key", async () => {
    const account = json({ balance: 1, currency: "USD" })
    expect(await failureOf(assignments, message(403), account)).toMatchObject({ outcome: "NotFound" })
    expect(await failureOf(topUp, message(403), account)).toMatchObject({ outcome: "NotFound" })
    const ofKey = await failureOf(assignments, message(403), message(403))
    expect(ofKey).toMatchObject({ outcome: "NotDone", message: expect.stringContaining("check the key") })
    expect(await failureOf(assignments, message(403), message(500))).toMatchObject({ outcome: "NotDone" })
  })

  it("400 is no failure of a suspension that is there already", async () => {
    const suspend: Call<void> = (api) => api.setSuspended({ iccid: ICCID, isSuspended: true })
    await valueOf(suspend, message(400, "already suspended"), json({ suspended: true }))
    expect(await failureOf(suspend, message(400, "not allowed"), json({ suspended: false }))).toMatchObject({
      outcome: "Refused",
      message: "eSIM Go answers suspend with HTTP 400: not allowed"
    })
  })
})

describe("a connection to eSIM Go", () => {
  it.each<[string, Bridge.Answer]>([
    ["ends before the answer", (_, __, socket) => void socket.destroy()],
    [
      "ends in the answer",
      (_, response, socket) => {
        const text = JSON.stringify(ORDER)
        response.writeHead(200, { "content-length": text.length })
        response.write(text.slice(0, 100), () => socket.destroy())
      }
    ],
    ["has half an answer", Bridge.answer(200, JSON.stringify(ORDER).slice(0, 100))],
    ["has an empty answer", Bridge.answer(200)],
    ["has an answer of something else", Bridge.answer(200, "<html>welcome</html>")],
    ["has an answer of another form", json({ message: "ok" })]
  ])("%s: it is unknown whether the order was made", async (_, answer) => {
    expect(await failureOf(order, answer)).toMatchObject({ outcome: "Unknown" })
  })

  it("that is not made leaves nothing done", async () => {
    const { url } = esimGo
    await esimGo.close()
    const exit = await run((api) => Effect.flip(order(api)), { url })
    expect(Exit.isSuccess(exit) && exit.value).toMatchObject({ outcome: "NotDone" })
    esimGo = await Bridge.start(() => undefined)
  })
})

it("the key is in no message, log or span", async () => {
  const seen: Array<unknown> = []
  const observe = Layer.merge(
    Logger.layer([Logger.make(({ cause, message }) => void seen.push(message, cause))]),
    Layer.succeed(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          seen.push(span.name, span.attributes)
          return span
        }
      })
    )
  )
  answers = [json({ message: `no account has the key ${KEY}` }, 400)]
  const exit = await run((api) => Effect.flip(order(api)), { observe })
  expect(Exit.isSuccess(exit) && exit.value.message).toBe(
    "eSIM Go answers order with HTTP 400: no account has the key …"
  )
  expect(JSON.stringify([seen, exit])).not.toContain(KEY)
})
