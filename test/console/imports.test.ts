/**
 * Imports of SIMs in the console.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

const HOSTILE = `<img src=x onerror="document.title='run'">`
let of = ""

const opened = Opened.forFile({}, async (world) => {
  const { tenant } = await Inventory.stock(world, 1, 2)
  of = tenant.organizationId
})

const { check, click, clicks, heading, page, region, signIn, signInAs, world } = opened

const [known, other, fresh] = [World.iccid(1), World.iccid(2), World.iccid(50)]

/**
 * A file with a new SIM, two that differ from those that are there, one over two lines, and two
 * that are rejected.
 */
const FILE = [
  "iccid,label,is_esim,lpa,msisdn",
  `${fresh},Green,true,LPA:1$smdp.example$NEW,+46700000050`,
  `${known},Blue,true,,`,
  "",
  `${other},Green,true,LPA:1$smdp.example$OTHER,`,
  `${World.iccid(51)},"no\nlabel",true,,`,
  `=1+1,"${HOSTILE.replaceAll('"', '""')}",true,,+46700000051`,
  ""
].join("\n")

const choose = (text: string, name = "sims.csv") =>
  page()
    .getByLabel("Choose a file, or drop it here")
    .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) })

const summary = () => page().locator("[data-summary]").innerText()

const isThere = async (iccid: string): Promise<boolean> =>
  (await world().admin("GET", `/organizations/${of}/sims/${iccid}`)).status === 200

describe("an import", () => {
  it("shows what would come of each row before anything is written", async () => {
    await signIn(`?page=imports&of=${of}`)
    await choose(FILE)
    await expect
      .poll(summary)
      .toBe(
        "sims.csv: 1 SIM would be imported; 0 of those that are there would be completed; 2 rows name a SIM that is there and stays as it is; 2 rows would be rejected."
      )
    await expect
      .poll(() => region("Errors").locator("tbody tr").allInnerTexts())
      .toEqual([
        expect.stringMatching(new RegExp(`^6\t${World.iccid(51)}\tlabel must be one of`)),
        "8\t=1+1\ticcid must have 18 to 20 digits"
      ])
    await expect
      .poll(() => region("Differences").locator("tbody tr").allInnerTexts())
      .toEqual([
        `3\t${known}\tlabel: Green\tlabel: Blue`,
        `5\t${other}\tlpa: LPA:1$smdp.example$M-2\tlpa: LPA:1$smdp.example$OTHER`
      ])
    await check()
    expect(await isThere(fresh)).toBe(false)
    await expect.poll(() => page().locator("main img").count()).toBe(0)
  })

  it("gives the rejected rows as a file, whose cells are no formulas", async () => {
    await signIn(`?page=imports&of=${of}`)
    await choose(FILE)
    const waiting = page().waitForEvent("download")
    await click("Download the rejected rows")
    const file = await waiting
    expect(file.suggestedFilename()).toBe("rejected.csv")
    expect(readFileSync(await file.path(), "utf8")).toBe(
      [
        '"iccid","label","is_esim","lpa","msisdn","problem"',
        `"${World.iccid(51)}","no\nlabel","true","","","label must be one of Green, Aqua, Blue, Voilet, Red, Grey, Orange"`,
        `"'=1+1","${HOSTILE.replaceAll('"', '""')}","true","","+46700000051","iccid must have 18 to 20 digits"`,
        ""
      ].join("\r\n")
    )
  })

  it("gives the rows that differ as a file, and corrects the SIMs to them once that is asked for", async () => {
    await signIn(`?page=imports&of=${of}`)
    await choose(FILE)
    const waiting = page().waitForEvent("download")
    await click("Download the differing rows")
    const file = await waiting
    expect(file.suggestedFilename()).toBe("differing.csv")
    expect(readFileSync(await file.path(), "utf8")).toBe(
      [
        '"iccid","label","lpa_string","is_esim","label_before","lpa_string_before","is_esim_before"',
        `"${known}","Blue","","","Green","",""`,
        `"${other}","","LPA:1$smdp.example$OTHER","","","LPA:1$smdp.example$M-2",""`,
        ""
      ].join("\r\n")
    )
    await click("Correct the SIMs to these rows")
    const dialog = page().getByRole("dialog")
    await dialog.getByText("2 SIMs would be corrected.").waitFor()
    await check()
    const read = async (iccid: string) => (await world().admin("GET", `/organizations/${of}/sims/${iccid}`)).body.data
    expect((await read(known)).label).toBe("Green")
    await click("Correct the SIMs to these rows", dialog)
    await expect.poll(() => page().locator("[data-done]").innerText()).toBe("2 SIMs are corrected.")
    expect([(await read(known)).label, (await read(other)).lpa]).toEqual(["Blue", "LPA:1$smdp.example$OTHER"])
    await choose(FILE)
    await expect.poll(summary).toContain("2 rows name a SIM that is there and stays as it is")
    await expect.poll(() => page().getByRole("button", { name: "Download the differing rows" }).count()).toBe(0)
  })

  it("of more than 50 SIMs asks for their number", async () => {
    await signIn(`?page=imports&of=${of}`)
    const rows = Array.from({ length: 51 }, (_, at) => `${World.iccid(100 + at)},Green,true`)
    await choose(["iccid,label,is_esim", ...rows].join("\n"))
    await expect.poll(summary).toContain("51 SIMs would be imported")
    await expect.poll(() => page().getByRole("button", { name: "Import them" }).isDisabled()).toBe(true)
    await page().getByLabel("Type 51 to go on").fill("51")
    await click("Import them")
    await expect.poll(summary).toContain("51 SIMs were imported")
  })

  it("is done by one more click, and leaves the file chosen where it fails", async () => {
    await signIn(`?page=imports&of=${of}`)
    await choose(FILE)
    await expect.poll(summary).toContain("1 SIM would be imported")
    await page().route("**/sims?dry_run=false", (route) =>
      route.fulfill({ status: 503, json: { error: true, code: "storage_unavailable", message: "The storage is gone" } })
    )
    await click("Import them")
    await expect.poll(() => page().getByRole("alert").allInnerTexts()).toEqual(["The storage is gone"])
    await page().unroute("**/sims?dry_run=false")
    const before = clicks()
    await click("Import them")
    await expect.poll(summary).toContain("1 SIM was imported")
    expect(clicks() - before).toBe(1)
    expect(await isThere(fresh)).toBe(true)
    await expect.poll(() => page().getByRole("button", { name: "Import them" }).count()).toBe(0)
    opened.expectComplaint(/status of 503/)
  })

  it("takes a file that is dropped, and says what is no table", async () => {
    await signIn(`?page=imports&of=${of}`)
    await heading("Imports")
    await page().evaluate(`(() => {
      const files = new DataTransfer()
      files.items.add(new File(["iccid;label\\n1;Green\\n"], "semicolons.csv"))
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }))
    })()`)
    await expect
      .poll(() => page().getByRole("alert").allInnerTexts())
      .toEqual(["body must have the columns iccid, label, is_esim, separated by commas; iccid, label, is_esim missing"])
    await expect.poll(() => page().getByRole("button", { name: "Import them" }).count()).toBe(0)
    opened.expectComplaint(/status of 400/)
  })

  it("is for admins", async () => {
    await signInAs("support", `?page=imports&of=${of}`)
    await heading("There is no such page")
  })
})
