/**
 * eSIMs that are bought of a supplier as they are asked for (rules I15, P5 and S2).
 */
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { Plans, Problems, Sims, Subscriptions } from "simplan"
import { Job, Preview, Storage } from "simplan/ports"
import { TelcoSimulator, type Faults } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, START, type World } from "../World.ts"

const { NIL } = Preview

let world: World
let planId: string

const setBundle = (load: string | null, topUpLoad: string | null = null) => {
  const bundle = load === null ? null : { load, topUpLoad, limit: null }
  const { organizationId } = world
  return world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
}

beforeEach(async () => {
  world = await make({ telcoTimeoutMillis: 10_000 })
  planId = await world.createPlan()
  await setBundle("1 GB")
})

const create = () => Calls.create(world, { planId })
const created = async () => Result.getOrThrow(await create())
const outcome = (result: Awaited<ReturnType<typeof create>>) =>
  Result.isSuccess(result) ? result.success.sim.iccid : result.failure._tag
const sold = () => world.run(TelcoSimulator.TelcoSimulator.use((of) => of.sales))
const fail = (...faults: ReadonlyArray<Faults.Fault>) => world.setFaults(faults)
const problems = async () =>
  (await world.run(Problems.Problems.use((of) => of.page({ after: null, limit: 100 })))).items
const stock = async () => {
  const { organizationId } = world
  const page = await world.run(Sims.Sims.use((of) => of.page({ organizationId, label: null, limit: 100, after: null })))
  return page.items
}

