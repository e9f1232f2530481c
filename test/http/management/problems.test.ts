/**
 * Problems: what the telco refuses for good, until an operator retries or resolves it (rule S6).
 */
import { Problems } from "simplan"
import { TelcoSimulator } from "simplan/telco-simulator"
import { expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 5)

const telco = <A, E>(use: Parameters<typeof TelcoSimulator.TelcoSimulator.use<A, E, never>>[0]) =>
  world.run(TelcoSimulator.TelcoSimulator.use(use))

const refuse = (message: string) => telco((of) => of.setFaults([{ fault: "refuse", on: "cancelPackage", message }]))

const isWell = () => telco((of) => of.clearFaults)

const advance = (by: string) => world.admin("POST", "/clock/advance", { by })

const problems = async (query = "") => (await world.admin("GET", `/problems${query}`)).body

type Problem = { readonly organization_id: string }

const ids = async () => (await problems()).data.map((one: { readonly problem_id: string }) => one.problem_id)

const act = (id: string, action: "retry" | "resolve" | "correct") =>
  world.admin("POST", `/problems/${encodeURIComponent(id)}/${action}`)

const isUsed = async (iccid: string) => (await stock.tenant.get(`/v3/sims/${iccid}`)).body.data.used

const audited = async (action: string) => {
  const { body } = await world.admin("GET", `/organizations/${stock.tenant.organizationId}/audit?action=${action}`)
  return body.data
}

/** Deletes a subscription; the id of the job that releases the SIM. */
const remove = async (iccid: string) => {
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  const { body } = await stock.tenant.get(`/v3/subscriptions/${iccid}`)
  expect((await stock.tenant.call("DELETE", `/v3/subscriptions/${iccid}`)).status).toBe(200)
  return `release:${body.data.subscription_id}`
}

const calls = async () => (await telco((of) => of.calls)).cancelPackage

it("has a cancellation that the telco refuses for the third time, and none that it cannot take", async () => {
  await telco((of) => of.setFaults([{ fault: "unavailable", on: "cancelPackage" }]))
  const unreachable = await remove(World.iccid(1))
  await advance("1 hour")
  expect((await problems()).data).toEqual([])

  await refuse("no such package")
  const refused = await remove(World.iccid(2))
  expect((await problems()).data).toEqual([])
  await advance("1 day")
  const { data, next_page } = await problems()
  expect(next_page).toBeNull()
  expect(data.map((one: { readonly problem_id: string }) => one.problem_id)).toEqual([unreachable, refused])
  expect(data[1]).toEqual({
    problem_id: refused,
    kind: "CancelPackages",
    organization_id: stock.tenant.organizationId,
    organization_name: "Acme",
    iccid: World.iccid(2),
    since: new Date(World.START + 3_600_000).toISOString(),
    ended_at: new Date(World.START + 3_620_000).toISOString(),
    attempts: 3,
    last_message: "no such package",
    ours: null,
    theirs: null,
    can_correct: true
  })
  const first = await problems("?page_size=1")
  expect([first.data, (await problems(`?page_size=1&page=${first.next_page}`)).data]).toEqual([[data[0]], [data[1]]])
  expect((await world.fetch("GET", "/metrics")).text).toMatch(/^simplan_problems(?:\{[^}]*\})? 2$/m)
  expect((await world.fetch("GET", "/admin/v1/problems")).status).toBe(401)
})

it("asks the telco no more, logs it, and keeps the SIM", async () => {
  const before = await calls()
  await advance("10 days")
  expect(await calls()).toBe(before)
  const [, id] = await ids()
  const line = world.logs.find((text) => text.includes("for good") && text.includes(id))
  expect(line).toMatch(/WARN/i)
  for (const expected of [World.iccid(2), stock.tenant.organizationId, "no such package"])
    expect(line).toContain(expected)
  expect(await isUsed(World.iccid(2))).toBe(true)
})

