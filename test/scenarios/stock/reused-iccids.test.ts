/**
 * ICCIDs that a supplier sells again (rule I15).
 */
import { Result } from "effect"
import { Organizations, Plans, Problems, SimCorrections, Sims } from "simplan"
import { Job, Storage, type TelcoReport } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, START, type World } from "../World.ts"

const DAY = 86_400_000

let world: World
let planId: string

beforeEach(async () => {
  world = await make({ telcoTimeoutMillis: 10_000 })
  planId = await world.createPlan()
  const { organizationId } = world
  const bundle = { load: "1 GB", topUpLoad: null, limit: null }
  await world.run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
})

const create = async () => Result.getOrThrow(await Calls.create(world, { planId }))
const sold = () => world.run(TelcoSimulator.TelcoSimulator.use((of) => of.sales))
const correct = (iccid: string, status: string, reason: string | null = null) =>
  world.run(SimCorrections.SimCorrections.use((of) => of.correct({ ...world, iccid, status, reason })))
const problems = async () =>
  (await world.run(Problems.Problems.use((of) => of.page({ after: null, limit: 100 })))).items

/** Has a supplier sell this ICCID by a purchase of the organization. */
const sell = async (iccid: string, purchaseId: string, organizationId = world.organizationId) => {
  const work = { _tag: "BuySim", purchaseId, label: "Green", load: "1 GB", limit: null } as const
  const job = Job.make({ jobId: `buy:${purchaseId}`, work, dueAt: START }, { organizationId, createdAt: START })
  await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.sell({ purchaseId, iccid })))
  await world.run(Storage.Storage.use((of) => of.commit({ jobs: { put: [{ job, lease: null }] } })))
  await world.settle()
}

const installed: TelcoReport.Fact = { _tag: "SmdpState", state: "BPP Installation", modificationResult: "Success" }
const seen: TelcoReport.Fact = { _tag: "Location", countryAlpha2: "FR", operator: "Orange", rat: "4G", imei: "" }

/** An eSIM that a customer had on a phone, and that is withdrawn since. */
const former = async (reason: string) => {
  const { sim } = await create()
  const { iccid } = sim
  await Calls.remove(world, iccid)
  await world.settle()
  await Calls.report(world, iccid, [START, installed], [START, seen])
  await correct(iccid, "withdrawn", reason)
  await world.advanceBy(10 * DAY)
  return iccid
}

describe.each(["returned", "lost", "broken", "replaced"])("I15: an ICCID that the organization had, %s", (reason) => {
  it("is a new free SIM of the purchase, of which nothing from before is known", async () => {
    const iccid = await former(reason)
    await sell(iccid, "again")
    expect(await problems()).toEqual([])
    const sim = await Calls.sim(world, iccid)
    expect(sim).toMatchObject({
      allocation: { _tag: "Free" },
      purchase: { purchaseId: "again", load: "1 GB", boughtAt: START + 10 * DAY },
      ...{ downloaded: false, smdp: null, location: null, lastActivityAt: null, recycledAt: null }
    })
    expect((await create()).sim.iccid).toBe(iccid)
    expect(await sold()).toHaveLength(2)
  })
})

describe("I15: reports of an ICCID that was sold again", () => {
  it("count from its purchase on, and those of the customer before are rejected", async () => {
    const iccid = await former("returned")
    await sell(iccid, "again")
    await create()
    const before = { _tag: "Rejected", field: "occurredAt", message: "is before the SIM was bought" }
    const late = await Calls.report(
      world,
      iccid,
      [START + DAY, installed],
      [START + DAY, seen],
      [START + DAY, Calls.total(9)]
    )
    expect(late).toEqual([before, before, before])
    const { downloaded, location, smdp } = await Calls.sim(world, iccid)
    expect({ downloaded, location, smdp }).toEqual({ downloaded: false, location: null, smdp: null })
    const since = START + 10 * DAY - 60_000
    expect(await Calls.report(world, iccid, [since, installed])).toEqual([{ _tag: "Accepted" }])
    const { organizationId } = world
    const { history } = await world.run(Sims.Sims.use((of) => of.smdpInfo({ organizationId, iccid })))
    expect(history.map(({ modifiedAt }) => modifiedAt)).toEqual([since])
  })
})

describe("I15: an eSIM that was returned, sold again and returned again", () => {
  it("stays so when the job of its first purchase goes on, whose process had died before its end", async () => {
    const iccid = "8999903000000000017"
    const [first, second] = ["019b76da-a800-7000-8000-000000000001", "019b76da-a800-7000-8000-000000000002"]
    for (const purchaseId of [first, second]) {
      await sell(iccid, purchaseId)
      await correct(iccid, "withdrawn", "returned")
    }
    const before = await Calls.sim(world, iccid)
    expect(before.purchase?.purchaseId).toBe(second)
    await sell(iccid, first)
    expect(await problems()).toEqual([])
    expect(await Calls.sim(world, iccid)).toEqual(before)
    expect(await sold()).toEqual([iccid, iccid])
  })
})

describe("I15: an ICCID that somebody has", () => {
  it("is a problem; once the SIM is withdrawn the same purchase brings it, and nothing is bought twice", async () => {
    const { sim } = await create()
    await sell(sim.iccid, "again")
    const [problem = expect.fail()] = await problems()
    expect(problem.refused?.message).toContain(sim.iccid)
    await Calls.remove(world, sim.iccid)
    await world.settle()
    await correct(sim.iccid, "withdrawn", "lost")
    await world.run(Problems.Problems.use((of) => of.retry({ problemId: problem.jobId })))
    await world.settle()
    expect(await problems()).toEqual([])
    expect((await Calls.sim(world, sim.iccid)).purchase?.purchaseId).toBe("again")
    expect(await sold()).toEqual([sim.iccid, sim.iccid])
  })

  it("of another organization stays a problem, and its SIM as it is", async () => {
    const iccid = await former("returned")
    const other = await world.run(Organizations.Organizations.use((of) => of.create({ name: "Another Ltd" })))
    const before = await Calls.sim(world, iccid)
    await sell(iccid, "theirs", other.organizationId)
    expect(await problems()).toMatchObject([{ organizationId: other.organizationId, work: { purchaseId: "theirs" } }])
    expect(await Calls.sim(world, iccid)).toEqual(before)
  })
})

it("I15: a process that dies while a SIM comes again leaves one SIM of one purchase", async () => {
  for (const when of ["before", "after"] as const) {
    const iccid = await former("returned")
    const count = (await sold()).length
    const standsStill = world.crashAt(2, when)
    await standsStill(() => sell(iccid, `again ${when}`))
    await world.restart()
    await world.settle()
    expect(await problems()).toEqual([])
    expect((await Calls.sim(world, iccid)).purchase?.purchaseId).toBe(`again ${when}`)
    expect(await sold()).toHaveLength(count + 1)
    expect((await create()).sim.iccid).toBe(iccid)
  }
})
