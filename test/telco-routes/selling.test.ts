/**
 * The program with a settings file that names a supplier, as a shop starts it, against the fake of
 * each one.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import * as Suppliers from "./Suppliers.ts"

vi.setConfig({ testTimeout: 120_000 })

const processes = ServerProcess.forEachTest()

const ADMIN = "admin-token-of-the-test"
const CALLBACKS = "callbacks-of-the-test"

const ask = async (method: string, url: string, body?: unknown) => {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${ADMIN}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, body: JSON.parse((await response.text()) || "null") }
}

/** What comes of a second package on an eSIM: a top-up, or a refusal by name. */
const topUps: Readonly<Record<Suppliers.Kind, { readonly status: number; readonly body: unknown }>> = {
  "esim-go": { status: 201, body: {} },
  "esim-access": { status: 422, body: { code: "not_supported", message: expect.stringContaining("use another SIM") } },
  airalo: { status: 201, body: {} }
}

describe("a server with a supplier in its settings file", () => {
  it.each(Suppliers.kinds)("%s: sells an eSIM by a plan that is a bundle, and tops it up if it can", async (kind) => {
    const supplier = await Suppliers.start[kind]()
    processes.closing.push(supplier.close)
    const callbacks = { secret: { env: "CALLBACKS" } }
    const telcos = { shop: { ...supplier.telco({ env: "SECRET" }), callbacks }, sandbox: { kind: "simulator" } }
    writeFileSync(
      join(processes.cwd(), "telcos.json"),
      JSON.stringify({ telcos, routes: [{ label: "Green", packages: "shop" }, { packages: "sandbox" }] })
    )
    const env = { SIMPLAN_TELCO_FILE: "telcos.json", SIMPLAN_ADMIN_TOKEN: ADMIN, SECRET: supplier.secret, CALLBACKS }
    const server = processes.start({ env })
    const url = await server.listening
    expect(server.fact("telco")).toBe(`shop (${kind}), sandbox (simulator)`)
    const { organization_id } = (await ask("POST", `${url}/admin/v1/organizations`, { name: "Acme" })).body.data
    const of = `${url}/admin/v1/organizations/${organization_id}`
    const { key } = (await ask("POST", `${of}/api-keys`, { name: "test" })).body.data
    const profiles = await ask("GET", `${url}/v3/coverage-profiles?region_code=GB&label=Green&key=${key}`)
    const made = await ask("POST", `${url}/v3/plans?key=${key}`, {
      coverage_id: profiles.body.data[0].coverage_id,
      name: "1 GB",
      data_MBs: 1_024,
      period_days: 7,
      recurring: false,
      throttling: false
    })
    expect(made.status).toBe(201)
    const { plan_id } = made.body
    expect(await ask("PUT", `${of}/plans/${plan_id}/bundle`, { load: supplier.load })).toMatchObject({ status: 200 })

    const subscribe = (more: unknown) =>
      ask("POST", `${url}/v3/subscription?key=${key}`, { plan_id, metadata: "one", ...Object(more) })
    const created = await subscribe({})
    expect(created).toMatchObject({
      status: 201,
      body: { esimdata: { iccid: expect.stringMatching(/^\d{18,20}$/), lpa_string: expect.stringMatching(/^LPA:1\$/) } }
    })
    const { iccid } = created.body.esimdata
    expect(await subscribe({ iccid })).toMatchObject(topUps[kind])
    expect(supplier.sold()).toBe(1)

    supplier.use(iccid)
    const hook = `${url}/telco/suppliers/shop/callbacks`
    expect((await fetch(`${hook}/${CALLBACKS}`, { method: "HEAD" })).status).toBe(200)
    expect((await fetch(`${hook}/another-secret-of-ours`, { method: "POST", body: "{}" })).status).toBe(404)
    for (const body of ["", "no JSON", '{"iccid": "8988000000000000057"}', supplier.callback(iccid)]) {
      expect((await fetch(`${hook}/${CALLBACKS}`, { method: "POST", body })).status).toBe(200)
    }
    await vi.waitFor(
      async () => {
        const path = `${url}/v3/subscriptions/${iccid}/plan-attachments?key=${key}`
        const [first] = (await ask("GET", path)).body.data
        expect(first).toMatchObject({ state: "ACTIVE", used_allowance: { dataBytes: 1_048_576 } })
        const late = Date.now() - Date.parse(first.packages[0].usage_as_of)
        expect(Math.floor(late / 3_600_000)).toBe(kind === "esim-access" ? 3 : 0)
      },
      { timeout: 60_000, interval: 200 }
    )

    const show = processes.start({ args: ["subscriptions", "show", iccid, "--key", key, "--url", url], env })
    expect(await show.ended).toMatchObject({ code: 0 })
    expect(show.out()).toContain("usage_as_of")

    const check = processes.start({ args: ["telco", "check", "--json"], env })
    expect(await check.ended).toMatchObject({ code: 0 })
    expect(JSON.parse(check.out()).slice(0, 2)).toMatchObject([
      { telco: "shop", what: "balance", works: true },
      { telco: "shop", what: "catalogue", works: true }
    ])
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(/^simplan_telco_balance\{telco="shop",currency="USD"\} [\d.]+$/m)
    for (const text of [metrics, check.out(), server.out(), server.err()]) {
      expect(text).not.toContain(supplier.secret)
    }
  })
})
