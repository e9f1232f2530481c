/**
 * What an organization is notified of its subscriptions and attachments, where an endpoint asks for
 * it (rule E1).
 */
import { Effect } from "effect"
import { Attachments, Reports, Time, Webhooks, Worker } from "simplan"
import { Clocks, WebhookEvent } from "simplan/ports"
import { beforeEach, describe, expect, it } from "vitest"
import { make, START, type World } from "./World.ts"
import * as Calls from "./Calls.ts"

let world: World
beforeEach(async () => {
  world = await make()
})

const listen = (events: ReadonlyArray<string> = WebhookEvent.optInTypes) => Calls.listen(world, events)

const subscribe = async (activePeriod: { start: number; end?: number }, planId: string) => {
  const created = await world.run(Calls.creation(world, { planId, ...activePeriod }))
  return { ...created, iccid: created.sim.iccid }
}

/**
 * Names the events that what comes next has to bring, each with its instant in hours from the
 * beginning, and no others. What is returned waits for them.
 */
const expectEvents = async (...events: ReadonlyArray<string>) => {
  await world.settle()
  world.received.length = 0
  return async () => {
    await world.settle()
    expect(world.received.map(({ timestamp, type }) => `${type} ${(timestamp * 1000 - START) / Time.HOUR}`)).toEqual(
      events
    )
  }
}

const [day, hour] = [Time.DAY, Time.HOUR]

describe("E1: an attachment", () => {
  beforeEach(() => world.importSims(3))

  it("is notified at its creation", async () => {
    await listen()
    const arrived = await expectEvents("subscription.created 0", "attachment.created 0", "package.created 0")
    await subscribe({ start: START + 2 * hour, end: START + 4 * day }, await world.createPlan())
    await arrived()
  })

  it("is notified at its activation, 24 h before its end and at its end, each at its instant", async () => {
    await listen()
    const { attachmentId, iccid, subscriptionId } = await subscribe(
      { start: START + 2 * hour, end: START + 4 * day },
      await world.createPlan()
    )
    const arrived = await expectEvents("attachment.activated 2", "attachment.expiring 72", "attachment.expired 96")
    await world.advanceTo(START + 5 * day)
    expect(world.received.at(-1)?.data).toMatchObject({
      esim: iccid,
      subscriptionId,
      attachmentId,
      activationAt: Time.toIso(START + 2 * hour),
      expirationAt: Time.toIso(START + 4 * day)
    })
    await arrived()
    expect(await world.run(Worker.Worker.use((of) => of.nextDue))).toBe(null)
  })

  it("is notified no more once it is suspended, or its subscription deleted", async () => {
    await listen()
    const planId = await world.createPlan()
    const { organizationId } = world
    const first = await subscribe({ start: START, end: START + 4 * day }, planId)
    const second = await subscribe({ start: START + hour, end: START + 4 * day }, planId)
    const arrived = await expectEvents("attachment.suspended 0", "subscription.deleted 0")
    await world.run(Attachments.Attachments.use((of) => of.suspend({ ...first, organizationId })))
    await Calls.remove(world, second.iccid)
    await world.settle()
    await world.advanceBy(9 * day)
    await arrived()
  })

  it("is notified of what is due and not notified yet before its suspension or its subscription's deletion, once", async () => {
    await listen()
    const planId = await world.createPlan()
    const { organizationId } = world
    const period = { start: START + hour, end: START + 4 * day }
    const first = await subscribe(period, planId)
    const second = await subscribe(period, planId)
    await world.settle()
    // As after a downtime: no job has run yet.
    await world.run(Clocks.BusinessClock.use(({ set }) => set?.(START + 3 * day) ?? Effect.void))
    await Promise.all([
      world.run(Attachments.Attachments.use((of) => of.suspend({ ...first, organizationId }))),
      Calls.remove(world, second.iccid),
      world.settle()
    ])
    await world.settle()
    const all = await world.run(
      Webhooks.Webhooks.use((of) => of.deliveries({ organizationId, limit: 100, after: null }))
    )
    const typesOf = (attachmentId: string) =>
      all.items.flatMap(({ event: { payload } }) =>
        "attachmentId" in payload.data && payload.data.attachmentId === attachmentId ? [payload.type] : []
      )
    const late = ["attachment.expiring", "attachment.activated", "package.created", "attachment.created"]
    expect(typesOf(first.attachmentId)).toEqual(["attachment.suspended", ...late])
    expect(typesOf(second.attachmentId)).toEqual(late)
    expect(all.items[0]?.event.payload.type).toBe("subscription.deleted")
  })

  it("is notified of the occurrences that the telco takes and refuses, and not of a creation that it refuses", async () => {
    await listen(["package.created", "package.refused", "attachment.created"])
    const arrived = await expectEvents(
      "attachment.created 0",
      "package.created 0",
      "package.refused 12",
      "package.created 36"
    )
    const recurrence = { periodicity: "Daily", frequency: 1, occurrences: 3 } as const
    const planId = await world.createPlan({ periodDays: 1, recurrence })
    await world.setFaults([{ fault: "refuse", times: 1, when: ({ kind }) => kind === "createPackage" }])
    await expect(subscribe({ start: START }, planId)).rejects.toMatchObject({ _tag: "TelcoRefused" })
    await subscribe({ start: START }, planId)
    await world.setFaults([{ fault: "refuse", times: 1, when: ({ kind }) => kind === "createPackage" }])
    await world.advanceBy(9 * day)
    await arrived()
  })

  it.each(["before", "after"] as const)("is notified once, if a process dies %s its commit", async (when) => {
    await listen(["attachment.expired"])
    await subscribe({ start: START, end: START + day }, await world.createPlan())
    const arrived = await expectEvents("attachment.expired 24")
    const beginAndCrash = world.crashAt(1, when)
    await beginAndCrash(() => world.advanceBy(day))
    await world.restart()
    await world.advanceBy(day)
    await arrived()
  })
})

