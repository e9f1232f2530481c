/**
 * What a shop and its support do in the console: plans are made, sold, archived and deleted, and an
 * eSIM's code is handed on. In a real browser.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Inventory from "../../http/Inventory.ts"
import * as World from "../../http/World.ts"
import * as Opened from "../Opened.ts"

const HOSTILE = `<img src=x onerror="document.title='run'">`
let of = ""
let planId = ""

const opened = Opened.forFile({}, async (world) => {
  const stock = await Inventory.stock(world, 1, 6)
  of = stock.tenant.organizationId
  planId = stock.planId
  await stock.tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid: World.iccid(1) })
})

const { check, click, expectComplaint, heading, page, region, signInAs, world } = opened

const dialog = () => page().getByRole("dialog")
const said = () => page().locator("[data-done]").innerText()
const row = (name: string) => region("Plans").locator("tbody tr").filter({ hasText: name })
const kept = async (path: string) => (await world().admin("GET", `/organizations/${of}${path}`)).body.data

describe("the plans of a shop", () => {
  it("are made by its admin, with what the form asks for, and a refusal keeps the form", async () => {
    await signInAs("admin", `?page=plans&of=${of}&label=Green`, of)
    await click("Make a plan")
    await dialog().getByLabel("Name").fill(HOSTILE)
    await dialog().getByLabel("Where it may be used").selectOption({ label: "France (FR), Green" })
    await dialog().getByLabel("Data, in MB").fill("much")
    await dialog().getByLabel("For how many days").fill("7")
    await dialog().getByLabel("Repeats").selectOption("each month")
    await dialog().getByLabel("How many times").fill("12")
    await dialog().getByLabel("Slower past").fill("50 to 1024, 80 to 512, 100 to 128")
    await dialog().getByText("for sale at once").waitFor()
    await click("Make a plan", dialog())
    await expect.poll(() => dialog().getByRole("alert").innerText()).toContain("data_MBs must be a number")
    expectComplaint(/status of 400/)
    await dialog().getByLabel("Data, in MB").fill("2048")
    await dialog().getByText("It would give 2048 MB for 7 days, 12 times.").waitFor()
    await check()
    await click("Make a plan", dialog())
    await expect.poll(said).toBe("The plan is made.")
    const made = (await kept("/plans")).find(({ plan_name }: { readonly plan_name: string }) => plan_name === HOSTILE)
    expect(made).toMatchObject({
      ...{ data_mega_bytes: 2048, period_days: 7, label: "Green", region_code: "FR", recurring: true },
      ...{ nb_occurrence: 12, recurring_periodicity_type: "2", recurring_periodicity_frequency: 1 },
      ...{ throttling_threshold1_perc: 50, throttling_threshold3_limit: "128" }
    })
    await expect.poll(() => page().locator("main img").count()).toBe(0)
  })

  it("are sold on a SIM that is named, which the page leads to; a refusal is said before", async () => {
    await signInAs("support", `?page=subscriptions&of=${of}`, of)
    await click("Sell a plan")
    await dialog().getByLabel("Plan").waitFor()
    await expect
      .poll(() => dialog().getByLabel("Plan").locator("option").allInnerTexts())
      .toContain("France 1 GB: 1,000 MB for 30 days")
    await dialog().getByLabel("ICCID of the SIM").fill(World.iccid(9_999))
    await dialog().getByRole("alert").waitFor()
    expectComplaint(/status of 404/)
    await expect.poll(() => dialog().getByRole("button", { name: "Sell a plan" }).isDisabled()).toBe(true)
    await dialog()
      .getByLabel("ICCID of the SIM")
      .fill(` ${World.iccid(4)} `)
    await dialog().getByLabel("Note").fill("order 4711")
    await dialog()
      .getByText(`It would be sold on the SIM ${World.iccid(4)}.`)
      .waitFor()
    await check()
    await click("Sell a plan", dialog())
    await expect.poll(said).toBe(`The plan is sold on the SIM ${World.iccid(4)}.`)
    await page().getByRole("link", { name: "Open it" }).click()
    await heading(`SIM ${World.iccid(4)}`)
    expect((await kept(`/subscriptions/${World.iccid(4)}`)).metadata).toBe("order 4711")
  })

  it("are sold no more once they are archived, and are deleted once their name is typed", async () => {
    await signInAs("admin", `?page=plans&of=${of}`, of)
    await row("France 1 GB").getByRole("button", { name: "Archive" }).click()
    await click("Archive", dialog())
    await expect.poll(said).toBe("The plan is archived.")
    await row("France 1 GB").getByRole("button", { name: "Put back for sale" }).waitFor()
    await expect.poll(() => row("France 1 GB").getByRole("button", { name: "Sell" }).count()).toBe(0)
    await row("France 1 GB").getByRole("button", { name: "Put back for sale" }).click()
    await click("Put back for sale", dialog())
    await expect.poll(said).toBe("The plan is for sale.")
    await row(HOSTILE).getByRole("button", { name: "Delete" }).click()
    await dialog().getByText("Whoever has it keeps it.").waitFor()
    const does = dialog().getByRole("button", { name: "Delete" })
    await expect.poll(() => does.isDisabled()).toBe(true)
    await dialog().getByLabel("to go on").fill("France 1 GB")
    await expect.poll(() => does.isDisabled()).toBe(true)
    await dialog().getByLabel("to go on").fill(HOSTILE)
    await does.click()
    await expect.poll(said).toBe("The plan is deleted.")
    expect((await kept("/plans")).map(({ plan_name }: { readonly plan_name: string }) => plan_name)).toEqual([
      "France 1 GB"
    ])
  })

  it("whoever does the day's tasks sells them, and changes none", async () => {
    await signInAs("support", `?page=plans&of=${of}`, of)
    await region("Plans").waitFor()
    await expect.poll(() => page().locator("main button:not(.copies)").allInnerTexts()).toEqual(["Sell"])
  })
})

describe("an eSIM", () => {
  it("has notes in its history, with who has left each", async () => {
    const name = await signInAs("support", `?page=sim&of=${of}&iccid=${World.iccid(1)}`)
    await click("Leave a note")
    await dialog().getByLabel("Note").fill(HOSTILE)
    await dialog().getByText("for operators alone").waitFor()
    await check()
    await click("Leave a note", dialog())
    await expect.poll(said).toBe("The note is left.")
    const noted = region("History").locator("tbody tr").filter({ hasText: "Note left" })
    await expect.poll(() => noted.innerText()).toContain(HOSTILE)
    await expect.poll(() => noted.innerText()).toContain(name)
    await expect.poll(() => page().locator("main img").count()).toBe(0)
  })

  it("has tags, which are set beside other corrections and narrow both lists", async () => {
    const iccid = World.iccid(1)
    const HTML = "<img src=x>"
    const sim = async () => (await kept(`/sims/${iccid}`)).tags
    await signInAs("support", `?page=sim&of=${of}&iccid=${iccid}`)
    await click("Set the tags")
    await dialog().getByLabel("Tags, separated by ;").fill(`VIP; ${HTML} ;airport`)
    await dialog().getByText("This would change: tags.").waitFor()
    await check()
    await click("Set the tags", dialog())
    await expect.poll(said).toBe("The tags are set.")
    expect(await sim()).toEqual([HTML, "airport", "VIP"])
    const tags = page().getByRole("list", { name: "Tags" })
    await expect.poll(() => tags.getByRole("listitem").allInnerTexts()).toEqual([HTML, "airport", "VIP"])
    await expect.poll(() => page().locator("main img").count()).toBe(0)
    await click("Set the tags")
    await expect.poll(() => dialog().getByLabel("Tags").inputValue()).toBe(`${HTML}; airport; VIP`)
    await dialog().getByLabel("Tags").fill("a; A")
    await dialog().getByText("tags must have each tag once").waitFor()
    expectComplaint(/status of 400/)
    await dialog().getByLabel("Tags").fill("VIP")
    await dialog().getByText("This would change: tags.").waitFor()
    await click("Set the tags", dialog())
    await expect.poll(sim).toEqual(["VIP"])
    for (const [list, name] of [
      ["sims", "SIMs"],
      ["subscriptions", "Subscriptions"]
    ] as const) {
      await page().goto(`${world().url}/admin/console?page=${list}&of=${of}&tag=vip`)
      await expect.poll(() => region(name).locator("tbody tr").count()).toBe(1)
      await expect.poll(() => region(name).locator("tbody tr").innerText()).toContain(iccid)
      await page().getByLabel("Tag", { exact: true }).fill("none such")
      await page().keyboard.press("Tab")
      await page()
        .getByText(`There are no such ${list === "sims" ? "SIMs" : "subscriptions"}.`)
        .waitFor()
    }
  })

  it("shows its SM-DP+ address and its code to copy, and its QR code as a file", async () => {
    await signInAs("support", `?page=sim&of=${of}&iccid=${World.iccid(1)}`)
    await page().context().grantPermissions(["clipboard-read", "clipboard-write"])
    await click("Show the QR code")
    const shown = page().locator("figure")
    await shown.getByText("smdp.example", { exact: true }).waitFor()
    await shown.getByText("M-1", { exact: true }).waitFor()
    for (const [name, text] of [
      ["SM-DP+ address", "smdp.example"],
      ["activation code", "M-1"],
      ["whole code", "LPA:1$smdp.example$M-1"]
    ] as const) {
      await click(`Copy the ${name}`, shown)
      await shown.getByRole("button", { name: `Copied the ${name}` }).waitFor()
      await expect.poll(() => page().evaluate("navigator.clipboard.readText()")).toBe(text)
    }
    await check()
    const waiting = page().waitForEvent("download")
    await click("Download the QR code")
    const file = await waiting
    expect(file.suggestedFilename()).toBe(`${World.iccid(1)}.svg`)
    expect(readFileSync(await file.path(), "utf8")).toContain("<svg")
  })

  it("says before a move how much data goes along, and before a top-up what each plan gives", async () => {
    await signInAs("support", `?page=sim&of=${of}&iccid=${World.iccid(1)}`)
    await click("Move to another eSIM")
    await dialog().getByText("The telco would order a package: 1,000 MB from the first use on.").waitFor()
    await dialog().getByText("Data that is used until then is taken off what goes along.").waitFor()
    await click("Cancel", dialog())
    await click("Top up")
    await dialog().getByLabel("Plan").waitFor()
    await expect
      .poll(() => dialog().getByLabel("Plan").locator("option").allInnerTexts())
      .toEqual(["France 1 GB: 1,000 MB for 30 days"])
  })
})
