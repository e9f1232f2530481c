/**
 * The playground in a real browser.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as Chromium from "./Chromium.ts"

const directory = mkdtempSync(join(tmpdir(), "simplan-playground-"))
const file = join(directory, "playground.html")
const builder = fileURLToPath(new URL("../../adapters/timeline/playground/build.mjs", import.meta.url))

let browser: Browser
let page: Page
let complaints: Array<string>

beforeAll(async () => {
  execFileSync(process.execPath, [builder, file])
  browser = await Chromium.launch()
}, Chromium.SET_UP)
afterAll(async () => {
  await browser?.close()
  rmSync(directory, { recursive: true, force: true })
})

const open = async (options: Parameters<Browser["newPage"]>[0] = {}) => {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })
  complaints = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => {
    if (!request.url().startsWith("file:") && !request.url().startsWith("blob:")) complaints.push(request.url())
  })
  await page.goto(pathToFileURL(file).href)
  await page.waitForSelector("#timeline svg")
}

beforeEach(() => open())
afterEach(async () => {
  expect(complaints).toEqual([])
  await page.close()
})

const start = '[name="subscription.active_period.start"]'
const verdict = () => page.innerText("#verdict")

/** The details in the timeline that begin with a text. */
const details = (begin: string) =>
  page
    .locator("#timeline [data-tip]")
    .evaluateAll(
      (things, text) =>
        things.map((thing) => thing.getAttribute("data-tip") ?? "").filter((tip) => tip.startsWith(text)),
      begin
    )

/** The positions of the bars of packages, in pixels. */
const bars = () =>
  page
    .locator("#timeline .tl-package")
    .evaluateAll((all) => all.map((bar) => Math.round(bar.getBoundingClientRect().x)))

describe("the file", () => {
  it("has no dependencies and is small", () => {
    const html = readFileSync(file, "utf8")
    expect(html).not.toMatch(/<(?:script|img|link)[^>]+(?:src|href)=/)
    expect(html.length).toBeLessThan(600_000)
  })
})

describe("on a wide screen", () => {
  it("begins with an example, its timeline, its rule, and its table", async () => {
    expect(await verdict()).toMatch(/^Rule 7 start more than 12 hours ahead/)
    expect(await details("package")).toHaveLength(7)
    await expect.poll(() => page.locator("#table tbody tr").count()).toBeGreaterThan(20)
  })

  it("moves the bars after a change of a date, and names the new rule", async () => {
    const before = await bars()
    await page.fill(start, "2026-03-02T12:00")
    await expect.poll(verdict).toMatch(/^Rule 6/)
    await expect.poll(bars).not.toEqual(before)
    expect((await details("package 1 of 7"))[0]).toContain("active 2026-03-02 12:00")
  })

  it.each([
    ["Start 24 h ago", "Rule 5"],
    ["Start now", "Rule 5"],
    ["Start in 12 h", "Rule 6"],
    ["Start in 12 h 1 min", "Rule 7"]
  ])("%s is %s", async (button, rule) => {
    await page.getByRole("button", { name: button, exact: true }).click()
    await expect.poll(verdict).toMatch(new RegExp(`^${rule} `))
  })

  it("plays without an active period, and without recurrence", async () => {
    await page.getByRole("radio", { name: "At first use" }).check()
    await expect.poll(verdict).toMatch(/^Rule 3/)
    await page.getByRole("checkbox", { name: "Recurring" }).uncheck()
    await expect.poll(verdict).toMatch(/^Rule 1/)
    await page.getByRole("radio", { name: "In an active period" }).check()
    await page.fill('[name="subscription.active_period.end"]', "2026-03-20T00:00")
    await expect.poll(verdict).toMatch(/^Rule 2/)
  })

  it("adds steps, and shows their consequences", async () => {
    await page.getByRole("button", { name: "Add a step" }).click()
    await page.getByLabel("What happens", { exact: true }).selectOption("suspend")
    await page.getByLabel("When, UTC").fill("2026-03-06T00:00")
    await expect.poll(() => details("SUSPENDED")).toEqual(["SUSPENDED\nsince 2026-03-06 00:00"])
    await page.getByRole("button", { name: "Remove this step" }).click()
    await expect.poll(() => details("SUSPENDED")).toEqual([])
  })

  it("plays a plan that is a supplier's bundle, and keeps it over a reload", async () => {
    await page.fill('[name="bundle.load"]', "sim_1GB_7D_FR")
    const bought = () =>
      page.locator("#table tbody tr", { hasText: "is bought with sim_1GB_7D_FR for 1.80 USD" }).count()
    await expect.poll(bought).toBe(1)
    await page.reload()
    await expect.poll(bought).toBe(1)
    await page.fill('[name="bundle.load"]', "")
    await expect.poll(bought).toBe(0)
  })

  it("shows a mistake at its field, and a refusal of the service", async () => {
    await page.fill('[name="plan.period_days"]', "0")
    await expect
      .poll(() => page.innerText("#problems"))
      .toBe("plan.period_days is 0, but must be an integer from 1 to 3660.")
    await expect.poll(() => page.getAttribute('[name="plan.period_days"]', "aria-invalid")).toBe("true")
    await page.fill('[name="plan.period_days"]', "1")
    await expect.poll(() => page.isHidden("#problems")).toBe(true)
    await expect.poll(() => page.getAttribute('[name="plan.period_days"]', "aria-invalid")).toBe(null)
    await page.fill(start, "2026-03-01T07:59")
    await expect.poll(verdict).toMatch(/^T5 .* refused: active_period.start must be at most 24 hours in the past$/)
  })

  it("plays every example", async () => {
    const options = await page.locator("#example option").evaluateAll((all) => all.map((one) => one.textContent))
    expect(options.length).toBeGreaterThanOrEqual(8)
    for (const label of options) {
      await page.selectOption("#example", { label })
      await expect.poll(() => page.isHidden("#problems")).toBe(true)
      await expect.poll(() => page.locator("#timeline svg").getAttribute("aria-label")).toBe(`Timeline: ${label}`)
    }
  })

  it("keeps changes over a reload", async () => {
    await page.fill(start, "2026-03-02T12:00")
    await expect.poll(verdict).toMatch(/^Rule 6/)
    await page.reload()
    await expect.poll(verdict).toMatch(/^Rule 6/)
  })
})

