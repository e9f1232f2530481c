/**
 * How an eSIM is installed (rule I10): links beside the activation code where they are asked for,
 * and the QR code.
 */
import { describe, expect, it } from "vitest"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const stock = await Inventory.stock(world, 1, 3)
const acme = stock.tenant
await world.admin("POST", `/organizations/${acme.organizationId}/sims`, {
  sims: [{ iccid: World.iccid(9), label: "Green", is_esim: false }]
})

const links = (n: number) => {
  const carddata = encodeURIComponent(`LPA:1$smdp.example$M-${n}`)
  return {
    apple: `https://esimsetup.apple.com/esim_qrcode_provisioning?carddata=${carddata}`,
    android: `https://esimsetup.android.com/esim_qrcode_provisioning?carddata=${carddata}`
  }
}

describe("install links", () => {
  it("stand beside each activation code where they are asked for", async () => {
    const body = { plan_id: stock.planId, metadata: "", iccid: World.iccid(1) }
    const created = await acme.post("/v3/subscription?install=true", body)
    expect(created.body.esimdata.install).toEqual(links(1))
    const [sims, sim, subscriptions, subscription] = await Promise.all([
      acme.get("/v3/sims?install=true"),
      acme.get(`/v3/sims/${World.iccid(2)}?install=true`),
      acme.get("/v3/subscription?install=true"),
      acme.get(`/v3/subscriptions/${World.iccid(1)}?install=true`)
    ])
    expect(sims.body.data.map(({ install }: { readonly install: unknown }) => install)).toEqual([
      links(1),
      links(2),
      links(3),
      null
    ])
    expect(sim.body.data.install).toEqual(links(2))
    expect(subscriptions.body.data[0].esim.install).toEqual(links(1))
    expect(subscription.body.data.esim.install).toEqual(links(1))
  })

  it("stand beside the activation code of a corrected SIM, and of a preview of that", async () => {
    const lpa_string = "LPA:1$smdp.example$M-9"
    const path = `/v3/sims/${World.iccid(3)}`
    const correct = (query: string) => acme.call("PATCH", `${path}?${query}`, { body: { lpa_string } })
    expect((await correct("install=true&dry_run=true")).body.data.install).toEqual(links(9))
    expect((await acme.get(`${path}?install=true`)).body.data.install).toEqual(links(3))
    const corrected = await correct("install=true")
    expect([corrected.status, corrected.body.data.lpa, corrected.body.data.install]).toEqual([
      200,
      lpa_string,
      links(9)
    ])
    expect((await correct("install=false")).text).not.toContain("install")
    expect((await correct("install=1")).body.message).toBe("install must be true or false")
  })

  it("stand beside the activation code of the SIM that a subscription moves to", async () => {
    const moved = await acme.post(`/v3/subscriptions/${World.iccid(1)}/replace?install=true&dry_run=true`)
    expect(moved.body.data.esim.install).toEqual(links(2))
  })

  it("are in no other answer", async () => {
    for (const query of ["", "?install=false"]) {
      expect((await acme.get(`/v3/sims/${World.iccid(2)}${query}`)).text).not.toContain("install")
      expect((await acme.get(`/v3/subscriptions/${World.iccid(1)}${query}`)).text).not.toContain("install")
    }
    expect((await acme.get(`/v3/sims/${World.iccid(2)}?install=1`)).body.message).toBe("install must be true or false")
  })
})

describe("the QR code of an eSIM", () => {
  it("is an image that nobody may store, another one for each activation code", async () => {
    const code = await acme.get(`/v3/sims/${World.iccid(2)}/qr.svg`)
    expect(code.status).toBe(200)
    expect(code.headers.get("content-type")).toMatch(/^image\/svg\+xml/)
    expect(code.headers.get("cache-control")).toBe("no-store")
    expect(code.text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(code.text).not.toContain("LPA:")
    expect((await acme.get(`/v3/sims/${World.iccid(3)}/qr.svg`)).text).not.toBe(code.text)
  })

  it("is not found where there is no SIM, and where the SIM has no activation code", async () => {
    const physical = await acme.get(`/v3/sims/${World.iccid(9)}/qr.svg`)
    expect([physical.status, physical.body.code]).toEqual([404, "activation_code_not_found"])
    const other = await World.tenant(world)
    const foreign = await other.get(`/v3/sims/${World.iccid(2)}/qr.svg`)
    expect([foreign.status, foreign.body.code]).toEqual([404, "sim_not_found"])
  })

  it("and the links stand in no log", () => {
    expect(world.logs.join("\n")).not.toMatch(/M-[1239]|esimsetup/)
  })
})
