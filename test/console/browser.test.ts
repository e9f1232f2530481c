/**
 * The console in a real browser.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Chromium from "../playground/Chromium.ts"
import * as Leaks from "../setup/Leaks.ts"
import * as Built from "./Built.ts"

const HOSTILE = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`
const PREFIX = "/esim"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

let built: Built.Built
let world: World.World
let browser: Browser
let page: Page
let complaints: Array<string>
const working = World.iccid(8)
let sold: { readonly iccid: string; readonly organizationId: string }

beforeAll(async () => {
  built = Built.make()
  world = await World.start({ console: built.folder })
  const { planId, tenant } = await Inventory.stock(world, 1, 30)
  const iccid = World.iccid(7)
  await tenant.post("/v3/subscription", { plan_id: planId, metadata: HOSTILE, iccid })
  await tenant.post("/v3/subscription", { plan_id: planId, metadata: "works", iccid: working })
  await world.admin("POST", "/clock/advance", { by: "1 hour" })
  const used = { iccid: working, occurred_at: new Date(World.START + 1_800_000).toISOString() }
  await world.telco([
    { type: "first_use", id: "first", ...used },
    { type: "usage", id: "usage", total_bytes: 3 * 1_048_576, ...used }
  ])
  sold = { iccid, organizationId: tenant.organizationId }
  await world.admin("POST", "/organizations", { name: HOSTILE })
  browser = await Chromium.launch()
}, Chromium.SET_UP)
afterAll(async () => {
  await browser?.close()
  await world?.close()
  built?.remove()
})

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  complaints = []
  page.on("console", (message) => {
    // That a request is refused is written by the browser itself. Who asks first is not signed in.
    const isRefusal = message.text().includes("status of 401") && message.location().url.includes("/admin/v1/")
    if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => {
    if (!request.url().startsWith(world.url) && !request.url().startsWith("data:")) complaints.push(request.url())
  })
})
afterEach(async () => {
  await page.close()
  expect(complaints).toEqual([])
})

const open = (query = "") => page.goto(`${world.url}/admin/console${query}`)

const enter = async (token: string) => {
  await page.getByLabel("Your operator's token").fill(token)
  await page.getByRole("button", { name: "Sign in" }).click()
}

const signIn = async (query = "") => {
  await open(query)
  await enter(World.ADMIN_TOKEN)
  await page.getByRole("button", { name: "Sign out" }).waitFor()
}

const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor()

/**
 * What axe finds. It is evaluated by the browser's own protocol, which the policy of the page does
 * not refuse.
 */
const audit = async () => {
  await page.evaluate(axe)
  return page.evaluate<ReadonlyArray<string>>(
    "axe.run().then(({ violations }) => violations.map(({ help, nodes }) => help + ': ' + nodes.map(({ html }) => html).join(' ')))"
  )
}

const isWiderThanWindow = () =>
  page.evaluate<boolean>("document.documentElement.scrollWidth > document.documentElement.clientWidth")

describe("to sign in", () => {
  it("takes a token; a wrong one is answered with a sentence", async () => {
    await open()
    await enter("this-is-no-token-at-all")
    const alert = page.getByRole("alert")
    await alert.waitFor()
    await expect
      .poll(() => alert.innerText())
      .toBe("This is no operator's token, or it has expired or was replaced. Check that all of it is there.")
    await enter(World.ADMIN_TOKEN)
    await heading("Overview")
    await expect.poll(() => page.locator("header").innerText()).toContain("bootstrap")
    await page.reload()
    await heading("Overview")
    await page.getByRole("button", { name: "Sign out" }).click()
    await heading("Sign in")
    await page.reload()
    await heading("Sign in")
  })
})

describe("the pages", () => {
  it("are there, and the browser's back leads through them", async () => {
    await signIn()
    const names = [
      "Problems",
      "Organizations",
      "SIMs",
      "Subscriptions",
      "Deliveries",
      "Usage",
      "Audit log",
      "Operators"
    ]
    for (const name of names) {
      await page.getByRole("navigation").getByRole("link", { name }).click()
      await heading(name)
      await expect.poll(() => page.locator("main").innerText()).not.toContain("Reading …")
      await expect.poll(() => page.getByRole("alert").count()).toBe(0)
    }
    await page.goBack()
    await heading("Audit log")
  })

  it("show names as text, and never as markup", async () => {
    await signIn("?page=organizations")
    await page.getByText(HOSTILE, { exact: true }).waitFor()
    await expect.poll(() => page.locator("main img, main script").count()).toBe(0)
    expect(await page.title()).toBe("Organizations – simplan console")
  })
})

