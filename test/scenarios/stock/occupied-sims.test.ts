/**
 * S5 for a SIM that is free here, and on which the telco has a package of somebody else, as after a
 * restore of an older backup: it is not sold, its customer keeps what was paid, and an operator
 * decides.
 */
import { Effect } from "effect"
import { Commands, Problems, Replacements, Subscriptions } from "simplan"
import { Telco } from "simplan/ports"
import { beforeEach, describe, expect, it } from "vitest"
import { orderOf } from "../../telco-ocs/simulation/Orders.ts"
import * as Calls from "../Calls.ts"
import * as World from "../World.ts"

let world: World.World
let planId: string
beforeEach(async () => {
  world = await World.make({}, { findsOthers: true })
  planId = await world.createPlan()
})

/** The package of a customer of whom this database knows nothing. */
const sellElsewhere = (iccid: string) =>
  world.run(Telco.Telco.use((telco) => telco.createPackage(orderOf(iccid)(`elsewhere-${iccid}:0`))))

const allocation = async (iccid: string) => (await Calls.sim(world, iccid)).allocation._tag

const problems = async () =>
  (await world.run(Problems.Problems.use((of) => of.page({ after: null, limit: 100 })))).items

const ofIccid = async (iccid: string) =>
  (await Calls.activePackages(world)).filter((one) => one.iccid === iccid).map(({ packageId }) => packageId)

const move = (iccid: string) =>
  world.run(Replacements.Replacements.use((of) => of.replace({ organizationId: world.organizationId, iccid })))

/**
 * A subscription that has moved to a SIM which the telco has sold to somebody else, and which was
 * taken as the telco gave no list of its packages. Gives that SIM.
 */
const movedToOccupied = async (order: Parameters<typeof Calls.create>[1] = { planId }) => {
  const [own = expect.fail(), occupied = expect.fail()] = await world.importSims(2)
  await Calls.create(world, { ...order, iccid: own })
  await sellElsewhere(occupied)
  await world.setFaults([{ fault: "unavailable", on: "listPackages", times: 1 }])
  await move(own)
  return occupied
}

