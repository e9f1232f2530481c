/**
 * Rule W12: what is past its time is forgotten, and nothing else.
 */
import { AuditLog, Clock, Time, Webhooks, Worker } from "simplan"
import { Storage, UsageBook } from "simplan/ports"
import { expect, it } from "vitest"
import * as World from "../World.ts"

let world: World.World

const actions = async () => {
  const all = { from: null, to: null, actor: null, action: null, resourceId: null }
  const query = { organizationId: world.organizationId, ...all, after: null, limit: 3_000 }
  const { items } = await world.run(AuditLog.AuditLog.use((log) => log.page(query)))
  return items.map(({ action }) => action)
}

it("keeps audit entries for a year, and then until their month is over", async () => {
  world = await World.make()
  const { now } = await world.run(Clock.Clock.use((clock) => clock.read))
  const next = Time.addMonths(UsageBook.monthOf(now), 1)
  await world.advanceTo(next - 1)
  await world.createPlan()
  await world.advanceTo(next)
  await world.importSims(1)
  const before = await actions()
  expect(before.slice(0, 2)).toEqual(["sim.import", "plan.create"])
  await world.advanceTo(next + 365 * Time.DAY - 1)
  await world.run(Worker.Worker.use((worker) => worker.forget))
  expect(await actions()).toEqual(before)
  await world.advanceTo(next + 365 * Time.DAY)
  await world.run(Worker.Worker.use((worker) => worker.forget))
  expect(await actions()).toEqual(["sim.import"])
})

it("keeps webhook events and their deliveries for 30 days", async () => {
  world = await World.make()
  const of = { organizationId: world.organizationId, after: null, limit: 10 }
  const statuses = async () => {
    const { items } = await world.run(Webhooks.Webhooks.use((webhooks) => webhooks.deliveries(of)))
    return items.map(({ delivery }) => delivery.status)
  }
  const [endpoint] = (await world.run(Webhooks.Webhooks.use((webhooks) => webhooks.page(of)))).items
  if (endpoint === undefined) throw new Error("The organization has no endpoint")
  await world.run(Webhooks.Webhooks.use((webhooks) => webhooks.test(endpoint)))
  await world.settle()
  await world.advanceBy(30 * Time.DAY)
  await world.run(Worker.Worker.use((worker) => worker.forget))
  expect(await statuses()).toEqual(["Delivered"])
  await world.advanceBy(1)
  await world.run(Worker.Worker.use((worker) => worker.forget))
  expect(await statuses()).toEqual([])
})

it("U1: keeps usage for 400 days, and then until its month is over", async () => {
  world = await World.make()
  const { organizationId } = world
  const { now } = await world.run(Clock.Clock.use((clock) => clock.read))
  const day = UsageBook.dayOf(now)
  const of = { organizationId, iccid: "8944500000000000017", attachmentId: "a", planId: "p", label: "Green" } as const
  const entry = { ...of, day, countryAlpha2: "SE", bytes: 1 }
  await world.run(Storage.Storage.use((storage) => storage.commit({ reports: { usage: [entry] } })))
  const query = { organizationId, from: day, until: day + Time.DAY, by: ["country"], after: null, limit: 10 } as const
  const used = async () => {
    await world.run(Worker.Worker.use((worker) => worker.forget))
    return world.run(Storage.Storage.use((storage) => storage.usage.totals(query)))
  }
  const end = Time.addMonths(UsageBook.monthOf(now), 1) + 400 * Time.DAY
  await world.advanceTo(end - 1)
  expect(await used()).toEqual([{ countryAlpha2: "SE", bytes: 1 }])
  await world.advanceTo(end)
  expect(await used()).toEqual([])
})
