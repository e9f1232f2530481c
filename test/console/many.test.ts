/**
 * What an operator does to 10,000 subscriptions at once, in a real browser: found by a filter,
 * counted first, and done in four clicks from the first page. What is typed, and the Enter behind
 * it, are no clicks.
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

/**
 * Leads a role from the first page to what it does to all that the filter takes; gives the name of
 * who does it.
 */
const found = async (role: "support" | "admin"): Promise<string> => {
  const { heading, page, region, signInAs } = opened
  const name = await signInAs(role, "")
  await heading("Overview")
  await page().getByRole("navigation").getByRole("link", { name: "Organizations" }).click()
  await region("Organizations").getByRole("link", { name: "Subscriptions" }).click()
  await heading("Subscriptions")
  await page().getByLabel("Find").fill("reseller 7")
  await page().keyboard.press("Enter")
  await expect.poll(() => region("Subscriptions").innerText()).not.toContain("shop")
  return name
}

/** The clicks on links that `found` makes. */
const LED = 2

const tasks = [
  ["Pause", "paused", "pause"],
  ["Resume", "resumed", "resume"]
] as const

it("more than 50 take an admin, which the dialog says; whoever does the day's tasks cannot go on", async () => {
  const { click, page } = opened
  await found("support")
  await click("Pause all that match")
  const dialog = page().getByRole("dialog")
  await dialog.getByText(`${MANY} subscriptions match: more than 50 at once take the role admin.`).waitFor()
  await expect.poll(() => dialog.getByRole("button", { name: "Pause all that match" }).isDisabled()).toBe(true)
})

it.each(tasks)("a filter takes 10,000: %s all in four clicks, with a result for each", async (...task) => {
  const [verb, done, action] = task
  const { click, clicks, page, world } = opened
  const name = await found("admin")
  await click(`${verb} all that match`)
  const dialog = page().getByRole("dialog")
  await dialog.getByText(`${MANY} subscriptions match; ${MANY} would be ${done}.`).waitFor()
  await dialog.getByLabel("Why, for the audit log").fill("the reseller's bill")
  await expect.poll(() => dialog.getByRole("button", { name: `${verb} all that match` }).isDisabled()).toBe(true)
  await dialog.getByLabel(`Type ${MANY} to go on`).fill(`${MANY}`)
  await click(`${verb} all that match`, dialog)
  await dialog.getByText("So far: ").waitFor()
  await expect.poll(() => page().locator("[data-done]").innerText()).toBe(`${MANY} subscriptions ${done}.`)
  expect(clicks() + LED).toBe(4)

  const waiting = page().waitForEvent("download")
  await click("Download what came of each")
  const lines = readFileSync(await (await waiting).path(), "utf8")
    .trimEnd()
    .split("\r\n")
  expect(lines).toHaveLength(MANY + 1)
  expect(new Set(lines.slice(1).map((line) => line.split(",")[2]))).toEqual(new Set(['"changed"']))
  const { body } = await world().admin("GET", `/organizations/${of}/audit?action=subscription.${action}&page_size=1`)
  expect(body.data).toMatchObject([{ actor: name, reason: "the reseller's bill" }])

  // The same again changes nothing.
  await click(`${verb} all that match`)
  await dialog.getByText(`${MANY} subscriptions would stay: so already.`).waitFor()
})

it("whoever only reads is offered none of it", async () => {
  const { heading, page, region, signInAs } = opened
  await signInAs("read", `?page=subscriptions&of=${of}`)
  await heading("Subscriptions")
  await region("Subscriptions").waitFor()
  expect(
    await page()
      .getByRole("button", { name: /all that match/ })
      .count()
  ).toBe(0)
})