describe("with the keyboard alone", () => {
  const focused = () => page.locator(":focus").getAttribute("data-tip")

  it("moves through the timeline, and shows the details of each element", async () => {
    await page.focus("#example")
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.tagName")).toBe("svg")
    await page.keyboard.press("ArrowRight")
    const first = await focused()
    expect(first).not.toBe(null)
    await expect.poll(() => page.innerText(".tl-tip")).toBe(first)
    await page.keyboard.press("ArrowRight")
    await expect.poll(focused).not.toBe(first)
    await page.keyboard.press("Escape")
    expect(await page.isHidden(".tl-tip")).toBe(true)
    await page.keyboard.press("Tab")
    await expect.poll(() => page.locator(":focus").getAttribute("name")).toBe("plan.data_MBs")
  })

  it("changes a number, and shows the result", async () => {
    await page.focus('[name="plan.nb_occurrence"]')
    await page.keyboard.press("Control+A")
    await page.keyboard.type("3")
    await expect.poll(() => details("package")).toHaveLength(3)
  })

  it("shows where the focus is", async () => {
    await page.focus("#example")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    expect(outline).toBe("solid")
  })
})

describe("in light and dark", () => {
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor")
  const drawn = () => page.evaluate("getComputedStyle(document.querySelector('#timeline .tl-ground')).fill")

  it("follows the system", async () => {
    const [light, lightDrawing] = [await ground(), await drawn()]
    await page.emulateMedia({ colorScheme: "dark" })
    expect(await ground()).not.toBe(light)
    expect(await drawn()).not.toBe(lightDrawing)
  })
})

describe("on a phone", () => {
  beforeEach(async () => {
    await page.close()
    await open({ viewport: { width: 390, height: 844 } })
  })

  it("needs no horizontal scrolling, with any example", async () => {
    const options = await page.locator("#example option").evaluateAll((all) => all.map((one) => one.textContent))
    for (const label of options) {
      await page.selectOption("#example", { label })
      await expect.poll(() => page.locator("#timeline svg").getAttribute("aria-label")).toBe(`Timeline: ${label}`)
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
    }
  })

  it("never hides the focused field behind the timeline", async () => {
    await page.selectOption("#example", { label: "Reports late, twice and out of order, and a top-up" })
    await expect.poll(() => page.locator("#steps li").count()).toBe(8)
    await page.evaluate('scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" })')
    await page.focus("#picture")
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press("Shift+Tab")
      const gap = await page.evaluate<number>(
        "document.activeElement.getBoundingClientRect().top - document.querySelector('#answer').getBoundingClientRect().bottom"
      )
      expect(gap).toBeGreaterThanOrEqual(0)
    }
  })

  it("keeps the timeline visible while the form is edited", async () => {
    await page.locator(start).scrollIntoViewIfNeeded()
    await page.evaluate('scrollBy({ top: 300, behavior: "instant" })')
    const top = await page.locator("#timeline").evaluate((element) => element.getBoundingClientRect().top)
    expect(top).toBeGreaterThanOrEqual(0)
    expect(top).toBeLessThan(300)
  })
})
