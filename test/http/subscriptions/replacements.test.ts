/**
 * Moving a subscription to another eSIM over HTTP (rule S8): its answer, what has moved, the refusals, and the preview.
 */
import { describe, expect, it } from "vitest"
import { TelcoSimulator } from "../../../adapters/telco-simulator/index.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 8)
const acme = stock.tenant

const subscribe = async (n: number) => {
  const body = { plan_id: stock.planId, metadata: `m${n}`, iccid: World.iccid(n) }
  const answer = await acme.post("/v3/subscription", body)
  expect(answer.status).toBe(201)
  return answer.body
}

const packagesOf = async (iccid: string) => {
  const all = await world.run(TelcoSimulator.TelcoSimulator.use((telco) => telco.packages))
  return all.filter((one) => one.iccid === iccid)
}

const path = (n: number, more = "") => `/v3/subscriptions/${World.iccid(n)}${more}`

describe("a subscription moves", () => {
  it("to a free eSIM, with its id, its attachments and the data that is left; the old SIM is withdrawn", async () => {
    const created = await subscribe(1)
    const iccid = World.iccid(1)
    const report = { id: "u1", type: "usage", iccid, total_bytes: 3 * 1_048_576 }
    const reported = await world.telco([{ ...report, occurred_at: new Date(World.START).toISOString() }])
    expect(reported.body).toMatchObject({ accepted: 1 })
    const before = (await acme.get(path(1, "/plan-attachments"))).body.data
    const { body, status } = await acme.post(path(1, "/replace?install=true"))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      error: false,
      data: { subscription_id: created.subscription_id, metadata: "m1", paused_at: null },
      replaced_iccid: iccid
    })
    const next = body.data.esim.iccid
    expect(next).not.toBe(iccid)
    expect(body.data.esim.install).toMatchObject({ apple: expect.stringContaining("https://") })
    const after = (await acme.get(`/v3/subscriptions/${next}/plan-attachments`)).body.data
    const id = before[0].plan_attachment_id
    expect(after).toEqual([{ ...before[0], packages: [{ ...before[0].packages[0], package_id: `${id}:0:1` }] }])
    expect((await acme.get(path(1))).body).toMatchObject({ code: "subscription_not_found" })
    expect((await acme.get(`/v3/sims/${iccid}`)).body.data).toMatchObject({
      status: "withdrawn",
      withdrawn_reason: "replaced",
      used: true
    })
    expect(await packagesOf(iccid)).toMatchObject([{ packageId: `${id}:0`, status: "cancelled" }])
    const megaBytes = before[0].plan.data_mega_bytes
    expect(await packagesOf(next)).toMatchObject([
      { packageId: `${id}:0:1`, status: "active", dataMegaBytes: megaBytes - 3 }
    ])
  })

  it("once for each key, and not again", async () => {
    await subscribe(3)
    const headers = { "idempotency-key": "move" }
    const first = await acme.post(path(3, "/replace"), undefined, headers)
    const again = await acme.post(path(3, "/replace"), undefined, headers)
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
    expect((await acme.post(path(3, "/replace"))).body).toMatchObject({ code: "subscription_not_found" })
  })
})

describe("a move is refused", () => {
  it("where there is no subscription, and where no eSIM of the label is left", async () => {
    expect((await acme.post(path(99, "/replace"))).body).toMatchObject({ code: "subscription_not_found" })
    await subscribe(5)
    const free = (await acme.get("/v3/sims?status=free&page_size=100")).body.data
    for (const { iccid } of free) {
      await acme.call("PATCH", `/v3/sims/${iccid}`, { body: { status: "withdrawn", reason: "lost" } })
    }
    const before = await acme.get(path(5))
    expect((await acme.post(path(5, "/replace"))).body).toMatchObject({ code: "no_free_esim" })
    expect((await acme.post(path(5, "/replace?dry_run=true"))).body).toMatchObject({ code: "no_free_esim" })
    expect((await acme.get(path(5))).body).toEqual(before.body)
  })
})