it("asks again when it is retried, once however often that is asked for, until the telco has taken it", async () => {
  const [id] = await ids()
  await telco((of) => of.setFaults([{ fault: "unavailable", on: "cancelPackage", times: 1 }]))
  expect(await act(id, "retry")).toMatchObject({ status: 200, body: { error: false, data: { problem_id: id } } })
  expect(await ids()).not.toContain(id)
  expect((await act(id, "retry")).status).toBe(200)
  expect((await act(id, "resolve")).body.code).toBe("problem_not_found")
  await isWell()
  await advance("1 minute")
  expect(await isUsed(World.iccid(1))).toBe(false)
  expect((await telco((of) => of.packages)).find(({ iccid }) => iccid === World.iccid(1))?.status).toBe("cancelled")
  expect((await act(id, "retry")).body.code).toBe("problem_not_found")
  expect(await audited("problem.retry")).toMatchObject([
    { actor: "bootstrap", resource_type: "problem", resource_id: id, iccid: World.iccid(1) }
  ])
})

it("is not resolved while the telco lists a package of ours on the SIM that would be free, or cannot be asked", async () => {
  const [id] = await ids()
  const [left] = (await telco((of) => of.packages)).filter(({ iccid }) => iccid === World.iccid(2))
  expect(await act(id, "resolve")).toMatchObject({
    status: 409,
    body: { code: "packages_listed", message: expect.stringContaining(left?.packageId ?? "?") }
  })
  await telco((of) => of.setFaults([{ fault: "unavailable", on: "listPackages" }]))
  expect(await act(id, "resolve")).toMatchObject({ status: 503, body: { code: "telco_unavailable" } })
  await telco((of) => of.setFaults([{ fault: "refuse", on: "listPackages", message: "no lists today" }]))
  expect(await act(id, "resolve")).toMatchObject({ status: 502, body: { code: "telco_refused" } })
  await isWell()
  expect([await ids(), await isUsed(World.iccid(2))]).toEqual([[id], true])
  expect(await audited("problem.resolve")).toEqual([])
  expect((await world.admin("POST", `/problems/${encodeURIComponent(id)}/resolve?force=yes`)).status).toBe(400)
})

it("is gone when it is resolved, and its SIM is free once the telco lists nothing on it", async () => {
  await telco((of) => of.setFaults([{ fault: "refuse", on: "releaseProfile", message: "no such profile" }]))
  const id = await remove(World.iccid(5))
  await advance("1 hour")
  expect([(await ids()).includes(id), await isUsed(World.iccid(5))]).toEqual([true, true])
  const before = await calls()
  expect(await act(id, "resolve")).toMatchObject({ status: 200, body: { error: false, data: { problem_id: id } } })
  expect(await ids()).not.toContain(id)
  expect(await isUsed(World.iccid(5))).toBe(false)
  expect(await calls()).toBe(before)
  await isWell()
  for (const action of ["resolve", "retry"] as const) expect((await act(id, action)).status).toBe(404)
  expect(await audited("problem.resolve")).toMatchObject([
    { actor: "bootstrap", resource_type: "problem", resource_id: id, iccid: World.iccid(5) }
  ])
})

it("is resolved by force, and its SIM is free on the operator's word", async () => {
  const [id] = await ids()
  const { length } = await audited("problem.resolve")
  const path = `/problems/${encodeURIComponent(id)}/resolve?force=true`
  expect(await world.admin("POST", path)).toMatchObject({ status: 200, body: { data: { problem_id: id } } })
  expect([await ids(), await isUsed(World.iccid(2))]).toEqual([[], false])
  expect(await audited("problem.resolve")).toHaveLength(length + 1)
})

it("comes back with three more refusals", async () => {
  await refuse("not yet")
  const id = await remove(World.iccid(3))
  await advance("1 hour")
  const before = await calls()
  await refuse("still not")
  expect((await act(id, "retry")).status).toBe(200)
  await advance("1 hour")
  expect((await problems()).data).toMatchObject([{ problem_id: id, last_message: "still not" }])
  expect(await calls()).toBe(before + 3)
  await isWell()
  await act(id, "retry")
  await advance("1 minute")
  expect([await ids(), await isUsed(World.iccid(3))]).toEqual([[], false])
})