describe("an operator of one organization who only reads", () => {
  const bound = async (): Promise<string> => {
    const asked = { name: "Desk", role: "read", organization_id: sold.organizationId }
    const { body } = await world.admin("POST", "/operators", asked)
    Leaks.know(body.data.token)
    return body.data.token
  }

  it("sees the pages of that organization, finds its SIMs, and is offered nothing to change", async () => {
    await open()
    await enter(await bound())
    await heading("Overview")
    for (const name of ["Problems", "Organizations", "SIMs", "Usage", "Deliveries", "Overview"]) {
      await page.getByRole("navigation").getByRole("link", { name }).click()
      await heading(name)
      await expect.poll(() => page.locator("main").innerText()).not.toContain("Reading …")
      await expect.poll(() => page.getByRole("alert").allInnerTexts()).toEqual([])
      await expect.poll(() => page.locator("main").innerText()).not.toContain(HOSTILE)
      await expect.poll(() => page.getByRole("button", { name: /Retry|Resolve|Replay/ }).count()).toBe(0)
    }
    await expect.poll(() => page.getByRole("navigation").innerText()).not.toMatch(/Audit|Operators/)
    await page.getByRole("searchbox").fill(sold.iccid)
    await page.keyboard.press("Enter")
    await heading(`SIM ${sold.iccid}`)
    await page.locator("[data-verdict]").waitFor()
    await expect.poll(() => page.getByRole("alert").allInnerTexts()).toEqual([])
  })
})

it("says that the server gives no answer, keeps what it shows, and goes on by itself", async () => {
  await signIn()
  await page.getByText("It answers.").waitFor()
  await page.context().setOffline(true)
  const status = page.getByRole("status").filter({ hasText: "No answer from the server since" })
  await status.waitFor()
  await page.getByText("It answers.").waitFor()
  await page.context().setOffline(false)
  await status.waitFor({ state: "detached" })
  // The browser itself writes that there was no connection.
  complaints = complaints.filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"))
})

it("asks to sign in again where the session has ended", async () => {
  await signIn()
  await page.context().clearCookies()
  await heading("Sign in")
})

describe("the search", () => {
  it("finds a SIM by a key and Enter, and its page says why it has no service", async () => {
    await signIn()
    await heading("Overview")
    await page.keyboard.press("/")
    await page.keyboard.type(sold.iccid)
    await page.keyboard.press("Enter")
    await heading(`SIM ${sold.iccid}`)
    const verdict = page.locator("[data-verdict]")
    await verdict.waitFor()
    await expect
      .poll(() => verdict.innerText())
      .toMatch(/^It is ready: the plan .* begins with its first use\. .*scanned\.$/)
    await expect.poll(() => verdict.getAttribute("class")).toBe("verdict works")
    await expect.poll(() => page.locator("main").innerText()).toContain(HOSTILE)
    await page.getByRole("region", { name: "History" }).getByText("Subscription created", { exact: true }).waitFor()
    await expect.poll(() => page.getByRole("region", { name: "Packages" }).locator("tbody tr").count()).toBe(1)
    await expect.poll(() => page.getByRole("alert").count()).toBe(0)
    await expect.poll(() => page.locator("main img, main script").count()).toBe(0)
  })

  it("shows of a SIM that works until when, and what it used by day and country", async () => {
    await signIn(`?page=sim&of=${sold.organizationId}&iccid=${working}`)
    const verdict = page.locator("[data-verdict]")
    await verdict.waitFor()
    await expect
      .poll(() => verdict.innerText())
      .toMatch(/^It works until 2026-02-\d\d \d\d:\d\d UTC by the plan France 1 GB\. If there is no data/)
    const usage = page.getByRole("region", { name: "Usage" }).locator("tbody tr")
    await page.getByText("By day and country").click()
    await usage.waitFor()
    await expect.poll(() => usage.innerText()).toBe("2026-01-10\tnot known\t3.0 MB")
    await expect.poll(() => page.getByRole("region", { name: "Packages" }).innerText()).toContain("3.0 MB of 1,000 MB")
  })

  it("lists several, and a SIM's page of them is two clicks away", async () => {
    await signIn()
    await heading("Overview")
    await page.getByRole("searchbox").fill(World.iccid(1).slice(0, 8))
    await page.keyboard.press("Enter")
    await page.getByText("There are more").waitFor()
    const link = page.getByRole("region", { name: "SIMs" }).getByRole("link").first()
    const iccid = await link.innerText()
    await link.click()
    await heading(`SIM ${iccid}`)
  })

  it("says what can be searched for where nothing is found", async () => {
    await signIn()
    await page.getByRole("searchbox").fill("nothing has this")
    await page.keyboard.press("Enter")
    await page.getByText("No SIM has this.").waitFor()
  })
})

