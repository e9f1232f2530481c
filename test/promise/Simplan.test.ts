import { RequestContext, Time } from "simplan"
import { BusinessClock, Jobs, type Plan, Storage, Telco } from "simplan/ports"
import * as Memory from "simplan/memory"
import { type PromisedTelco, Simplan } from "simplan/promise"
import { TelcoSimulator } from "simplan/telco-simulator"
import * as VirtualClock from "simplan/virtual-clock"
import { Effect, Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { promised } from "../../adapters/promise/Promised.ts"

const start = Date.UTC(2026, 0, 31, 12)

let simplan: Simplan.Simplan

const open = async (options: Partial<Simplan.Options> = {}): Promise<string> => {
  simplan = await Simplan.make({
    storage: Memory.layer,
    telco: TelcoSimulator.layerMemory(),
    clock: VirtualClock.virtual(start),
    ...options
  })
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  return organizationId
}

afterEach(() => simplan.close())

const eu = async (organizationId: string): Promise<string> => {
  for await (const profile of simplan.coverage.list({ organizationId, regionCode: "EUROPE", label: "Green" })) {
    return profile.coverageId
  }
  throw new Error("There is no profile for Europe")
}

const terms = async (organizationId: string): Promise<Plan.TermsRequest> => ({
  coverageId: await eu(organizationId),
  name: "Europe 1 GB",
  dataMegaBytes: 1024,
  periodDays: 30,
  throttling: [],
  recurrence: null
})

async function* rows() {
  for (let index = 0; index < 3; index++) {
    await Promise.resolve()
    yield { iccid: `89999000000000100${index}0`, label: "Green", isEsim: true, lpa: `LPA:1$smdp.example.com$${index}` }
  }
}

describe("simplan with Promises", () => {
  it("puts a SIM into service and follows its use", async () => {
    const organizationId = await open()
    expect(await simplan.sims.importRows({ organizationId, rows: rows() })).toMatchObject({ imported: 3, errors: [] })
    const plan = await simplan.plans.create({ organizationId, terms: await terms(organizationId) })
    const created = await simplan.subscriptions.create({
      organizationId,
      planId: plan.planId,
      metadata: "first",
      iccid: null,
      activePeriod: null
    })
    const { iccid } = created.sim
    await simplan.clock.advanceBy(Time.HOUR)
    const verdicts = await simplan.reports.take({
      reports: [
        {
          reportId: "r1",
          iccid,
          occurredAt: start + Time.HOUR,
          fact: { _tag: "Usage", packageId: null, usage: { _tag: "Total", bytes: 5 } }
        }
      ]
    })
    expect(verdicts).toEqual([{ _tag: "Accepted" }])
    expect(await simplan.attachments.list({ organizationId, iccid })).toMatchObject([{ state: "ACTIVE" }])
    const seen: Array<string> = []
    for await (const { subscription } of simplan.subscriptions.list({ organizationId }))
      seen.push(subscription.metadata)
    expect(seen).toEqual(["first"])
    expect(await simplan.clock.read()).toEqual({ now: start + Time.HOUR, virtual: true })
  })

  it("rejects with the refusal", async () => {
    const organizationId = await open()
    await expect(simplan.plans.get({ organizationId, planId: "none" })).rejects.toMatchObject({
      _tag: "NotFound",
      resource: "plan",
      id: "none"
    })
  })

  it("takes an import from an array, and fails it with what its source throws", async () => {
    const organizationId = await open()
    const row = { iccid: "8999900000000010000", label: "Green", isEsim: false }
    expect(await simplan.sims.importRows({ organizationId, rows: [row, row] })).toMatchObject({
      imported: 1,
      duplicates: 1
    })
    async function* torn() {
      yield row
      throw new Error("torn")
    }
    await expect(simplan.sims.importRows({ organizationId, rows: torn() })).rejects.toThrow("torn")
  })

  it("says why it cannot start", async () => {
    await open()
    const broken = Layer.effect(Storage.Storage, Effect.fail(new Storage.StorageError({ message: "It is full" })))
    const storage = Layer.merge(Memory.layer, broken)
    await expect(Simplan.make({ storage, telco: TelcoSimulator.layerMemory() })).rejects.toMatchObject({
      _tag: "StorageError",
      message: "It is full"
    })
  })

  it("goes by the machine's clock unless told otherwise, and that cannot be advanced", async () => {
    await open({ clock: Layer.succeed(BusinessClock.BusinessClock, { now: Effect.succeed(start), set: null }) })
    await expect(simplan.clock.advanceBy(1)).rejects.toMatchObject({ _tag: "ClockRefused", reason: "system clock" })
  })

  it("takes over at once what a killed process held, where it is alone", async () => {
    let released = 0
    const release = Effect.sync(() => {
      released += 1
    })
    const held = Layer.effect(
      Jobs.Jobs,
      Effect.map(Jobs.Jobs, (jobs) => ({ ...jobs, release: () => release }))
    )
    const storage = Layer.provideMerge(held, Memory.layer)
    await open({ storage, alone: true })
    expect(released).toBe(1)
    await simplan.close()
    await open({ storage })
    expect(released).toBe(1)
  })

  it("makes a call for a request of the host (rule W11)", async () => {
    await open()
    const request = { requestId: "mine", address: "192.0.2.1" }
    const { current } = promised({ current: Effect.flatMap(RequestContext.Current, Effect.succeed) })
    expect(await current({ request })).toEqual(request)
    expect(await current()).toEqual({ requestId: null, address: null })
  })

  it("closes once, whoever asks how often", async () => {
    await open()
    await Promise.all([simplan.close(), simplan.close(), simplan[Symbol.asyncDispose]()])
  })
})

describe("a telco written with Promises", () => {
  const sent: Array<string> = []
  const telco: PromisedTelco = {
    createPackage: async ({ packageId, terms }) => {
      if (terms.name === "refused") throw new Telco.Refused({ message: "No such product" })
      if (terms.name === "unreachable") throw new Error("ECONNRESET")
      return { telcoPackageId: `t-${packageId}`, activationAt: null, expirationAt: null }
    },
    suspendPackage: async () => {},
    cancelPackage: async () => {},
    sendSms: async ({ text }) => {
      sent.push(text)
    },
    releaseProfile: async () => {},
    setMobilePlan: async () => {}
  }

  const subscribe = async (name: string) => {
    const organizationId = await open({ telco })
    await simplan.sims.importRows({ organizationId, rows: rows() })
    const plan = await simplan.plans.create({ organizationId, terms: { ...(await terms(organizationId)), name } })
    const request = { organizationId, planId: plan.planId, metadata: "", iccid: null, activePeriod: null }
    return { organizationId, created: simplan.subscriptions.create(request) }
  }

  it("is asked for packages and messages", async () => {
    const { created, organizationId } = await subscribe("fine")
    const { iccid } = (await created).sim
    await simplan.messages.send({ organizationId, iccid, from: "Acme", text: "Hello" })
    expect(sent).toEqual(["Hello"])
  })

  it("refuses with `Telco.Refused`", async () => {
    const { created } = await subscribe("refused")
    await expect(created).rejects.toMatchObject({ _tag: "TelcoRefused", message: "No such product" })
  })

  it("counts as out of reach where it throws anything else", async () => {
    const { created } = await subscribe("unreachable")
    await expect(created).rejects.toMatchObject({ _tag: "TelcoUnavailable" })
  })
})
