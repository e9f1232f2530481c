/**
 * A process that stands still for longer than its leases, and goes on when another has taken its
 * work over: nothing that it does then has any effect. One that only takes long keeps its work.
 */
import { Effect, Logger } from "effect"
import { Attachments, Messages, Reports, Subscriptions, Time, Webhooks, Worker } from "simplan"
import { Storage } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../../setup/Shop.ts"
import * as Processes from "../Processes.ts"

const iccid = "8933010000000000018"
const LEASE = 15 * Time.SECOND

let world: Awaited<ReturnType<typeof Processes.make>>
let slow: ReturnType<typeof world.process>
let other: ReturnType<typeof world.process>
let organizationId: string

beforeEach(async () => {
  world = await Processes.make()
  slow = world.process()
  other = world.process()
  organizationId = await other.run(Shop.open([iccid]))
})
afterEach(() => world.close())

const createPlan = (recurring: boolean) =>
  Shop.createPlan(organizationId, {
    periodDays: 1,
    recurrence: recurring ? { periodicity: "Daily", frequency: 1, occurrences: 3 } : null
  })

const subscribe = (planId: string, start: number | null = null) =>
  Shop.subscribe({ organizationId, planId }, { activePeriod: start === null ? null : { start, end: null } })

/** All that is stored about the SIM. */
const line = () => other.run(Storage.Storage.use((of) => of.simAggregates.get({ organizationId, iccid })))

/** The other process, a lease later, does all that is due. */
const takeOver = async () => {
  await other.move(LEASE)
  await other.run(Worker.Worker.use((of) => of.drain))
}

const nothingIsLeft = async () => {
  expect(await other.run(Worker.Worker.use((of) => of.nextDue))).toBeNull()
  await other.run(Worker.Worker.use((of) => of.drain))
}

describe("a process that stood still for longer than its lease", () => {
  it.each(["before", "after"] as const)(
    "changes nothing about a creation that another has finished, frozen %s the telco's work",
    async (when) => {
      const { planId } = await other.run(createPlan(false))
      const call = world.holdNext(when)
      const creation = slow.run(Effect.result(subscribe(planId)))
      await call.begun()
      await takeOver()
      const finished = await line()
      expect(finished?.attachments[0]?.packages).toMatchObject([{ status: "Created" }])

      await call.goOn()
      expect(await creation).toMatchObject({ failure: { _tag: "StorageError" } })
      expect(await line()).toEqual(finished)
      expect(await world.telco()).toHaveLength(1)
      await nothingIsLeft()
    }
  )

  it("logs once that another has taken over its work, and no error, a request's and a job's", async () => {
    const lines: Array<string> = []
    const logger = Logger.make(
      ({ logLevel, message }) => void lines.push(`${logLevel}: ${String([message].flat()[0])}`)
    )
    const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(effect, Logger.CurrentLoggers, new Set([logger]))
    const lost = "Info: another process has taken over a job: nothing of this try was written"
    const { planId } = await other.run(createPlan(true))
    const start = Processes.START + 11 * Time.HOUR
    const call = world.holdNext("after")
    const creation = slow.run(logged(Effect.result(subscribe(planId, start))))
    await call.begun()
    await takeOver()
    await call.goOn()
    expect(await creation).toMatchObject({ failure: { _tag: "StorageError" } })
    expect(lines).toEqual([lost])

    await world.setNow(start + 12 * Time.HOUR)
    const second = world.holdNext("after")
    const occurrence = slow.run(logged(Worker.Worker.use((of) => of.drain)))
    await second.begun()
    await takeOver()
    await second.goOn()
    await occurrence
    expect(lines).toEqual([lost, lost])
  })

  it("does not bring back what another has undone", async () => {
    const { planId } = await other.run(createPlan(false))
    const call = world.holdNext("before")
    const creation = slow.run(Effect.result(subscribe(planId)))
    await call.begun()
    const faults = [{ fault: "refuse" as const, on: "createPackage" as const, times: 1 }]
    await other.run(TelcoSimulator.TelcoSimulator.use((of) => of.setFaults(faults)))
    await takeOver()
    const undone = await line()
    expect(undone).toMatchObject({ sim: { allocation: { _tag: "Free" } }, subscription: null })

    await call.goOn()
    expect(await creation).toMatchObject({ _tag: "Failure" })
    expect(await line()).toEqual(undone)
    expect((await world.telco()).filter((of) => of.status === "active")).toEqual([])
    await nothingIsLeft()
  })

  it("cancels nothing of a SIM that was sold again, frozen before it asks what is on the SIM it releases", async () => {
    const { planId } = await other.run(createPlan(false))
    await other.run(subscribe(planId))
    const cancelling = world.holdNext("after")
    const removal = slow.run(Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid })))
    await cancelling.begun()
    const listing = world.holdNext("before")
    await cancelling.goOn()
    await listing.begun()
    await takeOver()
    await other.run(subscribe(planId))
    const sold = await line()
    expect(sold).toMatchObject({ sim: { allocation: { _tag: "InService" } } })

    await listing.goOn()
    await removal
    expect(await line()).toEqual(sold)
    expect((await world.telco()).map(({ status }) => status)).toEqual(["cancelled", "active"])
    await nothingIsLeft()
  })

  it.each(["before", "after"] as const)(
    "creates no occurrence of what was suspended meanwhile, frozen %s the telco's work",
    async (when) => {
      const { planId } = await other.run(createPlan(true))
      const start = Processes.START + 13 * Time.HOUR
      const created = await other.run(subscribe(planId, start))
      await world.setNow(start - 12 * Time.HOUR)
      const call = world.holdNext(when)
      const occurrence = slow.run(Worker.Worker.use((of) => of.drain))
      await call.begun()
      const [attachment] = await other.run(Attachments.Attachments.use((of) => of.list({ organizationId, iccid })))
      const attachmentId = attachment?.attachment.attachmentId ?? ""
      await other.run(Attachments.Attachments.use((of) => of.suspend({ organizationId, iccid, attachmentId })))
      await takeOver()
      const finished = await line()

      await call.goOn()
      await occurrence
      expect(await line()).toEqual(finished)
      expect((await world.telco()).filter((of) => of.status === "active")).toEqual([])
      expect(created.subscriptionId).toBe(finished?.subscription?.subscriptionId)
      await nothingIsLeft()
    }
  )

  it("sends no second message, and no second time", async () => {
    await other.run(Effect.flatMap(createPlan(false), ({ planId }) => subscribe(planId)))
    const call = world.holdNext("before")
    const sms = { organizationId, iccid, from: "simplan", text: "welcome" }
    const message = slow.run(Effect.result(Messages.Messages.use((of) => of.send(sms))))
    await call.begun()
    await takeOver()
    await call.goOn()
    expect(await message).toMatchObject({ failure: { _tag: "StorageError" } })
    expect(await other.run(TelcoSimulator.TelcoSimulator.use((of) => of.messages))).toHaveLength(1)
    await nothingIsLeft()
  })
})

