/**
 * The pictures of the console in `examples/console`, taken in a real browser of a service with some
 * sales, an outage and a failing endpoint: `npm run pictures` writes them.
 */
import { Effect, Layer } from "effect"
import { Processes } from "simplan"
import { Storage, WebhookSender } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Chromium from "../playground/Chromium.ts"
import * as Built from "./Built.ts"

const folder = fileURLToPath(new URL("../../examples/console", import.meta.url))

const SIZE = { width: 1280, height: 860 }

const failing = Layer.succeed(WebhookSender.WebhookSender, {
  send: () => Effect.succeed({ status: 500, body: "", durationMillis: 12 })
})

/**
 * Six SIMs are sold, the first one is used in two countries; then the telco cancels nothing for an
 * hour.
 */
const play = async (world: World.World): Promise<{ readonly iccid: string; readonly organizationId: string }> => {
  const { planId, tenant } = await Inventory.stock(world, 1, 8)
  const hook = { url: "https://hooks.traveller.example/esim", events: ["attachment.activated", "stock.low"] }
  await world.admin("POST", `/organizations/${tenant.organizationId}/webhook-endpoints`, hook)
  await tenant.call("PUT", "/v3/sims/stock/levels", { body: { levels: [{ label: "Green", level: 5 }] } })
  for (const serial of [1, 2, 3, 4, 5, 6]) {
    await tenant.post("/v3/subscription", {
      plan_id: planId,
      metadata: `order 20${serial}`,
      iccid: World.iccid(serial)
    })
  }
  await world.admin("POST", "/clock/advance", { by: "1 hour" })
  const iccid = World.iccid(1)
  const at = (hours: number) => new Date(World.START + hours * 3_600_000).toISOString()
  await world.telco([
    { type: "first_use", id: "use", iccid, occurred_at: at(0.5) },
    { type: "usage", id: "usage-1", iccid, total_bytes: 120 * 1_048_576, occurred_at: at(0.8), country_alpha_2: "FR" }
  ])
  await world.admin("POST", "/clock/advance", { by: "30 hours" })
  await world.telco([
    { type: "usage", id: "usage-2", iccid, total_bytes: 410 * 1_048_576, occurred_at: at(30), country_alpha_2: "ES" }
  ])
  const unavailable = [{ fault: "unavailable", on: "cancelPackage" }] as const
  await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.setFaults([...unavailable])))
  await tenant.call("DELETE", `/v3/subscriptions/${World.iccid(6)}`)
  await world.admin("POST", "/clock/advance", { by: "1 hour" })
  await world.run(another)
  return { iccid, organizationId: tenant.organizationId }
}

/** What another process of the service says of itself, which also does the work. */
const another = Effect.gen(function* () {
  const [itself] = yield* (yield* Processes.Processes).list
  if (itself === undefined) throw new Error("The process does not know itself")
  const process = {
    ...itself,
    processId: "c5b81f0e2f6d4d0cae4ad3a1d5a7b9e3",
    host: "esim-2",
    runs: ["worker"],
    heldJobs: 1
  }
  yield* (yield* Storage.Storage).keepProcess({ process, silentSince: 0 })
})

it("are taken", async () => {
  mkdirSync(folder, { recursive: true })
  const built = Built.make()
  const browser = await Chromium.launch()
  const described = Layer.succeed(Processes.Described, { version: "0.2.0+5f60ef137ab2", host: "esim-1" })
  const world = await World.start({ console: built.folder, sender: failing, telcos: undefined, around: described })
  try {
    const { iccid, organizationId } = await play(world)
    const page = await browser.newPage({
      viewport: SIZE,
      colorScheme: "light",
      locale: "en-GB",
      timezoneId: "Europe/Paris"
    })
    await page.goto(`${world.url}/admin/console`)
    await page.getByLabel("Your operator's token").fill(World.ADMIN_TOKEN)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("does not answer").first().waitFor()
    const take = (name: string, fullPage = false) => page.screenshot({ path: join(folder, `${name}.png`), fullPage })
    await page.getByRole("region", { name: "Processes" }).getByRole("row").nth(2).waitFor()
    await take("overview", true)
    await page.getByRole("searchbox").fill("order 20")
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: iccid }).waitFor()
    await take("search")
    await page.getByRole("link", { name: iccid }).click()
    await page.getByRole("heading", { level: 1, name: `SIM ${iccid}` }).waitFor()
    await page.waitForLoadState("networkidle")
    await take("sim")
    await page.goto(`${world.url}/admin/console?page=deliveries&of=${organizationId}`)
    await page.getByRole("row").nth(1).waitFor()
    await take("deliveries")
    await page.getByRole("navigation").getByRole("link", { name: "Audit log" }).click()
    await page.getByRole("row").nth(1).waitFor()
    await take("audit")
  } finally {
    await browser.close()
    await world.close()
    built.remove()
  }
}, 120_000)
