/**
 * The history on a SIM's page in a real browser: each kind of entry in one order, and each delivery
 * with its attempts.
 */
import { Effect, Layer } from "effect"
import { WebhookSender } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

const iccid = World.iccid(1)
const moving = World.iccid(2)
let organizationId = ""

const sender = Layer.succeed(WebhookSender.WebhookSender, {
  send: () => Effect.succeed({ status: 500, body: "", durationMillis: 7 })
})

const { check, click, clicks, heading, page, region, signIn, world } = Opened.forFile({ sender }, async (world) => {
  const { planId, tenant } = await Inventory.stock(world, 1, 4)
  organizationId = tenant.organizationId
  const url = "https://hooks.example/esim"
  const events = ["subscription.created"]
  await world.admin("POST", `/organizations/${organizationId}/webhook-endpoints`, { url, events })
  await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
  await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid: moving })
  await world.admin("POST", "/clock/advance", { by: "10 minutes" })
  const seen = { iccid, occurred_at: new Date(World.START + 300_000).toISOString() }
  await world.telco([
    { type: "first_use", id: "first", ...seen },
    {
      type: "location",
      id: "seen",
      country_alpha_2: "SE",
      operator: "Telia",
      rat: "4G",
      imei: "490154203237518",
      ...seen
    },
    { type: "usage", id: "used", total_bytes: 3 * 1_048_576, ...seen },
    { type: "smdp_state", id: "state", state: "Enable", ...seen }
  ])
  await world.run(
    TelcoSimulator.TelcoSimulator.use((telco) => telco.setFaults([{ fault: "unavailable", on: "setService" }]))
  )
  await tenant.post(`/v3/subscriptions/${iccid}/pause`)
  await world.admin("POST", "/clock/advance", { by: "1 minute" })
})

it("has all books in one order, with the attempts to deliver each event", async () => {
  await signIn(`?page=sim&of=${organizationId}&iccid=${iccid}`)
  const rows = region("History").locator("tbody tr")
  await rows.filter({ hasText: "subscription.created" }).waitFor()
  const kinds = (await rows.locator("td:nth-child(2)").allInnerTexts()).toSorted()
  expect([...new Set(kinds)]).toEqual(["change", "event", "job", "network", "package", "profile", "usage"])
  const { body } = await world().admin("GET", `/organizations/${organizationId}/api-keys`)
  const [{ name }] = body.data
  await rows.filter({ hasText: "Paused" }).filter({ hasText: name }).first().waitFor()
  const attempts = rows
    .filter({ hasText: "subscription.created" })
    .getByRole("list", { name: "Attempts, newest first" })
  await rows.filter({ hasText: "subscription.created" }).getByText("3 attempts", { exact: true }).click()
  const listed = await attempts.getByRole("listitem").allInnerTexts()
  expect(listed).toHaveLength(3)
  const created = rows.filter({ hasText: "subscription.created" })
  await expect.poll(() => created.innerText()).toContain("https://hooks.example/esim: pending, status 500")
  for (const one of listed) expect(one).toMatch(/^(?:now|\d+ (?:second|minute)s? ago) status 500, 7 ms$/s)
  const times = await attempts.locator("time").evaluateAll((all) => all.map((one) => one.getAttribute("datetime")))
  expect(times.toSorted().toReversed()).toEqual(times)
  const waits = rows.filter({ hasText: "Pause or resume the service" })
  await expect
    .poll(() => waits.innerText())
    .toMatch(/unavailable, next try at 2026-01-10T\S+Z: The telco is out of reach/)
  await expect.poll(() => rows.filter({ hasText: "Telia, 4G" }).count()).toBe(1)
  await expect.poll(() => rows.last().innerText()).toMatch(/^12 hours ago\s.*usage\s+Sweden \(SE\)\s+3\.0 MB/s)
  await check()
  await expect.poll(() => page().getByRole("alert").count()).toBe(0)

  await created.getByRole("link", { name: "Its delivery" }).click()
  await page().getByRole("heading", { level: 1, name: "Delivery" }).waitFor()
  await page().locator("[data-summary]").getByText("https://hooks.example/esim").waitFor()
  expect(JSON.parse(await region("Body").innerText())).toMatchObject({
    type: "subscription.created",
    data: { esim: iccid }
  })
  const headers = await region("Headers").locator("tbody tr").allInnerTexts()
  expect(headers).toContain("content-type\tapplication/json")
  expect(headers).toContain("x-service-signature\tof each attempt")
  await expect.poll(() => region("Attempts").locator("tbody tr").count()).toBe(3)
  await check()
  await page().getByRole("link", { name: iccid }).click()
  await page()
    .getByRole("heading", { level: 1, name: `SIM ${iccid}` })
    .waitFor()
})

it("after a move leads to the new SIM, whose QR code is the third click, and goes over both", async () => {
  await signIn(`?page=sim&of=${organizationId}&iccid=${moving}`)
  const dialog = page().getByRole("dialog")
  await click("Move to another eSIM")
  await dialog.getByText("would move to a free eSIM").waitFor()
  await click("Move to another eSIM", dialog)
  await page().locator(`[data-moved="${moving}"]`).waitFor()
  const { body } = await world().admin("GET", `/organizations/${organizationId}/sims/${moving}`)
  const next: string = body.data.replaced_by.iccid
  await heading(`SIM ${next}`)
  await click("Show the QR code")
  await page()
    .getByRole("img", { name: `The QR code that installs ${next}` })
    .waitFor()
  expect(clicks()).toBe(3)

  const creation = region("History").locator("tbody tr").filter({ hasText: "Subscription created" }).first()
  await expect.poll(() => creation.getByRole("link", { name: moving }).count()).toBe(1)
  await page().getByLabel("Of", { exact: true }).selectOption("this SIM alone")
  await expect.poll(() => region("History").getByRole("link", { name: moving }).count()).toBe(0)
  await expect
    .poll(() => region("History").locator("tbody tr").filter({ hasText: "Moved to another SIM" }).count())
    .toBe(1)
  await check()

  await page().getByRole("link", { name: moving }).click()
  await heading(`SIM ${moving}`)
  await page().locator(`[data-moved="${next}"]`).getByText("It is replaced by the SIM").waitFor()
  await page().locator("[data-verdict=replaced]").getByRole("link", { name: "Open it" }).click()
  await heading(`SIM ${next}`)
})