describe("the tasks of a SIM", () => {
  let clicks = 0
  const click = async (name: string) => {
    clicks += 1
    await page.getByRole("button", { name, exact: true }).click()
  }
  const dialog = () => page.getByRole("dialog")
  const preview = () => page.locator("[data-preview]")
  const said = () => page.locator("[data-done]")
  const sim = (iccid: string) => `?page=sim&of=${sold.organizationId}&iccid=${iccid}`
  const line = async (iccid: string, more = "") =>
    (await world.admin("GET", `/organizations/${sold.organizationId}/subscriptions/${iccid}${more}`)).body.data

  let made = 0
  let name = ""

  const signInAs = async (role: "read" | "support" | "admin", query: string) => {
    made += 1
    name = `${role} ${made}`
    const { body } = await world.admin("POST", "/operators", { name, role })
    Leaks.know(body.data.token)
    await open(query)
    await enter(body.data.token)
    await page.locator("[data-verdict]").waitFor()
    clicks = 0
  }

  it("a plan is added in two clicks, after what the telco would do", async () => {
    await signInAs("support", sim(working))
    const before = await line(working, "/plan-attachments")
    await click("Top up")
    await dialog().getByText("The telco would order a package: one from the first use on.").waitFor()
    expect(await line(working, "/plan-attachments")).toHaveLength(before.length)
    expect(await audit()).toEqual([])
    clicks += 1
    await dialog().getByRole("button", { name: "Top up" }).click()
    await expect.poll(() => said().innerText()).toBe("The plan is added to the SIM.")
    expect(clicks).toBe(2)
    expect(await line(working, "/plan-attachments")).toHaveLength(before.length + 1)
    await expect.poll(() => page.evaluate("document.activeElement.hasAttribute('data-done')")).toBe(true)
  })

  it("a subscription is paused in two clicks, and resumed in two more", async () => {
    await signInAs("support", sim(working))
    await click("Pause")
    await dialog().getByText("The telco would stop the service of the SIM.").waitFor()
    await dialog().getByLabel("Why, for the audit log").fill("<b>stolen</b> „weg“")
    clicks += 1
    await dialog().getByRole("button", { name: "Pause" }).click()
    await expect.poll(() => said().innerText()).toBe("The subscription is paused.")
    await expect.poll(() => page.locator("[data-verdict]").innerText()).toContain("is paused since")
    expect((await line(working)).paused_at).toEqual(expect.any(String))
    expect(clicks).toBe(2)
    await page.getByRole("region", { name: "History" }).getByText("<b>stolen</b> „weg“").waitFor()
    await click("Resume")
    await dialog().getByText("The telco would start the service of the SIM.").waitFor()
    clicks += 1
    await dialog().getByRole("button", { name: "Resume" }).click()
    await expect.poll(() => said().innerText()).toBe("The subscription is resumed.")
    expect([clicks, (await line(working)).paused_at]).toEqual([4, null])
  })

  it("the QR code and the links are shown on a click, which the audit log has", async () => {
    await signInAs("support", sim(sold.iccid))
    await expect.poll(() => page.getByRole("img", { name: /QR code/ }).count()).toBe(0)
    await click("Show the QR code")
    await page.getByRole("img", { name: `The QR code that installs ${sold.iccid}` }).waitFor()
    expect(await page.evaluate("document.querySelector('figure img').naturalWidth > 0")).toBe(true)
    await expect
      .poll(() => page.getByRole("link", { name: "Link for iPhones" }).getAttribute("href"))
      .toContain("apple")
    expect(clicks).toBe(1)
    expect(await audit()).toEqual([])
    const { body } = await world.admin(
      "GET",
      `/organizations/${sold.organizationId}/audit?action=sim.show_activation_code`
    )
    expect(body.data.map(({ actor, iccid }: Readonly<Record<string, string>>) => [actor, iccid])).toEqual([
      [name, sold.iccid]
    ])
  })

  it("one that fails leaves the form as it was, and is done once when it is sent again after a lost answer", async () => {
    await signInAs("support", sim(working))
    const before = await line(working, "/plan-attachments")
    await click("Top up")
    await dialog().getByLabel("Note, such as an order number").fill("order 99")
    await preview().getByText("The telco would order").waitFor()
    let isLost = true
    await page.route(/\/subscription$/, async (route) => {
      if (!isLost) return route.continue()
      isLost = false
      await route.fetch()
      await route.abort()
    })
    await dialog().getByRole("button", { name: "Top up" }).click()
    await dialog().getByRole("alert").waitFor()
    await expect.poll(() => dialog().getByLabel("Note, such as an order number").inputValue()).toBe("order 99")
    await dialog().getByRole("button", { name: "Top up" }).click()
    await expect.poll(() => said().innerText()).toBe("The plan is added to the SIM.")
    expect(await line(working, "/plan-attachments")).toHaveLength(before.length + 1)
    complaints = complaints.filter((text) => !text.includes("ERR_FAILED"))
  })

  it("a refusal is said where it is asked for, and Escape closes the dialog", async () => {
    await signInAs("admin", sim(working))
    await click("Delete the subscription")
    await dialog().getByRole("alert").waitFor()
    await expect.poll(() => dialog().getByRole("button", { name: "Delete the subscription" }).isDisabled()).toBe(true)
    await page.keyboard.press("Escape")
    await expect.poll(() => dialog().count()).toBe(0)
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Delete the subscription")
    complaints = complaints.filter((text) => !/status of 40[39]/.test(text))
  })

  it("an operator who only reads is offered none of them, nor the code", async () => {
    await signInAs("read", sim(working))
    await page.getByRole("region", { name: "History" }).waitFor()
    await expect.poll(() => page.locator("main button:not(.copies)").allInnerTexts()).toEqual([])
  })
})

