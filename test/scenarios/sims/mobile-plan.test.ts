/**
 * I6 against a telco that fails: what a caller is answered stays true, at the telco as well, once
 * all is quiet.
 */
import { Effect } from "effect"
import { Time, Wallet } from "simplan"
import { TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import * as World from "../World.ts"

let world: World.World
let iccid: string
beforeEach(async () => {
  world = await World.make()
  const [first = ""] = await world.importSims(1)
  iccid = first
})

const set = (apply: boolean) =>
  world.run(
    Effect.result(
      Wallet.Wallet.use((of) =>
        of.setMobilePlan({ organizationId: world.organizationId, apply, label: "Green", iccid })
      )
    )
  )

/** Whether the plan is applied, as we answer it and as the telco has it. */
const applied = async () => {
  const { mobilePlan } = await Calls.sim(world, iccid)
  const atTelco = await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.mobilePlans))
  return [mobilePlan, atTelco.get(iccid) ?? false]
}

const settled = (is: boolean) => [{ _tag: "Settled", applied: is }, is]

describe("I6", () => {
  it("applies and removes, each once however often it is asked", async () => {
    const first = await set(true)
    expect(first).toMatchObject({ success: { iccid, applied: true } })
    expect(await set(true)).toEqual(first)
    expect(await applied()).toEqual(settled(true))
    expect(await set(false)).toMatchObject({ success: { applied: false } })
    expect(await applied()).toEqual(settled(false))
  })

  it("a refused change stays undone", async () => {
    await world.setFaults([{ fault: "refuse", on: "setMobilePlan", times: 1 }])
    expect(await set(true)).toMatchObject({ failure: { _tag: "TelcoRefused" } })
    expect(await applied()).toEqual(settled(false))
  })

  it.each([
    ["never reached the telco", [{ fault: "unavailable", times: 1 }], false],
    ["was done, its answer lost", [{ fault: "answer lost", times: 1 }], false],
    ["reached the telco late", [{ fault: "slow", delay: "400 millis", times: 1 }], false],
    [
      "was done, its turning back refused",
      [
        { fault: "answer lost", times: 1 },
        { fault: "refuse", times: 1, when: ({ key }: { readonly key: string }) => key !== firstKey(key) }
      ],
      true
    ]
  ] as const)("a change that %s is turned back", async (_, faults, remains) => {
    seen = undefined
    await world.setFaults(faults.map((fault) => ({ ...fault, on: "setMobilePlan" })))
    expect(await set(true)).toMatchObject({ failure: { _tag: "TelcoUnavailable" } })
    expect(await set(true)).toMatchObject({ failure: { _tag: "SimBusy" } })
    await new Promise((resolve) => setTimeout(resolve, 500))
    await world.advanceBy(Time.HOUR)
    expect(await applied()).toEqual(settled(remains))
  })
})

/** The key of the first change that was asked. */
let seen: string | undefined
const firstKey = (key: string): string => {
  seen ??= key
  return seen
}
