/**
 * What the API is told of a notification that a telco's adapter does not take, and of whose SIMs
 * each telco may notify.
 */
import { Effect } from "effect"
import { Reports, Sims, Subscriptions } from "simplan"
import { Clocks, type TelcoReport } from "simplan/ports"
import { expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Routes } from "../../adapters/telco-routes/index.ts"
import * as World from "./World.ts"

const smdp = { kind: "es2plus", url: "http://127.0.0.1:9/gsma", notifications: { secret: { env: "SECRET" } } }
const telcos = { smdp, sandbox: { kind: "simulator" } }
const settings = World.settings(telcos, [{ packages: "sandbox", profiles: "smdp" }], { SECRET: "secret-of-the-smdp" })

it("W1: a body that is no notification of an SM-DP+ is refused as a wrong field is", async () => {
  const { run } = await World.start(settings)
  const take = (body: unknown) =>
    run(
      Effect.gen(function* () {
        const { telcos } = yield* Routes.Routes
        const { notifications } = telcos.get("smdp") ?? expect.fail("there is an SM-DP+")
        return yield* Effect.result((notifications ?? expect.fail("it notifies")).take(body))
      })
    )
  const refused = { _tag: "Failure", failure: { _tag: "InvalidField", field: "body" } }
  expect(await take({})).toMatchObject(refused)
  expect(await take(null)).toMatchObject(refused)
  const done = {
    iccid: World.iccid(),
    timestamp: "2026-01-01T00:00:00Z",
    notificationPointId: 3,
    notificationPointStatus: { status: "Executed-Success" }
  }
  expect(await take(done)).toMatchObject({ _tag: "Success", success: { status: 204, body: null } })
})

/** Notifications that a profile is enabled, as each kind of telco sends them. */
const enabled = {
  es2plus: (iccid: string) => ({
    // Whatever it calls itself: the secret alone says who it is.
    header: { functionRequesterIdentifier: "theirs", functionCallIdentifier: "1" },
    iccid: `${iccid}F`,
    timestamp: "2026-01-01T00:00:00Z",
    notificationPointId: 4,
    notificationPointStatus: { status: "Executed-Success" }
  }),
  ocs: (iccid: string) => ({ iccid, status: "Enable" })
}

it.each(["es2plus", "ocs"] as const)("%s: a telco notifies of no SIM that is routed to another one", async (kind) => {
  const ofKind = {
    es2plus: { kind, url: "http://127.0.0.1:9/gsma" },
    ocs: {
      kind,
      url: "http://127.0.0.1:9/api/v1",
      token: { env: "SECRET" },
      reseller_id: 1,
      zones: { Green: { EUROPE: 1 }, Red: { EUROPE: 1 } }
    }
  }[kind]
  const of = (secret: string) => ({ ...ofKind, notifications: { secret: { env: secret } } })
  const packages = (name: string) => (kind === "ocs" ? name : "sandbox")
  const world = await World.start(
    World.settings(
      { mine: of("SECRET"), theirs: of("OTHER"), sandbox: { kind: "simulator" } },
      [
        { label: "Green", packages: packages("mine"), profiles: kind === "ocs" ? "sandbox" : "mine" },
        { packages: packages("theirs"), profiles: kind === "ocs" ? "sandbox" : "theirs" }
      ],
      { SECRET: "secret-of-one-telco", OTHER: "secret-of-the-other" }
    )
  )
  const states = await world.run(
    Effect.gen(function* () {
      const { organizationId } = yield* World.organization
      const [green = ""] = yield* World.sims(organizationId, "Green", 1)
      const [red = ""] = yield* World.sims(organizationId, "Red", 1)
      const { telcos } = yield* Routes.Routes
      const take = (name: string, iccid: string) =>
        telcos.get(name)?.notifications?.take(enabled[kind](iccid)) ?? expect.fail(`${name} notifies`)
      const state = (iccid: string) =>
        Effect.map(
          Sims.Sims.use((of) => of.smdpInfo({ organizationId, iccid })),
          ({ current }) => current?.state ?? null
        )
      // The same answer as for a SIM that nobody has.
      const unknown = World.iccid()
      const about = (answer: { readonly body: unknown }, iccid: string) =>
        JSON.stringify(answer).replaceAll(iccid, "the SIM")
      const refused = about(yield* take("mine", unknown), unknown)
      expect(about(yield* take("mine", red), red)).toBe(refused)
      expect(about(yield* take("theirs", green), green)).toBe(refused)
      const foreign = yield* Effect.all([state(green), state(red)])
      yield* take("mine", green)
      yield* take("theirs", red)
      return [foreign, yield* Effect.all([state(green), state(red)])]
    })
  )
  const own = kind === "ocs" ? "Enable" : "BPP Installation"
  expect(states).toEqual([
    [null, null],
    [own, own]
  ])
})

