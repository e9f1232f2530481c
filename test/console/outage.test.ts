/**
 * An outage, played and seen on the console's first page in a real browser: a telco that does not
 * answer for an hour, an endpoint that answers 500 and a stock at its level, each within a minute
 * of business time.
 */
import { Effect, Layer } from "effect"
import { WebhookSender } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Chromium from "../playground/Chromium.ts"
import * as Leaks from "../setup/Leaks.ts"
import * as Built from "./Built.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

let built: Built.Built
let world: World.World
let stock: Inventory.Stock
let browser: Browser
let page: Page
let answer = 200
let dead: ReadonlyArray<string> = []

const sender = Layer.succeed(WebhookSender.WebhookSender, {
  send: () => Effect.sync(() => ({ status: answer, body: "", durationMillis: 1 }))
})

beforeAll(async () => {
  built = Built.make()
  const storage = World.changed(() => ({ deadServers: Effect.sync(() => dead) }))
  world = await World.start({ console: built.folder, sender, storage, telcos: undefined, version: "1.2.3+test" })
  stock = await Inventory.stock(world, 1, 3)
  browser = await Chromium.launch()
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
}, Chromium.SET_UP)
afterAll(async () => {
  await browser?.close()
  await world?.close()
  built?.remove()
})

const advance = (by: string) => world.admin("POST", "/clock/advance", { by })

const telco = <A, E>(use: Parameters<typeof TelcoSimulator.TelcoSimulator.use<A, E, never>>[0]) =>
  world.run(TelcoSimulator.TelcoSimulator.use(use))

const region = (name: string): Locator => page.getByRole("region", { name, exact: true })

const enter = async (token: string) => {
  await page.goto(`${world.url}/admin/console`)
  await page.getByLabel("Your operator's token").fill(token)
  await page.getByRole("button", { name: "Sign in" }).click()
}

/** How long each part of the outage may last, in business time, before the page shows it. */
const SEEN_WITHIN = "1 minute"

interface Part {
  readonly begins: () => Promise<unknown>
  readonly isShown: () => Locator
}

/**
 * The clock stands still after a minute until the page shows what began, which it did not show
 * before.
 */
const seen = async ({ begins, isShown }: Part) => {
  await expect.poll(() => isShown().count()).toBe(0)
  await begins()
  await advance(SEEN_WITHIN)
  await isShown().waitFor()
}

const lowStock = (): Part => ({
  begins: () => stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(1) }),
  isShown: () => region("Stock").getByText("2, which is low")
})

const failingEndpoint = (): Part => ({
  begins: async () => {
    answer = 500
    await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(2) })
  },
  isShown: () => region("Failing endpoints").getByText("https://hooks.example/esim")
})

const silentTelco = (): Part => ({
  begins: async () => {
    await telco((simulator) => simulator.setFaults([{ fault: "unavailable", on: "cancelPackage" }]))
    await stock.tenant.call("DELETE", `/v3/subscriptions/${World.iccid(1)}`)
  },
  isShown: () => region("How telcos answer").getByText("does not answer")
})

it("is seen by itself within a minute of business time, with what can be done about it", async () => {
  const { tenant } = stock
  const events = ["subscription.created"]
  const url = "https://hooks.example/esim"
  await world.admin("POST", `/organizations/${tenant.organizationId}/webhook-endpoints`, { url, events })
  await tenant.call("PUT", "/v3/sims/stock/levels", { body: { levels: [{ label: "Green", level: 3 }] } })
  await enter(World.ADMIN_TOKEN)
  await region("How telcos answer").getByText("answers", { exact: true }).waitFor()
  await region("Stock")
    .getByRole("row", { name: /Green 3 3 0 – Set the level$/ })
    .waitFor()
  await page.getByText("Version 1.2.3+test started").waitFor()
  await expect.poll(() => page.locator("[data-glance]").innerText()).toBe("All is well.")
  await expect.poll(() => page.getByRole("button", { name: /Retry|Try|Send/ }).count()).toBe(0)

  for (const part of [lowStock(), failingEndpoint(), silentTelco()]) await seen(part)
  await advance("1 hour")
  await region("How telcos answer").getByText("does not answer").waitFor()
  await expect
    .poll(() => region("Work that waits").locator("tbody tr").innerText())
    .toMatch(/^Cancel packages\tunavailable\t/)
  for (const name of ["Load", "Stock", "Failing endpoints"]) {
    await region(name).getByRole("link", { name: "Acme" }).waitFor()
    await region(name).getByTitle(stock.tenant.organizationId, { exact: true }).waitFor()
  }
  await expect
    .poll(() => page.locator("[data-glance]").innerText())
    .toBe("4 things need somebody: Telcos, Work, Endpoints, Free eSIMs.")
  const glances = await region("At a glance").locator(".troubled").allInnerTexts()
  expect(glances.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
    expect.stringMatching(/^Telcos The telco gives no answer\. \d jobs? waits?\. Began \d+ \w+ ago What to do$/),
    expect.stringMatching(/^Work \d to be tried again\. Began \d+ \w+ ago What to do$/),
    expect.stringMatching(/^Endpoints 1 fails\. \d deliver(?:y is|ies are) pending\. Began \d+ \w+ ago What to do$/),
    "Free eSIMs 1 stock is low: 1 Green. What to do"
  ])
  await page.getByRole("button", { name: "What to do: Telcos" }).click()
  expect(await page.evaluate("document.activeElement.id")).toBe("telcos")
  await page.getByRole("img", { name: /^Calls of telcos: \d+, \d+ failed, at most \d+ in five minutes$/ }).waitFor()
  await page.getByRole("img", { name: /^Webhooks: \d+, \d+ failed/ }).waitFor()
  await page.getByRole("img", { name: /^Requests: [\d,]+, at most/ }).waitFor()
  await expect.poll(() => page.getByRole("alert").count()).toBe(0)
  await page.evaluate(axe)
  const found =
    "axe.run().then(({ violations }) => violations.map(({ help, nodes }) => help + nodes.map(({ html }) => html)))"
  expect(await page.evaluate(found)).toEqual([])
}, 120_000)

