/**
 * T5, T6, T7 and L2 over time: the packages of a recurring attachment while the clock moves, the
 * telco fails, and the attachment is suspended; and what it says where it gives no service.
 */
import { Attachments, Time } from "simplan"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "./Calls.ts"
import * as World from "./World.ts"

let world: World.World
let iccid: string
beforeEach(async () => {
  world = await World.make()
  const [first = ""] = await world.importSims(1)
  iccid = first
})

const START = World.START

const daily = (occurrences: number, periodDays = 1) =>
  world.createPlan({ recurrence: { periodicity: "Daily", frequency: 1, occurrences }, periodDays })

const activations = async () => (await Calls.attachment(world, iccid)).packages.map(({ activationAt }) => activationAt)

const days = (count: number, from = START) => Array.from({ length: count }, (_, day) => from + day * Time.DAY)

describe("T5: occurrences", () => {
  it("are created 12 h ahead, each once, until the last", async () => {
    await Calls.create(world, { planId: await daily(10), start: START })
    expect(await activations()).toEqual(days(1))
    await world.advanceTo(START + 12 * Time.HOUR - 1)
    expect(await activations()).toEqual(days(1))
    await world.advanceBy(1)
    expect(await activations()).toEqual(days(2))
    await world.advanceBy(4 * Time.DAY)
    expect(await activations()).toEqual(days(6))
    await world.advanceBy(365 * Time.DAY)
    expect(await activations()).toEqual(days(10))
    expect(await world.telcoPackages()).toHaveLength(10)
    expect(await Calls.attachment(world, iccid)).toMatchObject({
      state: "EXPIRED",
      activationAt: START,
      expirationAt: START + 10 * Time.DAY
    })
  })

  it("that lie more than 12 h ahead leave the creation without a package", async () => {
    const created = await Calls.create(world, { planId: await daily(3), start: START + 2 * Time.DAY })
    expect(created).toMatchObject({
      success: {
        period: { activationAt: START + 2 * Time.DAY, expirationAt: null },
        sim: { allocation: { _tag: "InService" } }
      }
    })
    expect(await Calls.attachment(world, iccid)).toMatchObject({ state: "CREATED", packages: [] })
    await world.advanceTo(START + 1.5 * Time.DAY)
    expect(await activations()).toEqual(days(1, START + 2 * Time.DAY))
  })

  it("of a month are clamped to its last day, and counted from the anchor", async () => {
    const planId = await world.createPlan({ recurrence: { periodicity: "Monthly", frequency: 1, occurrences: 4 } })
    await Calls.create(world, { planId, start: START })
    await world.advanceBy(120 * Time.DAY)
    expect((await activations()).map((at) => Time.toIso(at ?? 0).slice(0, 10))).toEqual([
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30"
    ])
  })

  it("are counted from the first use where no period was named", async () => {
    await Calls.create(world, { planId: await daily(3) })
    expect(await Calls.attachment(world, iccid)).toMatchObject({ state: "PENDING_FOR_FIRST_USE", activationAt: null })
    await world.advanceBy(5 * Time.DAY)
    const firstUse = START + 5 * Time.DAY - Time.HOUR
    await Calls.report(world, iccid, [firstUse, Calls.firstUse])
    await world.advanceBy(10 * Time.DAY)
    expect(await activations()).toEqual(days(3, firstUse))
  })

  it("that the telco refuses are recorded as refused, and the recurrence goes on", async () => {
    await Calls.create(world, { planId: await daily(4), start: START })
    await world.setFaults([{ fault: "refuse", on: "createPackage", times: 1 }])
    await world.advanceBy(10 * Time.DAY)
    expect(await activations()).toEqual([0, 2, 3].map((day) => START + day * Time.DAY))
  })

  it("that the telco cannot take are retried until their period is over, and hold up no other", async () => {
    await Calls.create(world, { planId: await daily(4, 2), start: START })
    await world.setFaults([{ fault: "unavailable", on: "createPackage", when: ({ key }) => key.endsWith(":1") }])
    await world.advanceBy(2.5 * Time.DAY)
    expect(await activations()).toEqual([0, 2, 3].map((day) => START + day * Time.DAY))
    await world.advanceBy(10 * Time.DAY)
    const { packages } = await Calls.attachment(world, iccid)
    expect(packages.map(({ occurrence, status }) => [occurrence, status])).toEqual([
      [0, "Created"],
      [1, "Lapsed"],
      [2, "Created"],
      [3, "Created"]
    ])
  })

  it("that are taken although the answer is lost exist once", async () => {
    await Calls.create(world, { planId: await daily(3), start: START })
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 2 }])
    await world.advanceBy(10 * Time.DAY)
    expect(await activations()).toEqual(days(3))
    expect(await world.telcoPackages()).toHaveLength(3)
  })

  it("all exist whose activation is due when the attachment is made, exactly 24 h past and 12 h ahead included", async () => {
    const planId = await world.createPlan({
      recurrence: { periodicity: "Daily", frequency: 1, occurrences: 9 },
      periodDays: 3
    })
    await Calls.create(world, { planId, start: START - Time.DAY })
    expect(await activations()).toEqual(days(2, START - Time.DAY))
    expect(await Calls.create(world, { planId, iccid, start: START - Time.DAY - 1 })).toMatchObject({
      failure: { _tag: "InvalidField", field: "activePeriod.start" }
    })
  })
})

