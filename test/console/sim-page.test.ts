/**
 * The page of a SIM as a tool: what helps next comes first, what ends something stands apart, a
 * phone has it where a thumb is, and what was used and what has happened can be taken in at once.
 */
import { describe, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

const [busy, spent, paused, fresh, free] = [1, 2, 3, 4, 5].map(World.iccid) as [string, string, string, string, string]
const unsold = World.iccid(6)
const MEGABYTE = 1_048_576
let of = ""

const opened = Opened.forFile({ telcos: undefined }, async (world) => {
  const { planId, tenant } = await Inventory.stock(world, 1, 6)
  of = tenant.organizationId
  for (const iccid of [busy, spent, paused, fresh]) {
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
  }
  const at = (hours: number) => ({ occurred_at: new Date(World.START + hours * 3_600_000).toISOString() })
  const use = (iccid: string, hours: number, megabytes: number, country: string) => ({
    type: "usage",
    id: `${iccid} ${hours}`,
    iccid,
    total_bytes: megabytes * MEGABYTE,
    country_alpha_2: country,
    ...at(hours)
  })
  for (const iccid of [busy, spent, paused]) await world.telco([{ type: "first_use", id: iccid, iccid, ...at(0) }])
  await world.telco([use(busy, 0, 100, "FR"), use(spent, 0, 1_000, "FR")])
  await world.admin("POST", "/clock/advance", { by: "1 day" })
  await world.telco([use(busy, 23, 250, "ES")])
  await tenant.post(`/v3/subscriptions/${paused}/pause`)
  await world.admin("POST", "/clock/advance", { by: "1 day" })
  await world.telco([use(busy, 47, 400, "FR")])
})

const { check, click, heading, page, region, signIn, signInAs, world } = opened

const sim = (iccid: string) => `?page=sim&of=${of}&iccid=${iccid}`

const doing = () => region("What can be done")

const shown = async (iccid: string): Promise<void> => {
  await page().goto(`${world().url}/admin/console${sim(iccid)}`)
  await heading(`SIM ${iccid}`)
  await doing().waitFor()
}

describe("what can be done", () => {
  it.each([
    ["has used all its data", spent, "Top up"],
    ["is paused", paused, "Resume"],
    ["was never installed", fresh, "Show the QR code"],
    ["is free", free, "Sell a plan"]
  ])("of a SIM that %s begins with what helps, filled", async (_, iccid, title) => {
    await signInAs("admin", "")
    await shown(iccid)
    const first = doing().getByRole("button").first()
    await expect.poll(() => first.innerText()).toBe(title)
    const ground = (name: string) =>
      doing()
        .getByRole("button", { name })
        .evaluate((one) => {
          return one.computedStyleMap().get("background-color")?.toString()
        })
    expect(await ground(title)).not.toBe(await ground("Leave a note"))
  })

  it("has what ends something apart, in a colour of its own", async () => {
    await signInAs("admin", sim(busy))
    await doing().waitFor()
    await expect
      .poll(() => doing().locator(".dangers button").allInnerTexts())
      .toEqual(["Suspend a plan", "Delete the subscription"])
  })

  it("sells a free SIM", async () => {
    await signIn(sim(free))
    await click("Sell a plan")
    const dialog = page().getByRole("dialog")
    await dialog.getByLabel("Note").fill("over the counter")
    await dialog.getByText("The telco would order a package").waitFor()
    await click("Sell a plan", dialog)
    await expect.poll(() => page().locator("[data-done]").innerText()).toBe("The plan is sold on the SIM.")
    await page().locator("[data-identity]").getByText("over the counter").waitFor()
  })

  it("is where a thumb is on a phone, and the rest of it a click away", async () => {
    await signIn(sim(busy))
    await page().setViewportSize({ width: 390, height: 844 })
    const box = await doing().getByRole("button", { name: "Top up" }).boundingBox()
    expect(box?.y).toBeGreaterThan(844 - 80)
    expect(box?.height).toBeGreaterThanOrEqual(44)
    await expect.poll(() => doing().getByRole("button", { name: "Pause" }).count()).toBe(0)
    await click("More")
    await click("Pause")
    await page().getByRole("dialog").getByText("The telco would stop the service").waitFor()
    await page().keyboard.press("Escape")
    await expect.poll(() => doing().getByRole("button", { name: "Pause" }).count()).toBe(0)
    await check()
  })
})

describe("the page of a SIM", () => {
  it("has two columns on a desk, and names the SIM in the tab", async () => {
    await signIn(sim(busy))
    await region("Timeline").locator("svg").waitFor()
    const [facts, course] = await Promise.all([".facts", ".course"].map((one) => page().locator(one).boundingBox()))
    expect((facts?.x ?? 0) + (facts?.width ?? 0)).toBeLessThan(course?.x ?? 0)
    expect(facts?.y).toBe(course?.y)
    await expect.poll(() => page().title()).toBe(`SIM ${busy} – simplan console`)
  })

  it.each([
    ["was used is installed", busy, "nothing of it, but the SIM was used: it is installed."],
    ["waits for its first use is perhaps not downloaded", fresh, "it was perhaps never downloaded. Have its QR code"],
    ["is free need not be", unsold, "The SM-DP+ has reported nothing of it."]
  ])("says of an unreported profile that a SIM that %s", async (_, iccid, sentence) => {
    await signIn(sim(iccid))
    await page().locator(".facts .empty").getByText(sentence).waitFor()
  })

  it("says until when usage is counted, if the telco says so", async () => {
    await signInAs("admin", "")
    const asOf = "2026-01-12T08:30:00.000Z"
    await page().route(/plan-attachments/, async (route) => {
      const response = await route.fetch()
      const text = (await response.text()).replaceAll('"package_id"', `"usage_as_of":"${asOf}","package_id"`)
      await route.fulfill({ response, body: text })
    })
    await shown(busy)
    await page().locator(`.used time[datetime="${asOf}"]`).first().waitFor()
    await page().unroute(/plan-attachments/)
    await shown(busy)
    await page().locator(".used").first().waitFor()
    await expect.poll(() => page().locator(`time[datetime="${asOf}"]`).count()).toBe(0)
  })

  it("draws how much of the plan is used, and what was used on each day", async () => {
    await signIn(sim(busy))
    await page().getByRole("img", { name: "400.0 MB of 1,000 MB used, 600.0 MB left" }).waitFor()
    await page()
      .getByRole("img", { name: "Used by day (UTC): 2026-01-10 100.0 MB, 2026-01-11 150.0 MB, 2026-01-12 150.0 MB" })
      .waitFor()
    await page().getByText("By day and country").click()
    await expect.poll(() => region("Usage").locator("tbody tr").count()).toBe(3)
  })

  it("has what happened in groups, narrowed by what it is", async () => {
    await signIn(sim(busy))
    const rows = region("History").locator("tbody tr")
    await rows.first().waitFor()
    const all = await rows.count()
    await page().getByLabel("Show", { exact: true }).selectOption("usage")
    await expect.poll(() => rows.count()).toBeLessThan(all)
    await expect.poll(() => rows.locator("td:nth-child(2)").allInnerTexts()).toEqual(["usage"])
    await rows.getByText("3 entries").click()
    await expect.poll(() => rows.getByRole("listitem").count()).toBe(3)
    await expect.poll(() => rows.locator("td:nth-child(3)").allInnerTexts()).toEqual(["France (FR), Spain (ES)"])
    expect(new URL(page().url()).searchParams.get("kind")).toBe("usage")
    await page().getByLabel("Show", { exact: true }).selectOption("problems")
    await page().getByText("There is none of this among what is read").waitFor()
  })
})
