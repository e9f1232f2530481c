/**
 * The answers that Airalo's documents show, word for word in what is read of them, and what is made
 * of them: units, amounts, dates, activation codes, and each kind of refusal.
 */
import { Effect, Layer, Redacted } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { HttpPartnerApi, PartnerApi } from "../../adapters/telco-airalo/index.ts"
import type { CallFailure } from "../../adapters/telco-calls/index.ts"
import * as FakeAiralo from "./FakeAiralo.ts"

let fake: FakeAiralo.FakeAiralo

beforeEach(async () => {
  fake = await FakeAiralo.start()
})
afterEach(() => fake.close())

type Api = PartnerApi.PartnerApi["Service"]

const run = <A>(call: (api: Api) => Effect.Effect<A, CallFailure.CallFailure>) =>
  PartnerApi.PartnerApi.use(call).pipe(
    Effect.provide(
      HttpPartnerApi.layer({
        url: fake.url,
        clientId: fake.clientId,
        clientSecret: Redacted.make(fake.clientSecret),
        timeout: "5 seconds",
        callsPerSecond: 1_000
      }).pipe(Layer.fresh)
    )
  )

/** What becomes of an answer to the only call of a route. */
const answering = (route: string, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  fake.troubles.set(route, [{ status, body, headers }])
}

const succeed = <A>(call: (api: Api) => Effect.Effect<A, CallFailure.CallFailure>): Promise<A> =>
  Effect.runPromise(run(call))

const fail = (call: (api: Api) => Effect.Effect<unknown, CallFailure.CallFailure>) =>
  Effect.runPromise(Effect.flip(run(call)))

const success = { message: "success" }

const ofPackage = { packageId: "kallur-digital-7days-1gb", reference: "Example description to identify the order" }
const order = (api: Api) => api.order(ofPackage)

/** "Submit order", the first example: without a net price, `quantity` as a text. */
const ORDER = {
  package_id: "kallur-digital-7days-1gb",
  quantity: "1",
  type: "sim",
  description: "Example description to identify the order",
  esim_type: "Prepaid",
  validity: 7,
  package: "Kallur Digital-1 GB - 7 Days",
  data: "1 GB",
  price: 9.5,
  created_at: "2023-02-27 14:09:55",
  id: 9666,
  code: "20230227-009666",
  currency: "USD",
  sims: [
    {
      id: 11047,
      created_at: "2023-02-27 14:09:55",
      iccid: "891000000000009125",
      lpa: "lpa.airalo.com",
      imsis: null,
      matching_id: "TEST",
      qrcode: "LPA:1$lpa.airalo.com$TEST",
      airalo_code: null,
      apn_type: "automatic",
      confirmation_code: null
    }
  ]
}

/** "Submit order", the second example: with a net price and a phone number. */
const PAID = {
  id: 583747,
  code: "20250415-583747",
  currency: "USD",
  package_id: "uki-mobile-15days-2gb",
  quantity: 1,
  type: "sim",
  description: "Example description to identify the order",
  price: 7.5,
  created_at: "2025-04-15 14:02:38",
  net_price: 1.6,
  sims: [
    {
      id: 709006,
      iccid: "8944465400003573253",
      lpa: "RSP-3088.IDEMIA.IO",
      imsis: null,
      matching_id: "YVTGM-5LZC6-PIC56-KFEZJ",
      qrcode: "LPA:1$RSP-3088.IDEMIA.IO$YVTGM-5LZC6-PIC56-KFEZJ",
      msisdn: "883190601604295"
    }
  ]
}