describe("the deliveries of an organization", () => {
  const replayed = async (of: string): Promise<number> => {
    const { body } = await world.admin("GET", `/organizations/${of}/audit?action=delivery.replay`)
    return body.data.length
  }

  it("are narrowed by filters in the URL, and all that match are sent again in three clicks, counted first", async () => {
    const { tenant } = await Inventory.stock(world, 500, 4)
    const of = tenant.organizationId
    await world.admin("POST", `/organizations/${of}/webhook-endpoints`, { url: "https://hooks.example/" })
    await world.telco(
      [500, 501, 502].map((number) => ({
        id: `smdp ${number}`,
        type: "smdp_state",
        iccid: World.iccid(number),
        occurred_at: new Date(World.START - 3_600_000).toISOString(),
        state: "Enable"
      }))
    )
    await world.admin("POST", "/clock/advance", { by: "1 second" })
    await signIn(`?page=deliveries&of=${of}&status=delivered`)
    const rows = page.getByRole("region", { name: "Deliveries" }).locator("tbody tr")
    await expect.poll(() => rows.count()).toBe(3)
    const openTask = () => page.getByRole("button", { name: "Replay all that match" }).click()
    await page.getByLabel("ICCID").fill(World.iccid(501))
    await page.keyboard.press("Enter")
    await expect.poll(() => rows.count()).toBe(1)
    expect(new URL(page.url()).searchParams.get("iccid")).toBe(World.iccid(501))
    await openTask()
    await page.getByText("1 delivery would be sent again.").waitFor()
    await page.keyboard.press("Escape")
    await page.goBack()
    await expect.poll(() => rows.count()).toBe(3)
    expect(await replayed(of)).toBe(0)
    await page.getByLabel("Status").selectOption("delivered")
    await openTask()
    await page.getByText("3 deliveries would be sent again.").waitFor()
    expect(await audit()).toEqual([])
    await page.getByRole("dialog").getByRole("button", { name: "Replay all that match" }).click()
    await expect.poll(() => page.locator("[data-done]").innerText()).toBe("3 deliveries are sent again.")
    expect(await replayed(of)).toBeGreaterThan(0)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await audit()).toEqual([])
    expect(await isWiderThanWindow()).toBe(false)
  })
})

