/**
 * S5 with a telco of plain functions: what it lists on a SIM is cancelled before the SIM is sold
 * again, and one that cannot list is taken at its word.
 */
import type { Telco } from "simplan/promise"
import { describe, expect, it } from "vitest"
import { make, selling, telco } from "./World.ts"

/**
 * A subscription that is deleted: the packages that were cancelled, and whether the SIM is in use
 * still.
 */
const released = async (listPackages?: Telco["listPackages"]) => {
  const cancelled: Array<string> = []
  const logged: Array<string> = []
  const simplan = make({
    telco: telco({ cancelPackage: async ({ packageId }) => void cancelled.push(packageId), listPackages }),
    worker: false,
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: (message) => void logged.push(message) }
  })
  const { organizationId, planId } = await selling(simplan)
  const { attachmentId, sim } = await simplan.subscriptions.create({ organizationId, planId })
  await simplan.subscriptions.remove({ organizationId, iccid: sim.iccid })
  await simplan.drain()
  const { used } = await simplan.sims.get({ organizationId, iccid: sim.iccid })
  await simplan.close()
  return { cancelled: cancelled.map((id) => (id === `${attachmentId}:0` ? "its own" : id)), logged, used }
}

describe("a telco of functions", () => {
  it("has cancelled what it lists on a SIM before that is free", async () => {
    const asked: Array<string> = []
    const list: Telco["listPackages"] = async ({ iccid }, { signal }) => {
      asked.push(iccid)
      return signal.aborted ? [] : ["own/7", "forgotten:0"]
    }
    const expected = { cancelled: ["its own", "own/7", "forgotten:0"], logged: [], used: false }
    expect(await released(list)).toEqual(expected)
    expect(asked).toHaveLength(1)
  })

  it("is taken at its word where it cannot list", async () => {
    const expected = { cancelled: ["its own"], logged: [], used: false }
    expect(await released()).toEqual(expected)
    expect(await released(async () => null)).toEqual(expected)
  })

  it("keeps the SIM while the list is none, which is logged", async () => {
    const { logged, used } = await released(async () => [7] as never)
    expect({ logged, used }).toEqual({
      logged: ["telco.listPackages threw an error that is neither TelcoRefused nor TelcoUnavailable"],
      used: true
    })
  })
})