describe("An order", () => {
  it("costs what its net price says, and nothing is known if it has none: `price` is the shop's", async () => {
    answering("POST /orders", 200, { data: ORDER, meta: success })
    expect(await succeed(order)).toEqual({
      id: "9666",
      code: "20230227-009666",
      kind: "sim",
      packageId: "kallur-digital-7days-1gb",
      reference: "Example description to identify the order",
      createdAt: Date.UTC(2023, 1, 27, 14, 9, 55),
      status: null,
      cost: null,
      currency: "USD",
      sims: [{ id: "11047", iccid: "891000000000009125", lpa: "LPA:1$lpa.airalo.com$TEST", imsi: null, msisdn: null }]
    })
    answering("POST /orders", 200, { data: PAID, meta: success })
    const paid = await succeed((api) => api.order({ ...ofPackage, packageId: "uki-mobile-15days-2gb" }))
    expect(paid.cost).toEqual({ units: 16, scale: 1, currency: "USD" })
    expect(paid.sims[0]).toMatchObject({ iccid: "8944465400003573253", msisdn: "883190601604295" })
  })

  it.each([
    [1.1, { units: 11, scale: 1 }],
    [616.67, { units: 61_667, scale: 2 }],
    ["9.50", { units: 950, scale: 2 }],
    [100_330, { units: 100_330, scale: 0 }],
    [0.07, { units: 7, scale: 2 }],
    [4.35, { units: 435, scale: 2 }]
  ])("at %s costs exactly that", async (net_price, cost) => {
    answering("POST /orders", 200, { data: { ...ORDER, net_price }, meta: success })
    expect((await succeed(order)).cost).toEqual({ ...cost, currency: "USD" })
  })

  it("with a price that cannot be read has its eSIM", async () => {
    for (const net_price of [null, "free", {}, 1e-9, true]) {
      answering("POST /orders", 200, { data: { ...ORDER, net_price }, meta: success })
      expect(await succeed(order)).toMatchObject({ cost: null, sims: [{ iccid: "891000000000009125" }] })
    }
  })

  it("without a QR code has its activation code of host and matching id", async () => {
    const [sim] = ORDER.sims
    for (const lpa of ["lpa.airalo.com", "https://lpa.airalo.com/"]) {
      answering("POST /orders", 200, { data: { ...ORDER, sims: [{ ...sim, lpa, qrcode: null }] }, meta: success })
      expect((await succeed(order)).sims[0]?.lpa).toBe("LPA:1$lpa.airalo.com$TEST")
    }
  })

  it.each([
    ["of another package", { ...ORDER, package_id: "kallur-digital-30days-3gb" }],
    ["of another kind", { ...ORDER, type: "topup" }],
    ["of an unknown kind", { ...ORDER, type: "voucher" }],
    ["without a number", { ...ORDER, id: null }],
    ["with an eSIM without ICCID", { ...ORDER, sims: [{ id: 1 }] }],
    ["that is a list", [ORDER]]
  ])("%s leaves unknown what was bought", async (_, data) => {
    answering("POST /orders", 200, { data, meta: success })
    expect(await fail(order)).toMatchObject({ outcome: "Unknown", isAnswered: true })
  })

  it("has one eSIM, in a multipart body, with the text that it is found by", async () => {
    await succeed(order)
    const asked = fake.asked.find(({ path }) => path === "/orders")
    expect(asked?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/)
    expect(asked?.fields).toEqual({
      quantity: "1",
      type: "sim",
      package_id: "kallur-digital-7days-1gb",
      description: "Example description to identify the order"
    })
  })
})

/** "Get order list", and what is listed beside it by LIKE. */
const listed = (description: unknown, more: object = {}) => ({
  ...ORDER,
  quantity: 1,
  validity: "7",
  price: "9.50",
  status: { name: "Completed", slug: "completed" },
  description,
  ...more
})

describe("The list of orders by a text", () => {
  const meta = { message: "success", current_page: 1, last_page: 1, per_page: "50", total: 3 }

  it("has those alone whose whole text it is, and reads no cost of their retail price", async () => {
    const data = [listed("pur-10"), listed("pur-1", { id: 7 }), listed("PUR-1"), listed(null), listed(4, { id: {} })]
    answering("GET /orders", 200, { data, meta })
    const found = await succeed((api) => api.ordersOf("pur-1"))
    expect(found).toMatchObject([{ id: "7", status: "completed", cost: null, reference: "pur-1" }])
    const [asked] = fake.asked.filter(({ path }) => path === "/orders")
    expect(Object.fromEntries(asked?.query ?? [])).toEqual({
      "filter[description]": "pur-1",
      include: "sims,status",
      limit: "50",
      page: "1"
    })
  })

  it("is read to its last page, also if it does not say which that is", async () => {
    fake.troubles.set("GET /orders", [
      { status: 200, body: { data: Array.from({ length: 50 }, () => listed("pur-10")), meta: { message: "success" } } },
      { status: 200, body: { data: [listed("pur-1", { id: "8" })], meta: { message: "success" } } }
    ])
    expect(await succeed((api) => api.ordersOf("pur-1"))).toMatchObject([{ id: "8" }])
    const references = Array.from({ length: 60 }, (_, index) => `p-1${index}`)
    await succeed((api) =>
      Effect.forEach(["p-1", ...references], (reference) => api.order({ ...ofPackage, reference }))
    )
    fake.asked.length = 0
    expect(await succeed((api) => api.ordersOf("p-1"))).toHaveLength(1)
    expect(fake.asked.filter(({ path }) => path === "/orders")).toHaveLength(2)
  })

  it("that has the order in another form is no answer", async () => {
    answering("GET /orders", 200, { data: [listed("pur-1", { package_id: null })], meta })
    expect(await fail((api) => api.ordersOf("pur-1"))).toMatchObject({ outcome: "Unknown" })
  })
})