describe("the SIMs of an organization", () => {
  it("are narrowed by filters in the URL, and are a file", async () => {
    await signIn(`?page=sims&of=${sold.organizationId}`)
    const rows = page.getByRole("region", { name: "SIMs" }).locator("tbody tr")
    await expect.poll(() => rows.count()).toBe(25)
    await page.getByLabel("Status").selectOption("in_use")
    await expect.poll(() => rows.count()).toBe(2)
    expect(new URL(page.url()).searchParams.get("status")).toBe("in_use")
    expect(await audit()).toEqual([])
    const waiting = page.waitForEvent("download")
    await page.getByRole("button", { name: "Download as CSV" }).click()
    const file = await waiting
    expect(file.suggestedFilename()).toBe("sims.csv")
    const lines = readFileSync(await file.path(), "utf8").split("\r\n")
    expect(lines[0]).toBe('"iccid","label","kind","tags","taken","created_at"')
    expect(lines.slice(1, 3).map((row) => row.split(",").slice(0, 5).join())).toEqual([
      `"${sold.iccid}","Green","eSIM","","yes"`,
      `"${working}","Green","eSIM","","yes"`
    ])
    await expect.poll(() => page.locator("[data-file]").innerText()).toBe("The file has 2 rows: all there are.")
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await audit()).toEqual([])
    expect(await isWiderThanWindow()).toBe(false)
    await rows.first().getByRole("link").click()
    await heading(`SIM ${sold.iccid}`)
    await page.goBack()
    await expect.poll(() => rows.count()).toBe(2)
  })
})

describe("SIMs that a filter takes", () => {
  it("are withdrawn in three clicks, after how many there are and which are refused", async () => {
    const { planId, tenant } = await Inventory.stock(world, 800, 3)
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid: World.iccid(800) })
    await signIn(`?page=sims&of=${tenant.organizationId}`)
    const rows = page.getByRole("region", { name: "SIMs" }).locator("tbody tr")
    await expect.poll(() => rows.count()).toBe(3)
    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "Withdraw all that match" }).click()
    await dialog.getByText("3 SIMs match; 2 would be withdrawn.").waitFor()
    await dialog.getByText("1 SIM would be refused:").waitFor()
    await dialog.getByLabel("Because they are").selectOption("lost")
    await dialog.getByLabel("Why, for the audit log").fill("a stolen van")
    expect(await audit()).toEqual([])
    await dialog.getByRole("button", { name: "Withdraw all that match" }).click()
    await expect.poll(() => page.locator("[data-done]").innerText()).toBe("2 SIMs withdrawn, 1 refused.")
    const { body } = await tenant.get(`/v3/sims/${World.iccid(801)}`)
    expect(body.data.withdrawn_reason).toBe("lost")
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await audit()).toEqual([])
    expect(await isWiderThanWindow()).toBe(false)
  })
})