describe("E1: an endpoint", () => {
  beforeEach(() => world.importSims(60))

  it("that comes later is notified of what falls due from then on, of every attachment that is there", async () => {
    const planId = await world.createPlan()
    for (let i = 0; i < 55; i++) await subscribe({ start: START, end: START + 3 * day }, planId)
    await world.advanceBy(day)
    await world.settle()
    expect(world.received).toEqual([])
    const arrived = await expectEvents(
      ...Array.from({ length: 55 }, () => "attachment.expiring 48"),
      ...Array.from({ length: 55 }, () => "attachment.expired 72")
    )
    await listen(["attachment.activated", "attachment.expiring", "attachment.expired"])
    await world.advanceBy(3 * day)
    await arrived()
  })

  it("that takes none of it costs no event and no job", async () => {
    await listen(["attachment.allowanceConsumed"])
    const arrived = await expectEvents()
    await subscribe({ start: START + hour, end: START + 3 * day }, await world.createPlan())
    await arrived()
    expect(await world.run(Worker.Worker.use((of) => of.nextDue))).toBe(null)
    const { items } = await world.run(
      Webhooks.Webhooks.use((of) => of.deliveries({ organizationId: world.organizationId, limit: 10, after: null }))
    )
    expect(items).toEqual([])
  })

  it("that is removed ends the jobs that were left for it", async () => {
    const { endpointId } = await listen(["attachment.expiring"])
    const arrived = await expectEvents()
    await subscribe({ start: START + hour, end: START + 3 * day }, await world.createPlan())
    const { organizationId } = world
    await world.run(Webhooks.Webhooks.use((of) => of.remove({ organizationId, endpointId })))
    await world.advanceBy(2 * hour)
    expect(await world.run(Worker.Worker.use((of) => of.nextDue))).toBe(null)
    await arrived()
  })
})

it("U2: a package of a recurring plan is notified at the percentages of its plan, once each and in order", async () => {
  await world.importSims(1)
  await listen(["package.allowanceConsumed"])
  const recurrence = { periodicity: "Daily", frequency: 1, occurrences: 3 } as const
  const planId = await world.createPlan({ dataMegaBytes: 1, periodDays: 1, recurrence, alertThresholds: [10, 60, 90] })
  const { attachmentId, iccid } = await subscribe({ start: START }, planId)
  const use = (reportId: string, bytes: number, occurrence: number) => {
    const usage = { _tag: "Total", bytes } as const
    const fact = { _tag: "Usage", packageId: `${attachmentId}:${occurrence}`, usage } as const
    return world.run(Reports.Reports.use((of) => of.take({ reports: [{ reportId, iccid, occurredAt: START, fact }] })))
  }
  const percentages = async () => {
    await world.settle()
    return world.received.splice(0).map(({ data }) => [data["packageId"], data["usagePercentage"]])
  }
  await use("a", 104_857, 0)
  expect(await percentages()).toEqual([])
  await use("b", 1_000_000, 0)
  await use("b", 1_000_000, 0)
  await use("c", 500_000, 0)
  expect(await percentages()).toEqual([10, 60, 90].map((percentage) => [`${attachmentId}:0`, percentage]))
  await world.advanceTo(START + 13 * hour)
  await use("d", 700_000, 1)
  expect(await percentages()).toEqual([10, 60].map((percentage) => [`${attachmentId}:1`, percentage]))
})
