/** Rule S3: eSIMs whose code a customer has had, if the telco does not show downloads. */
import { Result } from "effect"
import { Plans, Replacements } from "simplan"
import { TelcoSimulator } from "simplan/telco-simulator"
import { expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make } from "../World.ts"

const BUNDLE = { load: "1 GB", topUpLoad: null, limit: null }

const open = async (downloads: boolean) => {
  const world = await make({ telcoTimeoutMillis: 10_000 }, { capabilities: { downloads } })
  const { organizationId, run } = world
  const planId = await world.createPlan()
  await run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle: BUNDLE })))
  const create = () => Calls.create(world, { planId })
  const made = async () => Result.getOrThrow(await create()).sim.iccid
  const state = async (iccid: string) => {
    const { allocation, downloaded } = await Calls.sim(world, iccid)
    return [allocation._tag, downloaded]
  }
  return { world, create, made, state, sales: () => run(TelcoSimulator.TelcoSimulator.use((of) => of.sales)) }
}

it("S3: an eSIM that was deleted is sold again with its load only where no download is a sign of none", async () => {
  for (const downloads of [true, false]) {
    const { made, sales, state, world } = await open(downloads)
    const iccid = await made()
    await Calls.remove(world, iccid)
    await world.settle()
    expect(await state(iccid)).toEqual(["Free", !downloads])
    expect((await made()) === iccid).toBe(downloads)
    expect(await sales()).toHaveLength(downloads ? 1 : 2)
  }
})

it("S3, S8: so is one that its subscription has left by a move", async () => {
  const { made, state, world } = await open(false)
  const { organizationId, run } = world
  const iccid = await made()
  const { sim } = await run(Replacements.Replacements.use((of) => of.replace({ organizationId, iccid })))
  await world.settle()
  expect(await state(iccid)).toEqual(["Withdrawn", true])
  expect(await state(sim.iccid)).toEqual(["InService", false])
})

it("S3, S5: one of a creation that was undone is sold, since its code was in no answer", async () => {
  const { create, made, sales, state, world } = await open(false)
  await world.setFaults([{ fault: "refuse", on: "createPackage", times: 1 }])
  expect(await create()).toMatchObject({ failure: { _tag: "TelcoRefused" } })
  await world.settle()
  const [iccid = ""] = await sales()
  expect(await state(iccid)).toEqual(["Free", false])
  expect(await made()).toBe(iccid)
})
