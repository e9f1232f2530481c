/**
 * `/docs` and the form at `/docs/reference` in a real browser, in a window of a phone.
 */
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Chromium from "../playground/Chromium.ts"
import * as World from "./World.ts"

let world: World.World
let browser: Browser

beforeAll(async () => {
  world = await World.start()
  browser = await Chromium.launch()
}, Chromium.SET_UP)

afterAll(async () => {
  await browser?.close()
  await world.close()
})

describe("/docs/reference", () => {
  let page: Page
  const complaints: Array<string> = []
  const asked: Array<string> = []

  beforeAll(async () => {
    page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("request", (request) => asked.push(request.url()))
    await page.goto(`${world.url}/docs/reference`)
    await page.getByRole("button", { name: "Test Request" }).first().waitFor()
  })

  it("has a language, and fits the window of a phone", async () => {
    expect(await page.evaluate<string>("document.documentElement.lang")).toBe("en")
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390)
    expect(complaints).toEqual([])
  })

  it("offers the key in the header first", async () => {
    await expect.poll(() => page.locator("#api-reference-container").innerText()).toContain("x-api-key")
    expect(
      await page
        .getByRole("button", { name: /Auth Type/ })
        .first()
        .innerText()
    ).toContain("apiKeyInHeader")
  })

  it("shows nothing of the viewer's own product, in the menu neither, and asks no other server", async () => {
    await page.getByRole("button", { name: "Open Menu" }).first().click()
    await page.getByRole("button", { name: "Introduction" }).first().waitFor()
    await page.setViewportSize({ width: 1200, height: 844 })
    const visible = await page.locator("body").innerText()
    expect(visible).toContain("Subscriptions")
    expect(visible).not.toMatch(/scalar|Open API Client|Developer Tools|Generate SDKs|Configure/i)
    const links = await page.locator("a[href^=http]:visible").all()
    expect(links).toEqual([])
    expect(asked).toEqual([`${world.url}/docs/reference`])
  })
})

describe("a key in /docs/reference", () => {
  it("goes with the requests that are tried, and is kept nowhere in the browser", async () => {
    const key = "simplan_of_the_browser_test"
    const page = await browser.newPage({ viewport: { width: 1200, height: 844 } })
    const sent: Array<string | undefined> = []
    page.on("request", (request) => {
      if (request.url().includes("/v3/")) sent.push(request.headers()["x-api-key"])
    })
    await page.goto(`${world.url}/docs/reference`)
    await page.getByRole("button", { name: "Test Request" }).first().waitFor()
    await page.locator("#api-reference-container input[placeholder^=QUx]").first().fill(key)
    await page.getByRole("button", { name: "Test Request" }).first().click()
    await page.getByRole("dialog").getByRole("button", { name: /^Send/ }).last().click()
    await expect.poll(() => sent).toEqual([key])
    // The viewer writes what it keeps after a while.
    await page.waitForTimeout(2_000)
    const kept = await page.evaluate<string>(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"
    )
    expect(kept).not.toContain(key)
    const databases = await page.evaluate<number>("indexedDB.databases().then((all) => all.length)")
    expect(databases).toBe(0)
  })
})

describe("/docs", () => {
  it("fits the window of a phone, with all of its parts open", async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await page.goto(`${world.url}/docs`)
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390)
  })

  it("has no label of the states in a state's box", async () => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 844 } })
    await page.goto(`${world.url}/docs`)
    const crossing = await page.evaluate<ReadonlyArray<string>>(`(() => {
      const picture = document.querySelector('svg[aria-label="The states of an attachment"]')
      const boxes = [...picture.querySelectorAll("rect")].map((one) => one.getBBox())
      const labels = [...picture.querySelectorAll("text.muted")]
      if (boxes.length !== 5 || labels.length !== 5) return ["the picture has changed"]
      const crosses = (one, other) =>
        one.x < other.x + other.width && other.x < one.x + one.width &&
        one.y < other.y + other.height && other.y < one.y + one.height
      return labels.filter((label) => boxes.some((box) => crosses(label.getBBox(), box))).map((label) => label.textContent)
    })()`)
    expect(crossing).toEqual([])
  })
})
