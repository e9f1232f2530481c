/**
 * A list of 10,000 in a real browser: it grows as one scrolls, scrolling renders few rows, and back
 * leads to where one was.
 */
import { expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as Opened from "./Opened.ts"

const MANY = 10_000

let of = ""

const opened = Opened.forFile({}, async (world) => {
  const { tenant } = await Inventory.stock(world, 1, 1)
  of = tenant.organizationId
  await world.admin("POST", `/organizations/${of}/sims`, { sims: Inventory.esims(2, MANY - 1) })
})

/**
 * Keeps the milliseconds of the page's tasks that take longer than a frame may, as `window.tasks`.
 */
const watch = (buffered: boolean) =>
  `window.tasks = []; new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: ${buffered} })`

it("grows as one scrolls, and back leads to where one was", async () => {
  const { heading, page, region, signIn } = opened
  await signIn(`?page=sims&of=${of}&label=Green`)
  const rows = region("SIMs").locator("tbody tr")
  await expect.poll(() => rows.count()).toBe(25)
  await page().mouse.move(400, 400)
  while ((await rows.count()) < 225) await page().mouse.wheel(0, 2_000)
  expect(Number(new URL(page().url()).searchParams.get("rows"))).toBeGreaterThanOrEqual(225)
  const link = rows.nth(200).getByRole("link")
  const iccid = await link.innerText()
  await link.scrollIntoViewIfNeeded()
  const top = await page().evaluate<number>("window.scrollY")
  expect(top).toBeGreaterThan(1_000)
  await link.click()
  await heading(`SIM ${iccid}`)
  await expect.poll(() => page().evaluate("window.scrollY")).toBe(0)
  await page().goBack()
  await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(225)
  await expect.poll(() => page().evaluate("window.scrollY")).toBe(top)
  expect(new URL(page().url()).searchParams.get("label")).toBe("Green")
  // Another filter begins anew.
  await page().getByRole("combobox", { name: "Kind" }).selectOption("true")
  await expect.poll(() => rows.count()).toBe(25)
})

it("scrolls without rendering all of its rows anew", async () => {
  const { page, region, signIn } = opened
  await signIn(`?page=sims&of=${of}&rows=${MANY}`)
  const rows = region("SIMs").locator("tbody tr")
  await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(MANY)
  const longest = async () => Math.max(0, ...(await page().evaluate<ReadonlyArray<number>>("window.tasks")))
  await page().evaluate(watch(true))
  await expect.poll(longest).toBeGreaterThan(0)
  const rendering = await longest()
  await page().evaluate(watch(false))
  await page().mouse.move(400, 400)
  for (let turn = 0; turn < 60; turn += 1) {
    await page().mouse.wheel(0, 1_500)
    await page().evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
  }
  await expect.poll(() => page().evaluate<number>("window.scrollY")).toBeGreaterThan(20_000)
  // A ratio, since the machine may be busy. A frame that renders all rows anew takes about as long
  // as the first one.
  expect(await longest()).toBeLessThan(rendering / 2)
}, 120_000)
