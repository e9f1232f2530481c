/**
 * The catalogue in the console, and what an organization has of it: plans and coverage.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as Opened from "./Opened.ts"

const HOSTILE = `<img src=x onerror="document.title='run'">`
let of = ""
let last = ""

const opened = Opened.forFile({}, async (world) => {
  await Inventory.keepFewCountries(world, 15)
  const { plan, planId, tenant } = await Inventory.stock(world, 1, 1)
  of = tenant.organizationId
  await plan({ name: HOSTILE })
  await tenant.post(`/v3/plans/${planId}/archive`)
  last = (await world.admin("GET", "/catalogue")).body.data.profiles.at(-1).region_name
})

const { check, click, clicks, heading, page, region, signIn, signInAs, world } = opened

const rows = (label: string) => region(label).locator("tbody tr")
const summary = () => page().locator("[data-summary]").innerText()

const choose = (content: string, name = "catalogue.json") =>
  page()
    .getByLabel("Choose a file, or drop it here")
    .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) })

describe("the catalogue", () => {
  it("is replaced after what would change was shown", async () => {
    const before = (await world().admin("GET", "/catalogue")).body.data
    const next = {
      ...before,
      profiles: [...before.profiles.slice(0, -1), { ...before.profiles.at(-1), region_name: HOSTILE }]
    }
    await signIn("?page=catalogue")
    await page().getByText(`${before.countries.length} countries`).waitFor()
    await choose("{}")
    await page().getByRole("alert").waitFor()
    await expect.poll(() => page().getByRole("button", { name: "Replace the catalogue" }).count()).toBe(0)
    await choose("no JSON")
    await expect.poll(() => page().getByRole("alert").innerText()).toContain("The file is no JSON")
    await choose(JSON.stringify(before))
    await expect.poll(summary).toBe("catalogue.json: nothing would change.")
    await expect.poll(() => page().getByRole("button", { name: "Replace the catalogue" }).isDisabled()).toBe(true)
    await choose(JSON.stringify(next), "next.json")
    await expect.poll(summary).toBe("next.json: 1 change.")
    await expect
      .poll(() => rows("Changes").allInnerTexts())
      .toEqual([expect.stringContaining(`changes\tregion name: ${last} to ${HOSTILE}`)])
    await check()
    expect((await world().admin("GET", "/catalogue")).body.data).toEqual(before)
    const first = clicks()
    await click("Replace the catalogue")
    await page().getByText("The catalogue is replaced.").waitFor()
    expect(clicks() - first).toBe(1)
    expect((await world().admin("GET", "/catalogue")).body.data.profiles.at(-1).region_name).toBe(HOSTILE)
    await expect.poll(() => page().locator("main img").count()).toBe(0)
    opened.expectComplaint(/status of 400/)
  })

  it("can be downloaded, and the file given back; of what goes it is said how many plans use it", async () => {
    const before = (await world().admin("GET", "/catalogue")).body.data
    await signIn("?page=catalogue")
    const waiting = page().waitForEvent("download")
    await click("Download it")
    const file = await waiting
    expect(file.suggestedFilename()).toBe("catalogue.json")
    const text = readFileSync(await file.path(), "utf8")
    expect(JSON.parse(text)).toEqual(before)
    await choose(text)
    await expect.poll(summary).toBe("catalogue.json: nothing would change.")
    type Profile = { readonly region_code: string; readonly label: string; readonly region_name: string }
    const isGone = ({ label, region_code }: Profile) => region_code === "FR" && label === "Green"
    await choose(JSON.stringify({ ...before, profiles: before.profiles.filter((one: Profile) => !isGone(one)) }))
    await expect.poll(summary).toBe("catalogue.json: 1 change, 1 of what goes.")
    // One of the two is archived, and counts too.
    await expect.poll(() => rows("Changes").allInnerTexts()).toEqual(["profile\tFrance, Green\tgoes\t–\t2"])
    await check()
  })

  it("is not replaced where somebody has replaced it since it was shown", async () => {
    const before = (await world().admin("GET", "/catalogue")).body.data
    const without = (count: number) => JSON.stringify({ ...before, profiles: before.profiles.slice(count) })
    await signIn("?page=catalogue")
    await choose(without(1))
    await expect.poll(summary).toBe("catalogue.json: 1 change, 1 of what goes.")
    await expect.poll(() => page().getByRole("button", { name: "Replace the catalogue" }).isDisabled()).toBe(true)
    await page().getByLabel("Type 1 to go on").fill("1")
    await world().admin("PUT", "/catalogue", JSON.parse(without(2)))
    await click("Replace the catalogue")
    await page().getByText("Somebody has replaced the catalogue meanwhile.").waitFor()
    expect((await world().admin("GET", "/catalogue")).body.data.profiles).toHaveLength(before.profiles.length - 2)
    await choose(without(1))
    await expect.poll(summary).toBe("catalogue.json: 1 change.")
    await click("Replace the catalogue")
    await page().getByText("The catalogue is replaced.").waitFor()
    expect((await world().admin("GET", "/catalogue")).body.data.profiles).toHaveLength(before.profiles.length - 1)
    opened.expectComplaint(/status of 412/)
  })

  it("is read by who only reads, and is not there for an operator of one organization", async () => {
    await signInAs("read", "?page=catalogue")
    await rows("Profiles").first().waitFor()
    await expect.poll(() => page().locator("main").getByRole("button").allInnerTexts()).toEqual(["Download it"])
    await click("Sign out")
    await signInAs("read", "?page=catalogue", of)
    await heading("There is no such page")
  })
})

describe("the plans of an organization", () => {
  it("are narrowed by filters in the URL, and lead to their coverage", async () => {
    await signIn(`?page=plans&of=${of}`)
    await expect.poll(() => rows("Plans").count()).toBe(2)
    await check()
    await page().getByLabel("Which").selectOption("false")
    await expect.poll(() => rows("Plans").count()).toBe(1)
    await expect.poll(() => rows("Plans").innerText()).toContain(HOSTILE)
    await page().getByLabel("Country, such as FR").fill("se")
    await page().keyboard.press("Enter")
    await page().getByText("There are no such plans.").waitFor()
    await page().goBack()
    await rows("Plans").getByRole("link", { name: "FR" }).click()
    await heading("Coverage")
    await expect.poll(summary).toBe("1 countries in 1 profiles.")
    await expect.poll(() => rows("Coverage").innerText()).toMatch(/^France \(FR\)\t.*Orange.*\(.*4G.*\tFrance/)
  })
})

describe("the bundles that telcos sell", () => {
  it("are found by name and country, with their prices, and a plan is made of one", async () => {
    await signIn(`?page=plans&of=${of}`)
    await page().getByRole("link", { name: "Make a plan from a bundle" }).click()
    await heading("Make a plan from a bundle")
    await expect.poll(() => rows("Bundles").count()).toBe(10)
    await expect
      .poll(() => page().getByLabel("Telco", { exact: true }).locator("option").allInnerTexts())
      .toEqual(["simulator"])
    await page().getByLabel("Name or code").fill("france")
    await page().keyboard.press("Enter")
    await expect.poll(() => rows("Bundles").count()).toBe(2)
    await expect
      .poll(() => rows("Bundles").first().innerText())
      .toMatch(/^France, 1 GB, 7 days\tFR\t1,024.0 MB\t7 days\t1.80 USD/)
    await check()
    await rows("Bundles").first().getByRole("button", { name: "Make a plan" }).click()
    await page().getByText("It would give 1,024 MB for 7 days in France.").waitFor()
    await page().getByLabel("What an eSIM may cost at most, in USD").fill("1.79")
    await page().getByText("price_limit must be at least what the bundle costs, 1.80 USD").waitFor()
    await page().getByLabel("What an eSIM may cost at most, in USD").fill("2")
    await page().getByText("It would give 1,024 MB for 7 days in France.").waitFor()
    await check()
    await page().getByRole("dialog").getByRole("button", { name: "Make a plan" }).click()
    await page().getByText("The plan is made.").waitFor()
    opened.expectComplaint(/status of 400/)
    await page().getByRole("link", { name: "Open the plans" }).click()
    await expect.poll(() => rows("Plans").filter({ hasText: "France, 1 GB, 7 days" }).count()).toBe(1)
  })

  it("are not shown to who may make no plans", async () => {
    await signInAs("support", `?page=plans&of=${of}`)
    await expect.poll(() => rows("Plans").count()).toBeGreaterThan(0)
    await expect.poll(() => page().getByRole("link", { name: "Make a plan from a bundle" }).count()).toBe(0)
  })
})

describe("the coverage of an organization", () => {
  it("is a list of countries with their networks and regions, by label", async () => {
    await signIn(`?page=coverage&of=${of}`)
    await rows("Coverage").first().waitFor()
    await expect.poll(() => rows("Coverage").count()).toBeGreaterThan(10)
    await check()
    await page().getByLabel("Country, such as FR").fill("DE")
    await page().keyboard.press("Enter")
    await expect.poll(() => rows("Coverage").count()).toBe(1)
    await expect.poll(() => rows("Coverage").innerText()).toContain("Germany (DE)")
    await page().getByLabel("Label").selectOption("Red")
    await expect.poll(() => new URL(page().url()).searchParams.get("label")).toBe("Red")
  })
})
