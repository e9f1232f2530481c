/**
 * Requests with `dry_run=true` (rule S9): the answer or the refusal that would come, what would be
 * done, and that nothing is.
 */
import { describe, expect, it } from "vitest"
import { TelcoSimulator } from "../../../adapters/telco-simulator/index.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const NIL = "00000000-0000-0000-0000-000000000000"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 5)
const acme = stock.tenant
const telcoCalls = () => world.run(TelcoSimulator.TelcoSimulator.use((telco) => telco.calls))

/** All that a customer sees, to be compared before and after. */
const seen = async (): Promise<unknown> => {
  const [sims, subscriptions, audit] = await Promise.all([
    acme.get("/v3/sims?page_size=100"),
    acme.get("/v3/subscription"),
    world.admin("GET", `/audit?organization_id=${acme.organizationId}`)
  ])
  return [sims.body, subscriptions.body, audit.body, await telcoCalls()]
}

/** A call that must change nothing. */
const previewed = async (method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown) => {
  const before = await seen()
  const answer = await acme.call(method, `${path}?dry_run=true`, body === undefined ? {} : { body })
  expect(await seen()).toEqual(before)
  return answer
}

const subscribe = (n: number, fields: Readonly<Record<string, unknown>> = {}) => ({
  plan_id: stock.planId,
  metadata: `m${n}`,
  iccid: World.iccid(n),
  ...fields
})

