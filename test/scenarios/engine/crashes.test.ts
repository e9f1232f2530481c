/**
 * S5 and W2 across a crash: wherever a process dies around the telco's answer, the next one ends
 * with exactly one package and a consistent subscription, an idempotency key gets that outcome, and
 * the audit log who asked for it (rule W11).
 */
import { Effect } from "effect"
import { AuditLog, IdempotencyKeys, Messages, RequestContext, Time } from "simplan"
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

const creation = (planId: string) =>
  IdempotencyKeys.IdempotencyKeys.use((keys) => keys.once("Created", Calls.creation(world, { planId }))).pipe(
    Calls.underKey(world, "creation-1"),
    Effect.provideService(RequestContext.Current, asking),
    Effect.result
  )

const asking = { actor: "key-1", address: "192.0.2.7", requestId: "request-1", reason: "stolen" }

/** The creations in the audit log. */
const audited = () => {
  const all = { from: null, to: null, actor: null, action: "subscription.create", resourceId: null }
  const query = { organizationId: world.organizationId, ...all, after: null, limit: 100 }
  return world.run(AuditLog.AuditLog.use((log) => log.page(query)))
}

const message = () =>
  IdempotencyKeys.IdempotencyKeys.use((keys) =>
    keys.once(
      "Sms",
      Messages.Messages.use((of) =>
        of.send({ organizationId: world.organizationId, iccid, from: "simplan", text: "welcome" })
      )
    )
  )

describe("S5: a process killed during a creation", () => {
  it.each([
    ["before the first commit", 1, "before", 0],
    ["after the first commit", 1, "after", 1],
    ["between the telco's answer and the second commit", 2, "before", 1],
    ["after the second commit", 2, "after", 1]
  ] as const)("%s", async (_, at, when, subscriptions) => {
    const planId = await world.createPlan()
    const beginAndCrash = world.crashAt(at, when)
    await beginAndCrash(() => world.run(creation(planId)))
    await world.restart()
    await world.settle()
    expect(await Calls.activePackages(world)).toHaveLength(subscriptions)
    expect((await Calls.sim(world, iccid)).allocation._tag).toBe(subscriptions === 1 ? "InService" : "Free")
    expect((await audited()).items).toMatchObject(Array.from({ length: subscriptions }, () => ({ ...asking, iccid })))

    const retried = await world.run(creation(planId))
    expect(retried).toMatchObject({ _tag: "Success", success: { sim: { iccid } } })
    expect(await Calls.activePackages(world)).toHaveLength(1)
    expect(await Calls.attachments(world, iccid)).toHaveLength(1)
  })

  it("before the outcome of a failure is committed: the next process decides, and the key is not stuck", async () => {
    const planId = await world.createPlan()
    await world.setFaults([{ fault: "refuse", on: "createPackage", times: 1 }])
    const beginAndCrash = world.crashAt(2, "before")
    await beginAndCrash(() => world.run(creation(planId)))
    await world.restart()
    expect(await world.run(creation(planId))).toMatchObject({ failure: { _tag: "RequestInProgress" } })
    await world.settle()
    expect((await Calls.sim(world, iccid)).allocation._tag).toBe("Free")
    expect((await audited()).items).toEqual([])
    expect(await world.run(creation(planId))).toMatchObject({ _tag: "Success" })
  })

  it("is finished when the telco is there again: its packages may be used", async () => {
    const planId = await world.createPlan({
      recurrence: { periodicity: "Daily", frequency: 1, occurrences: 5 },
      periodDays: 2
    })
    const beginAndCrash = world.crashAt(2, "before")
    await beginAndCrash(() => Calls.create(world, { planId, start: World.START - Time.DAY }))
    expect(await Calls.activePackages(world)).toHaveLength(2)
    await world.setFaults([{ fault: "unavailable", on: "createPackage", times: 1 }])
    await world.restart()
    await world.settle()
    expect((await Calls.sim(world, iccid)).allocation._tag).toBe("Provisioning")
    await world.advanceBy(5 * Time.SECOND)
    expect(await Calls.activePackages(world)).toHaveLength(2)
    expect((await Calls.sim(world, iccid)).allocation._tag).toBe("InService")
  })
})

describe("W2: a message whose process was killed", () => {
  it.each([
    [1, "after"],
    [2, "before"],
    [2, "after"]
  ] as const)("at commit %i, %s it, is sent once", async (at, when) => {
    await world.run(creation(await world.createPlan()))
    const send = Calls.underKey(world, "message-1")(message())
    const beginAndCrash = world.crashAt(at, when)
    await beginAndCrash(() => world.run(send))
    await world.restart()
    await world.settle()
    await world.run(send)
    expect(await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.messages))).toHaveLength(1)
  })
})
