/**
 * Telcos of a settings file in a host of Promises: their background work, their share in `drain`,
 * and their notifications.
 */
import { Effect, Layer } from "effect"
import { Settings } from "simplan"
import { createSimplan, type Options, type Simplan } from "simplan/promise"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Routed from "../../adapters/promise/ports/Routed.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Routes } from "../../adapters/telco-routes/index.ts"
import { Books, TelcoSimulator } from "../../adapters/telco-simulator/index.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as Telcos from "../telco-routes/World.ts"
import { plan } from "./World.ts"

const open = (telco: Options["telco"], options: Partial<Options> = {}): Simplan => {
  const simplan = createSimplan({ database: "memory", telco, logger: false, ...options })
  onTestFinished(simplan.close)
  return simplan
}

/** A telco that writes down when its background work begins and ends, and each share of it. */
const watched = () => {
  const seen: Array<string> = []
  const note = (what: string) => Effect.sync(() => void seen.push(what))
  const routes = Layer.succeed(Routes.Routes, {
    telcos: new Map(),
    background: Effect.ensuring(Effect.andThen(note("begins"), Effect.never), note("ends")),
    drain: note("share"),
    leastTimeoutMillis: 15_000,
    replace: () => Effect.void
  })
  return { seen, telco: Layer.merge(routes, TelcoSimulator.layerMemory()) }
}

describe("the background of routed telcos", () => {
  it("runs where the worker runs, until the service closes", async () => {
    const { seen, telco } = watched()
    const simplan = open(telco)
    await simplan.ready()
    await expect.poll(() => seen).toEqual(["begins"])
    await simplan.close()
    expect(seen).toEqual(["begins", "ends"])
  })

  it("does not run without a worker, and has a share in each drain", async () => {
    const { seen, telco } = watched()
    const simplan = open(telco, { worker: false })
    await simplan.ready()
    expect(await simplan.drain()).toMatchObject({ finished: true })
    expect(await simplan.drain()).toMatchObject({ finished: true })
    await simplan.close()
    expect(seen).toEqual(["share", "share"])
  })
})

describe("a call of routed telcos", () => {
  const timeout = Effect.map(Settings.Settings, ({ telcoTimeoutMillis }) => telcoTimeoutMillis)

  it("has the time that they may take, and without them that of all telcos", async () => {
    const { telco } = watched()
    expect(await Effect.runPromise(Effect.provide(timeout, Layer.provide(Routed.limits(), telco)))).toBe(15_000)
    expect(await Effect.runPromise(Effect.provide(timeout, Routed.limits()))).toBe(10_000)
    expect(await Effect.runPromise(Effect.provide(timeout, Routed.limits(25_000)))).toBe(25_000)
  })
})

const MEGABYTE = 1_048_576
const TOKEN = "token-of-the-charging-system"
const SECRET = "secret-of-its-notifications"
const iccid = Fake.iccidOf(1)

/** A charging system, and a service over it with a subscription of 100 MB. */
const subscribed = async (options: Partial<Options> = {}) => {
  const ocs = await Fake.start({ token: TOKEN, subscribers: 1 })
  onTestFinished(() => ocs.close())
  const settings = Telcos.settings(
    {
      ocs: {
        kind: "ocs",
        url: ocs.url,
        url_v2: ocs.urlV2,
        token: { env: "TOKEN" },
        reseller_id: 1,
        zones: { Green: { EUROPE: 28 } },
        notifications: { secret: { env: "SECRET" } },
        poll: { fastest: "1s" }
      }
    },
    [{ packages: "ocs" }],
    { TOKEN, SECRET }
  )
  const simplan = open(Layer.provide(Routes.layer(settings), [Journal.layerMemory, Books.layerMemory]), options)
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  await simplan.sims.import({
    organizationId,
    rows: [{ iccid, label: "Green", isEsim: true, lpa: "LPA:1$smdp.example$1" }]
  })
  const { planId } = await plan(simplan, organizationId)
  const { attachmentId } = await simplan.subscriptions.create({ organizationId, planId, iccid })
  const usedBytes = async () => (await simplan.attachments.get({ organizationId, iccid, id: attachmentId })).usedBytes
  return { ocs, simplan, usedBytes }
}