it("A top-up has no eSIM, and perhaps another text", async () => {
  const data = {
    package_id: "bonbon-mobile-30days-3gb-topup",
    quantity: "1",
    type: "topup",
    description: "Topup (89340000000000872)",
    validity: 30,
    data: "3 GB",
    price: 10,
    created_at: "2023-02-07 07:42:17",
    id: 174,
    code: "20230207-000174",
    currency: "USD"
  }
  answering("POST /orders/topups", 200, { data, meta: success })
  const of = { packageId: data.package_id, reference: "pur-1", iccid: "89340000000000872" }
  expect(await succeed((api) => api.topUp(of))).toMatchObject({ id: "174", kind: "topup", sims: [], cost: null })
  expect(fake.asked.find(({ path }) => path === "/orders/topups")?.fields).toEqual({
    iccid: "89340000000000872",
    package_id: "bonbon-mobile-30days-3gb-topup",
    description: "pur-1"
  })
})

it("The packages of an eSIM have MB of 1,048,576 bytes, and dates with a zone", async () => {
  const times = {
    activated_at: "2023-01-09T10:30:45+00:00",
    expired_at: "2023-02-09T10:30:45+00:00",
    finished_at: null
  }
  const topUp = {
    id: "bonbon-mobile-30days-3gb-topup",
    type: "topup",
    price: 10,
    net_price: 6,
    amount: 3072,
    day: 30,
    is_unlimited: false
  }
  const data = [
    { id: 728, status: "ACTIVE", remaining: 2378, ...times, package: topUp },
    { id: 725, status: "NOT_ACTIVE", remaining: 3072, package: topUp },
    { id: 726, status: "ACTIVE", remaining: 0, ...times, package: { ...topUp, amount: 0, is_unlimited: true } }
  ]
  answering("GET /sims/*/packages", 200, { data })
  expect(await succeed((api) => api.packagesOf("89340000000000872"))).toMatchObject([
    {
      id: "728",
      packageId: "bonbon-mobile-30days-3gb-topup",
      kind: "topup",
      usedBytes: 694 * 1_048_576,
      activationAt: Date.UTC(2023, 0, 9, 10, 30, 45),
      expirationAt: Date.UTC(2023, 1, 9, 10, 30, 45),
      finishedAt: null,
      netPrice: "6"
    },
    { usedBytes: 0, activationAt: null, expirationAt: null },
    { usedBytes: null }
  ])
})

it("The usage of an eSIM is in MB, with a date without a zone", async () => {
  const voice = { remaining_voice: 0, remaining_text: 0, total_voice: 0, total_text: 0 }
  const usage = { remaining: 767, total: 2048, expired_at: "2022-01-01 00:00:00", is_unlimited: true, status: "ACTIVE" }
  answering("GET /sims/*/usage", 200, { data: { ...usage, ...voice }, meta: { message: "api.succes" } })
  expect(await succeed((api) => api.usageOf("891000000000009125"))).toEqual({
    remainingBytes: 767 * 1_048_576,
    totalBytes: 2_147_483_648,
    expirationAt: Date.UTC(2022, 0, 1),
    isUnlimited: true,
    status: "ACTIVE"
  })
  const recycled = { remaining: 0, total: 0, expired_at: null, is_unlimited: null, status: "RECYCLED" }
  answering("GET /sims/*/usage", 200, { data: { ...recycled, ...voice }, meta: { message: "api.succes" } })
  expect(await succeed((api) => api.usageOf("891000000000009125"))).toMatchObject({ status: "RECYCLED" })
})

