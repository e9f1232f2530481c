/**
 * How many eSIMs are bought of a supplier before they are sold (rule I16), over all processes.
 */
import { Effect, Layer, ManagedRuntime, Result } from "effect"
import { Attachments, Organizations, Plans, Problems, Services, Settings, Sims, Subscriptions } from "simplan"
import { Clocks, PurchaseLimits, Storage, TelcoPurchases } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Shop from "../../setup/Shop.ts"
import * as Calls from "../Calls.ts"
import * as Ports from "../Ports.ts"
import { make, START } from "../World.ts"

const LIMIT = 3

const held = (limits: Partial<PurchaseLimits.Limits>, of = "1 GB") =>
  Layer.succeed(TelcoPurchases.TelcoPurchases, {
    limits: ({ load }) => Effect.succeed({ ...PurchaseLimits.none, ...(load === of ? limits : {}) })
  })

/** A bundle of the simulator, which costs 1.80 USD. */
const PRICED = "sim_1GB_7D_FR"

/** One that costs 8.90 USD, and 8.40 USD as a top-up. */
const EUROPE = "sim_5GB_30D_EU"

const usd = (units: number) => ({ units, scale: 2, currency: "USD" })

const bundled = (organizationId: string, planId: string, load: string) => {
  const bundle = { load, topUpLoad: null, limit: null }
  return Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle }))
}

const sold = TelcoSimulator.TelcoSimulator.use((of) => of.sales)

const open = async (limits: Partial<PurchaseLimits.Limits>, load = "1 GB") => {
  const world = await make({ telcoTimeoutMillis: 10_000 }, {}, held(limits, load))
  const planId = await world.createPlan()
  await world.run(bundled(world.organizationId, planId, load))
  const create = (iccid: string | null = null) => Calls.create(world, { planId, ...(iccid !== null && { iccid }) })
  const tags = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => create()))).map((one) =>
      Result.isSuccess(one) ? "created" : one.failure._tag
    )
  const stock = async () => {
    const { organizationId } = world
    const of = { organizationId, label: null, limit: 100, after: null }
    return (await world.run(Sims.Sims.use((sims) => sims.page(of)))).items
  }
  return { ...world, planId, create, tags, stock, sold: () => world.run(sold) }
}

describe("I16: at the limit of unsold eSIMs of a load", () => {
  it("of many creations at once as many buy as may, and the others are 503", async () => {
    const world = await open({ unsold: LIMIT })
    const tags = await world.tags(20)
    const created = tags.filter((tag) => tag === "created")
    expect(tags.filter((tag) => tag === "EsimsIssuing")).toHaveLength(20 - created.length)
    expect(await world.sold()).toHaveLength(created.length)
    expect(created.length).toBeGreaterThanOrEqual(LIMIT)
  })

  it("none is bought beyond it while the supplier does not answer, nor when it does", async () => {
    const world = await open({ unsold: LIMIT })
    await world.setFaults([{ fault: "answer lost", on: "buySim" }])
    for (let time = 0; time < 3; time++) expect(new Set(await world.tags(20))).toEqual(new Set(["EsimsIssuing"]))
    expect(await world.sold()).toHaveLength(LIMIT)
    await world.setFaults([])
    await world.advanceBy(3_600_000)
    await world.settle()
    expect((await world.stock()).filter(({ allocation }) => allocation._tag === "Free")).toHaveLength(LIMIT)
    expect(await world.tags(LIMIT)).toEqual(["created", "created", "created"])
    expect(await world.sold()).toHaveLength(LIMIT)
  })

  it("another load, and a plan of another organization, are bought all the same", async () => {
    const world = await open({ unsold: 1 })
    await world.setFaults([{ fault: "answer lost", on: "buySim" }])
    expect(await world.tags(2)).toEqual(["EsimsIssuing", "EsimsIssuing"])
    expect(await world.sold()).toHaveLength(1)
    await world.setFaults([])
    await world.run(bundled(world.organizationId, world.planId, "2 GB"))
    expect(await world.tags(2)).toEqual(["created", "created"])
  })

  it.each([1, 2, 3, 4, 5].flatMap((at) => [[at, "before"] as const, [at, "after"] as const]))(
    "a process that dies at commit %i, %s it, leaves no purchase beyond it and no SIM that was paid for",
    async (at, when) => {
      const world = await open({ unsold: 1 })
      await world.crashAt(at, when)(() => world.create().then(() => new Promise(() => {})))
      await world.restart()
      const purchases = await world.tags(2)
      expect(purchases.length).toBe(2)
      await world.advanceBy(3_600_000)
      await world.settle()
      const iccids = (await world.stock()).map(({ iccid }) => iccid).toSorted()
      expect([...(await world.sold())].toSorted()).toEqual(iccids)
      expect((await world.stock()).filter(({ allocation }) => allocation._tag === "Free").length).toBeLessThanOrEqual(1)
    }
  )
})

