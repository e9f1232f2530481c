/**
 * S5, I6 and W2 for a change of the mobile plan that is repeated under its idempotency key while
 * the telco fails: it holds one eSIM at most, goes on with the change that is there, and what its
 * caller never learns of is turned back.
 */
import { Effect } from "effect"
import { IdempotencyKeys, Time, Wallet } from "simplan"
import { type Faults, TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "./Calls.ts"
import * as World from "./World.ts"

let world: World.World
let iccids: ReadonlyArray<string>
beforeEach(async () => {
  world = await World.make()
  iccids = await world.importSims(10)
})

const change = (iccid: string | null = null) =>
  Wallet.Wallet.use((of) =>
    of.setMobilePlan({ organizationId: world.organizationId, apply: true, label: "Green", iccid })
  )

/** The same request under its key; it names no eSIM unless asked to. */
const repeated = ({ iccid, fingerprint = "the same change" }: { iccid?: string; fingerprint?: string } = {}) =>
  world.run(
    IdempotencyKeys.IdempotencyKeys.use((keys) => keys.once("MobilePlan", change(iccid))).pipe(
      Calls.underKey(world, "change-1", fingerprint),
      Effect.result
    )
  )

/** The eSIMs that a change is under way of. */
const changing = async () => {
  const sims = await Promise.all(iccids.map((iccid) => Calls.sim(world, iccid)))
  return sims.flatMap(({ iccid, mobilePlan }) => (mobilePlan._tag === "Changing" ? [iccid] : []))
}

/** The eSIMs that the telco applies the plan to. */
const applied = async () => {
  const plans = await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.mobilePlans))
  return iccids.filter((iccid) => plans.get(iccid) === true)
}

const unavailable = { _tag: "Failure", failure: { _tag: "TelcoUnavailable" } }
const failing = (fault: "unavailable" | "answer lost", times?: number): Faults.Fault => ({
  fault,
  on: "setMobilePlan",
  ...(times !== undefined && { times })
})

describe("S5: a change of the mobile plan that is repeated under its key", () => {
  it("changes no eSIM while the telco refuses connections, and begins anew when it is back", async () => {
    await world.setFaults([{ fault: "unavailable", on: "setMobilePlan", isDone: false }])
    for (let time = 0; time < 15; time++) {
      expect(await repeated()).toMatchObject(unavailable)
      expect(await changing()).toEqual([])
    }
    await world.setFaults([])
    expect(await repeated()).toMatchObject({ success: { iccid: iccids[0], applied: true } })
    expect(await applied()).toEqual(iccids.slice(0, 1))
  })

  it.each(["unavailable", "answer lost"] as const)("changes one eSIM while the telco is %s", async (fault) => {
    await world.setFaults([failing(fault)])
    for (let time = 0; time < 15; time++) {
      expect(await repeated()).toMatchObject(unavailable)
      expect(await changing()).toEqual(iccids.slice(0, 1))
      await world.advanceBy(Time.SECOND)
    }
    await world.setFaults([])
    const answer = await repeated()
    expect(answer).toMatchObject({ success: { iccid: iccids[0], applied: true } })
    expect(await repeated()).toEqual(answer)
    await world.advanceBy(Time.DAY / 2)
    expect(await applied()).toEqual(iccids.slice(0, 1))
    expect(await changing()).toEqual([])
  })

  it("goes on with the same eSIM hours later", async () => {
    await world.setFaults([failing("answer lost")])
    expect(await repeated()).toMatchObject(unavailable)
    await world.advanceBy(6 * Time.HOUR)
    expect(await repeated()).toMatchObject(unavailable)
    expect(await changing()).toEqual(iccids.slice(0, 1))
    await world.setFaults([])
    expect(await repeated()).toMatchObject({ success: { iccid: iccids[0], applied: true } })
  })

  it("goes on with the eSIM that it names", async () => {
    const [, , iccid = ""] = iccids
    await world.setFaults([failing("answer lost", 2)])
    expect(await repeated({ iccid })).toMatchObject(unavailable)
    expect(await repeated({ iccid })).toMatchObject(unavailable)
    expect(await repeated({ iccid })).toMatchObject({ success: { iccid, applied: true } })
  })

  it("is turned back when it does not come again in time, and begins anew then", async () => {
    await world.setFaults([failing("answer lost", 1)])
    expect(await repeated()).toMatchObject(unavailable)
    await world.advanceBy(9 * Time.SECOND)
    expect(await applied()).toEqual(iccids.slice(0, 1))
    await world.advanceBy(Time.SECOND)
    expect(await applied()).toEqual([])
    expect(await changing()).toEqual([])
    expect(await repeated()).toMatchObject({ success: { applied: true } })
    expect(await applied()).toHaveLength(1)
  })

  it("is refused while it is being turned back", async () => {
    await world.setFaults([failing("answer lost", 1), { ...failing("unavailable"), after: 2 }])
    expect(await repeated()).toMatchObject(unavailable)
    await world.advanceBy(Time.MINUTE)
    for (let time = 0; time < 3; time++) expect(await repeated()).toMatchObject(unavailable)
    expect(await changing()).toEqual(iccids.slice(0, 1))
    await world.setFaults([])
    await world.advanceBy(Time.HOUR)
    expect(await changing()).toEqual([])
    expect(await repeated()).toMatchObject({ success: { applied: true } })
    expect(await applied()).toHaveLength(1)
  })

  it("another request under the key is refused as before", async () => {
    await world.setFaults([failing("answer lost", 1)])
    await repeated()
    expect(await repeated({ fingerprint: "another" })).toMatchObject({ failure: { _tag: "IdempotencyKeyReused" } })
  })

  it("of two repetitions at once one goes on, and the other is in progress or gets its outcome", async () => {
    await world.setFaults([failing("answer lost", 1)])
    await repeated()
    const answers = await Promise.all([repeated(), repeated(), repeated()])
    Calls.expectOneToGoOn(answers)
    expect(await applied()).toEqual(iccids.slice(0, 1))
    expect(await changing()).toEqual([])
  })

  it.each([
    ["before it goes on", 1, "before"],
    ["after it went on", 1, "after"],
    ["before the telco's answer is committed", 2, "before"],
    ["after the telco's answer is committed", 2, "after"]
  ] as const)("whose process is killed %s has changed one eSIM", async (_, at, when) => {
    await world.setFaults([failing("answer lost", 1)])
    await repeated()
    const beginAndCrash = world.crashAt(at, when)
    await beginAndCrash(() => repeated())
    await world.restart()
    await world.advanceBy(Time.MINUTE)
    expect(await repeated()).toMatchObject({ success: { applied: true } })
    expect(await applied()).toHaveLength(1)
    expect(await changing()).toEqual([])
  })
})