describe("T7: suspension", () => {
  it("stops the packages at the telco and the recurrence, for good", async () => {
    await Calls.create(world, { planId: await daily(10), start: START })
    await world.advanceBy(2 * Time.DAY)
    const { attachment } = await Calls.attachment(world, iccid)
    const suspend = () =>
      world.run(
        Attachments.Attachments.use((of) =>
          of.suspend({ organizationId: world.organizationId, iccid, attachmentId: attachment.attachmentId })
        )
      )
    await world.setFaults([{ fault: "unavailable", on: "suspendPackage", times: 2 }])
    await suspend()
    await suspend()
    await world.advanceBy(30 * Time.DAY)
    expect(await Calls.attachment(world, iccid)).toMatchObject({ state: "SUSPENDED" })
    expect(await activations()).toEqual(days(3))
    const statuses = (await world.telcoPackages()).map(({ status }) => status)
    expect(statuses).toEqual(["active", "active", "suspended"])
  })
})

const reason = async () => (await Calls.attachment(world, iccid)).reason

describe("L2: a customer has no data, because the attachment", () => {
  it("waits for its first use", async () => {
    await Calls.create(world, { planId: await world.createPlan({}) })
    expect(await reason()).toEqual({ _tag: "WaitsForFirstUse", pausedAt: null })
    await Calls.report(world, iccid, [START, Calls.firstUse])
    expect(await reason()).toBeNull()
  })

  it("waits for its start", async () => {
    await Calls.create(world, { planId: await daily(5), start: START + 2 * Time.DAY })
    expect(await reason()).toEqual({ _tag: "WaitsForStart", at: START + 2 * Time.DAY })
    await world.advanceBy(2 * Time.DAY)
    expect(await reason()).toBeNull()
  })

  it("waits for a telco that does not answer, and was refused by it", async () => {
    await Calls.create(world, { planId: await daily(5), start: START + 2 * Time.DAY })
    await world.setFaults([{ fault: "unavailable", on: "createPackage" }])
    await world.advanceBy(2 * Time.DAY + Time.HOUR)
    const since = START + 1.5 * Time.DAY
    const unavailable = await reason()
    expect(unavailable).toMatchObject({ _tag: "TelcoUnavailable", since: expect.closeTo(since, -5) })
    if (unavailable?._tag !== "TelcoUnavailable") throw new Error("it waits for the telco")
    expect(unavailable.tries).toBeGreaterThan(1)
    expect(unavailable.nextTryAt).toBeGreaterThan(START + 2 * Time.DAY)
    await world.setFaults([{ fault: "refuse", on: "createPackage" }])
    await world.advanceBy(Time.HOUR)
    expect(await reason()).toMatchObject({ _tag: "TelcoRefused", said: expect.stringMatching(/./) })
  })

  it("is over", async () => {
    await Calls.create(world, { planId: await world.createPlan({}), start: START, end: START + Time.DAY })
    await world.advanceBy(2 * Time.DAY)
    expect(await reason()).toEqual({ _tag: "Over", at: START + Time.DAY })
  })

  it("was suspended, by whom", async () => {
    await Calls.create(world, { planId: await world.createPlan({}) })
    const { attachmentId } = (await Calls.attachment(world, iccid)).attachment
    await world.advanceBy(Time.HOUR)
    await world.run(
      Attachments.Attachments.use((of) => of.suspend({ organizationId: world.organizationId, iccid, attachmentId }))
    )
    expect(await reason()).toEqual({ _tag: "Suspended", at: START + Time.HOUR, by: "host", telco: { _tag: "Asked" } })
  })
})
