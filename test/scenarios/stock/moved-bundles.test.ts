/**
 * Subscriptions to bundles of suppliers that move to another eSIM (rules S8, I15 and P5).
 */
import { Effect, Result } from "effect"
import { Plans, Replacements } from "simplan"
import { type Faults, TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, type World } from "../World.ts"

let world: World
let planId: string

const setBundle = (load: string | null, topUpLoad: string | null = "top-up") => {
  const { organizationId } = world
  const bundle = load === null ? null : { load, topUpLoad, limit: null }
  return world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
}

beforeEach(async () => {
  world = await make({ telcoTimeoutMillis: 10_000 })
  planId = await world.createPlan()
  await setBundle("1 GB")
})

const create = async (iccid?: string) =>
  Result.getOrThrow(await Calls.create(world, iccid === undefined ? { planId } : { planId, iccid })).sim.iccid
const of = (iccid: string) => ({ organizationId: world.organizationId, iccid })
const replace = (iccid: string) =>
  world.run(Effect.result(Replacements.Replacements.use((one) => one.replace(of(iccid)))))
const preview = (iccid: string) =>
  world.run(Effect.result(Replacements.Replacements.use((one) => one.previewReplace(of(iccid)))))
const sold = () => world.run(TelcoSimulator.TelcoSimulator.use((one) => one.sales))
const fail = (...faults: ReadonlyArray<Faults.Fault>) => world.setFaults(faults)
const active = async (iccid: string) =>
  (await Calls.activePackages(world))
    .filter((one) => one.iccid === iccid)
    .map(({ dataMegaBytes, load }) => ({ load, dataMegaBytes }))

describe("S8: a move of a subscription to a bundle", () => {
  it("buys an eSIM with the bundle if none is free, whose load is the package's", async () => {
    const old = await create()
    await world.importSims(1)
    const { sim } = Result.getOrThrow(await replace(old))
    await world.settle()
    expect(await sold()).toEqual([old, sim.iccid])
    expect(await active(sim.iccid)).toEqual([{ load: "1 GB", dataMegaBytes: 1_024 }])
    expect(await active(old)).toEqual([])
    expect((await Calls.sim(world, old)).allocation).toMatchObject({ _tag: "Withdrawn", reason: "replaced" })
  })

  it("takes one that is free with the bundle, and buys none", async () => {
    const [old, other] = [await create(), await create()]
    await Calls.remove(world, other)
    await world.settle()
    expect(Result.getOrThrow(await preview(old)).replaced.sim.iccid).toBe(other)
    expect(Result.getOrThrow(await replace(old)).sim.iccid).toBe(other)
    expect(await sold()).toHaveLength(2)
  })

  it("orders what was added to the subscription by its top-up", async () => {
    const old = await create()
    await create(old)
    const { sim } = Result.getOrThrow(await replace(old))
    await world.settle()
    const loads = (await active(sim.iccid)).map(({ load }) => load)
    expect(loads.toSorted()).toEqual(["1 GB", "top-up"])
  })

  it.each([
    ["data", Calls.total(1)],
    ["a first use", Calls.firstUse]
  ])("is refused once %s was reported, before anything happens", async (_, fact) => {
    const old = await create()
    await Calls.report(world, old, [Date.UTC(2026, 0, 31, 12), fact])
    const refused = { failure: { _tag: "NotSupported", message: expect.stringContaining("France 1 GB") } }
    expect(await preview(old)).toMatchObject(refused)
    expect(await replace(old)).toMatchObject(refused)
    expect(await sold()).toEqual([old])
    expect((await Calls.sim(world, old)).allocation._tag).toBe("InService")
  })

  it("orders the bundle as a whole, though the telco finds that some was used that nobody had reported", async () => {
    const old = await create()
    const [pack = expect.fail()] = await world.telcoPackages()
    await world.run(
      TelcoSimulator.TelcoSimulator.use((one) => one.use({ packageId: pack.packageId, bytes: 9_000_000 }))
    )
    const { sim } = Result.getOrThrow(await replace(old))
    await world.settle()
    expect(await active(sim.iccid)).toEqual([{ load: "1 GB", dataMegaBytes: 1_024 }])
    const { packages } = await Calls.attachment(world, sim.iccid)
    expect(packages.map(({ usedBytes }) => usedBytes)).toEqual([9_000_000])
  })

  it("waits for its purchase, which is the next request's if it does not come in time", async () => {
    const old = await create()
    await fail({ fault: "answer lost", on: "buySim", times: 1 })
    expect(await replace(old)).toMatchObject({ failure: { _tag: "EsimsIssuing" } })
    expect((await Calls.sim(world, old)).allocation._tag).toBe("InService")
    await world.advanceBy(60_000)
    await world.settle()
    const { sim } = Result.getOrThrow(await replace(old))
    expect(await sold()).toEqual([old, sim.iccid])
    await fail({ fault: "refuse", on: "buySim", message: "sold_out", times: 1 })
    expect(await replace(sim.iccid)).toMatchObject({ failure: { _tag: "SoldOut", load: "1 GB" } })
  })

  it("buys nothing for a preview, and nothing once the plan is another bundle or none", async () => {
    const old = await create()
    expect(await preview(old)).toMatchObject({ failure: { _tag: "EsimsIssuing" } })
    for (const load of ["2 GB", null]) {
      await setBundle(load, null)
      expect(await replace(old)).toMatchObject({ failure: { _tag: "NoFreeSim" } })
    }
    expect(await sold()).toEqual([old])
  })
})
