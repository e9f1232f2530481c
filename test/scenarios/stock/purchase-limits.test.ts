/**
 * How many eSIMs are bought of a supplier before they are sold (rule I16), over all processes.
 */
import { Effect, Layer, ManagedRuntime, Result } from "effect"
import { Organizations, Plans, Problems, Services, Settings, Sims, Subscriptions } from "simplan"
import { Clocks, PurchaseLimits, TelcoPurchases } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Shop from "../../setup/Shop.ts"
import * as Calls from "../Calls.ts"
import * as Ports from "../Ports.ts"
import { make } from "../World.ts"

const LIMIT = 3

const held = (limits: Partial<PurchaseLimits.Limits>) =>
  Layer.succeed(TelcoPurchases.TelcoPurchases, {
    limits: ({ load }) => Effect.succeed({ ...PurchaseLimits.none, ...(load === "1 GB" ? limits : {}) })
  })

const bundled = (organizationId: string, planId: string, load: string) => {
  const bundle = { load, topUpLoad: null, limit: null }
  return Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle }))
}

const sold = TelcoSimulator.TelcoSimulator.use((of) => of.sales)

const open = async (limits: Partial<PurchaseLimits.Limits>) => {
  const world = await make({ telcoTimeoutMillis: 10_000 }, {}, held(limits))
  const planId = await world.createPlan()
  await world.run(bundled(world.organizationId, planId, "1 GB"))
  const create = () => Calls.create(world, { planId })
  const tags = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, create))).map((one) =>
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

it("I16: of 20 creations at once in two processes on PostgreSQL, no more than the limit are bought", async () => {
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
    const beside = Layer.mergeAll(ports, storage, held({ unsold: LIMIT }))
    const services = ManagedRuntime.make(Services.layer.pipe(Layer.provideMerge(beside), Layer.provide(limits)))
    onTestFinished(() => services.dispose())
    return services
  }
  const processes = [process(), process()] as const
  const { organizationId, planId } = await processes[0].runPromise(
    Effect.gen(function* () {
      const { organizationId } = yield* Organizations.Organizations.use((of) => of.create({ name: "Traveller Ltd" }))
      const { planId } = yield* Shop.createPlan(organizationId, {})
      yield* bundled(organizationId, planId, "1 GB")
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