describe("a charging system among routed telcos", () => {
  it("is polled in the background", async () => {
    const { ocs, usedBytes } = await subscribed()
    await ocs.useData({ iccid, bytes: 60 * MEGABYTE })
    await expect.poll(usedBytes, { timeout: 20_000 }).toBe(60 * MEGABYTE)
  })

  it("is compared with all SIMs when the host asks for it, and says how far it is", async () => {
    const { simplan } = await subscribed()
    const never = { telco: "ocs", requestedAt: null, compared: 0, unanswered: 0, doneAt: null }
    expect(await simplan.telcos.comparisons()).toEqual([never])
    const request = { idempotencyKey: "after the restore", request: { actor: "user 7" } }
    const [begun] = await simplan.telcos.compare(request)
    expect(begun).toMatchObject({ telco: "ocs", requestedAt: expect.any(Date) })
    const ended = async () => (await simplan.telcos.comparisons()).map(({ compared, doneAt }) => [compared, doneAt])
    await expect.poll(ended, { timeout: 20_000 }).toEqual([[1, expect.any(Date)]])
    // The same request again begins none.
    expect(await simplan.telcos.compare(request)).toEqual([begun])
    expect(await ended()).toEqual([[1, expect.any(Date)]])
    const [again] = await simplan.telcos.compare()
    expect(again?.requestedAt?.getTime()).toBeGreaterThan(begun?.requestedAt?.getTime() ?? Number.NaN)
    const entries = await simplan.auditLog.list({ organizationId: null, action: "telco.compare" }).toArray()
    expect(entries.map(({ actor, resourceId }) => [actor, resourceId])).toEqual([
      ["host", "ocs"],
      ["user 7", "ocs"]
    ])
  })

  it("is the only one that is compared: of other telcos there is nothing", async () => {
    const simplan = open("simulator")
    expect([await simplan.telcos.comparisons(), await simplan.telcos.compare()]).toEqual([[], []])
    await expect(simplan.telcos.zones({ telco: "ocs" })).rejects.toMatchObject({ code: "telco_not_found" })
  })

  it("has the zones that the host sets for regions, each with an audit entry (P4, W11)", async () => {
    const { simplan } = await subscribed()
    const { organizationId } = await simplan.organizations.create({ name: "Acme" })
    const region = { organizationId, regionName: "Alps", label: "Green", iso2List: ["FR", "CH"] } as const
    const { coverageId } = await simplan.coverage.createRegion(region)
    const zone = { telco: "ocs", label: "Green", coverageId, zoneId: 27 } as const
    const set = { label: "Green", coverageId, zoneId: 27 }
    expect(await simplan.telcos.setZone(zone, { idempotencyKey: "1", request: { actor: "user 7" } })).toEqual(set)
    expect(await simplan.telcos.setZone(zone, { idempotencyKey: "1" })).toEqual(set)
    expect(await simplan.telcos.zones({ telco: "ocs" })).toEqual([set])
    const entries = await simplan.auditLog.list({ organizationId, action: "coverage_profile.set_zone" }).toArray()
    expect(entries).toMatchObject([{ actor: "user 7", resourceType: "coverage_profile", resourceId: coverageId }])
    const refused = async (changes: object) =>
      simplan.telcos.setZone({ ...zone, ...changes }).catch(({ code, message }) => [code, message])
    expect(await refused({ label: "Blue" })).toEqual([
      "invalid_field",
      "telcos.setZone: label must be that of the coverage profile, Green, not 'Blue'"
    ])
    expect(await refused({ telco: "none" })).toEqual(["telco_not_found", expect.stringContaining("none")])
    expect(await refused({ zoneId: 0 })).toMatchObject(["invalid_field", expect.stringContaining("zoneId")])
  })

  it("is polled by drain where no worker runs", async () => {
    const { ocs, simplan, usedBytes } = await subscribed({ worker: false })
    await ocs.useData({ iccid, bytes: 60 * MEGABYTE })
    expect(await usedBytes()).toBe(0)
    const drained = async () => {
      await simplan.drain({ within: "10 seconds" })
      return usedBytes()
    }
    await expect.poll(drained, { timeout: 20_000 }).toBe(60 * MEGABYTE)
  })

  it("reports by its notifications, where the host mounts them", async () => {
    const http = { prefix: "/esim", groups: ["telco"], telcoToken: "a-token-of-the-tests" } as const
    const { ocs, simplan, usedBytes } = await subscribed({ worker: false, http })
    await ocs.useData({ iccid, bytes: 60 * MEGABYTE })
    const [{ id: subscriberPackageId, subscriberId } = { id: 0, subscriberId: 0 }] = ocs.books().packages
    const units = { unitsBefore: 0, unitsAfter: 60 * MEGABYTE, totalUnits: 1_024 * MEGABYTE, usageType: "DATA" }
    const notify = async (secret: string) => {
      const url = `https://host/esim/telco/ocs/ocs/notifications/${secret}`
      const body = JSON.stringify({ subscriberPrepaidPackage: { ...units, subscriberPackageId, subscriberId } })
      const answer = await simplan.handler(new Request(url, { method: "POST", body }))
      return { status: answer.status, body: await answer.json() }
    }
    expect(await notify("another-secret")).toMatchObject({ status: 404 })
    expect(await usedBytes()).toBe(0)
    expect(await notify(SECRET)).toMatchObject({ status: 200, body: { result: { code: 0 } } })
    expect(await usedBytes()).toBe(60 * MEGABYTE)
  })
})