describe("a creation", () => {
  it("is answered as it would be, with what would be ordered, and takes no eSIM", async () => {
    for (let time = 0; time < 2; time++) {
      const { body, status } = await previewed("POST", "/v3/subscription", { plan_id: stock.planId, metadata: "order" })
      expect(status).toBe(201)
      expect(body).toMatchObject({
        subscription_id: NIL,
        metadata: "order",
        esimdata: { iccid: World.iccid(1) },
        preview: {
          packages: [{ package_id: `${NIL}:0`, activation_at: null, expiration_at: null }],
          next_package_at: null
        }
      })
    }
  })

  it("is made the same way afterwards, under a key that its preview was sent with", async () => {
    const path = "/v3/subscription?dry_run=true"
    const headers = { "idempotency-key": "one" }
    const preview = await acme.post(path, subscribe(1), headers)
    const real = await acme.post("/v3/subscription", subscribe(1), headers)
    const { preview: _, ...answer } = preview.body
    expect(real.status).toBe(201)
    expect(real.headers.get("idempotent-replayed")).toBeNull()
    expect({ ...real.body, subscription_id: NIL }).toEqual(answer)
  })

  it("that adds a plan names the subscription", async () => {
    const { body } = await previewed("POST", "/v3/subscription", subscribe(1, { metadata: "top-up" }))
    const current = await acme.get(`/v3/subscriptions/${World.iccid(1)}`)
    expect(body.subscription_id).toBe(current.body.data.subscription_id)
  })

  it.each([
    ["an unknown plan", { plan_id: "nope" }, 404, "plan_not_found"],
    ["an unknown SIM", { iccid: "8944500000000000000" }, 404, "sim_not_found"],
    [
      "an end before the start",
      { active_period: { start: "2026-02-02T00:00:00Z", end: "2026-02-01T00:00:00Z" } },
      400,
      "invalid_field"
    ]
  ])("is refused with %s as it would be", async (_, fields, status, code) => {
    const answer = await previewed("POST", "/v3/subscription", subscribe(2, fields))
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  it("is refused where no eSIM is free", async () => {
    const blue = await acme.get("/v3/coverage-profiles?region_code=FR&label=Blue")
    const planId = await stock.plan({ coverage_id: blue.body.data[0].coverage_id })
    const answer = await previewed("POST", "/v3/subscription", { plan_id: planId, metadata: "" })
    expect([answer.status, answer.body.code]).toEqual([404, "no_free_esim"])
  })

  it("takes no other value of the parameter", async () => {
    const answer = await acme.post("/v3/subscription?dry_run=yes", subscribe(2))
    expect([answer.status, answer.body.message]).toEqual([400, "dry_run must be true or false"])
  })
})

describe("a suspension and a deletion", () => {
  it("show the packages that would be stopped or cancelled", async () => {
    const recurring = {
      recurring: true,
      nb_occurrence: 3,
      recurring_periodicity_type: "0",
      recurring_periodicity_frequency: 1,
      period_days: 1
    }
    const planId = await stock.plan(recurring)
    const start = new Date(World.START).toISOString()
    await acme.post("/v3/subscription", subscribe(3, { plan_id: planId, active_period: { start } }))
    const path = `/v3/subscriptions/${World.iccid(3)}`
    const { body } = await acme.get(`${path}/plan-attachments`)
    const [{ packages, plan_attachment_id: id }] = body.data
    const expected = packages.map(({ used_allowance: _, ...one }: Readonly<Record<string, unknown>>) => one)

    const suspension = await previewed("POST", `${path}/plan-attachments/${id}/suspend`)
    expect(suspension.body).toMatchObject({
      error: false,
      message: "Plan attachment suspended successfully",
      preview: { packages: expected, ended_occurrences: 2 }
    })
    const deletion = await previewed("DELETE", path)
    expect(deletion.body).toEqual({
      error: false,
      message: "Subscription deleted successfully",
      preview: { downloaded: false, activated: true, used: false, packages: expected }
    })
    expect((await acme.call("DELETE", path)).body).toEqual({
      error: false,
      message: "Subscription deleted successfully"
    })
  })

  it("are refused with the signs of use that lead to it", async () => {
    await acme.post("/v3/subscription", subscribe(4))
    const event = {
      id: "1",
      type: "usage",
      iccid: World.iccid(4),
      occurred_at: new Date(World.START).toISOString(),
      total_bytes: 5
    }
    await world.telco([event])
    const path = `/v3/subscriptions/${World.iccid(4)}`
    const { body, status } = await previewed("DELETE", path)
    expect([status, body.code]).toEqual([403, "esim_installed"])
    expect(body.preview).toEqual({ downloaded: true, activated: true, used: true, packages: [] })
    const missing = await previewed("DELETE", `/v3/subscriptions/${World.iccid(5)}`)
    expect([missing.status, missing.body.code]).toEqual([404, "subscription_not_found"])
  })
})

describe("a pause and a resumption", () => {
  it("show whether anything changes, and since when the subscription would be paused", async () => {
    await acme.post("/v3/subscription", subscribe(5))
    const path = `/v3/subscriptions/${World.iccid(5)}`
    const { now } = (await world.admin("GET", "/clock")).body.data
    const answered = (message: string, changed: boolean, paused_at: string | null) => ({
      error: false,
      message: `Subscription ${message} successfully`,
      preview: { changed, paused_at }
    })
    expect((await previewed("POST", `${path}/resume`)).body).toEqual(answered("resumed", false, null))
    expect((await previewed("POST", `${path}/pause`)).body).toEqual(answered("paused", true, now))
    await acme.post(`${path}/pause`)
    await world.admin("POST", "/clock/advance", { by: "1 minute" })
    expect((await previewed("POST", `${path}/pause`)).body).toEqual(answered("paused", false, now))
    expect((await previewed("POST", `${path}/resume`)).body).toEqual(answered("resumed", true, null))
    const missing = await previewed("POST", `/v3/subscriptions/${World.iccid(2)}/pause`)
    expect([missing.status, missing.body.code]).toEqual([404, "subscription_not_found"])
  })
})

describe("a correction of a SIM", () => {
  const path = `/v3/sims/${World.iccid(2)}`

  it("shows the SIM as it would be, and what would change of it", async () => {
    const before = (await acme.get(path)).body.data
    const body = { label: "Blue", lpa_string: null, status: "withdrawn", reason: "lost" }
    const preview = await previewed("PATCH", path, body)
    const next = { label: "Blue", lpa: null, used: true, status: "withdrawn", withdrawn_reason: "lost" }
    expect(preview.body).toEqual({
      error: false,
      data: {
        ...{ ...before, ...next, version: before.version + 1 },
        reason: expect.objectContaining({ code: "withdrawn", next_step: "restore" })
      },
      preview: { changed: ["label", "lpa_string", "status"] }
    })
    expect((await previewed("PATCH", path, { label: before.label })).body).toEqual({
      error: false,
      data: before,
      preview: { changed: [] }
    })
    const real = await acme.call("PATCH", path, { body })
    expect(real.body).toEqual({ error: false, data: preview.body.data })
  })

  it.each([
    ["a SIM in service", World.iccid(5), { label: "Blue" }, 409, "sim_in_use"],
    ["an unknown SIM", "8944500000000000000", { label: "Blue" }, 404, "sim_not_found"],
    ["a reason without its status", World.iccid(2), { reason: "lost" }, 400, "invalid_field"]
  ])("is refused of %s as it would be", async (_, iccid, body, status, code) => {
    const answer = await previewed("PATCH", `/v3/sims/${iccid}`, body)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})