it("is for suspensions as well", async () => {
  const iccid = World.iccid(4)
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  const path = `/v3/subscriptions/${iccid}/plan-attachments`
  const [{ plan_attachment_id: attachmentId }] = (await stock.tenant.get(path)).body.data
  await telco((of) => of.setFaults([{ fault: "refuse", on: "suspendPackage" }]))
  expect((await stock.tenant.post(`${path}/${attachmentId}/suspend`)).status).toBe(200)
  await advance("1 hour")
  expect((await problems()).data).toMatchObject([{ problem_id: `suspend:${attachmentId}`, kind: "SuspendPackages" }])
  await isWell()
  await act(`suspend:${attachmentId}`, "retry")
  await advance("1 minute")
  expect(await ids()).toEqual([])
  expect((await telco((of) => of.packages)).find((one) => one.iccid === iccid)?.status).toBe("suspended")
})

it("has both sides of a difference, and makes the telco's side ours", async () => {
  const iccid = World.iccid(3)
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  const sides = { ours: "in service", theirs: "SUSPENDED" }
  const finding = { findingId: `ocs/service/${iccid}`, iccid, message: "ocs: they differ", sides }
  const other = { findingId: `ocs/limit/${iccid}`, iccid, message: "ocs: they differ too" }
  await world.run(
    Problems.Problems.use((of) => of.add({ findings: [{ ...finding, correction: { _tag: "Service" } }, other] }))
  )
  const problemId = `review:${finding.findingId}`
  expect((await problems()).data).toMatchObject([
    { problem_id: `review:${other.findingId}`, ours: null, theirs: null, can_correct: false },
    { problem_id: problemId, ...sides, can_correct: true, last_message: "ocs: they differ" }
  ])
  expect(await act(`review:${other.findingId}`, "correct")).toMatchObject({
    status: 422,
    body: { code: "not_supported" }
  })
  expect(await act(problemId, "correct")).toMatchObject({ status: 200, body: { data: { problem_id: problemId } } })
  expect((await act(problemId, "correct")).status).toBe(404)
  await advance("1 minute")
  expect((await telco((of) => of.services)).get(iccid)).toBe(true)
  expect(await ids()).toEqual([`review:${other.findingId}`])
  expect(await audited("problem.correct")).toMatchObject([
    { actor: "bootstrap", resource_type: "problem", resource_id: problemId, iccid }
  ])
  await act(`review:${other.findingId}`, "resolve")
})

it("knows no other ids, and needs the token", async () => {
  for (const action of ["retry", "resolve", "correct"] as const) {
    expect((await act("release:nobody", action)).body.code).toBe("problem_not_found")
    expect((await world.fetch("POST", `/admin/v1/problems/x/${action}`)).status).toBe(401)
  }
})

it("has what is found of an account at a supplier, which no organization's operator sees", async () => {
  const before = await ids()
  const message = "The account at go has 1.00 USD left, which is below its level of 200"
  const finding = { findingId: "go/balance", telco: "go", message }
  const add = () => world.run(Problems.Problems.use((of) => of.addOfAccounts({ findings: [finding] })))
  expect([await add(), await add()]).toEqual([[finding], []])
  const { data } = await problems()
  expect(data.slice(before.length)).toMatchObject([
    {
      ...{ problem_id: "review:go/balance", kind: "ReviewAccount", organization_id: "*", organization_name: "" },
      ...{ iccid: null, last_message: message, ours: null, theirs: null, can_correct: false }
    }
  ])
  const { organizationId } = stock.tenant
  const own = await problems(`?organization_id=${organizationId}`)
  expect(own.data).toEqual(data.filter((one: Problem) => one.organization_id === organizationId))
  expect((await act("review:go/balance", "correct")).status).toBe(422)
  expect((await act("review:go/balance", "resolve")).status).toBe(200)
  expect(await ids()).toEqual(before)
  const { body } = await world.admin("GET", "/audit?action=problem.resolve")
  expect(body.data[0]).toMatchObject({ resource_id: "review:go/balance" })
})