describe("I16: at the limit of what a day costs", () => {
  const DAY = 86_400_000

  it("of many creations at once as many buy as may, also while the supplier does not answer, until the day ends", async () => {
    const world = await open({ spendingPerDay: usd(3 * 180) }, PRICED)
    await world.setFaults([{ fault: "answer lost", on: "buySim" }])
    for (let time = 0; time < 3; time++) expect(new Set(await world.tags(20))).toEqual(new Set(["EsimsIssuing"]))
    expect(await world.sold()).toHaveLength(3)
    await world.setFaults([])
    await world.advanceBy(3_600_000)
    await world.settle()
    expect(await world.tags(3)).toEqual(["created", "created", "created"])
    const retryAfterSeconds = (Math.floor(START / DAY) + 1) * (DAY / 1_000) - START / 1_000 - 3_600
    expect(await world.create()).toMatchObject({ failure: { _tag: "SpendingLimited", retryAfterSeconds } })
    await world.advanceBy(retryAfterSeconds * 1_000 - 1)
    expect(await world.tags(2)).toEqual(["SpendingLimited", "SpendingLimited"])
    expect(await world.sold()).toHaveLength(3)
    await world.advanceBy(1)
    expect(await world.tags(1)).toEqual(["created"])
  })

  it("top-ups of the day count; beyond it they, and previews, are refused, and what is in stock is sold", async () => {
    const world = await open({ spendingPerDay: usd(400) }, PRICED)
    const { organizationId, planId } = world
    const { sim } = Result.getOrThrow(await world.create())
    const other = Result.getOrThrow(await world.create()).sim.iccid
    const free = async () => {
      await Calls.remove(world, other)
      await world.settle()
    }
    await free()
    const topUp = (costId: string, at: number, amount: ReturnType<typeof usd>) => {
      const of = { organizationId, costId, kind: "top_up", at, telco: null, load: "top-up", label: "Green" } as const
      const whose = { iccid: sim.iccid, attachmentId: null, planId: null, occurrence: null, regionCode: null }
      return world.run(Storage.Storage.use((one) => one.commit({ ledger: { put: [{ ...of, ...whose, amount }] } })))
    }
    await world.advanceBy(DAY)
    await topUp("yesterday", START, usd(9_999))
    await topUp("euro", START + DAY, { ...usd(9_999), currency: "EUR" })
    await topUp("today", START + DAY, usd(221))
    const preview = (iccid: string | null) =>
      Subscriptions.Subscriptions.use((of) =>
        of.previewCreate({ organizationId, planId, metadata: "", iccid, activePeriod: null })
      )
    const isLimited = { _tag: "SpendingLimited", retryAfterSeconds: DAY / 1_000 - (START % DAY) / 1_000 }
    expect(await world.tags(2)).toEqual(["created", "SpendingLimited"])
    const attachments = Attachments.Attachments.use((of) => of.list({ organizationId, iccid: sim.iccid }))
    for (const iccid of [null, sim.iccid]) {
      expect(await world.run(Effect.flip(preview(iccid)))).toMatchObject(isLimited)
      expect(await world.create(iccid)).toMatchObject({ failure: isLimited })
    }
    expect(await world.run(attachments)).toHaveLength(1)
    expect(await world.sold()).toHaveLength(2)
    await world.advanceBy(DAY)
    expect(await world.run(preview(null))).toMatchObject({ purchase: { load: PRICED } })
    expect(await world.create(sim.iccid)).toMatchObject({ success: {} })
    expect(await world.run(attachments)).toHaveLength(2)
    expect(await world.tags(2)).toEqual(["created", "created"])
    expect(await world.create(sim.iccid)).toMatchObject({ failure: { _tag: "SpendingLimited" } })
  })

  it("a top-up costs what its own bundle does, and one on a free SIM of another load is one", async () => {
    const world = await open({ spendingPerDay: usd(1_500) }, EUROPE)
    const { organizationId, planId } = world
    const bundle = { load: EUROPE, topUpLoad: `${EUROPE}_TOPUP`, limit: null }
    await world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
    const { iccid } = Result.getOrThrow(await world.create()).sim
    // 890 and 840 are too much, and so are 890 and the price of an eSIM.
    expect(await world.create(iccid)).toMatchObject({ failure: { _tag: "SpendingLimited" } })
    expect(await world.tags(1)).toEqual(["SpendingLimited"])
    await world.run(bundled(organizationId, planId, PRICED))
    expect(await world.create(iccid)).toMatchObject({ success: {} })
    await Calls.remove(world, iccid)
    await world.settle()
    // It is free with a load of 890 again, and another one would cost 620.
    await world.run(bundled(organizationId, planId, "sim_5GB_30D_FR"))
    expect(await world.create(iccid)).toMatchObject({ failure: { _tag: "SpendingLimited" } })
    await world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
    expect(await world.create(iccid)).toMatchObject({ success: {} })
  })

  it("a process that has not read the catalogue yet reads it for that", async () => {
    const world = await open({ spendingPerDay: usd(180) }, PRICED)
    await world.restart()
    expect(await world.tags(1)).toEqual(["created"])
    expect(await world.tags(1)).toEqual(["SpendingLimited"])
  })

  it("nothing is bought that has no price, unless the plan says what it may cost", async () => {
    const world = await open({ spendingPerDay: usd(400) })
    const { organizationId, planId } = world
    expect(await world.tags(1)).toEqual(["SpendingLimited"])
    const bundle = { load: "1 GB", topUpLoad: null, limit: usd(300) }
    await world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
    expect(await world.tags(1)).toEqual(["created"])
  })
})