describe("I15: a creation of a plan that is a bundle", () => {
  it("buys an eSIM if none with its load is free, and gives it with its activation code", async () => {
    await world.importSims(1)
    const { sim } = await created()
    expect(await sold()).toEqual([sim.iccid])
    expect(sim.lpa).toMatch(/^LPA:1\$/)
    expect(sim.purchase).toMatchObject({ load: "1 GB", sellBy: null, cost: { units: 250, scale: 2, currency: "USD" } })
    expect((await stock()).filter(({ allocation }) => allocation._tag === "Free")).toHaveLength(1)
  })

  it("takes one that is free with its load, and buys none", async () => {
    const { sim } = await created()
    await Calls.remove(world, sim.iccid)
    await world.settle()
    expect((await created()).sim.iccid).toBe(sim.iccid)
    expect(await sold()).toEqual([sim.iccid])
  })

  it("S3: does not give one again whose load was used, though nothing was reported of it", async () => {
    const { sim } = await created()
    const [pack = expect.fail()] = await world.telcoPackages()
    await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.use({ packageId: pack.packageId, bytes: 1 })))
    // The telco's answer is lost, and is asked for again.
    await fail({ fault: "answer lost", on: "cancelPackage", times: 1 })
    await Calls.remove(world, sim.iccid)
    await world.advanceBy(86_400_000)
    await world.settle()
    expect(await Calls.sim(world, sim.iccid)).toMatchObject({ allocation: { _tag: "Free" }, downloaded: true })
    expect((await created()).sim.iccid).not.toBe(sim.iccid)
    expect(await sold()).toHaveLength(2)
  })

  it("S3: does not give one again whose release was resolved by hand: nobody has asked what was used", async () => {
    const { sim } = await created()
    await fail({ fault: "refuse", on: "cancelPackage", times: 3 })
    await Calls.remove(world, sim.iccid)
    await world.advanceBy(86_400_000)
    const [problem = expect.fail()] = await problems()
    await world.run(Problems.Problems.use((of) => of.resolve({ problemId: problem.jobId, force: true })))
    await world.settle()
    expect((await created()).sim.iccid).not.toBe(sim.iccid)
  })

  it("does not give what a supplier has sold for another plan", async () => {
    const { sim } = await created()
    await Calls.remove(world, sim.iccid)
    await world.settle()
    await setBundle(null)
    expect(outcome(await create())).toBe("NoFreeSim")
    await setBundle("2 GB")
    expect((await created()).sim.iccid).not.toBe(sim.iccid)
  })

  it("of many at once buys no more than there are, each its own", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, created))
    expect(new Set(all.map(({ sim }) => sim.iccid)).size).toBe(20)
    expect(await sold()).toHaveLength(20)
  })

  it("is 503 while the supplier does not answer; the purchase goes on, and is the next one's", async () => {
    await fail({ fault: "answer lost", on: "buySim", times: 1 })
    expect(await create()).toMatchObject({ failure: { _tag: "EsimsIssuing", label: "Green" } })
    await fail()
    await world.advanceTo(START + 60_000)
    await world.settle()
    const [bought] = await sold()
    expect((await created()).sim.iccid).toBe(bought)
    expect(await sold()).toEqual([bought])
  })

  it("goes on with a purchase that nobody awaits, and begins none of its own", async () => {
    await fail({ fault: "unavailable", on: "buySim" })
    for (let time = 0; time < 3; time++) {
      expect(await create()).toMatchObject({ failure: { _tag: "EsimsIssuing" } })
      await world.advanceBy(3_600_000)
    }
    await fail()
    await world.advanceBy(86_400_000)
    await world.settle()
    await created()
    expect(await sold()).toHaveLength(1)
  })

  it.each([
    ["sold_out", "SoldOut"],
    ["no_balance", "NoBalance"],
    ["price", "TelcoRefused"],
    ["something else", "TelcoRefused"]
  ])("is refused if the supplier refuses by %s, which an operator sees; later ones ask anew", async (message, tag) => {
    await fail({ fault: "refuse", on: "buySim", message, times: 1 })
    expect(outcome(await create())).toBe(tag)
    expect(await problems()).toMatchObject([{ work: { _tag: "BuySim", load: "1 GB" }, refused: { message } }])
    await created()
    expect(await sold()).toHaveLength(1)
  })

  it.each([
    ["sold_out", "SoldOut"],
    ["no_balance", "NoBalance"]
  ])("is one problem however often a load is refused by %s, until it can be bought", async (message, tag) => {
    await fail({ fault: "refuse", on: "buySim", message })
    for (let time = 0; time < 3; time++) {
      const all = await Promise.all(Array.from({ length: 4 }, create))
      expect(all.map(outcome)).toEqual([tag, tag, tag, tag])
    }
    expect(await problems()).toMatchObject([{ work: { _tag: "BuySim", load: "1 GB" }, refused: { reason: message } }])
    await setBundle("2 GB")
    expect(outcome(await create())).toBe(tag)
    expect(await problems()).toHaveLength(2)
    await fail()
    await created()
    expect(await problems()).toMatchObject([{ work: { load: "1 GB" } }])
    await setBundle("1 GB")
    await created()
    expect(await problems()).toEqual([])
    expect(await sold()).toHaveLength(2)
  })

  it("is another problem if the supplier refuses the load by another reason", async () => {
    for (const [message, tag] of [
      ["no_balance", "NoBalance"],
      ["sold_out", "SoldOut"],
      ["no_balance", "NoBalance"]
    ] as const) {
      await fail({ fault: "refuse", on: "buySim", message })
      expect(outcome(await create())).toBe(tag)
      expect(await problems()).toMatchObject([{ refused: { reason: message } }])
    }
    const [problem = expect.fail()] = await problems()
    await fail({ fault: "refuse", on: "buySim", message: "sold_out" })
    await world.run(Problems.Problems.use((of) => of.retry({ problemId: problem.jobId })))
    await world.settle()
    expect(await problems()).toMatchObject([{ refused: { reason: "sold_out", times: 6 } }])
    await fail()
    const [second = expect.fail()] = await problems()
    await world.run(Problems.Problems.use((of) => of.retry({ problemId: second.jobId })))
    await world.settle()
    expect(await problems()).toEqual([])
    expect(await sold()).toHaveLength(1)
  })

  it("is bought after all if an operator has a refused purchase tried again", async () => {
    await fail({ fault: "refuse", on: "buySim", message: "no_balance", times: 1 })
    expect(outcome(await create())).toBe("NoBalance")
    const [problem = expect.fail()] = await problems()
    await world.run(Problems.Problems.use((of) => of.retry({ problemId: problem.jobId })))
    await world.settle()
    expect(await problems()).toEqual([])
    const bought = await sold()
    expect(bought).toEqual([(await created()).sim.iccid])
  })

  it("S9: buys nothing for a preview, which says what would be bought", async () => {
    const request = { organizationId: world.organizationId, planId, metadata: "", iccid: null, activePeriod: null }
    const preview = () => world.run(Effect.result(Subscriptions.Subscriptions.use((of) => of.previewCreate(request))))
    const unbought = { simId: NIL, iccid: "", lpa: "", label: "Green", purchase: { load: "1 GB", cost: null } }
    expect(await preview()).toMatchObject({
      success: {
        created: { subscriptionId: NIL, sim: unbought },
        ordered: [{}],
        purchase: { load: "1 GB", limit: null }
      }
    })
    expect(await sold()).toEqual([])
    expect(await stock()).toEqual([])
    const { sim } = await created()
    await Calls.remove(world, sim.iccid)
    await world.settle()
    const free = await preview()
    expect(free).toMatchObject({ success: { created: { sim: { iccid: sim.iccid } } } })
    expect(free).not.toMatchObject({ success: { purchase: {} } })
    await setBundle(null)
    expect(await preview()).toMatchObject({ failure: { _tag: "NoFreeSim" } })
    expect(await sold()).toHaveLength(1)
  })

  it("leaves a SIM that the inventory has already as it is, and an operator sees to it", async () => {
    const { sim } = await created()
    const { organizationId } = world
    const work = { _tag: "BuySim", purchaseId: "another", label: "Green", load: "1 GB", limit: null } as const
    const job = { ...Job.make({ jobId: "buy:another", work, dueAt: START }, { organizationId, createdAt: START }) }
    const sell = TelcoSimulator.TelcoSimulator.use((of) => of.sell({ purchaseId: "another", iccid: sim.iccid }))
    await world.run(sell)
    await world.run(Storage.Storage.use((of) => of.commit({ jobs: { put: [{ job, lease: null }] } })))
    await world.settle()
    expect(await problems()).toMatchObject([{ work, refused: { message: expect.stringContaining(sim.iccid) } }])
    expect((await stock()).map(({ purchase }) => purchase)).toEqual([sim.purchase])
  })
})

