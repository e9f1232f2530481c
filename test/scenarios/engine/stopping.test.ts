/**
 * A process that is asked to stop while the telco or a receiver does not answer: what it held is
 * another's at once.
 */
import { expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import * as World from "../World.ts"

let world: World.World
const begin = async (drainMillis: number) => {
  world = await World.make({ telcoTimeoutMillis: 60_000, drainMillis })
  return world.importSims(1)
}

it("hands back a creation that the telco does not answer, and the next process finishes it with one package", async () => {
  const [iccid = ""] = await begin(50)
  const planId = await world.createPlan()
  await world.setFaults([{ fault: "slow", delay: "30 seconds", times: 1 }])
  const asked = Calls.create(world, { planId }).catch(() => "gone")
  await expect.poll(world.held).toEqual({ jobs: 1, deliveries: 0 })
  await world.stopAndStart()
  expect(await world.held()).toEqual({ jobs: 0, deliveries: 0 })
  expect(await asked).toBe("gone")
  await world.settle()
  expect(await Calls.activePackages(world)).toHaveLength(1)
  expect(await Calls.attachment(world, iccid)).toMatchObject({ state: "PENDING_FOR_FIRST_USE" })
})

it("hands back a delivery that the receiver does not answer, and the next process makes it", async () => {
  const [iccid = ""] = await begin(50)
  await Calls.create(world, { planId: await world.createPlan() })
  world.receiver.hangs = true
  const location = { countryAlpha2: "SE", operator: "Telia", rat: "4G", imei: "356938035643809" }
  await Calls.report(world, iccid, [World.START, { _tag: "Location", ...location }])
  const settled = world.settle().catch(() => "gone")
  await expect.poll(world.held).toEqual({ jobs: 0, deliveries: 1 })
  await world.stopAndStart()
  expect(await world.held()).toEqual({ jobs: 0, deliveries: 0 })
  expect(await settled).toBe("gone")
  world.receiver.hangs = false
  await world.settle()
  expect(world.received).toMatchObject([{ type: "subscription.esim.locationChanged" }])
})

it("waits for what answers in time", async () => {
  const [iccid = ""] = await begin(20_000)
  const planId = await world.createPlan()
  await world.setFaults([{ fault: "slow", delay: 1_500, times: 1 }])
  const asked = Calls.create(world, { planId }).catch(() => "gone")
  await expect.poll(world.held).toEqual({ jobs: 1, deliveries: 0 })
  await world.stopAndStart()
  expect(await asked).toBe("gone")
  expect(await Calls.attachment(world, iccid)).toMatchObject({ state: "PENDING_FOR_FIRST_USE" })
})
