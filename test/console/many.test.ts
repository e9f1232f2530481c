/**
 * What an operator does to 10,000 subscriptions at once, in a real browser: found by a filter, counted first, and done in four clicks
 * from the first page. What is typed, and the Enter behind it, are no clicks.
 */
import { Effect } from "effect"
import { Subscriptions } from "simplan"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

const MANY = 10_000

let of = ""

const opened = Opened.forFile({ telcos: undefined }, async (world) => {
  const { planId, tenant } = await Inventory.stock(world, 1, 1)
  of = tenant.organizationId
  await world.admin("POST", `/organizations/${of}/sims`, { sims: Inventory.esims(2, MANY) })
  const create = (number: number, metadata: string) =>
    Subscriptions.Subscriptions.use((subscriptions) =>
      subscriptions.create({
        ...{ organizationId: of, planId, metadata, activePeriod: null },
        iccid: World.iccid(number)
      })
    )
  const ofReseller = Array.from({ length: MANY }, (_, at) => create(2 + at, "reseller 7"))
  await world.run(Effect.all([create(1, "shop"), ...ofReseller], { concurrency: 50, discard: true }))
})

it("are paused by a filter in four clicks, with a result for each", async () => {
  const { click, clicks, heading, page, region, signInAs, world } = opened
  const name = await signInAs("support", "")
  await heading("Overview")
  await page().getByRole("navigation").getByRole("link", { name: "Organizations" }).click()
  await region("Organizations").getByRole("link", { name: "Subscriptions" }).click()
  await heading("Subscriptions")
  await page().getByLabel("Find").fill("reseller 7")
  await page().keyboard.press("Enter")
  await expect.poll(() => region("Subscriptions").innerText()).not.toContain("shop")
  await click("Pause all that match")
  const dialog = page().getByRole("dialog")
  await dialog.getByText(`${MANY} subscriptions match; ${MANY} would be paused.`).waitFor()
  await dialog.getByLabel("Why, for the audit log").fill("the reseller has not paid")
  await click("Pause all that match", dialog)
  await dialog.getByText("So far: ").waitFor()
  await expect.poll(() => page().locator("[data-done]").innerText()).toBe(`${MANY} subscriptions paused.`)
  expect(clicks() + 2).toBe(4)

  const waiting = page().waitForEvent("download")
  await click("Download what came of each")
  const lines = readFileSync(await (await waiting).path(), "utf8")
    .trimEnd()
    .split("\r\n")
  expect(lines).toHaveLength(MANY + 1)
  expect(new Set(lines.slice(1).map((line) => line.split(",")[2]))).toEqual(new Set(['"changed"']))
  const { body } = await world().admin("GET", `/organizations/${of}/audit?action=subscription.pause&page_size=1`)
  expect(body.data).toMatchObject([{ actor: name, reason: "the reseller has not paid" }])

  // The same again changes nothing.
  await click("Pause all that match")
  await dialog.getByText(`${MANY} subscriptions would stay: so already.`).waitFor()
})
