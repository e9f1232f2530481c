/**
 * The fake of the charging system, through the adapter's calls and by requests of all kinds: it
 * does what the documents say, refuses what they do not, and goes wrong as set.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Duration, Effect, Redacted } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Api from "../../adapters/telco-ocs/api/Api.ts"
import * as HttpApi from "../../adapters/telco-ocs/api/HttpApi.ts"
import type { CallFailure } from "../../adapters/telco-calls/index.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"

const iccid = Fake.iccidOf(1)
const DAY = 86_400_000

let ocs: Fake.Fake
let clock = Date.UTC(2030, 0, 1)

beforeEach(async () => {
  clock = Date.UTC(2030, 0, 1)
  ocs = await Fake.start({ subscribers: 3, now: () => clock })
})
afterEach(() => ocs.close())

const run = <A>(
  call: (api: Api.Api["Service"]) => Effect.Effect<A, CallFailure.CallFailure>,
  timeout: Duration.Input = "5 seconds"
): Promise<A> =>
  Effect.runPromise(
    Effect.provide(
      Api.Api.use(call),
      HttpApi.layer({
        url: ocs.url,
        urlV2: ocs.urlV2,
        urlUsage: ocs.urlUsage,
        token: Redacted.make("ocs-token"),
        resellerId: 1,
        timeout
      })
    )
  )

const template = { name: "Europe", zoneId: 28, allowanceBytes: 1_000, periodDays: 7, throttling: [] }

const ask = async (body: unknown, url = `${ocs.url}?token=ocs-token`) => {
  const response = await fetch(url, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })
  if (response.status !== 200) return response.status
  const { status } = (await response.json()) as { readonly status: { readonly code: number } }
  return status.code
}

describe("does what the documents say", () => {
  it("of templates, packages and subscribers", async () => {
    const steps = { throttling: [{ percentage: 80, limit: 512 }] }
    const { id } = await run((api) => api.createTemplate({ ...template, ...steps }))
    const { allowanceBytes, periodDays, zoneId } = template
    const grant = { zoneId, allowanceBytes, periodDays, ...steps }
    expect(await run((api) => api.templates)).toEqual([{ id, name: "Europe", isDeleted: false, grant }])
    expect((await run((api) => api.zones)).map((zone) => zone.id)).toEqual([27, 28])
    const window = { start: clock + DAY, end: clock + 2 * DAY }
    const first = await run((api) => api.affectPackage({ iccid, templateId: id, window: null }))
    const second = await run((api) => api.affectPackage({ iccid, templateId: id, window }))
    await run((api) => api.setPackageStatus(second, false))
    const [one, two] = await run((api) => api.packages(iccid))
    expect(one).toMatchObject({ id: first, templateId: id, activationAt: null, allowanceBytes: 1_000, isActive: true })
    expect(two).toMatchObject({ id: second, activationAt: window.start, expirationAt: window.end, isActive: false })
    await run((api) => api.deletePackage(second))
    expect(await run((api) => api.packages(iccid))).toHaveLength(1)
    const subscriber = await run((api) => api.subscriber(iccid))
    const list = await run((api) => api.subscribersBy({ accountId: 1 }))
    expect(list.hasMore).toBe(false)
    expect(list.subscribers).toHaveLength(3)
    expect(list.subscribers[0]).toEqual({ ...subscriber, accountId: 1 })
    await run((api) => api.setMobilePlan({ iccid, mobilePlanId: 10 }))
    expect(ocs.books().subscribers[0]?.mobilePlanId).toBe(10)
    await run((api) => api.setMobilePlan({ iccid, mobilePlanId: null }))
    expect(ocs.books().subscribers[0]?.mobilePlanId).toBe(null)
    const sms = { imsi: subscriber.imsi ?? "", from: "simplan", text: "Hello \\ud83d\\ude0a" }
    await run((api) => api.sendSms(sms))
    expect(ocs.books().messages).toMatchObject([{ iccid, from: "simplan", text: "Hello 😊" }])
  })

  it("of usage: the first starts the days, packages are used up in turn, and none after its end", async () => {
    const { id } = await run((api) => api.createTemplate(template))
    await run((api) => api.affectPackage({ iccid, templateId: id, window: null }))
    await run((api) => api.affectPackage({ iccid, templateId: id, window: null }))
    clock += 1_500
    expect(await run((api) => api.lastSeen(iccid))).toBe(null)
    expect(await ocs.useData({ iccid, bytes: 1_200, mcc: 262, mnc: 1 })).toBe(1_200)
    const [one, two] = await run((api) => api.packages(iccid))
    const activationAt = Date.UTC(2030, 0, 1, 0, 0, 1)
    expect(one).toMatchObject({ usedBytes: 1_000, activationAt, expirationAt: activationAt + 7 * DAY })
    expect(two?.usedBytes).toBe(200)
    expect((await run((api) => api.subscriber(iccid))).network).toMatchObject({ at: clock, mcc: 262, mnc: 1 })
    expect(await run((api) => api.lastSeen(iccid))).toBe(clock)
    clock = activationAt + 7 * DAY
    expect(await ocs.useData({ iccid, bytes: 1 })).toBe(0)
  })

  it("of the book of usage: what packages were charged and what none was, by time and country", async () => {
    const used = (from: number, to = clock) =>
      run((api) => api.usage?.({ iccid, from, to }) ?? expect.fail("no address"))
    const { id } = await run((api) => api.createTemplate(template))
    await run((api) => api.affectPackage({ iccid, templateId: id, window: null }))
    const first = clock
    expect(await used(first)).toEqual([])
    await ocs.useData({ iccid, bytes: 900, mcc: 262, mnc: 1 })
    clock += DAY
    await ocs.useData({ iccid, bytes: 200, mcc: 208, mnc: 1 })
    ocs.addUsage({ iccid, bytes: 7, mcc: 250, mnc: 1 })
    const [german, french, unknown] = [
      { at: first, countryAlpha2: "DE", bytes: 900 },
      { at: clock, countryAlpha2: "FR", bytes: 100 },
      { at: clock, countryAlpha2: null, bytes: 7 }
    ]
    expect(await used(first)).toEqual([unknown, french, german])
    expect(await used(first, first)).toEqual([german])
    expect(await used(clock)).toEqual([unknown, french])
  })

  it("of notifications", async () => {
    const received: Array<unknown> = []
    const customer = createServer(async (request, response) => {
      let text = ""
      for await (const part of request.setEncoding("utf8")) text += part
      received.push(JSON.parse(text))
      response.end(JSON.stringify({ result: { code: received.length === 3 ? 7 : 0, msg: "" } }))
    })
    await new Promise<void>((resolve) => customer.listen(0, "127.0.0.1", resolve))
    const address = customer.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
    ocs.configureNotifications({ packages: url, es2plus: url, thresholds: [50, 80] })
    const { id } = await run((api) => api.createTemplate(template))
    const subscriberPackageId = await run((api) => api.affectPackage({ iccid, templateId: id, window: null }))
    await ocs.useData({ iccid, bytes: 499 })
    await ocs.useData({ iccid, bytes: 301 })
    await ocs.setProfile({ iccid, status: "Enable" })
    const { eid, imsi, sim, subscriberId } = ocs.books().subscribers[0] as Fake.Subscriber
    const usage = {
      unitsBefore: 499,
      unitsAfter: 800,
      subscriberPackageId,
      totalUnits: 1_000,
      subscriberId,
      subscriberIMSI: imsi,
      usageType: "DATA"
    }
    expect(received).toEqual([
      { subscriberPrepaidPackage: { ...usage, thresholdPercentage: "50", thresholdUnits: "500" } },
      { subscriberPrepaidPackage: { ...usage, thresholdPercentage: "80", thresholdUnits: "800" } },
      { iccid, imsi, eid, subsId: subscriberId, status: "Enable" }
    ])
    expect(ocs.books().notifications.map(({ isAcknowledged }) => isAcknowledged)).toEqual([true, true, false])
    clock += 1_000
    await ocs.setProfile({ iccid, status: "Disable" })
    const states = await run((api) => api.profileHistory(sim.id))
    expect(states.map(({ status }) => status)).toEqual(["Disable", "Enable"])
    await new Promise((resolve) => customer.close(resolve))
  })
})

describe("refuses what the documents do not have", () => {
  const create = {
    prepaidpackagetemplatename: "n",
    resellerid: 1,
    locationzoneid: 27,
    perioddays: 1,
    throttlingActive: false,
    recurring: false
  }
  const affect = { packageTemplateId: 501, subscriber: { iccid } }
  const imsi = 208_450_000_000_001
  const usage = (start: string | undefined, end: string | undefined) => ({
    subscriber: { iccid },
    period: { start, end }
  })
  const requests: ReadonlyArray<readonly [string, unknown, number]> = [
    ["an operation that is not there", { getEverything: {} }, 1],
    ["no JSON", "{", 2],
    ["two operations", { deleteSubscriberPackage: 1, getSimProviderStatus: 1 }, 2],
    ["a template without a mandatory field", { createPrepaidPackageTemplate: { ...create, recurring: undefined } }, 2],
    ["half a threshold", { createPrepaidPackageTemplate: { ...create, throttlingThreshold1Perc: 50 } }, 2],
    [
      "a limit that is not offered",
      { createPrepaidPackageTemplate: { ...create, throttlingThreshold1Perc: 50, throttlingThreshold1Limit: 100 } },
      2
    ],
    ["throttling without an action", { createPrepaidPackageTemplate: { ...create, throttlingActive: true } }, 2],
    ["recurring without its fields", { createPrepaidPackageTemplate: { ...create, recurring: true } }, 2],
    ["an unknown zone", { createPrepaidPackageTemplate: { ...create, locationzoneid: 99 } }, 6],
    ["another reseller", { createPrepaidPackageTemplate: { ...create, resellerid: 2 } }, 10],
    ["an unknown field", { affectPackageToSubscriber: { ...affect, key: "1" } }, 2],
    ["two identifiers", { affectPackageToSubscriber: { ...affect, subscriber: { iccid, subscriberId: 1 } } }, 2],
    [
      "a date with a zone",
      {
        affectPackageToSubscriber: {
          ...affect,
          activePeriod: { start: "2030-01-01T00:00:00Z", end: "2030-01-02T00:00:00Z" }
        }
      },
      2
    ],
    ["an unknown template", { affectPackageToSubscriber: affect }, 6],
    ["part of an ICCID", { getSingleSubscriber: { iccid: iccid.slice(0, 13) } }, 6],
    ["a short prefix", { listSubscriber: { iccidPrefix: "894450" } }, 2],
    ["a package that is not there", { deleteSubscriberPackage: 1 }, 6],
    ["raw Unicode in a message", { sendMtSms: { imsi, text: "é", senderId: "s" } }, 2],
    ["a long message", { sendMtSms: { imsi, text: "a".repeat(161), senderId: "s" } }, 2],
    ["a long message with Unicode", { sendMtSms: { imsi, text: `\\u00e9${"a".repeat(70)}`, senderId: "s" } }, 2],
    ["the book of usage at the wrong address", { subscriberUsageOverPeriod: usage("2030-01-01", "2030-01-07") }, 1],
    ["half a character", { sendMtSms: { imsi, text: "\\ud83d", senderId: "s" } }, 2]
  ]

  it.each(requests)("%s", async (_, request, code) => {
    expect(await ask(request)).toBe(code)
  })

  it("a week of usage and a day, and days that are none", async () => {
    const codes = [
      ["2030-01-01", "2030-01-07"],
      ["2030-01-01", "2030-01-08"],
      ["2030-01-02", "2030-01-01"],
      ["2030-01-01T00:00:00", "2030-01-02"]
    ].map(([start, end]) => ask({ subscriberUsageOverPeriod: usage(start, end) }, `${ocs.urlUsage}?token=ocs-token`))
    expect(await Promise.all(codes)).toEqual([0, 2, 2, 2])
  })

  it("a wrong token, a wrong address and a wrong version", async () => {
    expect(await ask({}, `${ocs.url}?token=other`)).toBe(401)
    expect(await ask({}, `${ocs.url}9?token=ocs-token`)).toBe(404)
    expect(await ask({ listDetailedLocationZone: 1 }, `${ocs.urlV2}?token=ocs-token`)).toBe(1)
  })

  it("more calls in a second than it allows", async () => {
    const other = await Fake.start({ callsPerSecond: 2 })
    const codes = await Promise.all(
      [1, 2, 3].map(() => ask({ listDetailedLocationZone: 1 }, `${other.url}?token=ocs-token`))
    )
    expect(codes.toSorted((left, right) => left - right)).toEqual([0, 0, 100])
    await other.close()
  })
})

describe("goes wrong as set", () => {
  const faults: ReadonlyArray<readonly [fault: Fake.Fault, outcome: string, packages: number]> = [
    [{ fault: "lose_request" }, "Unknown", 0],
    [{ fault: "lose_answer", at: "start" }, "Unknown", 1],
    [{ fault: "lose_answer", at: "headers" }, "Unknown", 1],
    [{ fault: "lose_answer", at: "body" }, "Unknown", 1],
    [{ fault: "lose_answer", at: 1 }, "Unknown", 1],
    [{ fault: "late", millis: 300 }, "Unknown", 1],
    [{ fault: "late", millis: 20, cut: true }, "Unknown", 1],
    [{ fault: "late", millis: 20 }, "done", 1],
    [{ fault: "slow", millis: 300 }, "Unknown", 1],
    [{ fault: "slow", millis: 20 }, "done", 1],
    [{ fault: "twice" }, "done", 1],
    [{ fault: "garbage" }, "Unknown", 1],
    [{ fault: "refuse", code: 14, text: "no" }, "Refused", 0],
    [{ fault: "traffic_control" }, "NotDone", 0],
    [{ fault: "http", status: 502 }, "Unknown", 0]
  ]

  it.each(faults)("%o", async (fault, outcome, packages) => {
    const { id } = await run((api) => api.createTemplate(template))
    ocs.setFaults([{ operation: "affectPackageToSubscriber", ...fault }])
    const reported = await run(
      (api) =>
        api
          .affectPackage({ iccid, templateId: id, window: null })
          .pipe(Effect.match({ onSuccess: () => "done", onFailure: (failure): string => failure.outcome })),
      "200 millis"
    )
    expect(reported).toBe(outcome)
    await ocs.settled()
    expect(ocs.books().packages).toHaveLength(packages)
    expect(ocs.faults()).toEqual([])
    expect(await run((api) => api.packages(iccid))).toHaveLength(packages)
  })
})

it("runs as a process, and is controlled over HTTP", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ocs-"))
  const main = fileURLToPath(new URL("../fakes/ocs/main.mjs", import.meta.url))
  const child = spawn(process.execPath, [main, "--port", "0", "--token-file", join(folder, "token")])
  const url = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.once("exit", () => reject(new Error(text)))
    child.stderr.on("data", (part) => {
      text += part
    })
    child.stdout.on("data", (part) => {
      text += part
      const [, found] = /listens at (\S+)/.exec(text) ?? []
      if (found !== undefined && text.includes("Controls")) resolve(found)
    })
  })
  const token = readFileSync(join(folder, "token"), "utf8").trim()
  expect(await ask({ getSingleSubscriber: { iccid } }, `${url}?token=${token}`)).toBe(0)
  const control = (name: string, body: unknown) =>
    fetch(new URL(`/control/${name}`, url), { method: "POST", body: JSON.stringify(body) })
  expect(await (await control("addSubscribers", { count: 1 })).json()).toEqual([Fake.iccidOf(21)])
  expect((await control("setFaults", [{ fault: "nothing" }])).status).toBe(500)
  expect((await control("useData", { iccid: "1" })).status).toBe(400)
  child.removeAllListeners("exit")
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  expect(await ended).toBe(0)
  rmSync(folder, { recursive: true })
})
