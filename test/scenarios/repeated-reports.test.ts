/**
 * Rule R1: which reports are repeats of one that was taken, and which are others under the same id.
 */
import { Clock, Reports, Time, Worker } from "simplan"
import type { TelcoReport } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as World from "./World.ts"

const MINUTE = Time.HOUR / 60

const world = async () => {
  const made = await World.make()
  const [first = "", second = ""] = await made.importSims(2)
  const seen = (iccid: string, occurredAt: number): TelcoReport.Report => ({
    reportId: "a",
    iccid,
    occurredAt,
    fact: { _tag: "Location", countryAlpha2: "FR", operator: "Orange", rat: "4G", imei: "1" }
  })
  const take = async (...reports: ReadonlyArray<TelcoReport.Report>) => {
    const verdicts = await made.run(Reports.Reports.use((of) => of.take({ reports })))
    return verdicts.map(({ _tag }) => _tag)
  }
  const now = async () => (await made.run(Clock.Clock.use((clock) => clock.read))).now
  /** Lets business time pass, as far as the worker forgets what is past its time. */
  const pass = async (millis: number) => {
    await made.advanceBy(millis)
    await made.run(Worker.Worker.use((worker) => worker.forget))
  }
  return { first, second, seen, take, now, pass }
}

describe("A report whose id was taken (R1)", () => {
  it("is a repeat for 35 days where it occurred when the first did, or before that one was taken", async () => {
    for (const lateness of [-5 * MINUTE, 0, 2 * Time.DAY, 90 * Time.DAY]) {
      const { first, now, pass, seen, take } = await world()
      const occurredAt = (await now()) - lateness
      expect(await take(seen(first, occurredAt))).toEqual(["Accepted"])
      for (const days of [0, 1, 2, 31.9]) {
        await pass(days * Time.DAY)
        expect(await take(seen(first, occurredAt), seen(first, occurredAt - 40 * Time.DAY))).toEqual([
          "Duplicate",
          "Duplicate"
        ])
      }
      expect(await take(seen(first, World.START + 5 * MINUTE))).toEqual(["Duplicate"])
      await pass(2 * Time.DAY)
      expect(await take(seen(first, occurredAt))).toEqual(["Accepted"])
    }
  })

  it("is a repeat for a day whenever it occurred, and then another one if it occurred after the first was taken", async () => {
    const { first, now, pass, seen, take } = await world()
    expect(await take(seen(first, await now()))).toEqual(["Accepted"])
    for (const days of [0, 0.25, 0.75]) {
      await pass(days * Time.DAY)
      expect(await take(seen(first, await now()))).toEqual(["Duplicate"])
    }
    await pass(1)
    expect(await take(seen(first, World.START + 5 * MINUTE))).toEqual(["Duplicate"])
    expect(await take(seen(first, World.START + 5 * MINUTE + 1))).toEqual(["Accepted"])
    expect(await take(seen(first, await now()))).toEqual(["Duplicate"])
  })

  it("is a repeat of whichever SIM of the organization it is, in the same request and in another", async () => {
    const { first, now, second, seen, take } = await world()
    const at = await now()
    expect(await take(seen(first, at), seen(second, at))).toEqual(["Accepted", "Duplicate"])
    expect(await take(seen(second, at))).toEqual(["Duplicate"])
  })
})