it("The catalogue has what is charged, by currency, what 1 GB is, and the countries", async () => {
  const offer = {
    id: "change-7days-1gb",
    type: "sim",
    price: 4.5,
    amount: 1024,
    day: 7,
    is_unlimited: false,
    title: "1 GB - 7 Days",
    data: "1 GB",
    voice: null,
    text: null,
    net_price: 1.1,
    prices: { net_price: { AUD: 1.72, USD: 1.1, VND: 28536 }, recommended_retail_price: { USD: 4.5 } }
  }
  const operator = {
    id: 687,
    title: "Change",
    plan_type: "data",
    activation_policy: "first-usage",
    is_kyc_verify: false,
    rechargeability: true,
    coverages: [{ name: "US", code: "US", networks: [{ name: "T-Mobile", types: ["5G"] }] }],
    install_window_days: 1825,
    topup_grace_window_days: 180,
    countries: [{ country_code: "US", title: "United States" }]
  }
  const page = { slug: "united-states", country_code: "US", title: "United States" }
  const odd = { ...offer, amount: "much" }
  const europe = { slug: "europe", country_code: "", operators: [{ ...operator, packages: [{ ...offer, id: "eu" }] }] }
  fake.troubles.set("GET /packages", [
    {
      status: 200,
      body: {
        data: [{ ...page, operators: [{ ...operator, packages: [odd, offer] }, { title: "odd" }] }],
        meta: { message: "success", current_page: 1, last_page: 2, per_page: "25" }
      }
    },
    { status: 200, body: { data: { "1": europe }, meta: { message: "success", current_page: 2, last_page: 2 } } }
  ])
  const found = await succeed((api) => api.packages)
  expect(found.map(({ id }) => id)).toEqual(["change-7days-1gb", "eu"])
  expect(found[0]).toEqual({
    id: "change-7days-1gb",
    kind: "sim",
    title: "1 GB - 7 Days",
    megaBytes: 1_024,
    days: 7,
    netPrices: new Map([
      ["AUD", "1.72"],
      ["USD", "1.1"],
      ["VND", "28536"]
    ]),
    netPrice: "1.1",
    voiceMinutes: null,
    texts: null,
    operator: {
      id: "687",
      title: "Change",
      isActivatedByUse: true,
      isRechargeable: true,
      needsIdentity: false,
      installWindowDays: 1_825,
      topUpWindowDays: 180,
      countries: ["US"]
    }
  })
})

it("The balance is exact, and a request for money is asked in JSON", async () => {
  const balances = { name: "balance", availableBalance: { amount: 0, currency: "USD" } }
  answering("GET /balance", 200, { data: { balances }, meta: success })
  expect(await succeed((api) => api.balance)).toEqual({ units: 0, scale: 0, currency: "USD" })
  const bought = await succeed(order)
  const of = { iccid: bought.sims[0]?.iccid ?? "", reason: "OTHERS", notes: "not sold" } as const
  expect(await succeed((api) => api.requestRefund(of))).toBe("12345")
  expect(fake.refunds).toEqual([[of.iccid]])
  expect(fake.asked.at(-1)?.fields).toEqual({ iccids: [of.iccid], reason: "OTHERS", notes: "not sold" })
})

const parameter = { message: "the parameter is invalid" }

