/**
 * SM-DP+ states (rules I2 and R3): only a successful report changes the current status, and none
 * moves it back.
 */
import { describe, expect, it } from "vitest"
import * as SmdpHistory from "../../src/domain/SmdpHistory.ts"
import { ICCID, NOW } from "./Values.ts"

const entry = (state: SmdpHistory.State, modifiedAt: number, modificationResult = SmdpHistory.SUCCESS) => ({
  organizationId: "organization",
  iccid: ICCID,
  reportId: `${state} ${modifiedAt}`,
  state,
  modificationResult,
  modifiedAt
})
const enabled = { state: "Enable", modifiedAt: NOW } as const

describe("The current status (I2, R3)", () => {
  it("is that of the first report", () => {
    expect(SmdpHistory.withEntry(null, entry("BPP Installation", NOW))).toEqual({
      state: "BPP Installation",
      modifiedAt: NOW
    })
  })

  it("changes with a later report", () => {
    expect(SmdpHistory.withEntry(enabled, entry("Disable", NOW + 1))).toEqual({
      state: "Disable",
      modifiedAt: NOW + 1
    })
    expect(SmdpHistory.withEntry(enabled, entry("Disable", NOW))?.state).toBe("Disable")
  })

  it("stays if a report is late", () => {
    expect(SmdpHistory.withEntry(enabled, entry("Disable", NOW - 1))).toBe(enabled)
  })

  it("stays if the modification failed", () => {
    for (const result of ["Failed", "Error", "", "Executed-Error", "not successful"]) {
      expect(SmdpHistory.withEntry(enabled, entry("Delete", NOW + 1, result))).toBe(enabled)
      expect(SmdpHistory.withEntry(null, entry("Delete", NOW, result))).toBeNull()
    }
  })
})

describe("A modification", () => {
  it("is successful by default and in the words of SGP.22, in any case", () => {
    const successful = [SmdpHistory.SUCCESS, "SUCCESS", "success", "Executed-Success", "Executed-WithWarning"]
    expect(successful.map(SmdpHistory.isSuccessful)).toEqual(Array(5).fill(true))
  })

  it("has the states that the interface names", () => {
    expect(SmdpHistory.states).toEqual(["BPP Installation", "Enable", "Disable", "Delete"])
  })
})
