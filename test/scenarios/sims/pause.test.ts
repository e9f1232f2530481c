/**
 * S7 against a telco that fails: the last wish is what the telco has once all is quiet, whatever
 * was lost or overtaken, and no SIM is free before it was resumed.
 */
import { Effect } from "effect"
import { Pauses, Problems, Time } from "simplan"
import { type Faults, TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import * as World from "../World.ts"

let world: World.World
let iccid: string
beforeEach(async () => {
  world = await World.make()
  const [first = ""] = await world.importSims(1)
  iccid = first
  await Calls.create(world, {
    planId: await world.createPlan(),
    iccid,
    start: World.START,
    end: World.START + Time.DAY
  })
})

const set = (paused: boolean) =>
  world.run(
    Effect.result(
      Pauses.Pauses.use((of) => of[paused ? "pause" : "resume"]({ organizationId: world.organizationId, iccid }))
    )
  )

const remove = () => Calls.remove(world, iccid)

const fail = (...faults: ReadonlyArray<Faults.Fault>) =>
  world.setFaults(faults.map((fault) => ({ ...fault, on: "setService" as const })))

const telco = <A, E>(use: Parameters<typeof TelcoSimulator.TelcoSimulator.use<A, E, never>>[0]) =>
  world.run(TelcoSimulator.TelcoSimulator.use(use))

/** Since when it is paused, as we answer it, and whether the telco has it in service. */
const service = async () => {
  const { service } = await Calls.sim(world, iccid)
  return [service, (await telco((of) => of.services)).get(iccid) ?? true]
}

const settled = (pausedAt: number | null) => [{ _tag: "Settled", pausedAt }, pausedAt === null]

const late = () => new Promise((resolve) => setTimeout(resolve, 500))

const problems = async () => (await world.run(Problems.Problems.use((of) => of.page({ after: null, limit: 10 })))).items

describe("S7", () => {
  it("pauses and resumes, each once however often it is asked, and no attachment notices", async () => {
    const before = await Calls.attachments(world, iccid)
    await set(true)
    await world.settle()
    expect(await service()).toEqual(settled(World.START))
    await world.advanceBy(Time.HOUR)
    expect(await set(true)).toMatchObject({ _tag: "Success" })
    expect(await service()).toEqual(settled(World.START))
    const paused = { _tag: "Paused", at: World.START }
    expect(await Calls.attachments(world, iccid)).toEqual(before.map((one) => ({ ...one, reason: paused })))
    await set(false)
    await set(false)
    await world.settle()
    expect(await service()).toEqual(settled(null))
    expect((await telco((of) => of.calls)).setService).toBe(2)
    await set(true)
    await world.advanceBy(2 * Time.DAY)
    expect((await Calls.attachment(world, iccid)).state).toBe("EXPIRED")
  })

  it.each([
    ["never reaches the telco", [{ fault: "unavailable", times: 1 }]],
    ["is done, its answer lost", [{ fault: "answer lost", times: 1 }]],
    ["reaches the telco late", [{ fault: "slow", delay: "400 millis", times: 1 }]],
    ["is refused once", [{ fault: "refuse", times: 1 }]]
  ] as const)("the last wish wins where the pause before it %s", async (_, faults) => {
    await fail(...faults)
    await set(true)
    await world.settle()
    await set(false)
    await world.settle()
    await late()
    await world.advanceBy(Time.HOUR)
    expect(await service()).toEqual(settled(null))
    await set(true)
    await set(false)
    await set(true)
    const now = World.START + Time.HOUR
    await world.advanceBy(Time.HOUR)
    expect(await service()).toEqual(settled(now))
  })

  it("a pause that is repeated because its answer was lost never overtakes the resumption after it", async () => {
    await fail({ fault: "answer lost", times: 3 }, { fault: "slow", delay: "400 millis", times: 1, after: 2 })
    await set(true)
    await world.settle()
    await set(false)
    for (let minute = 0; minute < 5; minute++) {
      await world.advanceBy(Time.MINUTE)
      await late()
    }
    await world.advanceBy(Time.HOUR)
    expect(await service()).toEqual(settled(null))
  })

  it("notifies those who ask for it", async () => {
    await Calls.listen(world, ["subscription.paused", "subscription.resumed"])
    await set(true)
    await world.advanceBy(Time.MINUTE)
    await set(false)
    await world.advanceBy(Time.MINUTE)
    expect(world.received.map(({ data, type }) => [type, data["esim"], data["pausedAt"] ?? data["resumedAt"]])).toEqual(
      [
        ["subscription.paused", iccid, Time.toIso(World.START)],
        ["subscription.resumed", iccid, Time.toIso(World.START + Time.MINUTE)]
      ]
    )
  })
})

describe("a telco that refuses (S6)", () => {
  it("is asked three times; a resumption then takes the pause off the list", async () => {
    await fail({ fault: "refuse", times: 99 })
    await set(true)
    await world.advanceBy(Time.HOUR)
    expect(await problems()).toMatchObject([{ work: { _tag: "SetService", iccid } }])
    await set(false)
    expect(await problems()).toEqual([])
    expect(await service()).toEqual(settled(null))
    await world.advanceBy(Time.DAY)
    expect((await telco((of) => of.calls)).setService).toBe(3)
  })

  it("may be asked again, or have it done by hand", async () => {
    await fail({ fault: "refuse", times: 3 })
    await set(true)
    await world.advanceBy(Time.HOUR)
    const [problem] = await problems()
    const problemId = problem?.jobId ?? ""
    await world.run(Problems.Problems.use((of) => of.retry({ problemId })))
    await world.settle()
    expect(await service()).toEqual(settled(World.START))
    await fail({ fault: "refuse", times: 3 })
    await set(false)
    await world.advanceBy(Time.HOUR)
    const [other] = await problems()
    await world.run(Problems.Problems.use((of) => of.resolve({ problemId: other?.jobId ?? "" })))
    expect((await Calls.sim(world, iccid)).service).toEqual({ _tag: "Settled", pausedAt: null })
    expect(await problems()).toEqual([])
  })
})

describe("a deletion", () => {
  const isFree = async () => (await Calls.sim(world, iccid)).allocation._tag === "Free"

  it("ends a pause, and the SIM is free when the telco has resumed it", async () => {
    await set(true)
    await world.settle()
    await fail({ fault: "unavailable", times: 3 })
    await remove()
    expect([await isFree(), (await telco((of) => of.releasedProfiles)).length]).toEqual([false, 0])
    await world.advanceBy(Time.HOUR)
    expect([await isFree(), (await telco((of) => of.releasedProfiles)).length]).toEqual([true, 1])
    expect(await service()).toEqual(settled(null))
  })

  it("is answered when the SIM is free, where the telco is well", async () => {
    await set(true)
    await world.settle()
    await remove()
    await world.settle()
    expect([await isFree(), ...(await service())]).toEqual([true, ...settled(null)])
  })

  it("waits for a pause that is under way", async () => {
    await fail({ fault: "slow", delay: "400 millis", times: 1 })
    await set(true)
    await world.settle()
    await remove()
    expect(await isFree()).toBe(false)
    await late()
    await world.advanceBy(Time.HOUR)
    expect([await isFree(), ...(await service())]).toEqual([true, ...settled(null)])
  })

  it("that was released by hand frees the SIM only when it was resumed", async () => {
    await set(true)
    await world.settle()
    await world.setFaults([
      { fault: "unavailable", on: "setService", times: 4 },
      { fault: "refuse", on: "cancelPackage", times: 99 }
    ])
    await remove()
    await world.advanceBy(30 * Time.SECOND)
    const [problem] = await problems()
    expect(problem?.work._tag).toBe("CancelPackages")
    await world.run(Problems.Problems.use((of) => of.resolve({ problemId: problem?.jobId ?? "", force: true })))
    expect(await isFree()).toBe(false)
    await world.advanceBy(Time.HOUR)
    expect([await isFree(), ...(await service())]).toEqual([true, ...settled(null)])
  })

  it("after a resumption that the telco refuses for good leaves that to the operator", async () => {
    await set(true)
    await world.settle()
    await fail({ fault: "refuse", times: 3 })
    await set(false)
    await world.advanceBy(Time.HOUR)
    await remove()
    await world.advanceBy(Time.HOUR)
    const [problem] = await problems()
    expect([problem?.work._tag, await isFree()]).toEqual(["SetService", false])
    await world.run(Problems.Problems.use((of) => of.retry({ problemId: problem?.jobId ?? "" })))
    await world.advanceBy(Time.HOUR)
    expect([await isFree(), ...(await service())]).toEqual([true, ...settled(null)])
  })

  it("after a pause that the telco refuses for good has nothing to resume", async () => {
    await fail({ fault: "refuse", times: 99 })
    await set(true)
    await world.advanceBy(Time.HOUR)
    await remove()
    await world.settle()
    expect([await problems(), await isFree()]).toEqual([[], true])
  })
})
