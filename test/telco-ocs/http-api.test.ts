/**
 * The calls of the OCS over HTTP: the exact requests, what becomes of the answers that the
 * documents show, of each status code and HTTP status, and of connections that end anywhere.
 */
import { createServer, type Socket } from "node:net"
import { Duration, Effect, Exit, Layer, Logger, Redacted, Tracer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Api from "../../adapters/telco-ocs/api/Api.ts"
import * as HttpApi from "../../adapters/telco-ocs/api/HttpApi.ts"
import * as Post from "../../adapters/telco-ocs/api/Post.ts"
import type { CallFailure } from "../../adapters/telco-calls/index.ts"
import * as Bridge from "../telco-http/Bridge.ts"

const SECRET = "a secret+token"

const ICCID = "8997250230000000017"

const OK = { status: { code: 0, msg: "OK" } }

let answer: Bridge.Answer = Bridge.answer(200, OK)
let ocs: Bridge.Bridge

beforeEach(async () => {
  ocs = await Bridge.start((...asked) => answer(...asked))
})
afterEach(() => ocs.close())

type Call<A> = (api: Api.Api["Service"]) => Effect.Effect<A, CallFailure.CallFailure>

const run = <A>(
  call: Call<A>,
  {
    observe = Layer.empty,
    timeout = "5 seconds",
    timeZone = "UTC",
    url = ocs.url
  }: {
    readonly url?: string
    readonly timeZone?: string
    readonly timeout?: Duration.Input
    readonly observe?: Layer.Layer<never>
  } = {}
) =>
  Effect.runPromiseExit(
    Api.Api.use(call).pipe(
      Effect.provide(
        HttpApi.layer({
          url: `${url}/main/v1`,
          urlV2: `${url}/main/v2`,
          urlUsage: `${url}/as/v1`,
          token: Redacted.make(SECRET),
          resellerId: 7,
          timeZone,
          timeout
        })
      ),
      Effect.provide(observe)
    )
  )

const succeed = async <A>(call: Call<A>, body: unknown): Promise<A> => {
  answer = Bridge.answer(200, body)
  return Exit.match(await run(call), {
    onSuccess: (value) => value,
    onFailure: (cause) => {
      throw new Error(`The call failed: ${cause}`)
    }
  })
}

const fail = async <A>(call: Call<A>, options?: Parameters<typeof run>[1]): Promise<CallFailure.CallFailure> => {
  const flipped = Effect.flatMap(
    Effect.promise(() => run(call, options)),
    (exit) => Effect.flip(exit)
  )
  return Effect.runPromise(flipped)
}

const at = (text: string): number => Date.parse(`${text}Z`)

const of = (id: number, startDate = "2022-03-10T20:29:41") => ({ id, subscriberId: 21, startDate })

const subscriber = (more: Record<string, unknown>) => ({
  imsiList: [
    { ...of(1, "2020-03-10T20:29:41"), imsi: "248029018000010", endDate: "2022-03-10T20:29:41" },
    { ...of(2), imsi: "248029018000011", iccid: ICCID }
  ],
  phoneNumberList: [
    { ...of(4, "2023-03-10T20:29:41"), phoneNumber: "3728803101010", endDate: "2023-04-10T20:29:41" },
    { ...of(5), phoneNumber: "3728803101011" }
  ],
  status: [{ ...of(3), status: "Active" }],
  sim: { id: 369, subscriberId: 21, esim: true, status: "FREE", smdpServer: "smdp.io", activationCode: "K2-1" },
  subscriberId: 21,
  accountId: 37,
  balance: 0,
  ...more
})

/** What is read of `subscriber`. */
const CARD = {
  iccid: ICCID,
  imsi: "248029018000011",
  msisdn: "3728803101011",
  simId: 369,
  isEsim: true,
  smdpServer: "smdp.io",
  activationCode: "K2-1"
}

const usageOf: Call<unknown> = (api) =>
  api.usage?.({ iccid: ICCID, from: at("2022-06-15T00:00:00"), to: at("2022-06-16T12:00:00") }) ??
  expect.fail("no address")

const usageAsked = { subscriber: { iccid: ICCID }, period: { start: "2022-06-15", end: "2022-06-16" } }

/** As the documents show it, of two days, with an answer's total of data. */
const usageAnswer = (total: number) => {
  const one = { subscriberId: 18037, accountId: 22, mcc: 250, mnc: 1, operator: "PJSC Mobile TeleSystems MTS" }
  const sums = { resellerCost: 0.69, subscriberCost: 0.69, quantityPerType: { 1: 64, 33: total, 40: 9 } }
  return {
    subscriberUsageOverPeriod: {
      total: { ...sums, quantityPerCountry: [{ mcc: 250, name: "Russian Federation", alpha2: "ru", qty: 913 }] },
      usages: [
        {
          subscriberId: 18037,
          total: sums,
          subsPeriodUsages: [
            {
              day: "2022-06-16",
              total: sums,
              subsDailyUsages: [
                { ...one, usageDateUtc: "2022-06-16T11:17:08", usageType: 33, countryAlpha2: "ru", quantity: 760 },
                { ...one, usageDateUtc: "2022-06-16T11:06:51", usageType: 40, countryAlpha2: "ru", quantity: 4 },
                { ...one, usageDateUtc: "2022-06-16T11:06:51", usageType: 1, countryAlpha2: "ru", quantity: 4 }
              ]
            },
            {
              day: "2022-06-15",
              total: sums,
              subsDailyUsages: [
                { ...one, usageDateUtc: "2022-06-15T11:04:36", usageType: 33, countryAlpha2: "N/A", quantity: 80 }
              ]
            }
          ]
        }
      ]
    }
  }
}

type Operation = readonly [
  name: string,
  call: Call<unknown>,
  asked: unknown,
  answer: Readonly<Record<string, unknown>>,
  value: unknown
]
const SERVICE = { status: "ACTIVE", mobilePlanId: null }

type Row = Operation | readonly [name: string, call: Call<unknown>, asked: unknown]

/**
 * By a name whose first word is the operation's: what is asked with it, what is answered beside the
 * status, and what that is read as; nothing unless given.
 */
const rows: ReadonlyArray<Row> = [
  [
    "getSingleSubscriber",
    (api) => api.subscriber(ICCID),
    { iccid: ICCID, withSimInfo: true, onlySubsInfo: false },
    {
      getSingleSubscriber: subscriber({
        networkInfo: {
          subscriberid: 21,
          time: "2026-04-15T17:41:26.612838",
          lastMcc: 222,
          lastMnc: 99,
          lastImei: "789456123",
          lastRat: "3G - UTRAN"
        }
      })
    },
    {
      subscriberId: 21,
      ...CARD,
      network: { at: at("2026-04-15T17:41:26.612"), mcc: 222, mnc: 99, rat: "3G - UTRAN", imei: "789456123" },
      ...SERVICE
    }
  ],
  [
    "getSingleSubscriber of a card whose network is given by its codes alone",
    (api) => Effect.map(api.subscriber(ICCID), ({ network }) => network),
    { iccid: ICCID, withSimInfo: true, onlySubsInfo: false },
    { getSingleSubscriber: subscriber({ lastMcc: 334, lastMnc: 50 }) },
    { at: null, mcc: 334, mnc: 50, rat: null, imei: null }
  ],
  [
    "getSingleSubscriber of a card that was never used",
    (api) => api.subscriber(ICCID),
    { iccid: ICCID, withSimInfo: true, onlySubsInfo: false },
    { getSingleSubscriber: { subscriberId: 21, imsiList: null, sim: null, networkInfo: null } },
    {
      subscriberId: 21,
      iccid: ICCID,
      imsi: null,
      msisdn: null,
      simId: null,
      isEsim: false,
      smdpServer: null,
      activationCode: null,
      network: null,
      status: null,
      mobilePlanId: null
    }
  ],
  [
    "getSingleSubscriber of one that was suspended, with a mobile plan",
    (api) => Effect.map(api.subscriber(ICCID), ({ mobilePlanId, status }) => ({ mobilePlanId, status })),
    { iccid: ICCID, withSimInfo: true, onlySubsInfo: false },
    {
      getSingleSubscriber: subscriber({
        mobilePlanId: 10,
        status: [
          { status: "Suspended", startDate: "2026-02-01T00:00:00" },
          { status: "Active", startDate: "2026-01-01T00:00:00" }
        ]
      })
    },
    { mobilePlanId: 10, status: "SUSPENDED" }
  ],
  [
    "getSingleSubscriber whose status is in another form, which fails nothing",
    (api) => Effect.map(api.subscriber(ICCID), ({ mobilePlanId, status }) => ({ mobilePlanId, status })),
    { iccid: ICCID, withSimInfo: true, onlySubsInfo: false },
    { getSingleSubscriber: subscriber({ mobilePlanId: "none", status: {} }) },
    { mobilePlanId: null, status: null }
  ],
  [
    "getSingleSubscriber of an eSIM that is not called one",
    (api) => Effect.map(api.subscriber(ICCID), ({ activationCode, isEsim }) => ({ activationCode, isEsim })),
    { iccid: ICCID, withSimInfo: true, onlySubsInfo: false },
    { getSingleSubscriber: subscriber({ sim: { id: 369, activationCode: "K2-1" } }) },
    { activationCode: "K2-1", isEsim: true }
  ],
  [
    "listSubscriber",
    (api) => api.subscribersBy({ accountId: 4 }),
    { accountId: 4 },
    {
      listSubscriber: {
        subscriberList: [
          subscriber({}),
          { subscriberId: 22 },
          subscriber({ subscriberId: "none", accountId: 4 }),
          null,
          subscriber({ subscriberId: 24, accountId: undefined })
        ],
        hasMore: true,
        nbFound: 300
      }
    },
    {
      subscribers: [
        { subscriberId: 21, ...CARD, network: null, ...SERVICE, accountId: 37 },
        { subscriberId: 24, ...CARD, network: null, ...SERVICE, accountId: null }
      ],
      withoutCard: [22],
      odd: [
        {
          key: expect.stringContaining('"subscriberId":"none"'),
          accountId: 4,
          iccid: ICCID,
          message: expect.stringContaining('["subscriberId"]')
        },
        { key: "null", accountId: null, iccid: null, message: "Expected object" }
      ],
      hasMore: true,
      found: 300
    }
  ],
  [
    "listSubscriber of an empty account",
    (api) => api.subscribersBy({ accountId: 4 }),
    { accountId: 4 },
    { listSubscriber: { subscriberList: null, nbFound: 0 } },
    { subscribers: [], withoutCard: [], odd: [], hasMore: false, found: 0 }
  ],
  [
    "listSubscriberPrepaidPackages",
    (api) => api.packages(ICCID),
    { iccid: ICCID },
    {
      listSubscriberPrepaidPackages: {
        packages: [
          {
            packageTemplate: { prepaidpackagetemplateid: 2214, prepaidpackagetemplatename: "Italy" },
            subscriberprepaidpackageid: 1007,
            subscriberid: 4,
            locationzoneid: 27,
            pckdatabyte: 104857600,
            tsassigned: "2023-08-01T13:25:08",
            tsactivationutc: "2023-09-21T14:49:47",
            tsexpirationutc: "2023-10-01T14:49:47",
            useddatabyte: 104857,
            perioddays: 10,
            templateId: 2214,
            active: true
          },
          {
            packageTemplate: { prepaidpackagetemplateid: 9280, prepaidpackagetemplatename: "Recurring" },
            subscriberprepaidpackageid: 1039,
            tsassigned: "2023-10-02T08:25:03",
            active: false,
            recurringPackage: 1
          }
        ],
        recurring: [{ id: 1 }],
        callUseSingleCounter: true
      }
    },
    [
      {
        id: 1007,
        templateId: 2214,
        templateName: "Italy",
        assignedAt: at("2023-08-01T13:25:08"),
        activationAt: at("2023-09-21T14:49:47"),
        expirationAt: at("2023-10-01T14:49:47"),
        allowanceBytes: 104857600,
        usedBytes: 104857,
        isActive: true,
        isRecurring: false
      },
      {
        id: 1039,
        templateId: 9280,
        templateName: "Recurring",
        assignedAt: at("2023-10-02T08:25:03"),
        activationAt: null,
        expirationAt: null,
        allowanceBytes: null,
        usedBytes: 0,
        isActive: false,
        isRecurring: true
      }
    ]
  ],
  [
    "listSubscriberPrepaidPackages without packages",
    (api) => api.packages(ICCID),
    { iccid: ICCID },
    { listSubscriberPrepaidPackages: { packages: null, callUseSingleCounter: false } },
    []
  ],
  [
    "affectPackageToSubscriber for a window",
    (api) =>
      api.affectPackage({
        iccid: ICCID,
        templateId: 553,
        window: { start: at("2026-04-15T17:41:26"), end: at("2026-05-15T17:41:26.618") }
      }),
    {
      packageTemplateId: 553,
      subscriber: { iccid: ICCID },
      activePeriod: { start: "2026-04-15T17:41:26", end: "2026-05-15T17:41:26.618" }
    },
    { affectPackageToSubscriber: { iccid: ICCID, subscriberId: 18331, esimId: 37147, subsPackageId: 414 } },
    414
  ],
  [
    "affectPackageToSubscriber from the first use",
    (api) => api.affectPackage({ iccid: ICCID, templateId: 553, window: null }),
    { packageTemplateId: 553, subscriber: { iccid: ICCID } },
    { affectPackageToSubscriber: { subsPackageId: 415 } },
    415
  ],
  [
    "modifySubscriberPrepaidPackageStatus",
    (api) => api.setPackageStatus(123, false),
    { subsPrepaidPackageId: 123, active: false }
  ],
  ["deleteSubscriberPackage", (api) => api.deletePackage(123), 123],
  [
    "sendMtSms",
    (api) => api.sendSms({ imsi: "248029018000011", from: "Sender", text: "Hello \\ud83d\\ude0a" }),
    { imsi: 248029018000011, text: "Hello \\ud83d\\ude0a", senderId: "Sender" }
  ],
  [
    "sendMtSms to an IMSI of the test network",
    (api) => api.sendSms({ imsi: "001010000000001", from: "Sender", text: "Hello" }),
    { imsi: "001010000000001", text: "Hello", senderId: "Sender" }
  ],
  [
    "modifySubscriberMobilePlan",
    (api) => api.setMobilePlan({ iccid: ICCID, mobilePlanId: 10 }),
    { subscriberId: { iccid: ICCID }, mobilePlanId: 10 }
  ],
  [
    "modifySubscriberMobilePlan without a plan",
    (api) => api.setMobilePlan({ iccid: ICCID, mobilePlanId: null }),
    { subscriberId: { iccid: ICCID } }
  ],
  [
    "modifySubscriberStatus",
    (api) => api.setSubscriberStatus({ iccid: ICCID, isActive: false }),
    { subscriber: { iccid: ICCID }, newStatus: "SUSPENDED" }
  ],
  [
    "modifySubscriberStatus back",
    (api) => api.setSubscriberStatus({ iccid: ICCID, isActive: true }),
    { subscriber: { iccid: ICCID }, newStatus: "ACTIVE" }
  ],
  [
    "getSimProviderStatus",
    (api) => api.profileHistory(369),
    369,
    {
      getSimProviderStatus: [
        { simId: 369, status: "Disable", start: "2023-04-01T09:55:08", end: "2023-04-06T09:55:08" },
        { simId: 369, status: "Enable", start: "2023-04-06T09:55:08", statusModification: "Executed-Success" }
      ]
    },
    [
      { status: "Enable", startedAt: at("2023-04-06T09:55:08"), modificationResult: "Executed-Success" },
      { status: "Disable", startedAt: at("2023-04-01T09:55:08"), modificationResult: null }
    ]
  ],
  ["getSimProviderStatus without a history", (api) => api.profileHistory(369), 369, { getSimProviderStatus: null }, []],
  [
    "getSubscriberLocation",
    (api) => api.lastSeen(ICCID),
    { iccid: ICCID },
    { subscriberLocation: { latitude: 47.4, longitude: 8.5, accuracy: 250, dateTime: "2026-04-14T17:41:26.616646" } },
    at("2026-04-14T17:41:26.616")
  ],
  ["getSubscriberLocation of a card that was never seen", (api) => api.lastSeen(ICCID), { iccid: ICCID }, {}, null],
  [
    "subscriberUsageOverPeriod",
    usageOf,
    usageAsked,
    usageAnswer(840),
    [
      { at: at("2022-06-16T11:17:08"), countryAlpha2: "RU", bytes: 760 },
      { at: at("2022-06-15T11:04:36"), countryAlpha2: null, bytes: 80 }
    ]
  ],
  ["subscriberUsageOverPeriod without usage", usageOf, usageAsked, {}, []],
  [
    "listPrepaidPackageTemplate",
    (api) => api.templates,
    { resellerId: 7 },
    {
      listPrepaidPackageTemplate: {
        template: [
          { prepaidpackagetemplateid: 1204, prepaidpackagetemplatename: "Spain", resellerid: 7, deleted: false },
          { prepaidpackagetemplateid: 1207, prepaidpackagetemplatename: "Belgium", resellerid: 7, deleted: true },
          {
            ...{ prepaidpackagetemplateid: 1208, prepaidpackagetemplatename: "France", locationzoneid: 27 },
            ...{ databyte: 1_048_576, perioddays: 30, throttlingActive: true },
            ...{ throttlingThreshold1Perc: 50, throttlingThreshold1Limit: 512, throttlingThreshold2Perc: null }
          },
          // What orders do not need may be in any form.
          {
            ...{ prepaidpackagetemplateid: 1209, prepaidpackagetemplatename: "Odd", locationzoneid: [], databyte: 1.5 },
            ...{ perioddays: "a month", throttlingActive: false, throttlingThreshold1Perc: {} }
          }
        ]
      }
    },
    [
      { id: 1204, name: "Spain", isDeleted: false },
      { id: 1207, name: "Belgium", isDeleted: true },
      {
        id: 1208,
        name: "France",
        isDeleted: false,
        grant: {
          zoneId: 27,
          allowanceBytes: 1_048_576,
          periodDays: 30,
          throttling: [{ percentage: 50, limit: 512 }]
        }
      },
      {
        ...{ id: 1209, name: "Odd", isDeleted: false },
        grant: { zoneId: null, allowanceBytes: null, periodDays: null, throttling: [] }
      }
    ]
  ],
  [
    "createPrepaidPackageTemplate with throttling",
    (api) =>
      api.createTemplate({
        name: "simplan z27",
        zoneId: 27,
        allowanceBytes: 1_073_741_824,
        periodDays: 30,
        throttling: [
          { percentage: 50, limit: 512 },
          { percentage: 80, limit: 256 },
          { percentage: 95, limit: 128 }
        ]
      }),
    {
      prepaidpackagetemplatename: "simplan z27",
      resellerid: 7,
      locationzoneid: 27,
      databyte: 1_073_741_824,
      perioddays: 30,
      throttlingActive: true,
      throttlingThreshold1Perc: 50,
      throttlingThreshold1Limit: 512,
      throttlingThreshold2Perc: 80,
      throttlingThreshold2Limit: 256,
      throttlingThreshold3Perc: 95,
      throttlingThreshold3Limit: 128,
      throttlingErrorAction: 0,
      recurring: false
    },
    { createPrepaidPackageTemplate: { prepaidpackagetemplateid: 9359, prepaidpackagetemplatename: "simplan z27" } },
    { id: 9359, name: "simplan z27", isDeleted: false }
  ],
  [
    "createPrepaidPackageTemplate without throttling",
    (api) => api.createTemplate({ name: "n", zoneId: 27, allowanceBytes: 1_048_576, periodDays: 1, throttling: [] }),
    {
      prepaidpackagetemplatename: "n",
      resellerid: 7,
      locationzoneid: 27,
      databyte: 1_048_576,
      perioddays: 1,
      throttlingActive: false,
      recurring: false
    },
    {
      createPrepaidPackageTemplate: { prepaidpackagetemplateid: 9360, prepaidpackagetemplatename: "n", deleted: false }
    },
    { id: 9360, name: "n", isDeleted: false }
  ],
  [
    "listDetailedLocationZone",
    (api) => api.zones,
    7,
    { listDetailedLocationZone: [{ zoneId: 27, zoneName: "Test", reseller: { id: 7, name: "R" }, operators: [] }] },
    [{ id: 27, name: "Test" }]
  ],
  ["listDetailedLocationZone without zones", (api) => api.zones, 7, { listDetailedLocationZone: null }, []]
]

const operations = rows.map(([name, call, asked, answer = {}, value]): Operation => [name, call, asked, answer, value])

describe("asks as the documents say, and reads their answers", () => {
  const addresses = new Map([
    ["listSubscriberPrepaidPackages", "main/v2"],
    ["subscriberUsageOverPeriod", "as/v1"]
  ])

  it.each(operations)("%s", async (name, call, asked, body, value) => {
    expect(await succeed(call, { ...OK, ...body, somethingNew: [1] })).toEqual(value)
    const [operation = ""] = name.split(" ")
    const address = addresses.get(operation) ?? "main/v1"
    const token = new URLSearchParams({ token: SECRET }).toString()
    expect(ocs.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST /${address}?${token}`])
    expect(ocs.asked[0]?.headers["content-type"]).toBe("application/json")
    expect(ocs.asked[0]?.body).toEqual({ [operation]: asked })
  })
})

describe("asks for the book of usage", () => {
  it.each([
    ["Asia/Kolkata", "2022-06-15", "2022-06-16"],
    ["America/New_York", "2022-06-14", "2022-06-16"],
    ["Pacific/Auckland", "2022-06-15", "2022-06-17"]
  ])("by the days of UTC and of %s", async (timeZone, start, end) => {
    answer = Bridge.answer(200, OK)
    await run(usageOf, { timeZone })
    expect(ocs.asked[0]?.body).toMatchObject({ subscriberUsageOverPeriod: { period: { start, end } } })
  })

  it("and takes no answer in which some of it is missing", async () => {
    answer = Bridge.answer(200, { ...OK, ...usageAnswer(841) })
    expect(await fail(usageOf)).toMatchObject({ outcome: "Unknown", isAnswered: true })
  })

  it("not without its address", async () => {
    expect(
      await Effect.runPromise(
        Api.Api.use(({ usage }) => Effect.succeed(usage)).pipe(
          Effect.provide(HttpApi.layer({ url: ocs.url, urlV2: ocs.url, token: Redacted.make(SECRET), resellerId: 7 }))
        )
      )
    ).toBeNull()
  })
})

/**
 * The same answer of a system that writes all of its numbers as texts, and fields without a value
 * as null.
 */
const asTexts = (value: unknown): unknown => {
  if (typeof value === "number") return String(value)
  if (Array.isArray(value)) return value.map(asTexts)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries([...Object.entries(value).map(([key, one]) => [key, asTexts(one)]), ["somethingNew", null]])
}

describe("reads an answer with its numbers as texts", () => {
  it.each(operations)("%s", async (_, call, _asked, body, value) => {
    expect(await succeed(call, asTexts({ ...OK, ...body }))).toEqual(value)
  })

  it.each(["", "12,5", "1e3", "0x10", "-", "9007199254740993"])("but no id %j", async (subsPackageId) => {
    answer = Bridge.answer(200, { ...OK, affectPackageToSubscriber: { subsPackageId } })
    expect(await fail(order)).toMatchObject({ outcome: "Unknown", isAnswered: true })
  })
})

describe("reads a date", () => {
  const packagesFrom = (tsactivationutc: unknown) => ({
    ...OK,
    listSubscriberPrepaidPackages: { packages: [{ subscriberprepaidpackageid: 1, tsactivationutc }] }
  })

  it.each([
    ["2026-04-15T17:41:26", "2026-04-15T17:41:26"],
    ["2026-04-15T17:41:26.6", "2026-04-15T17:41:26.600"],
    ["2026-04-15T17:41:26.612838", "2026-04-15T17:41:26.612"],
    ["2026-04-15T17:41", "2026-04-15T17:41:00"],
    ["2026-04-15 17:41:26", "2026-04-15T17:41:26"],
    ["2026-04-15 17:41:26.612", "2026-04-15T17:41:26.612"],
    ["2026-04-15T17:41:26Z", "2026-04-15T17:41:26"],
    ["2026-04-15 17:41:26 UTC", "2026-04-15T17:41:26"],
    ["2026-04-15T17:41:26.612+00:00", "2026-04-15T17:41:26.612"],
    ["2026-04-15T17:41:26+0000", "2026-04-15T17:41:26"],
    ["2026-04-15T19:41:26+02", "2026-04-15T17:41:26"],
    ["2026-04-15T14:11:26.612-0330", "2026-04-15T17:41:26.612"],
    [Date.UTC(2026, 3, 15, 17, 41, 26), "2026-04-15T17:41:26"]
  ])("%j", async (written, instant) => {
    const [found] = await succeed((api) => api.packages(ICCID), packagesFrom(written))
    expect(found?.activationAt).toBe(at(instant))
  })

  it.each(["", "soon", "2026-04-15", "15/04/2026 17:41", "2026-02-30T00:00:00", 1_776_274_886, 1.5, [2026, 4, 15]])(
    "but not %j, which is no first use to come either",
    async (written) => {
      answer = Bridge.answer(200, packagesFrom(written))
      expect(await fail((api) => api.packages(ICCID))).toMatchObject({ outcome: "Unknown", isAnswered: true })
    }
  )
})

const order: Call<number> = (api) => api.affectPackage({ iccid: ICCID, templateId: 1, window: null })

describe("takes a status code for", () => {
  const outcomes: Readonly<Record<CallFailure.Outcome, ReadonlyArray<number>>> = {
    Refused: [1, 2, 4, 11, 12, 13, 14, 17, 99, 10_001],
    NotFound: [6],
    NotDone: [8, 9, 10, 100],
    Unknown: [3, 5, 7, 15, 16, 18]
  }
  const cases = Object.entries(outcomes).flatMap(([outcome, codes]) => codes.map((code) => [code, outcome] as const))

  it.each(cases)("%i: %s", async (code, outcome) => {
    answer = Bridge.answer(code === 2 ? 400 : 200, { status: { code, msg: `because of ${SECRET}` } })
    const failure = await fail(order)
    expect(failure).toMatchObject({ outcome, isAnswered: true })
    expect(failure.message).toContain(`affectPackageToSubscriber with ${code} (`)
    expect(failure.message).toContain("because of …")
    expect(failure.retryAfterSeconds).toBe(code === 100 ? 5 : undefined)
    expect(failure.isOverloaded).toBe(code === 100 ? true : undefined)
  })

  const nothing: ReadonlyArray<readonly [name: string, call: Call<unknown>, value: unknown]> = [
    ["a location", (api) => api.lastSeen(ICCID), null],
    ["a profile's history", (api) => api.profileHistory(369), []],
    ["the templates", (api) => api.templates, []]
  ]

  it.each(nothing)("6 where %s is asked for: there is none", async (_, call, value) => {
    expect(await succeed(call, { status: { code: 6, msg: "none" } })).toEqual(value)
  })

  const hidden: ReadonlyArray<readonly [name: string, call: Call<unknown>, outcome: CallFailure.Outcome]> = [
    ["a read of a subscriber: not there", (api) => api.packages(ICCID), "NotFound"],
    ["a read of the reseller's own: refused", (api) => api.templates, "Refused"],
    ["a change: refused", (api) => api.deletePackage(1), "Refused"]
  ]

  it.each(hidden)("11 to %s", async (_, call, outcome) => {
    answer = Bridge.answer(200, { status: { code: 11 } })
    expect(await fail(call)).toMatchObject({ outcome, isAnswered: true })
  })
})

describe("takes an answer that the documents do not have for", () => {
  const answers: ReadonlyArray<readonly [string, Bridge.Answer, Partial<CallFailure.CallFailure>]> = [
    ["HTTP 401", Bridge.answer(401, "no"), { outcome: "NotDone", isAnswered: true }],
    ["HTTP 403", Bridge.answer(403), { outcome: "NotDone", isAnswered: true }],
    ["HTTP 404", Bridge.answer(404, "<html>"), { outcome: "NotDone", isAnswered: true }],
    [
      "HTTP 429",
      Bridge.answer(429, "", { "retry-after": "7" }),
      { outcome: "NotDone", isOverloaded: true, retryAfterSeconds: 7 }
    ],
    ["HTTP 429 that names no time", Bridge.answer(429), { outcome: "NotDone", retryAfterSeconds: 5 }],
    ["HTTP 500", Bridge.answer(500, "oops"), { outcome: "Unknown", isAnswered: false }],
    ["HTTP 502 with a status of done", Bridge.answer(502, OK), { outcome: "Unknown", isAnswered: false }],
    ["a redirect", Bridge.answer(307, "", { location: "/elsewhere" }), { outcome: "Unknown", isAnswered: true }],
    ["an empty body", Bridge.answer(200), { outcome: "Unknown", isAnswered: false }],
    ["a page", Bridge.answer(200, "<html>"), { outcome: "Unknown", isAnswered: false }],
    ["a text", Bridge.answer(200, '"OK"'), { outcome: "Unknown", isAnswered: false }],
    ["no status", Bridge.answer(200, {}), { outcome: "Unknown", isAnswered: false }],
    ["a status that is no number", Bridge.answer(200, { status: { code: "OK" } }), { outcome: "Unknown" }],
    ["two answers", Bridge.answer(200, JSON.stringify(OK).repeat(2)), { outcome: "Unknown", isAnswered: false }],
    ["done, without the package's id", Bridge.answer(200, OK), { outcome: "Unknown", isAnswered: true }]
  ]

  it.each(answers)("%s", async (_, given, expected) => {
    answer = given
    expect(await fail(order)).toMatchObject(expected)
    expect(ocs.asked).toHaveLength(1)
  })

  it("packages that are not there: not for none", async () => {
    answer = Bridge.answer(200, OK)
    expect(await fail((api) => api.packages(ICCID))).toMatchObject({ outcome: "Unknown" })
  })

  it("a date that cannot be read: nothing", async () => {
    const location = { subscriberLocation: { dateTime: "15/04/2026" } }
    answer = Bridge.answer(200, { ...OK, ...location })
    expect(await fail((api) => api.lastSeen(ICCID))).toMatchObject({ outcome: "Unknown" })
  })
})

/**
 * A server that sends these bytes after the first part of a request, and ends the connection; null:
 * at once.
 */
const cutting = async (bytes: string | null) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    if (bytes === null) socket.destroy()
    else socket.once("data", () => (bytes === "" ? socket.destroy() : socket.write(bytes, () => socket.destroy())))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}

describe("does not know what was done if the connection ends", () => {
  const body = JSON.stringify({ ...OK, affectPackageToSubscriber: { subsPackageId: 4 } })
  const whole = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

  it.each([
    ["before the request", null],
    ["before the answer", ""],
    ["within the answer's first line", whole.slice(0, 9)],
    ["within its headers", whole.slice(0, 40)],
    ["after its headers", whole.slice(0, whole.indexOf(body))],
    ["within its body", whole.slice(0, -10)],
    ["before its last byte", whole.slice(0, -1)]
  ])("%s", async (_, bytes) => {
    const server = await cutting(bytes)
    const failure = await fail(order, { url: server.url })
    expect(failure).toMatchObject({ outcome: "Unknown", isAnswered: false })
    await server.close()
  })

  it("but after the last byte", async () => {
    const server = await cutting(whole)
    expect(await run(order, { url: server.url })).toEqual(Exit.succeed(4))
    await server.close()
  })
})

it("has certainly not asked if nobody listens, or the name is unknown", async () => {
  await ocs.close()
  for (const url of [ocs.url, "http://ocs.invalid"]) {
    const failure = await fail(order, { url })
    expect(failure).toMatchObject({ outcome: "NotDone", isAnswered: false })
    expect(failure.message).toMatch(
      /cannot be reached for affectPackageToSubscriber \((ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\)/
    )
  }
})

it("waits no longer than the time limit, for the head of an answer and for its end", async () => {
  const late: ReadonlyArray<Bridge.Answer> = [
    () => {},
    (_, response) => {
      response.writeHead(200)
      response.write('{"status":')
    }
  ]
  for (const given of late) {
    answer = given
    const failure = await fail(order, { timeout: "50 millis" })
    expect(failure).toMatchObject({ outcome: "Unknown", isAnswered: false })
    expect(failure.message).toBe("The OCS has not answered affectPackageToSubscriber within 50ms")
  }
})

describe("An answer of any length", () => {
  /** Sends an answer in pieces until it is closed, at most so many times. */
  const long = (begin: string, piece: string, end: string, count: number) => {
    const state = { sent: 0 }
    const answer: Bridge.Answer = (_, response) => {
      response.writeHead(200)
      response.write(begin)
      const send = (): void => {
        while (state.sent < count) {
          state.sent += 1
          if (!response.write(piece)) return void response.once("drain", send)
        }
        response.end(end)
      }
      send()
    }
    return { state, answer }
  }

  it.each([
    ["a package", order, 1],
    ["a SIM", (api: Api.Api["Service"]) => api.subscriber(ICCID), 1],
    ["templates", (api: Api.Api["Service"]) => api.templates, 8]
  ] as ReadonlyArray<readonly [string, Call<unknown>, number]>)(
    "about %s is not read to its end",
    async (_, call, most) => {
      const { answer: endless, state } = long('{"a":"', "a".repeat(65_536), '"}', 1_024)
      answer = endless
      const failure = await fail(call)
      expect(failure).toMatchObject({ outcome: "Unknown" })
      expect(failure.message).toMatch(new RegExp(`is longer than ${most * 1_048_576} bytes$`))
      expect(state.sent).toBeLessThan(1_024)
    }
  )

  it("that lists subscribers is read row by row, and leaves the process to others in between", async () => {
    const rows = 4_000
    const text = JSON.stringify({
      listSubscriber: { subscriberList: Array.from({ length: rows }, () => subscriber({})), nbFound: rows },
      ...OK
    })
    let [turns, isOver] = [0, false]
    const count = (): void => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    const client = HttpClient.make((request) => {
      count()
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(text)))
    })
    const post = Post.make("http://ocs.test", { token: Redacted.make(SECRET), timeout: Duration.minutes(5) })
    let taken = 0
    const take = (): void => {
      taken += 1
    }
    const found = await Effect.runPromise(
      Effect.flatMap(post, (send) => send("listSubscriber", {}, { field: "subscriberList", take })).pipe(
        Effect.provideService(HttpClient.HttpClient, client)
      )
    )
    isOver = true
    expect(found).toEqual({ ...OK, listSubscriber: { subscriberList: [], nbFound: rows } })
    expect(taken).toBe(rows)
    expect(turns).toBeGreaterThan(rows / 500)
  })

  it("and of too many rows is no answer", async () => {
    const row = '{"subscriberId":1}'
    const begin = `{"status":{"code":0},"listSubscriber":{"subscriberList":[${row}`
    const { answer: rows } = long(begin, `,${row}`.repeat(1_000), "]}}", 100)
    answer = rows
    const failure = await fail((api) => api.subscribersBy({ accountId: 4 }), { timeout: "5 minutes" })
    expect(failure.message).toBe("The OCS answers listSubscriber with something that is no answer")
  })
})

it("shows the token in no message, span or log", async () => {
  const logged: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const end = span.end.bind(span)
      span.end = (time, exit) => {
        end(time, exit)
        logged.push(
          JSON.stringify([span.name, [...span.attributes], span.status], (_, value) =>
            typeof value === "bigint" ? `${value}` : value
          ),
          String(exit)
        )
      }
      return span
    }
  })
  const log = Logger.make((options) => {
    logged.push(JSON.stringify(options.message), String(options.cause))
  })
  const observe = Layer.merge(Logger.layer([log]), Layer.succeed(Tracer.Tracer, tracer))
  answer = Bridge.answer(500, `the token ${SECRET}`)
  const exits: ReadonlyArray<Exit.Exit<unknown, CallFailure.CallFailure>> = [
    await run(order, { observe }),
    await run(order, { observe, url: "http://127.0.0.1:1" }),
    await run(order, { observe, url: "not an address" }),
    await run((api) => Effect.tapError(api.templates, Effect.logError), { observe })
  ]
  for (const exit of exits) expect(Exit.isFailure(exit)).toBe(true)
  expect(logged.filter((text) => text.includes("ocs.affectPackageToSubscriber"))).toHaveLength(3)
  const texts = [...logged, ...exits.map(String), ...exits.map((exit) => JSON.stringify(exit))]
  for (const secret of [SECRET, encodeURIComponent(SECRET), new URLSearchParams({ SECRET }).toString().slice(7)]) {
    for (const text of texts) expect(text).not.toContain(secret)
  }
})