it("I16: nothing is bought that the balance does not pay for, and what is in stock is sold", async () => {
  const asked: Array<unknown> = []
  const balance = { pays: true }
  const covers: TelcoPurchases.TelcoPurchases["covers"] = (of, price) => {
    asked.push({ ...of, price })
    return Effect.succeed(balance.pays)
  }
  const limits = () => Effect.succeed(PurchaseLimits.none)
  const world = await make({}, {}, Layer.succeed(TelcoPurchases.TelcoPurchases, { limits, covers }))
  const { organizationId, run } = world
  const planId = await world.createPlan()
  await run(bundled(organizationId, planId, "sim_1GB_7D_FR"))
  const created = Result.getOrThrow(await Calls.create(world, { planId }))
  const price = { units: 180, scale: 2, currency: "USD" }
  expect(asked).toMatchObject([{ organizationId, label: "Green", load: "sim_1GB_7D_FR", price }])
  await Calls.remove(world, created.sim.iccid)
  await world.settle()
  balance.pays = false
  expect(await Calls.create(world, { planId })).toMatchObject({ success: { sim: { iccid: created.sim.iccid } } })
  expect(await Calls.create(world, { planId })).toMatchObject({ failure: { _tag: "NoBalance", load: "sim_1GB_7D_FR" } })
  const request = { organizationId, planId, metadata: "", iccid: null, activePeriod: null }
  const preview = Subscriptions.Subscriptions.use((of) => of.previewCreate(request))
  expect(await run(Effect.flip(preview))).toMatchObject({ _tag: "NoBalance" })
  expect(await run(sold)).toHaveLength(1)
  const problems = Problems.Problems.use((of) => of.page({ after: null, limit: 10 }))
  expect((await run(problems)).items).toEqual([])
  balance.pays = true
  expect(await Calls.create(world, { planId })).toMatchObject({ success: {} })
})

it.each([
  [{ unsold: LIMIT }, "1 GB"],
  [{ spendingPerDay: usd(LIMIT * 180 + 179) }, PRICED]
])("I16: of 20 creations at once in two processes on PostgreSQL, no more than %j are bought", async (most, load) => {
  const database = await Databases.create()
  onTestFinished(database.drop)
  const telco = ManagedRuntime.make(Ports.make(Clocks.system).pipe(Layer.provide(Memory.layer)))
  onTestFinished(() => telco.dispose())
  const ports = Layer.succeedContext(await telco.context())
  const limits = Layer.effect(
    Settings.Settings,
    Effect.map(Settings.Settings, (defaults) => ({ ...defaults, telcoTimeoutMillis: 3_000 }))
  )
  const process = () => {
    const storage = Layer.orDie(Layer.fresh(Postgres.layer({ url: database.url })))
    const beside = Layer.mergeAll(ports, storage, held(most, load))
    const services = ManagedRuntime.make(Services.layer.pipe(Layer.provideMerge(beside), Layer.provide(limits)))
    onTestFinished(() => services.dispose())
    return services
  }
  const processes = [process(), process()] as const
  const { organizationId, planId } = await processes[0].runPromise(
    Effect.gen(function* () {
      const { organizationId } = yield* Organizations.Organizations.use((of) => of.create({ name: "Traveller Ltd" }))
      const { planId } = yield* Shop.createPlan(organizationId, {})
      yield* bundled(organizationId, planId, load)
      return { organizationId, planId }
    })
  )
  const setFaults = TelcoSimulator.TelcoSimulator.use((of) => of.setFaults([{ fault: "answer lost", on: "buySim" }]))
  await processes[0].runPromise(setFaults)
  const create = Effect.result(Shop.subscribe({ organizationId, planId }, { iccid: null }))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => processes[index % 2 === 0 ? 0 : 1].runPromise(create))
  )
  for (const answer of answers) expect(answer).toMatchObject({ failure: { _tag: "EsimsIssuing" } })
  expect(await processes[0].runPromise(sold)).toHaveLength(LIMIT)
  const again = await Promise.all(processes.map((one) => one.runPromise(create)))
  for (const answer of again) expect(answer).toMatchObject({ failure: { _tag: "EsimsIssuing" } })
  expect(await processes[0].runPromise(sold)).toHaveLength(LIMIT)
})
