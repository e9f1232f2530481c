/**
 * The simulated telco as tests of hosts have it: what it was asked for, and calls that go wrong.
 */
import { createSimplan, createSimulator, type Simplan, type Simulator } from "simplan/promise"
import { afterEach, describe, expect, it } from "vitest"
import { make, plan, selling } from "./World.ts"

const start = "2026-01-31T12:00:00Z"

let simplan: Simplan

afterEach(() => simplan.close())

const world = async (simulator: Simulator) => {
  simplan = make({ clock: { start }, telco: simulator })
  const { organizationId, planId } = await selling(simplan)
  return { organizationId, create: () => simplan.subscriptions.create({ organizationId, planId }) }
}

describe("The simulator of hosts", () => {
  it("shows its packages, messages, mobile plans and releases, and counts its calls", async () => {
    const simulator = createSimulator()
    expect(await simulator.packages()).toEqual([])
    const { create, organizationId } = await world(simulator)
    const { attachmentId, sim } = await create()
    const { iccid } = sim
    await simplan.messages.send({ organizationId, iccid, from: "Acme", text: "Welcome" })
    const made = {
      packageId: `${attachmentId}:0`,
      telcoPackageId: `telco-${attachmentId}:0`,
      iccid,
      status: "active",
      window: null,
      label: "Green",
      dataMegaBytes: 1024,
      periodDays: 30
    }
    expect(await simulator.packages()).toEqual([made])
    expect(await simulator.messages()).toMatchObject([{ iccid, from: "Acme", text: "Welcome" }])
    expect(await simulator.calls()).toMatchObject({ createPackage: 1, sendSms: 1, cancelPackage: 0 })
    await simplan.wallet.setMobilePlan({ organizationId, label: "Green", apply: true, iccid })
    expect(await simulator.mobilePlans()).toEqual(new Map([[iccid, true]]))
    await simplan.subscriptions.remove({ organizationId, iccid })
    await simplan.drain()
    expect(await simulator.packages()).toEqual([{ ...made, status: "cancelled" }])
    expect(await simulator.releasedProfiles()).toEqual([iccid])
  })

  it("has the windows of packages as Dates", async () => {
    const simulator = createSimulator()
    const { organizationId } = await world(simulator)
    const { planId } = await plan(simplan, organizationId, "A day")
    const activePeriod = { start: "2026-02-01T00:00:00Z", end: "2026-02-02T00:00:00Z" }
    await simplan.subscriptions.create({ organizationId, planId, activePeriod })
    const window = { start: new Date(activePeriod.start), end: new Date(activePeriod.end) }
    expect(await simulator.packages()).toMatchObject([{ window }])
  })

  it("fails as many calls as are asked for, and those of one function alone", async () => {
    const simulator = createSimulator()
    // Before anything has asked the simulator.
    simulator.fail({ on: "createPackage", times: 1, retryAfterSeconds: 7 })
    const { create, organizationId } = await world(simulator)
    await expect(create()).rejects.toMatchObject({ name: "TelcoUnavailableError", retryAfterSeconds: 7 })
    expect(await simulator.packages()).toEqual([])
    const { sim } = await create()
    simulator.fail({ on: "sendSms", fault: "refuse", message: "No SMS to this SIM", times: 1 })
    const sms = { organizationId, iccid: sim.iccid, from: "Acme", text: "Welcome" }
    await expect(simplan.messages.send(sms)).rejects.toMatchObject({ name: "TelcoRefusedError" })
    await simplan.messages.send(sms)
    expect(await simulator.messages()).toHaveLength(1)
  })

  it("fails every call until it recovers, and those about one SIM alone", async () => {
    const simulator = createSimulator()
    const { create, organizationId } = await world(simulator)
    const [first, second] = [await create(), await create()]
    simulator.fail({ iccid: first.sim.iccid })
    const sms = (iccid: string) => simplan.messages.send({ organizationId, iccid, from: "Acme", text: "Welcome" })
    for (let call = 0; call < 3; call++) {
      await expect(sms(first.sim.iccid)).rejects.toMatchObject({ name: "TelcoUnavailableError" })
    }
    await sms(second.sim.iccid)
    simulator.recover()
    await sms(first.sim.iccid)
    expect(await simulator.messages()).toHaveLength(2)
  })

  it("loses an answer after the work is done, and the service orders no second package", async () => {
    const simulator = createSimulator()
    const { create } = await world(simulator)
    simulator.fail({ on: "createPackage", fault: "answer lost", times: 1 })
    await expect(create()).rejects.toMatchObject({ name: "TelcoUnavailableError" })
    expect(await simulator.packages()).toHaveLength(1)
    await simplan.clock.advanceBy({ by: "1 hour" })
    expect(await simulator.packages()).toMatchObject([{ status: "cancelled" }])
  })

  it("outlives the service, and is no other's", async () => {
    const simulator = createSimulator()
    const { create } = await world(simulator)
    await create()
    await simplan.close()
    const { create: createNext } = await world(simulator)
    await createNext()
    expect(await simulator.packages()).toHaveLength(2)
    expect(await createSimulator().packages()).toEqual([])
  })

  it("refuses a failure that it cannot make", () => {
    const simulator = createSimulator()
    const failing = (failure: object) => () => Reflect.apply(simulator.fail, undefined, [failure])
    expect(failing({ on: "sendSMS" })).toThrow("simulator.fail: on must be one of createPackage, suspendPackage")
    expect(failing({ times: 0 })).toThrow("times must be an integer of at least 1")
    expect(failing({ time: 1 })).toThrow("time is not known")
    expect(failing({ fault: "slow" })).toThrow("delay must be a number of milliseconds")
    expect(failing({ delay: "1 second" })).toThrow('delay is for the fault "slow" alone')
    expect(failing({ fault: "answer lost", message: "No" })).toThrow('message is for the fault "refuse" alone')
    simplan = createSimplan({ database: "memory", telco: simulator })
  })
})
