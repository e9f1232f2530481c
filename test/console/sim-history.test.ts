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
let organizationId = ""

const sender = Layer.succeed(WebhookSender.WebhookSender, {
  send: () => Effect.succeed({ status: 500, body: "", durationMillis: 7 })
})

const { check, page, region, signIn } = Opened.forFile({ sender }, async (world) => {
  const { planId, tenant } = await Inventory.stock(world, 1, 1)
  organizationId = tenant.organizationId
  const url = "https://hooks.example/esim"
  const events = ["subscription.created"]
  await world.admin("POST", `/organizations/${organizationId}/webhook-endpoints`, { url, events })
  await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
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
  const attempts = rows
    .filter({ hasText: "subscription.created" })
    .getByRole("list", { name: "Attempts, newest first" })
  const listed = await attempts.getByRole("listitem").allInnerTexts()
  expect(listed).toHaveLength(3)
  for (const one of listed) expect(one).toMatch(/^2026-01-10 12:\d\d:\d\d.* status 500, 7 ms$/s)
  expect(listed.toSorted().toReversed()).toEqual(listed)
  const waits = rows.filter({ hasText: "SetService" })
  expect(await waits.innerText()).toMatch(/unavailable, next try at 2026-01-10T\S+Z: The telco is out of reach/)
  expect(await rows.filter({ hasText: "Telia, 4G" }).count()).toBe(1)
  expect(await rows.last().innerText()).toMatch(/^2026-01-10 00:00:00\s.*usage\s+SE\s+3\.0 MB/s)
  await check()
  expect(await page().getByRole("alert").count()).toBe(0)
})