describe("P5: a plan that becomes another bundle", () => {
  it("leaves what is attached as it was, and has its load from then on", async () => {
    const first = await created()
    await setBundle("2 GB", "top-up")
    const second = await created()
    const of = async (iccid: string) =>
      (await Calls.attachments(world, iccid)).map(({ attachment }) => attachment.terms)
    expect(await of(first.sim.iccid)).toMatchObject([{ load: "1 GB" }])
    expect(await of(second.sim.iccid)).toMatchObject([{ load: "2 GB", topUpLoad: "top-up" }])
    await expect(setBundle(" ")).rejects.toMatchObject({ field: "load" })
    await expect(setBundle("1 GB", "x".repeat(256))).rejects.toMatchObject({ field: "topUpLoad" })
  })
})

it("I15: whatever fails, there is one SIM for each that was sold, and no more were than asked at once", async () => {
  const fault = fc.constantFrom("answer lost", "unavailable", "refuse")
  const step = fc.record({
    requests: fc.integer({ min: 1, max: 4 }),
    faults: fc.array(fc.record({ fault, times: fc.integer({ min: 1, max: 3 }) }), { maxLength: 2 }),
    waits: fc.integer({ min: 0, max: 600 })
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      world = await make({ telcoTimeoutMillis: 10_000 })
      planId = await world.createPlan()
      await setBundle("1 GB")
      let [given, most] = [0, 0]
      for (const { faults, requests, waits } of steps) {
        await fail(...faults.map((one) => ({ ...one, on: "buySim" as const })))
        const results = await Promise.all(Array.from({ length: requests }, create))
        given += results.filter(Result.isSuccess).length
        most = Math.max(most, requests)
        await world.advanceBy(waits * 1_000)
        await world.settle()
      }
      await fail()
      await world.advanceBy(86_400_000)
      await world.settle()
      const bought = await sold()
      expect((await stock()).map(({ iccid }) => iccid).toSorted()).toEqual([...bought].toSorted())
      // Each request that got none leaves one purchase at most, which the next one takes.
      expect(bought.length).toBeLessThanOrEqual(given + most)
      expect(new Set(bought).size).toBe(bought.length)
    }),
    { numRuns: 40 }
  )
})
