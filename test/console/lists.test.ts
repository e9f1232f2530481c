/**
 * Lists of the console whose columns are chosen, and the files that lists are: none of their cells
 * is a formula, whoever named what.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Csv from "../../adapters/console/Csv.ts"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Leaks from "../setup/Leaks.ts"
import * as Opened from "./Opened.ts"

/** Names as spreadsheets begin formulas. */
const FORMULAS = ['=HYPERLINK("http://evil.example")', "+1+1", "-2+3", "@SUM(A1)", "\t=4", " =5", "\uFF1D6+6"]

let of = ""
const named = World.iccid(1)

const opened = Opened.forFile({ telcos: undefined }, async (world) => {
  const { planId, tenant } = await Inventory.stock(world, 1, 130)
  of = tenant.organizationId
  for (const [at, text] of FORMULAS.entries()) {
    await world.admin("POST", "/organizations", { name: text })
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: text, iccid: World.iccid(1 + at) })
    const { body, status } = await world.admin("POST", "/operators", { name: text, role: "support" })
    if (status !== 201) throw new Error(`${text}: ${JSON.stringify(body)}`)
    Leaks.know(body.data.token)
    const authorization = `Bearer ${body.data.token}`
    const headers = { authorization, "x-audit-log-reason": encodeURIComponent(text) }
    const path = `/admin/v1/organizations/${of}/sims/${World.iccid(100 + at)}`
    await world.fetch("PATCH", path, { body: { label: "Blue" }, headers })
  }
})

const { check, click, heading, page, region, signIn, signInAs } = opened

const titles = (label: string) => region(label).locator("thead th").allInnerTexts()

/** The file that a button gives, record by record. */
const fileOf = async (button: string, name: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const waiting = page().waitForEvent("download")
  await click(button)
  const file = await waiting
  expect(file.suggestedFilename()).toBe(name)
  const records = Csv.parse(readFileSync(await file.path(), "utf8")).map(({ cells }) => cells)
  expect(records.flat().filter((cell) => /^[\s]*[=+\-@\uFF1D]/.test(cell))).toEqual([])
  return records
}

/**
 * That a file has each of the names, as a text. The service trims those of organizations and
 * operators.
 */
const expectNames = (records: ReadonlyArray<ReadonlyArray<string>>, column: string): void => {
  const at = records[0]?.indexOf(column) ?? -1
  const cells = new Set(records.slice(1).map((record) => record[at]))
  const missing = FORMULAS.filter((text) => !cells.has(`'${text}`) && !cells.has(`'${text.trim()}`))
  expect(missing).toEqual([])
}

describe("the columns of a list", () => {
  it("are chosen by the keyboard, stand in the URL, and are those of the file", async () => {
    await signInAs("read", `?page=subscriptions&of=${of}`)
    await heading("Subscriptions")
    const rows = region("Subscriptions").locator("tbody tr")
    await expect.poll(() => rows.count()).toBe(FORMULAS.length)
    expect(await titles("Subscriptions")).toEqual(["ICCID", "Label", "Since (UTC)", "Paused (UTC)", "Note"])
    const url = () => new URL(page().url()).searchParams
    expect(url().get("columns")).toBeNull()

    await page().getByText("Columns", { exact: true }).focus()
    await page().keyboard.press("Enter")
    await page().keyboard.press("Tab")
    await page().keyboard.press("Space")
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Since (UTC)", "Paused (UTC)", "Note"])
    // The box keeps the focus, and the list its rows.
    await page().keyboard.press("Tab")
    await page().keyboard.press("Space")
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Id", "Since (UTC)", "Paused (UTC)", "Note"])
    expect(url().get("columns")).toBe("iccid,subscription_id,created_at,paused_at,metadata")
    await check()
    const [header, first] = await fileOf("Download as CSV", "subscriptions.csv")
    expect(header).toEqual(["iccid", "subscription_id", "created_at", "paused_at", "metadata"])
    expect([first?.[0], first?.[1]]).toEqual([named, (await rows.first().innerText()).split("\t")[1]])

    await page().reload()
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Id", "Since (UTC)", "Paused (UTC)", "Note"])
    await page().goBack()
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Since (UTC)", "Paused (UTC)", "Note"])
    await page().goBack()
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Label", "Since (UTC)", "Paused (UTC)", "Note"])
  })

  it("are others in all rows, those that were read later too, while the filters stay", async () => {
    await signIn(`?page=sims&of=${of}&label=Green&rows=120`)
    const rows = region("SIMs").locator("tbody tr")
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(120)
    await page().getByText("Columns", { exact: true }).click()
    for (const name of ["Label", "Kind", "Taken", "Since (UTC)", "Id"]) {
      await page().getByRole("checkbox", { name, exact: true }).click()
    }
    await expect.poll(() => titles("SIMs")).toEqual(["ICCID", "Id"])
    expect(await rows.locator("td").count()).toBe(2 * (await rows.count()))
    expect(new URL(page().url()).searchParams.get("label")).toBe("Green")
    await check()
    await page().getByRole("checkbox", { name: "Id", exact: true }).click()
    await expect.poll(() => titles("SIMs")).toEqual(["ICCID"])
    const records = await fileOf("Download as CSV", "sims.csv")
    expect([records.length, records[0]]).toEqual([130 - FORMULAS.length + 1, ["iccid"]])
  })

  it("that the list does not have are left out", async () => {
    await signIn(`?page=sims&of=${of}&columns=iccid,taken,nothing,__proto__`)
    await expect.poll(() => region("SIMs").count()).toBe(1)
    expect(await titles("SIMs")).toEqual(["ICCID", "Taken"])
    await page().goto(`${opened.world().url}/admin/console?page=sims&of=${of}&columns=nothing`)
    await expect.poll(() => region("SIMs").count()).toBe(1)
    expect(await titles("SIMs")).toEqual(["ICCID", "Label", "Kind", "Taken", "Since (UTC)"])
  })
})

describe("no cell is a formula", () => {
  it("in the file of subscriptions, whose notes are customers'", async () => {
    await signIn(`?page=subscriptions&of=${of}`)
    await heading("Subscriptions")
    expectNames(await fileOf("Download as CSV", "subscriptions.csv"), "metadata")
  })

  it("in the file of SIMs", async () => {
    await signIn(`?page=sims&of=${of}`)
    await heading("SIMs")
    expect(await fileOf("Download as CSV", "sims.csv")).toHaveLength(131)
  })

  it("in the file of organizations, by their names", async () => {
    await signIn("?page=organizations")
    await heading("Organizations")
    const records = await fileOf("Download as CSV", "organizations.csv")
    expect(records[0]).toEqual(["name", "organization_id", "created_at"])
    expectNames(records, "name")
  })

  it("in the file of the audit log, by the names of operators and their reasons", async () => {
    await signIn(`?page=audit&of=${of}`)
    await heading("Audit log")
    const records = await fileOf("Download as CSV", "audit.csv")
    expectNames(records, "actor")
    expectNames(records, "reason")
    await page().getByLabel("Only by").fill("@SUM(A1)")
    await page().keyboard.press("Enter")
    await expect.poll(() => region("Audit log").locator("tbody tr").count()).toBe(1)
    const own = await fileOf("Download as CSV", "audit.csv")
    expect(own.slice(1).map(([, actor, action]) => [actor, action])).toEqual([["'@SUM(A1)", "sim.set_label"]])
    await check()
  })
})