describe("An answer that is a refusal", () => {
  const refusals: ReadonlyArray<readonly [what: string, status: number, body: unknown, expected: object]> = [
    [
      "no credit",
      422,
      { code: 11, reason: "Insufficient Airalo Credit: 3" },
      { outcome: "Refused", reason: "no_balance" }
    ],
    ["maintenance", 422, { code: 13, reason: "maintenance" }, { outcome: "NotDone", retryAfterSeconds: 300 }],
    ["a checksum", 422, { code: 14, reason: "Invalid checksum" }, { outcome: "Refused" }],
    ["out of stock", 422, { code: 33, reason: "Insufficient stock" }, { outcome: "Refused", reason: "sold_out" }],
    ["off sale", 422, { code: 34, reason: "invalid or out of stock" }, { outcome: "Refused", reason: "sold_out" }],
    ["a bad request", 422, { code: 43, reason: "Bad request." }, { outcome: "Refused" }],
    [
      "their fault",
      422,
      { code: 53, reason: "Something unexpected happened." },
      { outcome: "Unknown", isAnswered: true }
    ],
    ["a recycled eSIM", 422, { code: 73, reason: "has been recycled" }, { outcome: "NotFound" }],
    ["the address of the caller", 403, { code: 89, reason: "IP" }, { outcome: "NotDone" }],
    ["a code that is in no document", 422, { code: 999, reason: "?" }, { outcome: "Unknown", isAnswered: true }],
    [
      "no stock, in words",
      422,
      { data: { quantity: "SIM quantity is not available. Available quantity: 0." }, meta: parameter },
      { outcome: "Refused", reason: "sold_out" }
    ],
    [
      "an unknown package, in words",
      422,
      { data: { package_id: "The selected package is invalid." }, meta: parameter },
      { outcome: "Refused", reason: "sold_out" }
    ],
    ["a field", 422, { data: { description: "too long" }, meta: parameter }, { outcome: "Refused" }],
    ["words alone", 422, { data: [], meta: { message: "do not belong to your company" } }, { outcome: "Refused" }],
    ["what is not there", 404, { data: [], meta: { message: "messages.resource_not_found" } }, { outcome: "NotFound" }],
    ["no such page", 404, "<html>", { outcome: "NotDone" }],
    ["not allowed", 403, { data: [], meta: { message: "forbidden" } }, { outcome: "NotDone" }],
    ["a redirect", 302, undefined, { outcome: "Unknown" }],
    ["a fault of the server", 503, { data: [], meta: success }, { outcome: "Unknown", isAnswered: false }],
    ["a fault of the server with a code", 500, { code: 11, reason: "?" }, { outcome: "Unknown", isAnswered: false }],
    ["done without data", 200, { meta: success }, { outcome: "Unknown", isAnswered: true }],
    ["no JSON", 200, "<html>", { outcome: "Unknown" }]
  ]

  it.each(refusals)("%s", async (_, status, body, expected) => {
    answering("POST /orders", status, body, status === 302 ? { location: "/elsewhere" } : {})
    const failure = await fail(order)
    const { isAnswered, isOverloaded, outcome, reason, retryAfterSeconds } = failure
    expect({ isAnswered, isOverloaded, outcome, reason, retryAfterSeconds }).toMatchObject(expected)
    if (!("reason" in expected)) expect(reason).toBeUndefined()
    expect(failure.message).toMatch(/^Airalo answers order/)
  })

  it("says in words what is wrong, and what to do", async () => {
    answering("POST /orders", 422, { code: 11, reason: "Insufficient Airalo Credit: 3" })
    expect((await fail(order)).message).toBe("Airalo answers order with 11: Insufficient Airalo Credit: 3")
    answering("POST /orders", 422, { data: { quantity: "too many", type: ["no", 3] }, meta: parameter })
    expect((await fail(order)).message).toBe(
      "Airalo answers order with HTTP 422: the parameter is invalid, quantity: too many, type: no,3"
    )
  })
})

describe("Too many calls", () => {
  it("are made later, by the header or in a minute; those of one eSIM slow down no others", async () => {
    const tooMany = { message: "Too Many Attempts." }
    answering("POST /orders", 429, tooMany, { "retry-after": "7" })
    expect(await fail(order)).toMatchObject({ outcome: "NotDone", isOverloaded: true, retryAfterSeconds: 7 })
    answering("POST /orders", 429, tooMany)
    expect(await fail(order)).toMatchObject({ outcome: "NotDone", isOverloaded: true, retryAfterSeconds: 60 })
    answering("GET /sims/*/packages", 429, tooMany, { "retry-after": "900" })
    expect(await fail((api) => api.packagesOf("1"))).toMatchObject({
      outcome: "NotDone",
      isOverloaded: false,
      retryAfterSeconds: 900
    })
  })
})
