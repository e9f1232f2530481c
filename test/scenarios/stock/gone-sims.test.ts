/** eSIMs that were bought and that their supplier has no more (rules R4 and I15). */
import { Effect, Result, Stream } from "effect"
import { AuditLog, Plans, SimCorrections, Stock } from "simplan"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, START, type World } from "../World.ts"

const GONE = { _tag: "Gone" } as const

let world: World
let planId: string

beforeEach(async () => {
  world = await make({ telcoTimeoutMillis: 10_000 })
  planId = await world.createPlan()
  const { organizationId } = world
  const bundle = { load: "1 GB", topUpLoad: null, limit: null }
  await world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
})

const create = async () => Result.getOrThrow(await Calls.create(world, { planId })).sim.iccid
const gone = (iccid: string) => Calls.report(world, iccid, [START, GONE])

/** An eSIM with its load that nobody has. */
const unsold = async () => {
  const iccid = await create()
  await Calls.remove(world, iccid)
  await world.settle()
  return iccid
}

describe("An eSIM that its supplier has no more", () => {
  it("is withdrawn if it is free, and nobody gets it, nor can make it available", async () => {
    const iccid = await unsold()
    expect(await gone(iccid)).toEqual([{ _tag: "Accepted" }])
    const withdrawn = {
      allocation: { _tag: "Withdrawn", reason: "returned", ending: null },
      purchase: { returned: "none" }
    }
    expect(await Calls.sim(world, iccid)).toMatchObject(withdrawn)
    expect(await gone(iccid)).toEqual([{ _tag: "Accepted" }])
    expect(await Calls.create(world, { planId, iccid })).toMatchObject({ failure: { _tag: "SimWithdrawn" } })
    expect(await create()).not.toBe(iccid)
    const { organizationId } = world
    const correct = SimCorrections.SimCorrections.use((of) =>
      of.correct({ organizationId, iccid, status: "available" })
    )
    expect(await world.run(Effect.result(correct))).toMatchObject({ failure: { _tag: "SimWithdrawn" } })
    expect(await Calls.sim(world, iccid)).toMatchObject(withdrawn)
    const anything = { from: null, to: null, actor: null, resourceId: iccid }
    const entries = AuditLog.AuditLog.use((of) =>
      Stream.runCollect(of.list({ organizationId, ...anything, action: "sim.report" }))
    )
    expect((await world.run(entries)).map(({ changed }) => changed)).toEqual([
      [{ field: "at its supplier", before: null, after: "gone" }]
    ])
  })

  it("ends what its customer has, and is sold to nobody after that", async () => {
    const iccid = await create()
    expect(await gone(iccid)).toEqual([{ _tag: "Accepted" }])
    const { attachment, packages } = await Calls.attachment(world, iccid)
    expect(packages.map(({ activationAt, expirationAt }) => [activationAt, expirationAt === null])).toEqual([
      [null, false]
    ])
    expect(attachment.suspendedAt).toBeNull()
    expect((await Calls.sim(world, iccid)).allocation._tag).toBe("InService")
    await Calls.remove(world, iccid)
    await world.settle()
    await gone(iccid)
    expect(await Calls.sim(world, iccid)).toMatchObject({ allocation: { _tag: "Withdrawn", reason: "returned" } })
  })

  it("has the stock counted anew, if somebody takes what a low one is notified by", async () => {
    const iccid = await unsold()
    await Calls.listen(world, ["stock.low"])
    const { organizationId } = world
    const levels = [{ label: "Green", level: 1 }]
    await world.run(Stock.Stock.use((of) => of.setLevels({ organizationId, levels })))
    await world.settle()
    expect(world.received).toEqual([])
    await gone(iccid)
    await world.settle()
    expect(world.received.map(({ type }) => type)).toEqual(["stock.low"])
  })

  it("is one that was bought", async () => {
    const [iccid = ""] = await world.importSims(1)
    expect(await gone(iccid)).toMatchObject([{ _tag: "Rejected" }])
  })
})
