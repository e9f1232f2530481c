/**
 * Levels of free eSIMs (rule I12): `stock.low` once each time the number falls below, whoever
 * checks and however often.
 */
import { Effect } from "effect"
import { Plans, SimCorrections, Stock, Worker } from "simplan"
import { Storage } from "simplan/ports"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, START, type World } from "../World.ts"

const DAY = 86_400_000

let world: World
let iccids: ReadonlyArray<string>
let planId: string

beforeEach(async () => {
  world = await make()
  iccids = await world.importSims(6)
  planId = await world.createPlan()
})

const listen = () => Calls.listen(world, ["stock.low"])

const set = (level: number) => {
  const { organizationId } = world
  const levels = level === 0 ? [] : [{ label: "Green", level }]
  return world.run(Stock.Stock.use((of) => of.setLevels({ organizationId, levels })))
}

const subscribe = async () => (await world.run(Calls.creation(world, { planId }))).sim.iccid

/** What was notified since the last time: how many were free. */
const notified = async () => {
  await world.settle()
  return world.received.splice(0).flatMap(({ data, type }) => (type === "stock.low" ? [data["free"]] : []))
}

describe("I12: a level", () => {
  it("is notified when the number falls below, and again only after it has risen", async () => {
    await listen()
    await set(5)
    expect(await notified()).toEqual([])
    const first = await subscribe()
    expect(await notified()).toEqual([])
    await subscribe()
    expect(await notified()).toEqual([4])
    await subscribe()
    expect(await notified()).toEqual([])
    await Calls.remove(world, first)
    expect(await notified()).toEqual([])
    await world.importSims(1)
    expect(await notified()).toEqual([])
    await subscribe()
    expect(await notified()).toEqual([4])
  })

  it("is notified at once where fewer are free already, and not after it has ended", async () => {
    await listen()
    await set(10)
    expect(await notified()).toEqual([6])
    await set(0)
    await subscribe()
    expect(await notified()).toEqual([])
    await set(10)
    expect(await notified()).toEqual([5])
  })

  it("counts an eSIM that shows a download as gone", async () => {
    await listen()
    await set(6)
    const fact = { _tag: "SmdpState", state: "Enable", modificationResult: "Success" } as const
    await Calls.report(world, iccids[0] ?? "", [START, fact])
    expect(await notified()).toEqual([5])
  })

  it("follows corrections of SIMs", async () => {
    const { organizationId } = world
    const correct = (change: { readonly label?: string; readonly status?: string; readonly reason?: string }) =>
      world.run(
        SimCorrections.SimCorrections.use((of) => of.correct({ organizationId, iccid: iccids[0] ?? "", ...change }))
      )
    await listen()
    await set(6)
    await correct({ status: "withdrawn", reason: "broken" })
    expect(await notified()).toEqual([5])
    await correct({ status: "available" })
    expect(await notified()).toEqual([])
    await correct({ label: "Blue" })
    expect(await notified()).toEqual([5])
  })

  it("counts an eSIM as gone from when it would have to be in use within a day (I11)", async () => {
    world = await make({ telcoTimeoutMillis: 10_000 }, { sale: () => ({ sellBy: START + 10 * DAY }) })
    planId = await world.createPlan()
    const { organizationId } = world
    const bundle = { load: "1 GB", topUpLoad: null, limit: null }
    await world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
    await listen()
    await Calls.remove(world, await subscribe())
    await set(1)
    expect(await notified()).toEqual([])
    await world.advanceBy(9 * DAY - 1)
    expect(await notified()).toEqual([])
    await world.advanceBy(1)
    expect(await notified()).toEqual([0])
    const [green] = await world.run(Stock.Stock.use((of) => of.get({ organizationId })))
    expect(green?.esims).toMatchObject({ free: 0, lapsed: 1 })
  })

  it("leaves no job where nobody takes the event", async () => {
    await set(10)
    await world.settle()
    const { organizationId } = world
    await subscribe()
    const [stored] = await world.run(
      Effect.flatMap(Storage.Storage, (storage) => storage.sims.levels({ organizationIds: [organizationId] }))
    )
    expect(stored).toMatchObject({ level: 10, isLow: false, version: 1 })
  })

  it.each([1, 2, 3, 4].flatMap((n) => [[n, "before"] as const, [n, "after"] as const]))(
    "is notified once, if the process dies at commit %i, %s it",
    async (n, when) => {
      await listen()
      await set(6)
      await world.settle()
      const beginAndCrash = world.crashAt(n, when)
      await beginAndCrash(async () => {
        await subscribe()
        await world.settle()
      })
      await world.restart()
      await world.advanceBy(60_000)
      const free = await world.run(
        Effect.flatMap(Storage.Storage, (storage) =>
          storage.sims.countFree({ organizationId: world.organizationId, label: "Green", atMost: 100, sellAfter: 0 })
        )
      )
      await world.settle()
      const received = new Set(world.received.flatMap(({ id, type }) => (type === "stock.low" ? [id] : [])))
      if (free < 6) expect(received.size).toBe(1)
      else expect(received.size).toBeLessThanOrEqual(1)
    }
  )

  it("is notified once where several checks count at the same time", async () => {
    await listen()
    await set(5)
    await world.settle()
    await Promise.all([subscribe(), subscribe(), subscribe(), subscribe()])
    await Promise.all([world.settle(), world.settle(), world.run(Worker.takeOver)])
    expect(await notified()).toHaveLength(1)
  })
})