it("a charging system notifies of no package that another one has made", async () => {
  const ocs = { kind: "ocs", url: "http://127.0.0.1:9/api/v1", token: { env: "SECRET" }, reseller_id: 1, zones: {} }
  const of = (secret: string) => ({ ...ocs, notifications: { secret: { env: secret } } })
  const secrets = { SECRET: "secret-of-one-telco", OTHER: "secret-of-the-other" }
  const routes = [{ label: "Green", packages: "mine" }, { packages: "theirs" }]
  const world = await World.start(World.settings({ mine: of("SECRET"), theirs: of("OTHER") }, routes, secrets))
  await world.run(
    Effect.gen(function* () {
      const { organizationId } = yield* World.organization
      const [iccid = ""] = yield* World.sims(organizationId, "Green", 1)
      const journal = yield* Journal.Journal
      const place = { telco: "mine", kind: "package", key: "attachment:0" }
      yield* journal.add({ ...place, iccid, externalId: "71", document: {}, dueAt: null })
      expect(yield* journal.ofExternalId({ ...place, externalId: "71" })).not.toBe(null)
      const { telcos } = yield* Routes.Routes
      const { notifications } = telcos.get("theirs") ?? expect.fail("there are others")
      for (const subscriberPackageId of [71, 72]) {
        const units = { unitsBefore: 0, unitsAfter: 5, totalUnits: 10, usageType: "DATA", subscriberId: 1 }
        const body = { subscriberPrepaidPackage: { ...units, subscriberPackageId } }
        const msg = `simplan has no package ${subscriberPackageId}`
        expect(yield* (notifications ?? expect.fail("they notify")).take(body)).toMatchObject({
          body: { result: { code: 2, msg } }
        })
      }
    })
  )
})

/** Two bridges with tokens of their own, and their SIMs. */
const bridges = (changes: { readonly theirs?: object } = {}, routes?: ReadonlyArray<unknown>) => {
  const bridge = { kind: "http", url: "http://127.0.0.1:9", key: { env: "KEY" } }
  return World.settings(
    {
      mine: { ...bridge, reports: { token: { env: "MINE" } } },
      theirs: { ...bridge, reports: { token: { env: "THEIRS" } }, ...changes.theirs },
      sandbox: { kind: "simulator" }
    },
    routes ?? [
      { label: "Green", packages: "mine" },
      { label: "Blue", packages: "sandbox", profiles: "mine" },
      { packages: "theirs" }
    ],
    { KEY: "key-of-the-bridges", MINE: "token-of-one-bridge", THEIRS: "token-of-the-other" }
  )
}

const location: TelcoReport.Fact = { _tag: "Location", countryAlpha2: "SE", operator: "Telia", rat: "5G", imei: "1" }
const installed: TelcoReport.Fact = { _tag: "SmdpState", state: "Enable", modificationResult: "Success" }
const usage = (packageId: string | null): TelcoReport.Fact => ({
  _tag: "Usage",
  packageId,
  usage: { _tag: "Total", bytes: 5 },
  countryAlpha2: null
})

let reportSerial = 0

/** The verdicts on these facts, as the telco reports them of a SIM. */
const reported = Effect.fnUntraced(function* (telco: string, iccid: string, ...facts: ReadonlyArray<TelcoReport.Fact>) {
  const { telcos } = yield* Routes.Routes
  const occurredAt = yield* Clocks.BusinessClock.use(({ now }) => now)
  const reports = facts.map((fact) => ({ reportId: `r${++reportSerial}`, iccid, occurredAt, fact }))
  const mayReport = telcos.get(telco)?.reports?.mayReport ?? expect.fail(`${telco} reports`)
  const verdicts = yield* Reports.Reports.use((of) => of.take({ reports, mayReport }))
  return verdicts.map((verdict) => (verdict._tag === "Rejected" ? verdict.message : verdict._tag))
})

const UNKNOWN = "the iccid is not known"

it("R1: a bridge reports of no SIM that is routed to another one", async () => {
  const world = await World.start(bridges())
  await world.run(
    Effect.gen(function* () {
      const { organizationId } = yield* World.organization
      const [green = ""] = yield* World.sims(organizationId, "Green", 1)
      const [blue = ""] = yield* World.sims(organizationId, "Blue", 1)
      const [red = ""] = yield* World.sims(organizationId, "Red", 1)
      const foreign = [UNKNOWN, UNKNOWN, UNKNOWN]
      const facts = [location, installed, usage(null)]
      expect(yield* reported("mine", World.iccid(), ...facts)).toEqual(foreign)
      expect(yield* reported("mine", red, ...facts)).toEqual(foreign)
      expect(yield* reported("theirs", green, ...facts)).toEqual(foreign)
      expect(yield* reported("theirs", blue, ...facts)).toEqual(foreign)
      // Of whose profiles alone it has, it reports no use.
      expect(yield* reported("mine", `${blue}F`, ...facts)).toEqual(["Accepted", "Accepted", UNKNOWN])
      expect(
        (yield* reported("mine", green, location, installed)).concat(yield* reported("theirs", red, location))
      ).toEqual(["Accepted", "Accepted", "Accepted"])
    })
  )
})

it("R1: a bridge reports the use of a package that it has, also when its SIM is routed to another one by now", async () => {
  const kept = World.durable()
  const first = await World.start(World.settings({ mine: { kind: "simulator" } }, [{ packages: "mine" }]), { kept })
  const sold = await first.run(
    Effect.gen(function* () {
      const { organizationId } = yield* World.organization
      const [iccid = ""] = yield* World.sims(organizationId, "Green", 1)
      const { planId } = yield* World.plan(organizationId, "Green")
      const created = yield* Subscriptions.Subscriptions.use((of) =>
        of.create({ organizationId, planId, iccid, metadata: "", activePeriod: null })
      )
      return { iccid, packageId: `${created.attachmentId}:0` }
    })
  )
  await first.close()
  const world = await World.start(bridges({}, [{ packages: "theirs" }]), { kept })
  await world.run(
    Effect.gen(function* () {
      const { iccid, packageId } = sold
      expect(yield* reported("mine", iccid, usage(packageId), usage(null))).toEqual(["Accepted", "Accepted"])
      expect(yield* reported("mine", iccid, location, installed)).toEqual([UNKNOWN, UNKNOWN])
      expect(yield* reported("theirs", iccid, usage(packageId.toUpperCase()), location)).toEqual([
        "Accepted",
        "Accepted"
      ])
    })
  )
})
