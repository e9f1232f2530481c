/**
 * What suppliers charge, in the ledger (rules C1 and C2).
 */
import { Effect, Result, Stream } from "effect"
import { Costs, Plans, Replacements, Returns, Subscriptions } from "simplan"
import { Cost, Job, Storage } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, START, type World } from "../World.ts"

let world: World
let planId: string

beforeEach(async () => {
  world = await make({ telcoTimeoutMillis: 10_000 })
  planId = await world.createPlan()
  const { organizationId } = world
  const bundle = { load: "1 GB", topUpLoad: null, limit: null }
  await world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
})

const of = (iccid: string) => ({ organizationId: world.organizationId, iccid })
const create = async (iccid?: string) =>
  Result.getOrThrow(await Calls.create(world, { planId, ...(iccid !== undefined && { iccid }) })).sim.iccid
const remove = async (iccid: string) => {
  await Calls.remove(world, iccid)
  await world.settle()
}
const sold = () => world.run(TelcoSimulator.TelcoSimulator.use((one) => one.sales))

/** The ledger: whose each sum is, and what it is of. */
const ledger = async () => {
  const { organizationId } = world
  const asked = { organizationId, from: 0, until: Number.MAX_SAFE_INTEGER, after: null, limit: 1_000 }
  const totals = await world.run(Storage.Storage.use((one) => one.ledger.totals({ ...asked, by: ["plan", "country"] })))
  return totals.map(({ cost, planId: by, purchases, refunds, regionCode, topUps }) => ({
    of: by === planId ? "the plan" : by,
    cost: Cost.decimal(cost),
    regionCode,
    counts: [purchases, topUps, refunds]
  }))
}

const FRANCE = { regionCode: "FR" }
const SOLD = { ...FRANCE, of: "the plan" }
const STOCK = { ...FRANCE, of: null }

describe("C1: an eSIM that is bought", () => {
  it("is in the ledger as charged, its load is allotted once claimed, and is the next one's after a deletion", async () => {
    const iccid = await create()
    const once = [{ ...SOLD, cost: "2.50", counts: [1, 0, 0] }]
    expect(await ledger()).toEqual(once)
    await remove(iccid)
    expect(await create()).toBe(iccid)
    expect(await ledger()).toEqual(once)
  })

  it("has cost though nobody has it, and what is credited is a row of its own", async () => {
    const iccid = await create()
    await remove(iccid)
    await world.run(Returns.Returns.use((one) => one.giveBack(of(iccid))))
    await world.settle()
    expect(await ledger()).toEqual([{ ...STOCK, cost: "0.00", counts: [1, 0, 1] }])
    await create()
    expect(await ledger()).toEqual([
      { ...STOCK, cost: "0.00", counts: [1, 0, 1] },
      { ...SOLD, cost: "2.50", counts: [1, 0, 0] }
    ])
  })

  it("is in the ledger also if it cannot come into the stock, once however often that is tried", async () => {
    const iccid = await create()
    const { organizationId } = world
    const work = { _tag: "BuySim", purchaseId: "another", label: "Green", load: "1 GB", limit: null } as const
    const job = Job.make({ jobId: "buy:another", work, dueAt: START }, { organizationId, createdAt: START })
    await world.run(TelcoSimulator.TelcoSimulator.use((one) => one.sell({ purchaseId: "another", iccid })))
    await world.run(Storage.Storage.use((one) => one.commit({ jobs: { put: [{ job, lease: null }] } })))
    await world.settle()
    expect(await ledger()).toEqual([
      { ...STOCK, regionCode: null, cost: "2.50", counts: [1, 0, 0] },
      { ...SOLD, cost: "2.50", counts: [1, 0, 0] }
    ])
  })

  it("is allotted to the subscription that moves to it", async () => {
    const old = await create()
    await world.run(Replacements.Replacements.use((one) => one.replace(of(old))))
    await world.settle()
    expect(await ledger()).toEqual([{ ...SOLD, cost: "5.00", counts: [2, 0, 0] }])
  })

  it("is followed by a top-up, which has a row of its own", async () => {
    const iccid = await create()
    await create(iccid)
    expect(await ledger()).toMatchObject([
      { ...SOLD, counts: [0, 1, 0] },
      { ...SOLD, counts: [1, 0, 0] }
    ])
  })

  it("has a margin if the plan has a price, which each sale has at its time", async () => {
    const { organizationId } = world
    const priced = (units: number) => {
      const price = { units, scale: 2, currency: "USD" }
      return world.run(Plans.Plans.use((one) => one.setPrice({ organizationId, planId, price })))
    }
    await priced(900)
    const iccid = await create()
    await priced(1_000)
    await create(iccid)
    await remove(iccid)
    const asked = { organizationId, by: [] }
    const totals = await world.run(Costs.Costs.use((one) => Stream.runCollect(one.report(asked))))
    const usd = totals.filter(({ currency }) => currency === "USD")
    expect(usd).toMatchObject([{ sales: 2, price: 19_000_000n }])
    expect(usd.map(Cost.margin)).toEqual([16_500_000n])
  })

  it("costs nothing in a preview", async () => {
    const request = { organizationId: world.organizationId, planId, metadata: "", iccid: null, activePeriod: null }
    await world.run(Effect.result(Subscriptions.Subscriptions.use((one) => one.previewCreate(request))))
    expect(await ledger()).toEqual([])
  })
})

describe("C1: a process that is killed", () => {
  const commits = [1, 2, 3, 4, 5]
  const kills = commits.flatMap((at) => (["before", "after"] as const).map((when) => ({ at, when })))

  it.each(kills)("$when its commit $at books what was charged once", async ({ at, when }) => {
    const isReached = await world
      .crashAt(
        at,
        when
      )(() => Calls.create(world, { planId }))
      .then(
        () => true,
        () => false
      )
    await world.restart()
    await world.advanceBy(3_600_000)
    await world.settle()
    if (isReached) await create()
    await world.settle()
    const charged = (await sold()).length
    const found = await ledger()
    expect(found.reduce((sum, { counts: [purchases = 0] }) => sum + purchases, 0)).toBe(charged)
    expect(found.filter((one) => one.of === "the plan")).not.toEqual([])
  })
})