it("names a server of a distributed database that does not answer, and what that hits", async () => {
  dead = ["10.0.0.2:5432"]
  await page.reload()
  const database = region("At a glance").locator(".glance", { hasText: "Database" })
  await database.getByText("10.0.0.2:5432 does not answer: organizations on it are not served.").waitFor()
  await page.getByText(/; of its servers 10\.0\.0\.2:5432 give no answer/).waitFor()
  dead = []
  await page.reload()
  await database.getByText("It answers and takes writes.").waitFor()
}, 120_000)

it("says of each count that has reached its bound that there may be more", async () => {
  const counts = {
    waiting_jobs: 10_000,
    pending_deliveries: 1_000,
    count: 10_000,
    free: 1_000,
    is_low: false,
    level: 3
  }
  const bounded = (rows: ReadonlyArray<object>) =>
    rows.map((row) => ({ ...row, ...Object.fromEntries(Object.entries(counts).filter(([name]) => name in row)) }))
  await page.route("**/v1/overview", async (route) => {
    const answer = await route.fetch()
    const { data, ...rest } = await answer.json()
    const { failing_endpoints, service, stock: stocks, telcos, waiting } = data
    const loads = service.loads.map((one: object) => ({ ...one, waiting_jobs: 10_000, pending_deliveries: 10_000 }))
    const lists = {
      ...{ telcos: bounded(telcos), waiting: bounded(waiting), stock: bounded(stocks) },
      failing_endpoints: bounded(failing_endpoints)
    }
    await route.fulfill({ json: { ...rest, data: { ...data, ...lists, service: { ...service, loads } } } })
  })
  await page.reload()
  for (const [name, text] of [
    ["How telcos answer", "10000+"],
    ["Work that waits", "10000+"],
    ["Failing endpoints", "1000+"],
    ["Stock", "1000+"]
  ] as const) {
    await region(name).getByText(text, { exact: true }).first().waitFor()
  }
  await expect.poll(() => region("Load").getByText("10000+", { exact: true }).count()).toBe(2)
  counts.pending_deliveries = 0
  await page.reload()
  await region("At a glance").getByText("1 fails. Nothing is pending.").waitFor()
  // What waits no more cannot be sent.
  await expect.poll(() => page.getByRole("button", { name: "Send all now" }).count()).toBe(0)
  await page.unroute("**/v1/overview")
  await page.reload()
  await region("How telcos answer").getByText("does not answer").waitFor()
  await expect.poll(() => page.locator("main").innerText()).not.toMatch(/000\+/)
}, 120_000)

it("is shown to an operator of one organization who only reads, who is offered nothing", async () => {
  const asked = { name: "Desk", role: "read", organization_id: stock.tenant.organizationId }
  const { body } = await world.admin("POST", "/operators", asked)
  Leaks.know(body.data.token)
  await page.getByRole("button", { name: "Sign out" }).click()
  await enter(body.data.token)
  await region("How telcos answer").getByText("does not answer").waitFor()
  await expect.poll(() => page.getByRole("button", { name: /Retry|Try|Send/ }).count()).toBe(0)
  await expect.poll(() => page.getByRole("heading", { name: "The service" }).count()).toBe(0)
  await page.getByRole("button", { name: "Sign out" }).click()
}, 120_000)

