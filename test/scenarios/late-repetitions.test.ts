/**
 * S5, W2 and S6 where a repetition, a release or a recovery comes late: after a lost lease, after
 * the 24 h of a key, beside jobs that never succeed.
 */
import { Effect } from "effect"
import { Commands, Subscriptions, Time, Worker } from "simplan"
import { Clocks } from "simplan/ports"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "./Calls.ts"
import * as World from "./World.ts"

let world: World.World
let iccids: ReadonlyArray<string>
let planId: string
beforeEach(async () => {
  world = await World.make({ telcoTimeoutMillis: 5_000 })
  iccids = await world.importSims(8)
  planId = await world.createPlan()
})

const order = (iccid?: string) => Calls.order(world, { planId, ...(iccid !== undefined && { iccid }) })

const allocations = async () => {
  const sims = await Promise.all(iccids.map((iccid) => Calls.sim(world, iccid)))
  return sims.map(({ allocation }) => allocation._tag).filter((tag) => tag !== "Free")
}

const elapse = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe("S5 and W2: an order whose repetition is late", () => {
  it("is not stuck where the lease is lost before the repetition goes on", async () => {
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }])
    await order()
    world.beforeCommit(async () => {
      world.beforeCommit(async () => {})
      await world.run(Worker.takeOver)
      await world.advanceBy(11 * Time.SECOND)
    })
    await order()
    await world.advanceBy(Time.HOUR)
    expect(await order()).toMatchObject({ _tag: "Success" })
    expect(await allocations()).toEqual(["InService"])
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })

  it("holds one SIM after its key was kept for 24 h", async () => {
    await world.setFaults([{ fault: "unavailable", on: "createPackage", retryAfterSeconds: 3_600 }])
    for (let hour = 0; hour < 24; hour++) {
      await order()
      await world.advanceBy(Time.HOUR)
    }
    await world.advanceBy(2 * Time.SECOND)
    await order()
    expect(await allocations()).toEqual(["Releasing"])
  })

  it("is confirmed once where an attempt of the day before falls due beside it", async () => {
    await world.setFaults([{ fault: "unavailable", on: "createPackage", retryAfterSeconds: 3_600, times: 1 }])
    await order()
    // The service stands still for a day: its work falls due when the key is free again.
    await world.setFaults([{ fault: "slow", delay: 400, on: "createPackage", times: 1 }])
    await world.run(
      Clocks.BusinessClock.use((of) => (of.set === null ? Effect.void : of.set(World.START + Time.DAY + Time.SECOND)))
    )
    const again = order()
    await elapse(100)
    await world.settle()
    expect(await again).toMatchObject({ _tag: "Success" })
    expect(await allocations()).toEqual(["InService"])
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })

  it("goes on soon where its process is killed, however long the telco asked to wait", async () => {
    await world.setFaults([{ fault: "unavailable", on: "createPackage", retryAfterSeconds: 3_600, times: 1 }])
    await order()
    const beginAndCrash = world.crashAt(1, "after")
    await beginAndCrash(() => order())
    await world.restart()
    await world.settle()
    expect(await order()).toMatchObject({ _tag: "Success" })
    expect(await allocations()).toEqual(["InService"])
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
    "waits an hour at most where the telco asks for %d seconds",
    async (seconds) => {
      await world.setFaults([{ fault: "unavailable", times: 2, retryAfterSeconds: seconds }])
      await Calls.create(world, { planId })
      await world.advanceBy(2 * Time.HOUR)
      expect(await allocations()).toEqual([])
    }
  )
})

describe("S5: a release that is late", () => {
  it("cancels nothing of the order that has the SIM next", async () => {
    const [iccid = ""] = iccids
    await Calls.create(world, { planId, iccid })
    const [old] = await world.telcoPackages()
    await world.setFaults([
      { fault: "slow", delay: 500, on: "listPackages", times: 1 },
      { fault: "slow", delay: 500, on: "cancelPackage", when: ({ key }) => key !== old?.packageId, times: 1 },
      { fault: "answer lost", on: "createPackage", times: 1 }
    ])
    const removed = world.run(
      Effect.exit(Subscriptions.Subscriptions.use((of) => of.remove({ organizationId: world.organizationId, iccid })))
    )
    await elapse(100)
    await world.run(Worker.takeOver)
    await world.settle()
    await order(iccid)
    await elapse(600)
    expect(await order(iccid)).toMatchObject({ _tag: "Success" })
    await elapse(700)
    await removed
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })

  it("of a top-up that was refused does not hide that the SIM returns", async () => {
    for (const iccid of iccids) await Calls.create(world, { planId, iccid })
    const [iccid = ""] = iccids
    await world.setFaults([
      { fault: "answer lost", on: "createPackage", times: 1 },
      { fault: "refuse", on: "cancelPackage", times: 3 }
    ])
    await Calls.create(world, { planId, iccid })
    await world.advanceBy(Time.HOUR)
    await world.setFaults([{ fault: "unavailable", on: "cancelPackage" }])
    await Calls.remove(world, iccid)
    expect(await Calls.create(world, { planId })).toMatchObject({ failure: { _tag: "SimsReleasing" } })
  })
})

describe("S6: work that waits beside work that never succeeds", () => {
  /** Undone orders that wait for the telco; the first one is tried most often. */
  const waiting = async () => {
    const [first = "", ...others] = iccids
    await world.setFaults([
      { fault: "answer lost", on: "createPackage" },
      { fault: "unavailable", on: "cancelPackage" }
    ])
    await Calls.create(world, { planId, iccid: first })
    await world.advanceBy(10 * Time.SECOND)
    for (const iccid of others) await Calls.create(world, { planId, iccid })
    await world.advanceBy(3 * Time.HOUR)
    return first
  }

  it.each(["unavailable", "refuse"] as const)(
    "is back within a minute beside a SIM whose cancellation is %s",
    async (fault) => {
      const first = await waiting()
      await world.setFaults([{ fault, on: "cancelPackage", when: ({ iccid }) => iccid === first }])
      await world.advanceBy(Time.MINUTE)
      expect(await allocations()).toEqual(["Releasing"])
    }
  )

  it("commands that never left for the telco are done within a minute", async () => {
    await world.setFaults([{ fault: "unavailable", on: "createPackage", isDone: false }])
    const submit = (metadata: string) =>
      world.run(
        Commands.Commands.use((of) =>
          of.submit({
            organizationId: world.organizationId,
            idempotencyKey: metadata,
            request: { _tag: "CreateSubscription", planId, metadata, iccid: null, activePeriod: null }
          })
        )
      )
    for (const name of ["a", "b", "c", "d"]) await submit(name)
    await world.advanceBy(3 * Time.HOUR)
    await world.setFaults([])
    await world.advanceBy(Time.MINUTE)
    expect(await allocations()).toEqual(["InService", "InService", "InService", "InService"])
  })
})