/** Makes an event for one endpoint of the organization. */
const cause = async () => {
  const endpoint = await other.run(
    Webhooks.Webhooks.use((of) =>
      of.create({ organizationId, url: "https://receiver.example/", events: null, description: "" })
    )
  )
  const fact = { _tag: "SmdpState" as const, state: "Enable" as const, modificationResult: "Success" }
  await other.run(
    Reports.Reports.use((of) =>
      of.take({ reports: [{ reportId: "report-1", iccid, occurredAt: Processes.START, fact }] })
    )
  )
  return endpoint
}

const endpoint = async () => {
  const page = { organizationId, after: null, limit: 1 }
  const [only] = (await other.run(Webhooks.Webhooks.use((of) => of.page(page)))).items
  return only
}

const deliveries = async () => {
  const { items } = await other.run(
    Webhooks.Webhooks.use((of) => of.deliveries({ organizationId, limit: 10, after: null }))
  )
  return items.map(({ delivery }) => delivery)
}

const drain = Worker.Worker.use((of) => of.drain)

describe("a sender that stood still for longer than its lease", () => {
  it("does not overrule what another made of the delivery", async () => {
    await cause()
    world.answer(503)
    const call = world.holdNext("after")
    const sending = slow.run(drain)
    await call.begun()
    world.answer(200)
    await takeOver()
    const done = await deliveries()
    expect(done).toMatchObject([{ status: "Delivered", attempts: 1 }])
    await call.goOn()
    await sending
    expect(await deliveries()).toEqual(done)
    expect(world.sent).toHaveLength(2)
  })

  it("does not disable an endpoint that was said to be gone, and is back", async () => {
    await cause()
    world.answer(410)
    const call = world.holdNext("after")
    const sending = slow.run(drain)
    await call.begun()
    await takeOver()
    expect(await endpoint()).toMatchObject({ disabled: { reason: "Gone" } })
    const { endpointId = "" } = (await endpoint()) ?? {}
    await other.run(Webhooks.Webhooks.use((of) => of.update({ organizationId, endpointId, enabled: true })))
    await call.goOn()
    await sending
    expect(await endpoint()).toMatchObject({ disabled: null })
  })
})

describe("a process that takes longer than a lease", () => {
  const alive = async () => {
    for (let passed = 0; passed < 4 * LEASE; passed += LEASE / 3) {
      await slow.move(LEASE / 3)
      await other.move(LEASE / 3)
    }
  }

  it("keeps the job that it does", async () => {
    const { planId } = await other.run(createPlan(false))
    const call = world.holdNext("before")
    const creation = slow.run(subscribe(planId))
    await call.begun()
    await alive()
    expect(await other.run(Worker.Worker.use((of) => of.nextDue))).toBeNull()
    await call.goOn()
    expect(await creation).toMatchObject({ sim: { iccid } })
  })

  it("keeps the delivery that it makes", async () => {
    await cause()
    const call = world.holdNext("before")
    const sending = slow.run(drain)
    await call.begun()
    await alive()
    expect(await other.run(Worker.Worker.use((of) => of.nextDue))).toBeNull()
    await call.goOn()
    await sending
    expect(world.sent).toHaveLength(1)
    expect(await deliveries()).toMatchObject([{ status: "Delivered", attempts: 1 }])
  })
})