describe("S5: a free SIM that the telco has sold to somebody else", () => {
  it("is not sold: the request gets another one, and an operator is told at once", async () => {
    const iccids = await world.importSims(4)
    for (const iccid of iccids.slice(0, 3)) await sellElsewhere(iccid)
    expect(await Calls.create(world, { planId })).toMatchObject({ success: { sim: { iccid: iccids[3] } } })
    await world.settle()
    for (const iccid of iccids.slice(0, 3)) {
      expect([await allocation(iccid), await ofIccid(iccid)]).toEqual(["Releasing", [`elsewhere-${iccid}:0`]])
    }
    const found = await problems()
    expect(found.map(({ work }) => "iccid" in work && work.iccid).sort()).toEqual(iccids.slice(0, 3))
    expect(found[0]?.refused?.message).toContain("that no subscription here has: elsewhere-")
    expect(await Calls.create(world, { planId })).toMatchObject({ failure: { _tag: "NoFreeSim" } })
  })

  it("is refused to a request that names it", async () => {
    const [iccid = expect.fail()] = await world.importSims(1)
    await sellElsewhere(iccid)
    expect(await Calls.create(world, { planId, iccid })).toMatchObject({
      failure: { _tag: "PackagesListed", iccid, packageIds: [`elsewhere-${iccid}:0`] }
    })
    await world.settle()
    expect([await allocation(iccid), (await problems()).length]).toEqual(["Releasing", 1])
    expect(await Calls.create(world, { planId, iccid })).toMatchObject({ failure: { _tag: "SimBusy" } })
  })

  it("is sold to nobody by a command either: that gets another one, or is refused where it names the SIM", async () => {
    const [first = expect.fail(), second = expect.fail()] = await world.importSims(2)
    await sellElsewhere(first)
    const submit = (iccid: string | null) =>
      world.run(
        Commands.Commands.use((of) =>
          of.submit({
            organizationId: world.organizationId,
            request: { _tag: "CreateSubscription", planId, metadata: "", iccid, activePeriod: null },
            idempotencyKey: null
          })
        )
      )
    const { commandId } = await submit(null)
    await world.settle()
    await world.advanceBy(60_000)
    const { organizationId } = world
    const outcome = (id: string) =>
      world.run(Effect.map(Commands.Commands, (of) => of.get({ organizationId, commandId: id })).pipe(Effect.flatten))
    expect((await outcome(commandId)).outcome).toMatchObject({ _tag: "Succeeded" })
    expect([await allocation(first), await allocation(second)]).toEqual(["Releasing", "InService"])
    const [third = expect.fail()] = await world.importSims(1)
    await sellElsewhere(third)
    const named = await submit(third)
    await world.settle()
    expect((await outcome(named.commandId)).outcome).toMatchObject({
      _tag: "Refused",
      refusal: { _tag: "PackagesListed", iccid: third }
    })
  })

  describe("and an order for which no package is due yet", () => {
    const recurring = () => world.createPlan({ recurrence: { periodicity: "Monthly", frequency: 1, occurrences: 3 } })
    const inTwoDays = () => World.START + 2 * 86_400_000

    it("gets another SIM, or is refused where it names that one", async () => {
      const iccids = await world.importSims(4)
      for (const iccid of iccids.slice(0, 3)) await sellElsewhere(iccid)
      const request = { planId: await recurring(), start: inTwoDays() }
      expect(await Calls.create(world, { ...request, iccid: iccids[1] ?? "" })).toMatchObject({
        failure: { _tag: "PackagesListed", packageIds: [`elsewhere-${iccids[1]}:0`] }
      })
      expect(await Calls.order(world, request)).toMatchObject({ success: { sim: { iccid: iccids[3] } } })
      expect(await Calls.order(world, request)).toMatchObject({ success: { sim: { iccid: iccids[3] } } })
      await world.settle()
      for (const iccid of iccids.slice(0, 3)) {
        expect([await allocation(iccid), await ofIccid(iccid)]).toEqual(["Releasing", [`elsewhere-${iccid}:0`]])
      }
      expect((await problems()).map(({ work }) => work._tag)).toEqual(Array(3).fill("CancelPackages"))
    })

    it("gets another SIM as a command too, or is refused where it names that one", async () => {
      const [first = expect.fail(), second = expect.fail(), third = expect.fail()] = await world.importSims(3)
      for (const iccid of [first, third]) await sellElsewhere(iccid)
      const request = { planId: await recurring(), metadata: "", activePeriod: { start: inTwoDays(), end: null } }
      const { organizationId } = world
      const outcomeOf = async (iccid: string | null) => {
        const submission = { _tag: "CreateSubscription", ...request, iccid } as const
        const { commandId } = await world.run(
          Commands.Commands.use((of) => of.submit({ organizationId, request: submission, idempotencyKey: null }))
        )
        await world.settle()
        await world.advanceBy(60_000)
        return (await world.run(Commands.Commands.use((of) => of.get({ organizationId, commandId })))).outcome
      }
      expect(await outcomeOf(null)).toMatchObject({ _tag: "Succeeded" })
      expect([await allocation(first), await allocation(second)]).toEqual(["Releasing", "InService"])
      expect(await outcomeOf(third)).toMatchObject({
        _tag: "Refused",
        refusal: { _tag: "PackagesListed", iccid: third }
      })
    })

    it("is not answered while the telco gives no list, and is where the telco cannot give one", async () => {
      const [iccid = expect.fail()] = await world.importSims(1)
      const request = { planId: await recurring(), start: inTwoDays() }
      await world.setFaults([{ fault: "unavailable", on: "listPackages", times: 1 }])
      expect(await Calls.create(world, request)).toMatchObject({ failure: { _tag: "TelcoUnavailable" } })
      expect(await allocation(iccid)).toBe("Free")
      await world.setFaults([{ fault: "refuse", on: "listPackages", times: 1 }])
      expect(await Calls.create(world, request)).toMatchObject({ success: { sim: { iccid } } })
    })

    it("has its first package ordered as a first order, whenever that is due, and so has a plan beside it", async () => {
      const [iccid = expect.fail()] = await world.importSims(1)
      await Calls.create(world, { planId: await recurring(), start: inTwoDays() })
      await sellElsewhere(iccid)
      expect(await Calls.create(world, { planId, iccid })).toMatchObject({ failure: { _tag: "PackagesListed" } })
      await world.advanceTo(inTwoDays())
      await world.settle()
      expect(await ofIccid(iccid)).toEqual([`elsewhere-${iccid}:0`])
      expect((await problems()).map(({ jobId }) => jobId)).toEqual([`review:occupied/${iccid}`])
      // Nor is the next one ordered, until nobody else is there.
      await world.advanceTo(inTwoDays() + 35 * 86_400_000)
      await world.settle()
      expect(await ofIccid(iccid)).toEqual([`elsewhere-${iccid}:0`])
      await world.run(
        Telco.Telco.use((telco) => telco.cancelPackage({ packageId: `elsewhere-${iccid}:0`, iccid, key: "by hand" }))
      )
      await world.advanceTo(inTwoDays() + 65 * 86_400_000)
      await world.settle()
      expect(await ofIccid(iccid)).toEqual([expect.stringMatching(/:2$/)])
    })

    it("gives no data to a subscription that has moved while the telco did not answer", async () => {
      const first = await movedToOccupied({ planId: await recurring(), start: inTwoDays() })
      await world.advanceTo(inTwoDays())
      await world.settle()
      expect(await ofIccid(first)).toEqual([`elsewhere-${first}:0`])
      expect((await problems()).map(({ jobId }) => jobId)).toContain(`review:occupied/${first}`)
    })
  })

  it("is tried ten times in one request, which then comes again", async () => {
    const iccids = await world.importSims(13)
    for (const iccid of iccids.slice(0, 12)) await sellElsewhere(iccid)
    expect(await Calls.create(world, { planId })).toMatchObject({ failure: { _tag: "SimsReleasing" } })
    expect(await Calls.create(world, { planId })).toMatchObject({ success: { sim: { iccid: iccids[12] } } })
  })

  it("takes a further plan once it is in service, whatever is on it", async () => {
    const [iccid = expect.fail()] = await world.importSims(1)
    await Calls.create(world, { planId, iccid })
    await sellElsewhere(iccid)
    expect(await Calls.create(world, { planId, iccid })).toMatchObject({ success: { sim: { iccid } } })
    expect(await problems()).toEqual([])
  })

  it("is none that a subscription moves to", async () => {
    const [own = expect.fail(), first, second] = await world.importSims(3)
    await Calls.create(world, { planId, iccid: own })
    await sellElsewhere(first ?? "")
    expect((await move(own)).sim.iccid).toBe(second)
    await world.settle()
    expect([await allocation(first ?? ""), await ofIccid(first ?? "")]).toEqual(["Releasing", [`elsewhere-${first}:0`]])
    expect(await ofIccid(second ?? "")).toHaveLength(1)
    expect((await problems()).map(({ work }) => work._tag)).toEqual(["CancelPackages"])
  })

  it("gives no data to a subscription that has moved to it while the telco did not answer", async () => {
    const first = await movedToOccupied()
    await world.settle()
    expect(await ofIccid(first)).toEqual([`elsewhere-${first}:0`])
    expect((await problems()).map(({ jobId }) => jobId)).toContain(`review:occupied/${first}`)
  })

  it("keeps what a subscription that moves away does not know of, until an operator has decided", async () => {
    const [own = expect.fail(), next = expect.fail()] = await world.importSims(2)
    await Calls.create(world, { planId, iccid: own })
    await sellElsewhere(own)
    await move(own)
    await world.settle()
    expect([await ofIccid(own), (await ofIccid(next)).length]).toEqual([[`elsewhere-${own}:0`], 1])
    const [{ jobId: problemId, refused, work } = expect.fail(), ...others] = await problems()
    expect([work, others]).toMatchObject([{ _tag: "CancelPackages", iccid: own }, []])
    expect(refused?.message).toContain(`that no subscription here has: elsewhere-${own}:0`)
    await world.run(Problems.Problems.use((of) => of.correct({ problemId })))
    await world.settle()
    expect([await ofIccid(own), await problems()]).toEqual([[], []])
  })

  it("keeps what is of others when the subscription that has moved to it is deleted", async () => {
    const first = await movedToOccupied()
    await world.settle()
    const { organizationId } = world
    await world.run(Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid: first })))
    await world.settle()
    await world.advanceBy(60_000)
    expect([await ofIccid(first), await allocation(first)]).toEqual([[`elsewhere-${first}:0`], "Releasing"])
    expect(await Calls.create(world, { planId, iccid: first })).toMatchObject({ failure: { _tag: "SimBusy" } })
    const [released = expect.fail()] = (await problems()).filter(({ work }) => work._tag === "CancelPackages")
    expect(released.refused?.message).toContain(`that no subscription here has: elsewhere-${first}:0`)
  })

  it("cancels what an undone top-up has left on a SIM that was left, and calls it no problem", async () => {
    const [own = expect.fail(), next = expect.fail()] = await world.importSims(2)
    await Calls.create(world, { planId, iccid: own })
    await world.setFaults([
      { fault: "answer lost", on: "createPackage", times: 1 },
      { fault: "unavailable", on: "cancelPackage", times: 1 }
    ])
    expect(await Calls.create(world, { planId, iccid: own })).toMatchObject({ failure: { _tag: "TelcoUnavailable" } })
    await move(own)
    await world.settle()
    await world.advanceBy(60_000)
    expect([await ofIccid(own), (await ofIccid(next)).length, await problems()]).toEqual([[], 1, []])
  })

  it("is free again once the telco has nothing of others on it, and an operator retries", async () => {
    const [iccid = expect.fail()] = await world.importSims(1)
    await sellElsewhere(iccid)
    await Calls.create(world, { planId })
    await world.settle()
    const [{ jobId: problemId } = expect.fail()] = await problems()
    await world.run(Problems.Problems.use((of) => of.retry({ problemId })))
    await world.settle()
    expect([await allocation(iccid), (await problems()).length]).toEqual(["Releasing", 1])
    await world.run(
      Telco.Telco.use((telco) => telco.cancelPackage({ packageId: `elsewhere-${iccid}:0`, iccid, key: "by hand" }))
    )
    await world.run(Problems.Problems.use((of) => of.retry({ problemId })))
    await world.settle()
    expect([await allocation(iccid), await problems()]).toEqual(["Free", []])
  })
})
