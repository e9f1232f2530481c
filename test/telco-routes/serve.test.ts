/**
 * The program with a settings file, as an operator starts it, against the fake of an online
 * charging system.
 */
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as Leaks from "../setup/Leaks.ts"

vi.setConfig({ testTimeout: 120_000 })

const processes = ServerProcess.forEachTest()

const TOKEN = "token-of-the-charging-system"
const SECRET = "secret-of-its-notifications"
const ADMIN = "admin-token-of-the-test"
const MEGABYTE = 1_048_576

/** A receiver of webhooks, and what came. */
const receiver = async () => {
  const events: Array<{ readonly type: string; readonly data: Readonly<Record<string, unknown>> }> = []
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const part of request.setEncoding("utf8")) text += part
    events.push(JSON.parse(text))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  processes.closing.push(() => server.close())
  const address = server.address()
  return { events, url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/` }
}

const ask = async (method: string, url: string, body?: unknown) => {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${ADMIN}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, body: JSON.parse((await response.text()) || "null") }
}

const settings = (ocs: Pick<Fake.Fake, "url" | "urlV2">, zones: unknown = { Green: { FR: 27, EUROPE: 28 } }) => ({
  telcos: {
    ocs: {
      kind: "ocs",
      url: ocs.url,
      url_v2: ocs.urlV2,
      token: { file: "ocs.token" },
      reseller_id: 1,
      zones,
      mobile_plan_id: 10,
      notifications: { secret: { env: "OCS_NOTIFICATION_SECRET" } }
    },
    sandbox: { kind: "simulator" }
  },
  routes: [{ label: "Green", packages: "ocs" }, { packages: "sandbox" }]
})

const env = {
  SIMPLAN_TELCO_FILE: "telcos.json",
  SIMPLAN_ADMIN_TOKEN: ADMIN,
  SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true",
  OCS_NOTIFICATION_SECRET: SECRET
}

/** The charging system, and a server over it. */
const start = async (of: (ocs: Fake.Fake) => unknown = settings) => {
  Leaks.know(TOKEN)
  Leaks.know(SECRET)
  const ocs = await Fake.start({ token: TOKEN, subscribers: 3 })
  processes.closing.push(() => ocs.close())
  writeFileSync(join(processes.cwd(), "ocs.token"), `${TOKEN}\n`)
  writeFileSync(join(processes.cwd(), "telcos.json"), JSON.stringify(of(ocs), null, 2))
  return { ocs, server: processes.start({ env }) }
}

describe("a server with a settings file", () => {
  it("sells packages of the charging system, and tells of their usage", async () => {
    const { ocs, server } = await start()
    const url = await server.listening
    expect(server.fact("telco")).toBe("ocs (ocs), sandbox (simulator)")
    const hooks = await receiver()
    const { organization_id } = (await ask("POST", `${url}/admin/v1/organizations`, { name: "Acme" })).body.data
    const of = `${url}/admin/v1/organizations/${organization_id}`
    const { key } = (await ask("POST", `${of}/api-keys`, { name: "test" })).body.data
    const iccid = Fake.iccidOf(1)
    const sims = [{ iccid, label: "Green", is_esim: true, lpa: "LPA:1$smdp.example$ABC" }]
    expect(await ask("POST", `${of}/sims`, { sims })).toMatchObject({ body: { data: { imported: 1 } } })
    await ask("POST", `${of}/webhook-endpoints`, { url: hooks.url })
    const profiles = await ask("GET", `${url}/v3/coverage-profiles?region_code=FR&label=Green&key=${key}`)
    const plan = (changes: unknown) =>
      ask("POST", `${url}/v3/plans?key=${key}`, {
        coverage_id: profiles.body.data[0].coverage_id,
        name: "100 MB",
        data_MBs: 100,
        period_days: 30,
        recurring: false,
        throttling: false,
        ...Object(changes)
      })
    const { plan_id } = (await plan({})).body
    const created = await ask("POST", `${url}/v3/subscription?key=${key}`, { plan_id, iccid, metadata: "one" })
    expect(created).toMatchObject({ status: 201, body: { esimdata: { iccid } } })
    expect(ocs.books().packages).toMatchObject([{ iccid, allowanceBytes: 100 * MEGABYTE, periodDays: 30 }])

    const notifications = `${url}/telco/ocs/ocs/notifications`
    ocs.configureNotifications({ packages: `${notifications}/${SECRET}`, es2plus: `${notifications}/${SECRET}` })
    await ocs.useData({ iccid, bytes: 85 * MEGABYTE })
    expect(ocs.books().notifications.at(-1)).toMatchObject({ isAcknowledged: true })
    const thresholds = () =>
      hooks.events.flatMap(({ data, type }) =>
        type === "attachment.allowanceConsumed" ? [data["usagePercentage"]] : []
      )
    await expect.poll(thresholds, { timeout: 20_000 }).toEqual([50, 80])
    await ocs.setProfile({ iccid, status: "Enable" })
    await expect
      .poll(() => hooks.events.map(({ type }) => type), { timeout: 20_000 })
      .toContain("esim.smdp.stateChanged")
    const attachments = `${url}/v3/subscriptions/${iccid}/plan-attachments?key=${key}`
    const lateness = async () => {
      const [{ packages }] = (await ask("GET", attachments)).body.data
      return Math.floor((Date.now() - Date.parse(packages[0].usage_as_of)) / 1_000)
    }
    // Lists may be 10 seconds behind.
    await expect.poll(lateness, { timeout: 20_000 }).toBeGreaterThanOrEqual(10)
    expect(await lateness()).toBeLessThan(60)

    expect((await ask("POST", `${notifications}/wrong`, {})).status).toBe(404)
    expect((await ask("POST", `${url}/telco/ocs/sandbox/notifications/${SECRET}`, {})).status).toBe(404)

    const regions = `${url}/v3/coverage-profiles/custom-region?key=${key}`
    const region = await ask("POST", regions, { region_name: "Nordics", label: "Green", iso2_list: ["SE", "NO"] })
    const { coverage_id } = region.body.data
    expect(await plan({ coverage_id })).toMatchObject({ status: 422, body: { code: "terms_refused" } })
    const zones = `${url}/admin/v1/telcos/ocs/zones`
    const zone = { label: "Green", coverage_id, zone_id: 28 }
    expect(await ask("PUT", zones, zone)).toEqual({ status: 200, body: { error: false, data: zone } })
    expect(await ask("PUT", zones, { ...zone, zone_id: 99 })).toMatchObject({
      status: 400,
      body: { code: "invalid_field", message: "zone_id must be a location zone of ocs, which has no 99" }
    })
    expect((await ask("GET", zones)).body.data).toEqual([zone])
    expect(await plan({ coverage_id })).toMatchObject({ status: 201 })

    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain(
      'simplan_telco_routed_calls_total{telco="ocs",operation="createPackage",outcome="done"} 1'
    )
    const printed = `${metrics}${server.out()}${server.err()}`
    for (const secret of [TOKEN, SECRET]) expect(printed).not.toContain(secret)
  })

  it("has no demonstration SIMs of a label that the charging system takes, so those imported are chosen", async () => {
    const { ocs, server } = await start()
    const url = await server.listening
    const [demo] = (await ask("GET", `${url}/admin/v1/organizations`)).body.data
    const of = `${url}/admin/v1/organizations/${demo.organization_id}`
    const { key } = (await ask("POST", `${of}/api-keys`, { name: "test" })).body.data
    const labels = async () => {
      const { body } = await ask("GET", `${url}/v3/sims?page_size=100&key=${key}`)
      return [...new Set(body.data.map(({ label }: { readonly label: string }) => label))].toSorted()
    }
    expect(await labels()).toEqual(["Aqua", "Blue"])
    const iccid = Fake.iccidOf(1)
    await ask("POST", `${of}/sims`, { sims: [{ iccid, label: "Green", is_esim: true, lpa: "LPA:1$smdp.example$ABC" }] })
    const profiles = await ask("GET", `${url}/v3/coverage-profiles?region_code=FR&label=Green&key=${key}`)
    const { plan_id } = (
      await ask("POST", `${url}/v3/plans?key=${key}`, {
        coverage_id: profiles.body.data[0].coverage_id,
        name: "100 MB",
        data_MBs: 100,
        period_days: 30,
        recurring: false,
        throttling: false
      })
    ).body
    const created = await ask("POST", `${url}/v3/subscription?key=${key}`, { plan_id, metadata: "one" })
    expect(created).toMatchObject({ status: 201, body: { esimdata: { iccid } } })
    expect(ocs.books().packages).toMatchObject([{ iccid }])
  })

  it("does not start where the charging system has no such zone, and names it", async () => {
    const { server } = await start((ocs) => settings(ocs, { Green: { FR: 27, DE: 99 } }))
    expect(await server.ended).toMatchObject({ code: 1 })
    expect(server.err()).toBe(
      "The server cannot start: telcos.ocs.zones.Green.DE is 99, and the telco has no location zone of that number.\n"
    )
  })

  it("starts where the charging system cannot be reached, and says that it asks again", async () => {
    const { server } = await start(() => settings({ url: "http://127.0.0.1:9/v1", urlV2: "http://127.0.0.1:9/v2" }))
    await server.listening
    expect(server.err()).toContain("The telco ocs cannot be asked for what the settings name; that is tried again")
  })

  it("reads the file again at SIGHUP: a valid one is in force at once, one with a mistake is named and changes nothing", async () => {
    const { ocs, server } = await start((system) => ({
      ...settings(system),
      routes: [{ label: "Green", packages: "ocs" }]
    }))
    const url = await server.listening
    const write = (of: unknown) => writeFileSync(join(processes.cwd(), "telcos.json"), JSON.stringify(of, null, 2))
    const reload = async (of: unknown, said: RegExp) => {
      write(of)
      const before = server.err().length
      process.kill(server.process.pid ?? expect.fail(), "SIGHUP")
      await expect.poll(() => server.err().slice(before), { timeout: 20_000 }).toMatch(said)
    }
    const { organization_id } = (await ask("POST", `${url}/admin/v1/organizations`, { name: "Acme" })).body.data
    const { key } = (await ask("POST", `${url}/admin/v1/organizations/${organization_id}/api-keys`, { name: "test" }))
      .body.data
    const profiles = await ask("GET", `${url}/v3/coverage-profiles?region_code=FR&label=Blue&key=${key}`)
    const { coverage_id } = profiles.body.data[0]
    const terms = { name: "100 MB", data_MBs: 100, period_days: 30, recurring: false, throttling: false }
    const status = async () => (await ask("POST", `${url}/v3/plans?key=${key}`, { coverage_id, ...terms })).status
    expect(await status()).toBe(422)

    await reload(
      settings(ocs),
      /The telcos' file was read again, and is in force: ocs \(ocs\), sandbox \(simulator\)\./
    )
    expect(await status()).toBe(201)

    const kept = /The telcos' file was read again and not taken; the telcos stay as they were: /
    await reload({ ...settings(ocs), routes: [{ label: "Green", packages: "osc" }] }, kept)
    expect(server.err()).toContain("routes[0].packages names a telco that is not among telcos.")
    await reload({ ...settings(ocs, { Green: { FR: 99 } }), routes: [{ label: "Green", packages: "ocs" }] }, kept)
    expect(server.err()).toContain(
      "telcos.ocs.zones.Green.FR is 99, and the telco has no location zone of that number."
    )
    expect(await status()).toBe(201)

    await reload({ ...settings(ocs), routes: [{ label: "Green", packages: "ocs" }] }, /is in force/)
    expect(await status()).toBe(422)
    expect(await server.kill("SIGTERM")).toMatchObject({ code: 0 })
  })

  it("tells each mistake of the file with its line, and that a bridge has no place beside it", async () => {
    const { server } = await start((ocs) => ({ ...settings(ocs), routes: [{ packages: "osc" }] }))
    expect(await server.ended).toMatchObject({ code: 1 })
    expect(server.err()).toBe("telcos.json, line 30: routes[0].packages names a telco that is not among telcos.\n")
    const both = processes.start({
      env: { ...env, SIMPLAN_TELCO_URL: "http://127.0.0.1:9", SIMPLAN_TELCO_KEY: "key-of-a-bridge" }
    })
    expect(await both.ended).toMatchObject({ code: 1 })
    expect(both.err()).toBe(
      "SIMPLAN_TELCO_FILE and SIMPLAN_TELCO_URL are both set: the file can name the bridge too, as a telco of the kind http.\n"
    )
  })
})

describe("a server with two bridges", () => {
  it("takes the reports of each by its own token, of the SIMs that are routed to it alone (R1)", async () => {
    const [GREEN, OTHERS] = ["token-of-the-green-bridge", "token-of-the-other-bridge"]
    for (const token of [GREEN, OTHERS]) Leaks.know(token)
    const bridge = { kind: "http", url: "http://127.0.0.1:9", key: { env: "BRIDGE_KEY" } }
    const telcos = {
      green: { ...bridge, reports: { token: { env: "GREEN_REPORTS" } } },
      others: { ...bridge, reports: { token: { file: "others.token" } } }
    }
    const routes = [{ label: "Green", packages: "green" }, { packages: "others" }]
    writeFileSync(join(processes.cwd(), "others.token"), OTHERS)
    writeFileSync(join(processes.cwd(), "telcos.json"), JSON.stringify({ telcos, routes }))
    const own = { BRIDGE_KEY: "key-of-the-bridges", GREEN_REPORTS: GREEN }
    const url = await processes.start({ env: { ...env, ...own } }).listening
    const { organization_id } = (await ask("POST", `${url}/admin/v1/organizations`, { name: "Acme" })).body.data
    const sims = [
      { iccid: Fake.iccidOf(1), label: "Green", is_esim: true },
      { iccid: Fake.iccidOf(2), label: "Blue", is_esim: true }
    ]
    await ask("POST", `${url}/admin/v1/organizations/${organization_id}/sims`, { sims })
    const events = sims.map(({ iccid }) => ({
      ...{ id: iccid, type: "smdp_state", iccid, occurred_at: "2026-01-01T00:00:00Z", state: "Enable" }
    }))
    const report = async (token: string) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` }
      const body = JSON.stringify({ events })
      const response = await fetch(`${url}/telco/v1/events`, { method: "POST", headers, body })
      return { status: response.status, body: await response.json() }
    }
    const refused = (index: number) => [{ index, id: events[index]?.id, message: "the iccid is not known" }]
    expect(await report(GREEN)).toMatchObject({ status: 200, body: { accepted: 1, rejected: refused(1) } })
    expect(await report(OTHERS)).toMatchObject({ status: 200, body: { accepted: 1, rejected: refused(0) } })
    expect(await report(ADMIN)).toMatchObject({ status: 401 })
  })
})
