/** Finance in a real browser: a month's costs, prices and margins as a file, in few clicks. */
import { readFileSync } from "node:fs"
import { Cost, Storage } from "simplan/ports"
import { expect, it } from "vitest"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

const usd = (units: number) => ({ units, scale: 2, currency: "USD" })

const DECEMBER = Date.UTC(2025, 11, 24)

let acme = ""

/** What an eSIM was charged at, and what its plan was sold for. */
const rows = (
  organizationId: string,
  id: string,
  telco: string,
  at: number,
  [cost, price]: readonly [number, number]
) => {
  const of = { organizationId, telco, load: "1 GB", label: "Green", regionCode: "FR", iccid: World.iccid(1) } as const
  const given = { attachmentId: id, planId: "plan", occurrence: 0 }
  const purchase = { ...Cost.purchase({ ...of, purchaseId: id, amount: usd(cost) }, at), ...given }
  const sale = {
    ...of,
    ...given,
    occurrence: null,
    costId: `sale:${id}`,
    kind: "sale",
    at,
    amount: usd(price)
  } as const
  return [purchase, sale]
}

const opened = Opened.forFile({}, async (world) => {
  acme = (await World.tenant(world, "full", "Acme")).organizationId
  const other = (await World.tenant(world, "full", "Bolt")).organizationId
  const put = [
    ...rows(acme, "a", "go", DECEMBER, [228, 900]),
    ...rows(acme, "b", "go", DECEMBER, [229, 300]),
    ...rows(acme, "c", "access", DECEMBER, [101, 99]),
    ...rows(other, "d", "go", DECEMBER, [1_000, 1_500]),
    ...rows(acme, "e", "go", World.START, [5, 10])
  ]
  await world.run(Storage.Storage.use((of) => of.commit({ ledger: { put } })))
})

/** The columns of the file that finance reads, of each line. */
const read = (text: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [header = "", ...lines] = text.trim().split(/\r?\n/)
  const fields = (line: string) => line.split(",").map((field) => field.replaceAll('"', ""))
  const places = names.map((name) => fields(header).indexOf(name))
  return lines.map((line) => places.map((place) => fields(line)[place] ?? "").join())
}

const columns = ["month", "supplier", "currency", "cost", "price", "margin"]

it("C3: finance has a month's margin by supplier as a file in three clicks", async () => {
  const { click, clicks, heading, page, region, signIn } = opened
  await signIn("")
  await page().getByRole("link", { name: "Costs", exact: true }).click()
  await heading("Costs")
  await page().getByRole("combobox", { name: "Month (UTC)" }).selectOption("2025-12")
  await expect.poll(() => region("Costs").locator("tbody tr").count()).toBe(2)
  const waiting = page().waitForEvent("download")
  await click("Month as CSV")
  const file = await waiting
  // The link, the month and the button.
  expect(2 + clicks()).toBe(3)
  expect(file.suggestedFilename()).toBe("costs-2025-12-supplier.csv")
  expect(read(readFileSync(await file.path(), "utf8"), columns)).toEqual([
    "2025-12,access,USD,1.01,0.99,-0.02",
    "2025-12,go,USD,14.57,27.00,12.43"
  ])
})

it("C3: the page shows a month beside the one before, of one organization too", async () => {
  const { check, page, region, signIn } = opened
  await signIn(`?page=costs&of=${acme}`)
  const table = region("Costs")
  await expect.poll(() => table.locator("tbody tr").count()).toBe(2)
  await expect
    .poll(() => table.locator("tbody").innerText())
    .toMatch(/go\s+USD\s+0\.05\s+4\.57\s+0\.10\s+12\.00\s+0\.05\s+7\.43/)
  await page().getByRole("combobox", { name: "By" }).selectOption("country")
  await expect.poll(() => table.locator("tbody").innerText()).toContain("France (FR)")
  const waiting = page().waitForEvent("download")
  await opened.click("Both months as CSV")
  const file = await waiting
  expect(read(readFileSync(await file.path(), "utf8"), ["month", "cost"])).toEqual(["2025-12,5.58", "2026-01,0.05"])
  await check()
})
