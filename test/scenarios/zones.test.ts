/**
 * T1: the machine's time zone changes nothing, also where its clocks are put forward or back
 * meanwhile.
 */
import { Time } from "simplan"
import { afterEach, describe, expect, it } from "vitest"
import * as Calls from "./Calls.ts"
import * as World from "./World.ts"

const own = process.env["TZ"]
afterEach(() => {
  if (own === undefined) delete process.env["TZ"]
  else process.env["TZ"] = own
})

/** The zones, and the night in which each puts its clocks forward or back. */
const nights = [
  ["Europe/Berlin", Date.UTC(2026, 2, 29, 1)],
  ["Europe/Berlin", Date.UTC(2026, 9, 25, 1)],
  ["America/New_York", Date.UTC(2026, 2, 8, 7)],
  ["Australia/Lord_Howe", Date.UTC(2026, 3, 4, 15)]
] as const

/**
 * What a plan of five days, each with its package, comes to when it begins two days before an
 * instant.
 */
const played = async (zone: string, instant: number) => {
  process.env["TZ"] = zone
  const world = await World.make()
  await world.advanceTo(instant - 3 * Time.DAY)
  const [iccid = ""] = await world.importSims(1)
  const recurrence = { periodicity: "Daily", frequency: 1, occurrences: 5 } as const
  const planId = await world.createPlan({ recurrence, periodDays: 1 })
  await Calls.create(world, { planId, iccid, start: instant - 2 * Time.DAY })
  const counts: Array<number> = []
  for (let hours = 0; hours < 5 * 24; hours += 6) {
    await world.advanceBy(6 * Time.HOUR)
    counts.push((await Calls.activePackages(world)).length)
  }
  const { attachment, packages } = await Calls.attachment(world, iccid)
  const times = packages.map(({ activationAt, expirationAt }) => [activationAt, expirationAt])
  return { anchor: attachment.anchor, counts, times }
}

describe("a machine in a zone that changes its clocks", () => {
  it.each(nights)("in %s creates each day's package 24 hours after the one before", async (zone, instant) => {
    const there = await played(zone, instant)
    const offset = (at: number) => new Date(at).getTimezoneOffset()
    expect(offset(instant - Time.HOUR)).not.toBe(offset(instant + Time.HOUR))
    const starts = Array.from({ length: 5 }, (_, day) => instant + (day - 2) * Time.DAY)
    expect(there.times).toEqual(starts.map((start) => [start, start + Time.DAY]))
    expect(there).toEqual(await played("UTC", instant))
  })
})
