/**
 * Reports of locations and SM-DP+ states (rule R3): a change causes an event, and no report moves a fact backwards.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import type { State } from "../../src/domain/SmdpHistory.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { ICCID, line, NOW, report, seenIn } from "./Values.ts"

const apply = (of: ForReports, fact: TelcoReport.Fact, occurredAt = NOW, id = "report") =>
  Result.getOrThrow(TelcoReport.apply(of, report(fact, occurredAt, id), NOW))
const moved = (countryIso2: string, previousCountryIso2: string | null) => ({
  type: "subscription.esim.locationChanged",
  data: { esim: ICCID, countryIso2, previousCountryIso2 }
})
const state = (to: State, modificationResult = "Success"): TelcoReport.Fact => ({
  _tag: "SmdpState",
  state: to,
  modificationResult
})
const stateChanged = (to: State) => ({
  type: "esim.smdp.stateChanged",
  data: { sim: ICCID, smdpStateChange: { state: to, modificationResult: "Success" } }
})

describe("A location (R3)", () => {
  const sweden = apply(line(), seenIn("SE"), NOW - 10)

  it("causes an event for the first country, with none before", () => {
    expect(sweden.payloads).toEqual([moved("SE", null)])
    expect(sweden.aggregate.sim).toMatchObject({
      location: { countryAlpha2: "SE", operator: "Telia", rat: "5G", imei: "356938035643809", at: NOW - 10 },
      lastActivityAt: NOW - 10,
      downloaded: true
    })
  })

  it("causes an event for another country, with the one before", () => {
    expect(apply(sweden.aggregate, seenIn("NO")).payloads).toEqual([moved("NO", "SE")])
  })

  it("causes no event for another operator of the same country, but is stored", () => {
    const after = apply(sweden.aggregate, seenIn("SE", "Tre"))
    expect(after.payloads).toEqual([])
    expect(after.aggregate.sim.location).toMatchObject({ operator: "Tre", at: NOW })
  })

  it("causes no event and changes nothing if it is late", () => {
    const after = apply(sweden.aggregate, seenIn("NO"), NOW - 11)
    expect(after.payloads).toEqual([])
    expect(after.aggregate.sim.location).toEqual(sweden.aggregate.sim.location)
    expect(after.aggregate.sim.lastActivityAt).toBe(NOW - 10)
  })

  it("leaves no jobs and no history", () => {
    expect(sweden).toMatchObject({ jobs: [], smdpEntries: [] })
  })
})

describe("An SM-DP+ state (R3, I2)", () => {
  const installed = apply(line(), state("BPP Installation"), NOW - 10, "r-1")

  it("causes an event for the first status, is stored, and is a sign of a download (S2)", () => {
    expect(installed.payloads).toEqual([stateChanged("BPP Installation")])
    expect(installed.aggregate.sim).toMatchObject({
      smdp: { state: "BPP Installation", modifiedAt: NOW - 10 },
      downloaded: true
    })
    expect(installed.smdpEntries).toEqual([
      {
        organizationId: "organization",
        iccid: ICCID,
        reportId: "r-1",
        state: "BPP Installation",
        modificationResult: "Success",
        modifiedAt: NOW - 10
      }
    ])
  })

  it("causes an event for each change", () => {
    expect(apply(installed.aggregate, state("Enable")).payloads).toEqual([stateChanged("Enable")])
  })

  it("causes no event if the status stays the same, but is stored", () => {
    const again = apply(installed.aggregate, state("BPP Installation"))
    expect(again.payloads).toEqual([])
    expect(again.smdpEntries).toHaveLength(1)
  })

  it("causes no event if it is late, but is stored", () => {
    const late = apply(installed.aggregate, state("Delete"), NOW - 11)
    expect(late.payloads).toEqual([])
    expect(late.smdpEntries).toMatchObject([{ state: "Delete", modifiedAt: NOW - 11 }])
    expect(late.aggregate.sim.smdp).toEqual(installed.aggregate.sim.smdp)
  })

  it("causes no event if it failed, is no sign of a download, but is stored", () => {
    const failed = apply(line(), state("BPP Installation", "Failed"))
    expect(failed.payloads).toEqual([])
    expect(failed.aggregate.sim).toMatchObject({ smdp: null, downloaded: false })
    expect(failed.smdpEntries).toMatchObject([{ modificationResult: "Failed" }])
    expect(apply(installed.aggregate, state("Delete", "Failed")).aggregate.sim.downloaded).toBe(true)
  })

  it("is no activity on a network", () => {
    expect(installed.aggregate.sim.lastActivityAt).toBeNull()
  })
})