describe("the subscriptions of an organization", () => {
  it("are narrowed by filters in the URL, and are acted on, all that match, in three clicks", async () => {
    const { planId, tenant } = await Inventory.stock(world, 600, 4)
    const of = tenant.organizationId
    for (const [at, number] of [600, 601, 602].entries()) {
      const metadata = at === 0 ? "=HYPERLINK(1)" : `order ${at}`
      await tenant.post("/v3/subscription", { plan_id: planId, metadata, iccid: World.iccid(number) })
    }
    await world.telco([
      {
        id: "downloaded 602",
        type: "smdp_state",
        iccid: World.iccid(602),
        occurred_at: new Date(World.START - 3_600_000).toISOString(),
        state: "BPP Installation"
      }
    ])
    const lines = async () => (await tenant.get("/v3/subscription")).body.data
    await signIn(`?page=subscriptions&of=${of}`)
    const rows = page.getByRole("region", { name: "Subscriptions" }).locator("tbody tr")
    const said = page.locator("[data-done]")
    await expect.poll(() => rows.count()).toBe(3)
    expect(await audit()).toEqual([])
    await page.getByLabel("Find").fill("order")
    await page.keyboard.press("Enter")
    await expect.poll(() => rows.count()).toBe(2)
    expect(new URL(page.url()).searchParams.get("find")).toBe("order")
    const dialog = page.getByRole("dialog")

    await page.getByRole("button", { name: "Pause all that match" }).click()
    await dialog.getByText("2 subscriptions match; 2 would be paused.").waitFor()
    await dialog.getByLabel("Why, for the audit log").fill("unpaid")
    expect(await audit()).toEqual([])
    expect((await lines()).filter((one: { readonly paused_at: unknown }) => one.paused_at !== null)).toEqual([])
    await dialog.getByRole("button", { name: "Pause all that match" }).click()
    await expect.poll(() => said.innerText()).toBe("2 subscriptions paused.")
    const { body } = await world.admin("GET", `/organizations/${of}/audit?action=subscription.pause`)
    expect(body.data.map((one: { readonly reason: unknown }) => one.reason)).toEqual(["unpaid", "unpaid"])

    await page.getByLabel("Find").fill("")
    await page.keyboard.press("Enter")
    await page.getByLabel("Status").selectOption("paused")
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByLabel("Status").selectOption("")
    await page.getByLabel("Plan").selectOption(planId)
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole("button", { name: "Suspend the plan on all that match" }).waitFor()

    await page.getByRole("button", { name: "Delete all that match" }).click()
    await dialog.getByText("3 subscriptions match; 2 would be deleted.").waitFor()
    await dialog.getByText("1 subscription would be refused:").waitFor()
    await dialog.getByText(World.iccid(602)).waitFor()
    await expect.poll(() => dialog.getByRole("button", { name: "Delete all that match" }).isDisabled()).toBe(true)
    await dialog.getByLabel("Type 3 to go on").fill("3")
    await dialog.getByRole("button", { name: "Delete all that match" }).click()
    await expect.poll(() => said.innerText()).toBe("2 subscriptions deleted, 1 refused.")
    expect(await lines()).toHaveLength(1)
    const waiting = page.waitForEvent("download")
    await page.getByRole("button", { name: "Download what came of each" }).click()
    const results = readFileSync(await (await waiting).path(), "utf8")
    expect(results.split("\r\n").map((row) => row.split(",").slice(2, 4).join())).toEqual([
      '"result","code"',
      '"changed",""',
      '"changed",""',
      '"refused","esim_installed"',
      ""
    ])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await audit()).toEqual([])
    expect(await isWiderThanWindow()).toBe(false)
  })

  it("are a file, whose notes are no formulas", async () => {
    const { planId, tenant } = await Inventory.stock(world, 700, 1)
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: "=HYPERLINK(1)", iccid: World.iccid(700) })
    await signIn(`?page=subscriptions&of=${tenant.organizationId}`)
    const waiting = page.waitForEvent("download")
    await page.getByRole("button", { name: "Download as CSV" }).click()
    const text = readFileSync(await (await waiting).path(), "utf8")
    expect(text).toContain(`"${World.iccid(700)}","Green",`)
    expect(text).toContain(`"'=HYPERLINK(1)"`)
    await expect.poll(() => page.locator("[data-file]").innerText()).toBe("The file has 1 row: all there are.")
  })
})

describe.each([390, 1280])("at a width of %s", (width) => {
  it.each(["light", "dark"] as const)(
    "axe finds nothing in %s, and the page does not scroll sideways",
    async (colorScheme) => {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme })
      await open()
      await heading("Sign in")
      expect(await audit()).toEqual([])
      await enter(World.ADMIN_TOKEN)
      await heading("Overview")
      await page.getByText("It answers.").waitFor()
      expect(await audit()).toEqual([])
      expect(await isWiderThanWindow()).toBe(false)
      await page.goto(`${world.url}/admin/console?page=sim&of=${sold.organizationId}&iccid=${sold.iccid}`)
      await page.getByRole("region", { name: "History" }).waitFor()
      expect(await audit()).toEqual([])
      expect(await isWiderThanWindow()).toBe(false)
      await page.getByRole("button", { name: "Top up" }).click()
      await page.getByText("The telco would order").waitFor()
      expect(await audit()).toEqual([])
      expect(await isWiderThanWindow()).toBe(false)
    }
  )
})

it("works below a prefix", async () => {
  const mounted = await World.start({ console: built.folder, prefix: PREFIX })
  try {
    const context = await browser.newContext()
    const below = await context.newPage()
    await below.goto(`${mounted.url}${PREFIX}/admin/console/`)
    await below.getByLabel("Your operator's token").fill(World.ADMIN_TOKEN)
    await below.getByRole("button", { name: "Sign in" }).click()
    await below.getByText("It answers.").waitFor()
    expect(new URL(below.url()).pathname).toBe(`${PREFIX}/admin/console`)
    await context.close()
  } finally {
    await mounted.close()
  }
})
