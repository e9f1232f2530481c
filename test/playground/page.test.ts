/**
 * The page that `simplan simulate --html` writes, in a real browser.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest"
import * as Timeline from "../../adapters/timeline/index.ts"
import * as Played from "../simulate/Played.ts"
import * as Chromium from "./Chromium.ts"

const example = fileURLToPath(new URL("../../examples/simulate/throttling.json", import.meta.url))
const directory = mkdtempSync(join(tmpdir(), "simplan-page-"))
const file = join(directory, "timeline.html")

let browser: Browser
let page: Page
let complaints: Array<string>

beforeAll(async () => {
  const history = await Played.text(readFileSync(example, "utf8"))
  writeFileSync(file, Timeline.Page.html(history))
  browser = await Chromium.launch()
}, Chromium.SET_UP)
afterAll(async () => {
  await browser?.close()
  rmSync(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1100, height: 800 } })
  complaints = []
  page.on("console", (message) => complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(error.message))
  await page.goto(pathToFileURL(file).href)
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await page.close()
})

describe("the page of a history", () => {
  it("shows details on hover, and hides them again", async () => {
    expect(await page.isHidden(".tl-tip")).toBe(true)
    await page.hover('[data-tip^="package 2 of 3"]')
    await expect.poll(() => page.innerText(".tl-tip")).toContain("created 2026-03-08 12:00, 12 hours before")
    await page.hover("caption")
    expect(await page.isHidden(".tl-tip")).toBe(true)
  })

  it("is usable with the keyboard", async () => {
    await page.keyboard.press("Tab")
    await page.keyboard.press("End")
    await expect.poll(() => page.innerText(".tl-tip")).toContain("held at 5120 Kbit/s")
    await page.keyboard.press("Home")
    await expect.poll(() => page.innerText(".tl-tip")).toContain("2026-03-02 00:00  subscription")
  })

  it("shows everything in a table too", async () => {
    const rows = await page.locator("tbody tr").allInnerTexts()
    expect(rows.length).toBeGreaterThan(20)
    expect(rows[0]).toContain("rule 5")
  })

  it("scrolls the drawing and not the page on a narrow screen", async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
  })
})
