/**
 * Jobs between two tries: who waits, why, since when and until when, in the management API and in
 * the metrics; and having them tried at once.
 */
import { TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

let world: World.World
let stock: Inventory.Stock

beforeEach(async () => {
  world = await World.forTest()
  stock = await Inventory.stock(world, 1, 4)
})

const telco = <A, E>(use: Parameters<typeof TelcoSimulator.TelcoSimulator.use<A, E, never>>[0]) =>
  world.run(TelcoSimulator.TelcoSimulator.use(use))

const advance = (by: string) => world.admin("POST", "/clock/advance", { by })

const jobs = async (query = "") => (await world.admin("GET", `/jobs${query}`)).body.data

/** The series of a metric by their labels, without those that are 0. */
const series = async (name: string) => {
  const { text } = await world.fetch("GET", "/metrics")
  const found = [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, "gm"))]
  return Object.fromEntries(found.flatMap(([, labels, value]) => (value === "0" ? [] : [[labels, Number(value)]])))
}

/** Deletes a subscription that was made; the id of the job that releases the SIM. */
const remove = async (iccid: string) => {
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  const { body } = await stock.tenant.get(`/v3/subscriptions/${iccid}`)
  await stock.tenant.call("DELETE", `/v3/subscriptions/${iccid}`)
  return `release:${body.data.subscription_id}`
}

it("are listed with the telco's message, counted by kind and reason, and tried at once on request", async () => {
  expect(await jobs()).toEqual([])
  await telco((of) => of.setFaults([{ fault: "unavailable", on: "cancelPackage" }]))
  const [first, second] = [await remove(World.iccid(1)), await remove(World.iccid(2))]
  await advance("1 hour")
  const waiting = await jobs()
  expect(waiting.map((job: { readonly job_id: string }) => job.job_id)).toEqual([first, second])
  const [job] = waiting
  expect(job).toMatchObject({
    kind: "CancelPackages",
    organization_id: stock.tenant.organizationId,
    iccid: World.iccid(1),
    reason: "unavailable",
    last_message: "The telco is out of reach",
    since: new Date(World.START).toISOString()
  })
  expect(Date.parse(job.next_try_at)).toBeGreaterThan(World.START + 3_600_000)
  expect(job.attempts).toBeGreaterThan(2)

  expect(await jobs("?reason=unavailable&kind=CancelPackages")).toHaveLength(2)
  expect(await jobs(`?organization_id=${stock.tenant.organizationId}&page_size=1`)).toHaveLength(1)
  expect(await jobs("?reason=refused")).toEqual([])
  expect(await jobs("?kind=Provision")).toEqual([])
  expect([await jobs("?telco=north"), await jobs("?telco=")]).toEqual([[], waiting])
  expect(await jobs("?organization_id=another")).toEqual([])
  expect((await world.admin("GET", "/jobs?reason=tired")).body).toMatchObject({ code: "invalid_field" })

  const labels = 'kind="CancelPackages",reason="unavailable"'
  expect(await series("simplan_jobs_waiting")).toEqual({ [labels]: 2 })
  expect(await series("simplan_jobs_waiting_oldest_age_seconds")).toEqual({ [labels]: 3_600 })
  const [next] = Object.values(await series("simplan_jobs_waiting_next_try_seconds"))
  expect(next).toBeGreaterThan(0)

  // The answer has the other job tried too, which the telco does not answer.
  await telco((of) =>
    of.setFaults([{ fault: "unavailable", on: "cancelPackage", when: ({ iccid }) => iccid === World.iccid(2) }])
  )
  const retried = await world.admin("POST", `/jobs/${encodeURIComponent(first)}/retry`)
  expect([retried.status, retried.body.data]).toEqual([200, { job_id: first }])
  await advance("1 second")
  expect((await jobs()).map((one: { readonly job_id: string }) => one.job_id)).toEqual([second])
  const gone = await world.admin("POST", `/jobs/${encodeURIComponent(first)}/retry`)
  expect([gone.status, gone.body.code]).toEqual([404, "job_not_found"])

  await telco((of) => of.clearFaults)
  const none = await world.admin("POST", "/jobs/retry", { kind: "SendSms" })
  expect(none.body.data).toEqual({ retried: 0, has_more: false, next: null })
  const elsewhere = await world.admin("POST", "/jobs/retry", { telco: "north" })
  expect(elsewhere.body.data.retried).toBe(0)
  const all = await world.admin("POST", "/jobs/retry", { telco: "" })
  expect(all.body.data).toEqual({ retried: 1, has_more: false, next: null })
  await advance("1 second")
  expect(await jobs()).toEqual([])
  const { body } = await world.admin("GET", `/organizations/${stock.tenant.organizationId}/audit?action=job.retry`)
  expect(body.data.map((entry: { readonly resource_id: string }) => entry.resource_id).sort()).toEqual(
    [first, second].sort()
  )
})

it("have the reason of their last try: refused once, held back, and none for what is only due later", async () => {
  await telco((of) => of.setFaults([{ fault: "refuse", on: "cancelPackage", message: "not now", times: 1 }]))
  const id = await remove(World.iccid(1))
  await advance("1 millis")
  expect(await jobs()).toMatchObject([{ job_id: id, reason: "refused", last_message: "not now", attempts: 1 }])
  expect(await series("simplan_jobs_waiting")).toEqual({ 'kind="CancelPackages",reason="refused"': 1 })
  await advance("1 day")
  expect(await jobs()).toEqual([])
})
