/**
 * What events say of what has come of an order, so that a handler has to read nothing (rule E1).
 */
import type { HandledEvent, Simplan } from "simplan/promise"
import { expect, it, onTestFinished } from "vitest"
import * as World from "../World.ts"

const types = [
  "subscription.created",
  "subscription.replaced",
  "esim.ready",
  "attachment.allowanceConsumed",
  "package.allowanceConsumed"
] as const

const START = new Date("2026-01-31T12:00:00Z")

const metadata = "order 4711"

/** A service that sells, and what a handler of it was given. */
const open = async () => {
  const simplan = World.make({ clock: { start: START } })
  onTestFinished(simplan.close)
  const got: Array<HandledEvent<(typeof types)[number]>> = []
  await simplan.on(types, { name: "orders" }, async (event) => void got.push(event))
  const plan = await World.selling(simplan)
  const { organizationId, planId } = plan
  const taken = async () => {
    await simplan.drain()
    return got.splice(0).map(({ data, type }) => ({ type, data }))
  }
  return { simplan, organizationId, planId, taken }
}

const report = (simplan: Simplan, iccid: string, totalBytes: number) =>
  simplan.reports.take({
    reports: [{ type: "usage", id: `used ${totalBytes}`, iccid, occurredAt: START, totalBytes }]
  })

it("a creation and the thresholds of its plan say whose they are (E1, R2, U2)", async () => {
  const { organizationId, planId, simplan, taken } = await open()
  const { attachmentId, sim, subscriptionId } = await simplan.subscriptions.create({ organizationId, planId, metadata })
  const of = { esim: sim.iccid, subscriptionId, metadata }
  expect(await taken()).toEqual([
    { type: "subscription.created", data: of },
    { type: "esim.ready", data: { ...of, replacedEsim: null } }
  ])
  const topUp = { organizationId, planId, iccid: sim.iccid, metadata: "order 4712" }
  await simplan.subscriptions.create(topUp)
  expect(await taken()).toEqual([])
  await report(simplan, sim.iccid, 600 * 1_048_576)
  const consumed = { usagePercentage: 50, dataUsageBytes: 600 * 1_048_576, planId, attachmentId, ...of }
  expect(await taken()).toEqual([
    { type: "attachment.allowanceConsumed", data: consumed },
    { type: "package.allowanceConsumed", data: { ...consumed, packageId: `${attachmentId}:0` } }
  ])
})

it("a code that is ready is notified after a move and after a correction too, and none is where there is none (E1, S8)", async () => {
  const { organizationId, planId, simplan, taken } = await open()
  const { sim, subscriptionId } = await simplan.subscriptions.create({ organizationId, planId, metadata })
  await taken()
  const moved = await simplan.subscriptions.replace({ organizationId, iccid: sim.iccid })
  const of = { esim: moved.sim.iccid, subscriptionId }
  expect(await taken()).toEqual([
    {
      type: "subscription.replaced",
      data: { ...of, replacedEsim: sim.iccid, replacedAt: START.toISOString() }
    },
    { type: "esim.ready", data: { ...of, metadata, replacedEsim: sim.iccid } }
  ])
  const named = { organizationId, iccid: moved.sim.iccid }
  const corrected = { type: "esim.ready", data: { ...of, metadata, replacedEsim: null } }
  for (const [lpa, events] of [
    ["LPA:1$smdp.example.com$NEW", [corrected]],
    ["LPA:1$smdp.example.com$NEW", []],
    [null, []],
    ["LPA:1$smdp.example.com$NEWER", [corrected]]
  ] as const) {
    await simplan.sims.update({ ...named, lpa })
    expect(await taken()).toEqual(events)
  }
  const [free] = await simplan.sims.list({ organizationId, status: "free" }).toArray()
  await simplan.sims.update({ organizationId, iccid: free?.iccid ?? "", lpa: null })
  const another = await simplan.subscriptions.create({ organizationId, planId })
  expect(await taken()).toEqual([
    {
      type: "subscription.created",
      data: { esim: another.sim.iccid, subscriptionId: another.subscriptionId, metadata: "" }
    }
  ])
})

it("a subscription is read by its id, whichever SIM it is on (L1)", async () => {
  const { organizationId, planId, simplan } = await open()
  const { sim, subscriptionId } = await simplan.subscriptions.create({ organizationId, planId, metadata })
  const named = { organizationId, subscriptionId }
  const read = await simplan.subscriptions.get({ organizationId, iccid: sim.iccid })
  expect(await simplan.subscriptions.get(named)).toEqual(read)
  expect(await simplan.subscriptions.get({ ...named, subscriptionId: subscriptionId.toUpperCase() })).toEqual(read)
  const moved = await simplan.subscriptions.replace({ organizationId, iccid: sim.iccid })
  expect(await simplan.subscriptions.get(named)).toMatchObject({ subscriptionId, sim: { iccid: moved.sim.iccid } })
  await simplan.subscriptions.remove({ organizationId, iccid: moved.sim.iccid })
  const gone = { name: "NotFoundError", resource: "subscription", id: subscriptionId }
  await expect(simplan.subscriptions.get(named)).rejects.toMatchObject(gone)
  for (const wrong of [{ ...named, iccid: sim.iccid }, { organizationId }]) {
    await expect(Reflect.apply(simplan.subscriptions.get, simplan, [wrong])).rejects.toMatchObject({
      name: "InvalidFieldError"
    })
  }
  const { organizationId: other } = await simplan.organizations.create({ name: "Another" })
  await expect(simplan.subscriptions.get({ ...named, organizationId: other })).rejects.toMatchObject({
    name: "NotFoundError"
  })
})