it("is over by two clicks once the telco and the endpoint answer", async () => {
  await enter(World.ADMIN_TOKEN)
  await region("How telcos answer").getByText("does not answer").waitFor()
  await telco((simulator) => simulator.clearFaults)
  answer = 200
  await page.getByRole("button", { name: "Try all at it now" }).click()
  await expect.poll(() => page.locator("[data-said]").innerText()).toBe("1 job is tried now.")
  await page.getByRole("button", { name: "Send all now" }).click()
  await expect.poll(() => page.locator("[data-said]").innerText()).toMatch(/^\d deliver(?:y is|ies are) sent again\.$/)
  await expect
    .poll(
      async () => {
        await advance("1 second")
        return page.locator("main").innerText()
      },
      { timeout: 60_000 }
    )
    .toMatch(/None waits\.[\s\S]*None fails\./)
  await region("How telcos answer").getByText("answers", { exact: true }).waitFor()
}, 120_000)

it("of an endpoint that answers again leaves deliveries that two clicks send at once", async () => {
  const { tenant } = stock
  answer = 500
  await tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(3) })
  await advance("1 minute")
  answer = 200
  const path = `/organizations/${tenant.organizationId}/webhook-endpoints`
  const [{ webhook_endpoint_id: endpoint }] = (await world.admin("GET", path)).body.data
  await world.admin("POST", `${path}/${endpoint}/test`)
  await advance("1 second")
  await page.reload()
  const waiting = region("Load").getByRole("link", { name: "1", exact: true })
  await waiting.waitFor()
  await expect.poll(() => region("Failing endpoints").count()).toBe(0)
  await waiting.click()
  await expect.poll(() => region("Deliveries").locator("tbody tr").count()).toBe(1)
  await page.getByRole("button", { name: "Send all now" }).click()
  await expect.poll(() => page.locator("[data-said]").innerText()).toBe("1 delivery is sent again.")
  await advance("1 second")
  await page.getByText("There are no such deliveries.").waitFor()
}, 120_000)

it("and its endpoint's page sends them by one, and leads to them", async () => {
  const { tenant } = stock
  answer = 500
  await world.admin("POST", `/organizations/${tenant.organizationId}/sims`, { sims: Inventory.esims(10, 1) })
  await tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid: World.iccid(10) })
  await advance("1 minute")
  await page.goto(`${world.url}/admin/console?page=organization&of=${tenant.organizationId}`)
  await region("Endpoints").locator(".state.bad").getByText("began to fail").waitFor()
  await region("Stock").locator(".state.bad").getByText("below the level of 3").waitFor()
  answer = 200
  await page.goto(`${world.url}/admin/console?page=endpoints&of=${tenant.organizationId}`)
  await region("Endpoints").getByRole("link", { name: "1", exact: true }).click()
  await expect.poll(() => region("Deliveries").locator("tbody tr").count()).toBe(1)
  await page.goBack()
  await page.getByRole("button", { name: "Send all now" }).click()
  await expect.poll(() => page.locator("[data-said]").innerText()).toBe("1 delivery is sent again.")
  await expect
    .poll(async () => {
      await advance("1 second")
      return region("Endpoints").locator("tbody tr").innerText()
    })
    .toMatch(/\t0\t/)
}, 120_000)

it("is over for an endpoint that is gone when it is enabled there", async () => {
  const { tenant } = stock
  answer = 410
  const path = `/organizations/${tenant.organizationId}/webhook-endpoints`
  const [{ webhook_endpoint_id: endpoint }] = (await world.admin("GET", path)).body.data
  await world.admin("POST", `${path}/${endpoint}/test`)
  await advance("1 second")
  await page.goto(`${world.url}/admin/console`)
  await region("Failing endpoints").locator(".state.bad").waitFor()
  const glance = async () =>
    (await region("At a glance").locator(".troubled", { hasText: "Endpoints" }).innerText()).replaceAll(/\s+/g, " ")
  expect(await glance()).toMatch(/^Endpoints 1 is disabled for failing\. Nothing is pending\. Began .+ ago What to do$/)
  await region("Failing endpoints").getByRole("link", { name: "Enable it there" }).click()
  await page.getByRole("button", { name: "Enable" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Enable" }).click()
  await page.getByText("The endpoint is enabled.").waitFor()
  await page.goto(`${world.url}/admin/console`)
  await region("At a glance").getByText("All take what is sent.").waitFor()
}, 120_000)
