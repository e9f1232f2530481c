/**
 * Lists of the console whose columns are chosen, and the files that lists are: none of their cells
 * is a formula, whoever named what. And the usage of an organization, month by month.
 */
import { readFileSync } from "node:fs"
import { Storage } from "simplan/ports"
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
  const usage = used.map(([day, countryAlpha2, megabytes]) => ({
    ...({ organizationId: of, iccid: named, attachmentId: "a", planId, label: "Green" } as const),
    day: Date.parse(`${day}T00:00:00Z`),
    countryAlpha2,
    bytes: megabytes * MEGABYTE
  }))
  await world.run(Storage.Storage.use((storage) => storage.commit({ reports: { usage } })))
})

const { check, click, heading, page, region, signIn, signInAs, world } = opened

const MEGABYTE = 1_048_576

/** What was used: the day, the country and the megabytes. */
const used = [
  ["2025-12-05", "SE", 10],
  ["2025-12-20", "SE", 30],
  ["2025-12-20", "NO", 5],
  ["2026-01-03", "SE", 15],
  ["2026-01-03", "FR", 1],
  ["2026-01-05", null, 1_002]
] as const

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

describe("the filters of a list", () => {
  it("are saved under a name by the browser, for each organization, and forgotten", async () => {
    await signIn(`?page=sims&of=${of}`)
    await heading("SIMs")
    await page().getByRole("textbox", { name: "Label" }).fill("Green")
    await page().keyboard.press("Tab")
    await page().getByLabel("Status").selectOption("free")
    const summary = page().locator("summary", { hasText: "Saved filters" })
    await summary.click()
    await page().getByLabel("Save what is shown as").fill("<b>Free</b> ones")
    await click("Save")
    await check()
    await page().goto(`${world().url}/admin/console?page=sims&of=${of}`)
    await heading("SIMs")
    await summary.click()
    await page().getByRole("list", { name: "Saved filters" }).getByRole("link", { name: "<b>Free</b> ones" }).click()
    await expect.poll(() => new URL(page().url()).searchParams.get("status")).toBe("free")
    await expect.poll(() => page().getByRole("textbox", { name: "Label" }).inputValue()).toBe("Green")
    expect(new URL(page().url()).searchParams.get("of")).toBe(of)
    await page().getByRole("button", { name: "Forget <b>Free</b> ones" }).click()
    await expect.poll(() => page().getByRole("list", { name: "Saved filters" }).getByRole("link").count()).toBe(0)
  })
})

