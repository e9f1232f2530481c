/**
 * The drawing on a SIM's page, and the virtual clock that moves it.
 */
import { describe, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

const HOSTILE = `<img src=x onerror="document.title='run'">`
const iccid = World.iccid(1)
let organizationId = ""

const opened = Opened.forFile({ isSimulated: true }, async (world) => {
  const { plan, tenant } = await Inventory.stock(world, 1, 3)
  organizationId = tenant.organizationId
  const hostile = await plan({ name: HOSTILE })
  const slow = await plan({ name: "Slow", ...Inventory.throttled })
  await tenant.post("/v3/subscription", { plan_id: slow, metadata: "", iccid })
  await tenant.post("/v3/subscription", { plan_id: hostile, metadata: "", iccid })
  const used = { iccid, occurred_at: new Date(World.START).toISOString() }
  await world.telco([
    { type: "first_use", id: "first", ...used },
    { type: "usage", id: "usage", total_bytes: 300 * 1_048_576, ...used }
  ])
})

const { check, click, clicks, page, region, signIn, signInAs } = opened

const sim = () => `?page=sim&of=${organizationId}&iccid=${iccid}`

const texts = async (): Promise<ReadonlyArray<string>> => region("Timeline").locator("svg text").allTextContents()

/** Where the line at the present stands, as a part of the drawing's width. */
const present = async (): Promise<number> => {
  const line = region("Timeline").locator('svg line[stroke="currentColor"]')
  const width = Number(await region("Timeline").locator("svg").getAttribute("width"))
  return Number(await line.getAttribute("x1")) / width
}

describe("the timeline of a SIM", () => {
  it("has its plans with their states and what they used, as text and in the colours of the style sheet", async () => {
    await signIn(sim())
    await region("Timeline").locator("svg").waitFor()
    expect(await texts()).toEqual(
      expect.arrayContaining([
        "Slow",
        HOSTILE,
        "active",
        "over",
        "waits for first use",
        "1,000 MB",
        "50 % → 1024 Kbit/s",
        "now"
      ])
    )
    await expect.poll(() => region("Timeline").locator("svg img, svg style, svg script").count()).toBe(0)
    await expect
      .poll(() => region("Timeline").locator("title", { hasText: "300 MB of 1,000 MB used (30 %)" }).count())
      .toBe(1)
    const fill = "getComputedStyle(document.querySelector('rect.tl-active')).fill"
    await expect.poll(() => page().evaluate(fill)).toBe("rgb(194, 234, 213)")
    await expect.poll(() => page().title()).toBe(`SIM ${iccid} – simplan console`)
    await check()
  })

  it("is wider than a narrow screen, and scrolls by itself", async () => {
    await page().setViewportSize({ width: 390, height: 844 })
    await signIn(sim())
    await region("Timeline").locator("svg").waitFor()
    await expect.poll(() => region("Timeline").locator("svg").getAttribute("width")).toBe("640")
  })
})

describe("a virtual clock", () => {
  it("is moved by a day in at most two clicks, and the timeline moves with it", async () => {
    await signIn(sim())
    await page().getByText("The telco is simulated: nothing reaches a real SIM.").waitFor()
    await region("Timeline").locator("svg").waitFor()
    await expect.poll(() => region("Sandbox").innerText()).toContain("it is 2026-01-10 12:00:00 UTC")
    const before = await present()
    await click("Advance by a day")
    await expect.poll(() => region("Sandbox").innerText()).toContain("it is 2026-01-11 12:00:00 UTC")
    await expect.poll(present).toBeGreaterThan(before)
    expect(clicks()).toBeLessThanOrEqual(2)
    await click("Advance by 30 days")
    await expect.poll(() => region("Plans").innerText()).toContain("over")
    expect((await opened.world().admin("GET", "/clock")).body.data.now).toBe("2026-02-10T12:00:00.000Z")
  })

  it("is shown to who may not move it, of one organization too", async () => {
    for (const of of [undefined, organizationId]) {
      await signInAs("support", sim(), of)
      await region("Timeline").locator("svg").waitFor()
      await expect.poll(() => region("Sandbox").innerText()).toContain("The clock is virtual")
      await expect.poll(() => region("Sandbox").getByRole("button").count()).toBe(0)
      await click("Sign out")
    }
  })
})

it("neither is said where the clock and the telco are real", async () => {
  await page().route("**/v1/clock", (route) =>
    route.fulfill({ json: { error: false, data: { now: new Date().toISOString(), virtual: false } } })
  )
  await page().route("**/admin/console?*", async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: (await answer.text()).replace('<meta name="telco"', "<meta") })
  })
  await signIn(sim())
  await region("Timeline").locator("svg").waitFor()
  await expect.poll(() => region("Sandbox").count()).toBe(0)
})