describe("the columns of a list", () => {
  it("are chosen by the keyboard, stand in the URL, and are those of the file", async () => {
    await signInAs("read", `?page=subscriptions&of=${of}`)
    await heading("Subscriptions")
    const rows = region("Subscriptions").locator("tbody tr")
    await expect.poll(() => rows.count()).toBe(FORMULAS.length)
    expect(await titles("Subscriptions")).toEqual(["ICCID", "Label", "Since", "Paused", "Note"])
    const url = () => new URL(page().url()).searchParams
    expect(url().get("columns")).toBeNull()

    await page().getByText("Columns", { exact: true }).focus()
    await page().keyboard.press("Enter")
    await page().keyboard.press("Tab")
    await page().keyboard.press("Space")
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Since", "Paused", "Note"])
    // The box keeps the focus, and the list its rows.
    await page().keyboard.press("Tab")
    await page().keyboard.press("Space")
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Id", "Since", "Paused", "Note"])
    expect(url().get("columns")).toBe("iccid,subscription_id,created_at,paused_at,metadata")
    await check()
    const [header, first] = await fileOf("Download as CSV", "subscriptions.csv")
    expect(header).toEqual(["iccid", "subscription_id", "created_at", "paused_at", "metadata"])
    expect([first?.[0], first?.[1]]).toEqual([named, await rows.first().locator("button.id").getAttribute("title")])

    await page().reload()
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Id", "Since", "Paused", "Note"])
    await page().goBack()
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Since", "Paused", "Note"])
    await page().goBack()
    await expect.poll(() => titles("Subscriptions")).toEqual(["ICCID", "Label", "Since", "Paused", "Note"])
  })

  it("are others in all rows, those that were read later too, while the filters stay", async () => {
    await signIn(`?page=sims&of=${of}&label=Green&rows=120`)
    const rows = region("SIMs").locator("tbody tr")
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(120)
    await page().getByText("Columns", { exact: true }).click()
    for (const name of ["Label", "Kind", "Tags", "Taken", "Since", "Id"]) {
      await page().getByRole("checkbox", { name, exact: true }).click()
    }
    await expect.poll(() => titles("SIMs")).toEqual(["ICCID", "Id"])
    await expect.poll(() => rows.locator("td").count()).toBe(2 * (await rows.count()))
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
    expect(await titles("SIMs")).toEqual(["ICCID", "Label", "Kind", "Tags", "Taken", "Since"])
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

describe("an organization's usage", () => {
  const rows = async (label: string) =>
    (await region(label).locator("tbody tr").allInnerTexts()).map((row) => row.split("\t"))
  const main = () => page().locator("main")

  it("of a month is beside the same days of the month before, by country and by day", async () => {
    await signInAs("read", `?page=usage&of=${of}`, of)
    await heading("Usage")
    await main().getByText("January 2026, 10 of 31 days: 1,018.0 MB. December 2025: 45.0 MB, 10.0 MB of it").waitFor()
    expect(await titles("Countries")).toEqual(["Country", "January 2026", "December 2025, the same days", "Change"])
    expect(await rows("Countries")).toEqual([
      ["not known", "1,002.0 MB", "0.0 MB", "new"],
      ["Sweden (SE)", "15.0 MB", "10.0 MB", "+50 %"],
      ["France (FR)", "1.0 MB", "0.0 MB", "new"]
    ])
    const days = await rows("Days")
    expect(days).toHaveLength(31)
    expect([days[2], days[4], days[19]]).toEqual([
      ["3", "16.0 MB", "0.0 MB", "new"],
      ["5", "1,002.0 MB", "10.0 MB", "+9,920 %"],
      ["20", "–", "35.0 MB", "–"]
    ])
    const plot = page().getByRole("img", {
      name: "By day: December 2025 45.0 MB, at most 35.0 MB on day 20; January 2026 1,018.0 MB, at most 1,002.0 MB on day 5"
    })
    await expect.poll(() => plot.locator("rect.count").count()).toBe(31)
    await expect.poll(() => plot.locator('rect.former[height="0"]').count()).toBe(29)
    await check()
  })

  it("is of another month if that is chosen, and each is a file", async () => {
    await signIn(`?page=usage&of=${of}`)
    await heading("Usage")
    expect(await fileOf("Days and countries as CSV", "usage-2026-01-days.csv")).toEqual([
      ["day", "country_alpha_2", "used_bytes"],
      ["2026-01-03", "FR", String(MEGABYTE)],
      ["2026-01-03", "SE", String(15 * MEGABYTE)],
      ["2026-01-05", "", String(1_002 * MEGABYTE)]
    ])
    await page().getByLabel("Month (UTC)").selectOption("December 2025")
    await main().getByText("December 2025: 45.0 MB. November 2025: 0.0 MB.").waitFor()
    expect(new URL(page().url()).searchParams.get("month")).toBe("2025-12")
    expect(await rows("Countries")).toEqual([
      ["Sweden (SE)", "40.0 MB", "0.0 MB", "new"],
      ["Norway (NO)", "5.0 MB", "0.0 MB", "new"]
    ])
    expect(await fileOf("Countries as CSV", "usage-2025-12-countries.csv")).toHaveLength(3)
    await expect.poll(() => page().getByLabel("Month (UTC)").locator("option").count()).toBe(13)
    await page().goBack()
    await main().getByText("January 2026, 10 of 31 days").waitFor()
    expect(await fileOf("Both months as CSV", "usage-2026-01-months.csv")).toEqual([
      ["month", "country_alpha_2", "used_bytes"],
      ["2025-12", "NO", String(5 * MEGABYTE)],
      ["2025-12", "SE", String(40 * MEGABYTE)],
      ["2026-01", "", String(1_002 * MEGABYTE)],
      ["2026-01", "FR", String(MEGABYTE)],
      ["2026-01", "SE", String(15 * MEGABYTE)]
    ])
  })
})
