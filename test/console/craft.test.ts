/**
 * What holds on every page: it fits phones and wide screens whatever names and notes are like, in
 * both schemes; the keyboard does all and never loses its place; times are right in any browser;
 * and two people do not overwrite one another.
 */
import { TelcoSimulator } from "simplan/telco-simulator"
import type { BrowserContextOptions, Locator, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Leaks from "../setup/Leaks.ts"
import * as Opened from "./Opened.ts"

/** 200 characters without a place to break, and 200 with them, that are read from right to left. */
const LONG = "W".repeat(200)
const ARABIC = "\u0634\u0631\u0643\u0629 \u0627\u0644\u0627\u062a\u0635\u0627\u0644\u0627\u062a 12 "
  .repeat(10)
  .slice(0, 200)
  .trim()
const METADATA = `${"x".repeat(1_500)} ${ARABIC}`

let of = ""
let other = ""
let delivery = ""
const sold = World.iccid(1)
const broken = World.iccid(2)

const opened = Opened.forFile({ telcos: undefined }, async (world) => {
  await Inventory.keepFewCountries(world, 20)
  const { planId, tenant } = await Inventory.stock(world, 1, 40)
  of = tenant.organizationId
  const { body } = await world.admin("POST", "/organizations", { name: LONG })
  other = body.data.organization_id
  await world.admin("POST", "/organizations", { name: ARABIC })
  for (const organizationId of [of, other]) {
    const path = `/organizations/${organizationId}`
    await world.admin("POST", `${path}/api-keys`, { name: LONG, scope: "read" })
    const hook = {
      url: `https://hooks.example/${"p".repeat(190)}`,
      description: ARABIC,
      events: ["subscription.created"]
    }
    await world.admin("POST", `${path}/webhook-endpoints`, hook)
  }
  for (const iccid of [sold, broken]) {
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: METADATA, iccid })
  }
  await tenant.post("/v3/plans", {
    ...(await planLike(tenant, planId)),
    name: ARABIC
  })
  const refusal = { fault: "refuse", on: "cancelPackage", message: `${LONG} ${ARABIC}` } as const
  await world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.setFaults([refusal])))
  await tenant.call("DELETE", `/v3/subscriptions/${broken}`)
  await world.admin("POST", "/clock/advance", { by: "1 hour" })
  await world.admin("POST", "/operators", { name: ARABIC, role: "read" })
  delivery = (await world.admin("GET", `/organizations/${of}/deliveries`)).body.data[0].delivery_id
})

const planLike = async (tenant: World.Tenant, planId: string) => {
  const { body } = await tenant.get(`/v3/plans/${planId}`)
  return Inventory.planBody(body.data.coverage_id)
}

const { check, click, heading, page, region, signIn, world } = opened

const go = async (query: string): Promise<void> => {
  await page().goto(`${world().url}/admin/console${query}`)
}

const settled = async (): Promise<void> => {
  await page().locator("main h1").waitFor()
  await expect.poll(() => page().locator("main").innerText()).not.toContain("Reading …")
}

const focused = () => page().evaluate<string>("document.activeElement?.textContent ?? ''")
const hasFocus = () =>
  page().evaluate<boolean>("document.activeElement !== null && document.activeElement !== document.body")

const pages: ReadonlyArray<readonly [name: string, query: () => string]> = [
  ["Overview", () => ""],
  ["Problems", () => "?page=problems"],
  ["Organizations", () => "?page=organizations"],
  ["Organization", () => `?page=organization&of=${of}`],
  ["SIMs", () => `?page=sims&of=${of}`],
  ["Imports", () => `?page=imports&of=${of}`],
  ["Subscriptions", () => `?page=subscriptions&of=${of}`],
  ["Usage", () => `?page=usage&of=${of}`],
  ["Plans", () => `?page=plans&of=${of}`],
  ["Stock", () => `?page=stock&of=${of}`],
  ["Coverage", () => `?page=coverage&of=${of}`],
  ["Deliveries", () => `?page=deliveries&of=${of}`],
  ["Delivery", () => `?page=delivery&of=${of}&delivery=${delivery}`],
  ["Keys", () => `?page=keys&of=${other}`],
  ["Endpoints", () => `?page=endpoints&of=${of}`],
  ["Audit log", () => `?page=audit&of=${of}`],
  ["Catalogue", () => "?page=catalogue"],
  ["Operators", () => "?page=operators"],
  ["SIM", () => `?page=sim&of=${of}&iccid=${sold}`],
  ["Search", () => `?page=search&q=${sold.slice(0, 8)}`],
  ["There is no such page", () => "?page=nothing"]
]

describe("a page with long names and notes", () => {
  it.each(pages)(
    "%s: axe finds nothing, and it is no wider than the window",
    async (name, query) => {
      await signIn("")
      await go(query())
      await heading(name)
      await settled()
      await expect.poll(() => page().getByRole("alert").allInnerTexts()).toEqual([])
      await check()
    },
    120_000
  )

  it("an organization's name stands beside its id in its lists, and no page asks for it row by row", async () => {
    await signIn("")
    const problem = region("The oldest problems").locator("tbody tr")
    await problem.getByText("Acme", { exact: true }).waitFor()
    await problem.getByTitle(of, { exact: true }).waitFor()
    for (const name of ["deliveries", "audit", "keys"]) {
      let asked = 0
      page().on("request", (request) => {
        if (request.url().endsWith(`/organizations/${other}`)) asked += 1
      })
      await go(`?page=${name}&of=${other}`)
      await page().locator("main").getByText(LONG, { exact: true }).first().waitFor()
      await settled()
      // For the page, and for the organization at hand in the header.
      expect([name, asked]).toEqual([name, 1])
      page().removeAllListeners("request")
    }
  })
})

describe("the header", () => {
  it("has one height at every width, and one line", async () => {
    await signIn(`?page=sims&of=${other}`)
    await heading("SIMs")
    const heights = new Set<number | undefined>()
    for (const width of [320, 390, 600, 768, 820, 1000, 1024, 1280, 1440, 1920]) {
      await page().setViewportSize({ width, height: 800 })
      heights.add((await page().locator("header").boundingBox())?.height)
      const tops = await page()
        .locator("header > *")
        .evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect()).flatMap(({ bottom, height }) => (height === 0 ? [] : [bottom]))
        )
      expect([width, Math.max(...tops) <= 52]).toEqual([width, true])
    }
    expect([...heights]).toEqual([52])
    await page().setViewportSize({ width: 1280, height: 800 })
  })

  it("has a menu on a phone, which closes once it has led somewhere", async () => {
    await signIn("")
    await page().setViewportSize({ width: 390, height: 844 })
    const menu = page().getByRole("navigation")
    await expect.poll(() => menu.count()).toBe(0)
    await click("Menu")
    await page().getByRole("button", { name: "Sign out" }).waitFor()
    await menu.getByRole("link", { name: "Problems" }).click()
    await heading("Problems")
    await expect.poll(() => menu.count()).toBe(0)
    await page().setViewportSize({ width: 1280, height: 800 })
  })

  it("is not printed, and neither are the menu and what can be clicked", async () => {
    await signIn(`?page=sims&of=${of}`)
    await region("SIMs").waitFor()
    await page().emulateMedia({ media: "print" })
    await expect
      .poll(() => page().locator("header:visible, nav:visible, main button:not(.copies):visible").count())
      .toBe(0)
    await expect.poll(() => region("SIMs").count()).toBe(1)
    await page().emulateMedia({ media: null })
  })
})

describe("what stands beside one another", () => {
  const PHONE = { width: 390, height: 844 }
  const DESK = { width: 1280, height: 800 }
  const sides = (at: Locator) =>
    at.evaluate((one) => {
      const { bottom, left, right, top } = one.getBoundingClientRect()
      return { bottom, left, right, top }
    })

  it.each(["audit", "usage", "deliveries", "organization"])(
    "the tabs of an organization on a phone have that of the page in sight: %s",
    async (name) => {
      await signIn("")
      await page().setViewportSize(PHONE)
      await go(`?page=${name}&of=${of}`)
      await settled()
      const tab = page().locator(".tabs [aria-current]")
      await expect.poll(async () => (await sides(tab)).right).toBeLessThanOrEqual(PHONE.width)
      expect((await sides(tab)).left).toBeGreaterThanOrEqual(0)
      await page().setViewportSize(DESK)
    }
  )

  it("the tabs of an organization stand still if that of the page is in sight", async () => {
    await signIn("")
    await page().setViewportSize({ width: 820, height: 844 })
    await go(`?page=usage&of=${of}`)
    await settled()
    expect((await sides(page().locator(".tabs a").first())).left).toBeGreaterThanOrEqual(0)
    await page().setViewportSize(DESK)
  })

  it("the bar of the sandbox is no higher than three lines on a phone, and its buttons are one line", async () => {
    await signIn("")
    await page().setViewportSize(PHONE)
    const tops = await page()
      .locator(".sandbox button")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    expect(tops).toHaveLength(3)
    expect(new Set(tops).size).toBe(1)
    const { bottom, top } = await sides(page().locator(".sandbox"))
    expect(bottom - top).toBeLessThan(90)
    await page().setViewportSize(DESK)
  })

  it("a long name of an organization is cut, and the arrow beside it is not", async () => {
    await signIn(`?page=sims&of=${other}`)
    await page().setViewportSize(PHONE)
    const [button, arrow] = [page().locator(".switcher"), page().locator(".switcher [aria-hidden]")]
    await expect.poll(() => button.innerText()).toContain("W")
    expect((await sides(arrow)).right).toBeLessThan((await sides(button)).right)
    await page().setViewportSize(DESK)
  })

  it("what a fact is called has the baseline of the fact, also if an id makes its line higher", async () => {
    await signIn(`?page=sim&of=${of}&iccid=${sold}`)
    const facts = page().locator("[data-identity]")
    await facts.getByText("Acme").waitFor()
    const bottoms = [facts.getByText("Organization"), facts.getByText("Acme")].map((at) =>
      at.evaluate((one) => {
        const text = one.ownerDocument.createRange()
        text.selectNodeContents(one)
        return text.getBoundingClientRect().bottom
      })
    )
    const [called, fact] = await Promise.all(bottoms)
    expect(Math.abs((called ?? 0) - (fact ?? 0))).toBeLessThan(1)
  })

  it("a cell's text has the baseline of the button in its row", async () => {
    await signIn("?page=problems")
    const row = region("Problems").locator("tbody tr").first()
    await row.waitFor()
    const middle = async (at: Locator) => {
      const { bottom, top } = await sides(at)
      return (bottom + top) / 2
    }
    const apart = (await middle(row.locator("time"))) - (await middle(row.getByRole("button", { name: "Retry" })))
    expect(Math.abs(apart)).toBeLessThan(1.5)
  })

  it("what a field asks for can be read in both schemes as what is muted can", async () => {
    await signIn("")
    await settled()
    for (const colorScheme of ["light", "dark"] as const) {
      await page().emulateMedia({ colorScheme })
      const colours =
        "[getComputedStyle(document.querySelector('[data-search]'), '::placeholder').color, getComputedStyle(document.querySelector('.about')).color]"
      const [asked, muted] = await page().evaluate<[string, string]>(colours)
      expect([colorScheme, asked]).toEqual([colorScheme, muted])
    }
    await page().emulateMedia({ colorScheme: null })
  })

  it("a card leaves out what there is nothing to say of", async () => {
    await signIn("?page=problems")
    const cell = region("Problems").locator('td[data-label="Ours"]').first()
    await cell.waitFor()
    await expect.poll(() => cell.innerText()).toBe("–")
    await page().setViewportSize(PHONE)
    await expect.poll(() => cell.isVisible()).toBe(false)
    await page().setViewportSize(DESK)
  })
})

describe("a table", () => {
  it("is a card for each row on a phone, with the titles of its columns, and is not wider than it", async () => {
    await signIn(`?page=sims&of=${of}`)
    await page().setViewportSize({ width: 390, height: 844 })
    await region("SIMs").waitFor()
    const title =
      "getComputedStyle(document.querySelector('section[aria-label=SIMs] td:nth-child(2)'), '::before').content"
    await expect.poll(() => page().evaluate(title)).toContain("Label")
    expect(await region("SIMs").evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(false)
    await page().setViewportSize({ width: 1280, height: 800 })
  })

  it("and a drawing are tab stops only if they scroll", async () => {
    await signIn(`?page=sim&of=${of}&iccid=${sold}`)
    const tabIndex = (name: string) => region(name).evaluate((one) => one.getAttribute("tabindex"))
    await region("Timeline").locator("svg").waitFor()
    await expect.poll(() => tabIndex("Timeline")).toBe("-1")
    await expect.poll(() => tabIndex("Packages")).toBe("-1")
    await page().setViewportSize({ width: 390, height: 800 })
    await expect.poll(() => tabIndex("Timeline")).toBe("0")
    await expect.poll(() => tabIndex("Packages")).toBe("-1")
    await page().setViewportSize({ width: 1280, height: 800 })
  })
})

describe("the keyboard", () => {
  it("skips the header and the menu", async () => {
    await signIn("")
    await go(`?page=sims&of=${of}`)
    await heading("SIMs")
    await page().keyboard.press("Tab")
    await expect.poll(focused).toBe("Skip to the page")
    await page().keyboard.press("Enter")
    await expect.poll(() => page().evaluate("document.activeElement.id")).toBe("page")
    await heading("SIMs")
  })

  it("finds a SIM by arrows and Enter, and goes on where it is", async () => {
    await signIn("")
    await heading("Overview")
    await page().keyboard.press("/")
    await page().keyboard.type(sold.slice(0, 8))
    await page().keyboard.press("Enter")
    await page().getByText("There are more").waitFor()
    const links = region("SIMs").getByRole("link")
    await page().keyboard.press("ArrowDown")
    await page().keyboard.press("ArrowDown")
    await expect.poll(focused).toBe(await links.nth(1).innerText())
    await page().keyboard.press("ArrowUp")
    await page().keyboard.press("ArrowUp")
    await expect.poll(() => page().evaluate("document.activeElement.hasAttribute('data-search')")).toBe(true)
    await page().keyboard.press("ArrowDown")
    const iccid = await focused()
    await page().keyboard.press("Enter")
    await heading(`SIM ${iccid}`)
    await expect.poll(hasFocus).toBe(true)
  })

  it("keeps its place where what had it is gone: a page, a row, a button under way", async () => {
    await signIn("?page=organizations")
    await region("Organizations").getByRole("link", { name: "Keys" }).first().focus()
    await page().keyboard.press("Enter")
    await heading("Keys")
    await settled()
    await expect.poll(hasFocus).toBe(true)
    await page().keyboard.press("Tab")
    await expect.poll(() => page().evaluate("document.activeElement.closest('main') !== null")).toBe(true)

    await go("?page=problems")
    const row = region("Problems").locator("tbody tr")
    const retry = row.getByRole("button", { name: "Retry" })
    await retry.focus()
    let isHeld = true
    await page().route(/\/retry$/, async (route) => {
      await expect.poll(() => isHeld).toBe(false)
      await route.continue()
    })
    await page().keyboard.press("Enter")
    await expect.poll(() => retry.getAttribute("aria-disabled")).toBe("true")
    await expect.poll(focused).toBe("Retry")
    isHeld = false
    // What is tried again is no problem meanwhile: its row is gone.
    await expect.poll(() => region("Problems").count()).toBe(0)
    await expect.poll(hasFocus).toBe(true)
  })
})

/** The page in a browser of that language, signed in by its cookie. */
const inBrowser = async (options: BrowserContextOptions, query: string, use: (page: Page) => Promise<void>) => {
  const browser = page().context().browser()
  if (browser === null) throw new Error("The page has no browser")
  const context = await browser.newContext(options)
  try {
    await context.addCookies(await page().context().cookies(`${world().url}/admin/v1`))
    const there = await context.newPage()
    await there.goto(`${world().url}/admin/console${query}`)
    await use(there)
  } finally {
    await context.close()
  }
}

describe.each([
  ["de-DE", "Europe/Berlin", "10.1.2026, 13:00:00"],
  [
    "ar-EG",
    "Africa/Cairo",
    "\u0661\u0660\u200f/\u0661\u200f/\u0662\u0660\u0662\u0666\u060c \u0662:\u0660\u0660:\u0660\u0660 \u0645"
  ]
])("in a browser of %s", (locale, timezoneId, local) => {
  it("a time is shown from now, and in UTC or the zone there if that is chosen, and all of it on hover", async () => {
    await signIn("")
    await inBrowser({ locale, timezoneId }, `?page=sim&of=${of}&iccid=${sold}`, async (there) => {
      const cell = there.getByRole("region", { name: "History" }).locator("tbody tr").last().locator("td").first()
      await cell.waitFor()
      const time = cell.locator("time")
      await expect.poll(() => time.innerText()).toBe("1 hour ago")
      await expect
        .poll(() => time.getAttribute("title"))
        .toBe(`2026-01-10 12:00:00 UTC, \u2068${local}\u2069 local, 1 hour ago`)
      await there.getByLabel("Times").selectOption("Times in UTC")
      await expect.poll(() => time.innerText()).toBe("2026-01-10 12:00:00 UTC")
      await there.getByLabel("Times").selectOption("Local times")
      await expect.poll(() => time.innerText()).toBe(local)
      await expect.poll(() => time.locator("bdi").count()).toBe(1)
      await there.reload()
      await expect.poll(() => time.innerText()).toBe(local)
      const isLeftToRight = await there.evaluate("getComputedStyle(document.querySelector('main')).direction")
      expect(isLeftToRight).toBe("ltr")
    })
  })

  it("an Arabic name turns nothing else around, at the width of a phone too", async () => {
    await signIn("")
    await inBrowser(
      { locale, timezoneId, viewport: { width: 390, height: 844 } },
      "?page=organizations",
      async (there) => {
        const row = there.getByRole("region", { name: "Organizations" }).locator("tbody tr").filter({ hasText: ARABIC })
        await row.waitFor()
        const directions =
          "Array.from(document.querySelectorAll('tbody bdi'), (name) => [name.textContent, getComputedStyle(name).direction])"
        expect(await there.evaluate(directions)).toContainEqual([ARABIC, "rtl"])
        const id = row.locator("button.id")
        await expect.poll(() => id.innerText()).toMatch(/^…[0-9a-f]{8}$/)
        await id.click()
        await expect.poll(() => id.innerText()).toMatch(/^[0-9a-f-]{36}/)
        const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        expect(await there.evaluate(isWider)).toBe(false)
      }
    )
  })
})

describe("on a phone, by touch", () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

  it("a SIM is found, and its QR code shown, without a zoom into fields or a page that is too wide", async () => {
    await signIn("")
    await inBrowser(phone, "", async (there) => {
      await there.getByRole("searchbox").tap()
      const size = "parseFloat(getComputedStyle(document.activeElement).fontSize)"
      expect(await there.evaluate(size)).toBeGreaterThanOrEqual(16)
      await there.keyboard.type(sold)
      await there.keyboard.press("Enter")
      await there.locator("[data-verdict]").waitFor()
      await there.getByRole("button", { name: "Show the QR code" }).tap()
      const picture = there.getByRole("img", { name: `The QR code that installs ${sold}` })
      await picture.waitFor()
      const box = await picture.boundingBox()
      expect(box?.width).toBeGreaterThanOrEqual(200)
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
      expect(await there.evaluate("document.documentElement.scrollWidth")).toBe(390)
      await there.getByRole("button", { name: "Top up" }).tap()
      await there.getByText("The telco would order").waitFor()
      expect(await there.evaluate("document.documentElement.scrollWidth")).toBe(390)
    })
  })

  it("a SIM that is not there leads to the search for it", async () => {
    await signIn("")
    await inBrowser(phone, `?page=sim&of=${other}&iccid=${sold}`, async (there) => {
      await there.getByRole("alert").getByText("SIM not found").waitFor()
      await there.getByRole("link", { name: "search for it" }).tap()
      await there.getByRole("region", { name: "SIMs" }).getByRole("link", { name: sold }).waitFor()
    })
  })
})

describe("two people", () => {
  const dialog = () => page().getByRole("dialog")
  const endpoint = async () => (await world().admin("GET", `/organizations/${other}/webhook-endpoints`)).body.data[0]

  it("who edit an endpoint see it where they meet, and keep what the other has changed elsewhere", async () => {
    await signIn(`?page=endpoints&of=${other}`)
    const { webhook_endpoint_id: id } = await endpoint()
    const path = `/organizations/${other}/webhook-endpoints/${id}`
    await click("Change")
    await dialog().getByLabel("Description").fill("ours")
    await dialog().getByText("What waits to be delivered").waitFor()
    await world().admin("PATCH", path, { description: "theirs" })
    await click("Change", dialog())
    const alert = dialog().getByRole("alert")
    await alert.waitFor()
    await expect
      .poll(() => alert.innerText())
      .toBe(
        "Somebody has changed it meanwhile: description is theirs now. Close this and open it again to go on from there."
      )
    await expect.poll(() => dialog().getByLabel("Description").inputValue()).toBe("ours")
    expect((await endpoint()).description).toBe("theirs")
    await page().keyboard.press("Escape")

    await page().reload()
    await click("Change")
    await dialog().getByLabel("Description").fill("ours")
    await world().admin("PATCH", path, { events: ["stock.low"] })
    await dialog().getByText("What waits to be delivered").waitFor()
    await click("Change", dialog())
    await page().getByText("The endpoint is changed.").waitFor()
    expect(await endpoint()).toMatchObject({ description: "ours", events: ["stock.low"] })
  })

  it("who correct a SIM see it too", async () => {
    const free = World.iccid(30)
    const path = `/organizations/${of}/sims/${free}`
    await signIn(`?page=sim&of=${of}&iccid=${free}`)
    await click("Correct the label")
    await dialog().getByLabel("Label").selectOption("Red")
    await dialog().getByText("This would change: label.").waitFor()
    await world().admin("PATCH", path, { label: "Blue" })
    await click("Correct the label", dialog())
    await dialog().getByText("Somebody has changed it meanwhile: label is Blue now.").waitFor()
    expect((await world().admin("GET", path)).body.data.label).toBe("Blue")
  })

  it("see it also where the other one is faster by a moment, after the last check", async () => {
    const free = World.iccid(31)
    const path = `/organizations/${of}/sims/${free}`
    await signIn(`?page=sim&of=${of}&iccid=${free}`)
    const sent: Array<string | undefined> = []
    const versionOf = async (): Promise<number> => (await world().admin("GET", path)).body.data.version
    const first = await versionOf()
    await page().route(`**/v1${path}`, async (route) => {
      const request = route.request()
      if (request.method() === "PATCH") {
        sent.push(request.headers()["if-match"])
        // Not the same field at first: it is no conflict, and tried again.
        await world().admin("PATCH", path, sent.length === 1 ? { lpa_string: null } : { label: "Blue" })
      }
      await route.continue()
    })
    await click("Correct the label")
    await dialog().getByLabel("Label").selectOption("Red")
    await dialog().getByText("This would change: label.").waitFor()
    await click("Correct the label", dialog())
    await dialog().getByText("Somebody has changed it meanwhile: label is Blue now.").waitFor()
    expect(sent).toEqual([`"${first}"`, `"${first + 1}"`])
    expect((await world().admin("GET", path)).body.data).toMatchObject({ label: "Blue", version: first + 2 })
    await page().unroute(`**/v1${path}`)
    opened.expectComplaint(/status of 412/)
  })
})

describe("what is typed", () => {
  const dialog = () => page().getByRole("dialog")
  const ofSim = (iccid: string) => `?page=sim&of=${of}&iccid=${iccid}`
  const focusedId = () => page().evaluate<string>("document.activeElement?.id ?? ''")

  it("after / takes the place of the search before", async () => {
    await signIn(`?page=search&q=${sold.slice(0, 8)}`)
    await region("SIMs").waitFor()
    await page().locator("main").focus()
    await page().keyboard.press("/")
    await page().keyboard.type("77")
    await expect.poll(() => page().getByRole("searchbox").inputValue()).toBe("77")
  })

  it("goes into the first field of a dialog, also if the fields are read", async () => {
    await signIn(ofSim(sold))
    await click("Send an SMS")
    await expect.poll(focusedId).toBe("task-from")
    await page().keyboard.press("Escape")
    await click("Pause")
    await expect.poll(focusedId).toBe("task-audit-reason")
    await page().keyboard.press("Escape")
    let isHeld = true
    await page().route(/\/plans\?/, async (route) => {
      await expect.poll(() => isHeld).toBe(false)
      await route.continue()
    })
    await click("Top up")
    await dialog().waitFor()
    isHeld = false
    await expect.poll(focusedId).not.toBe("task-audit-reason")
    await expect
      .poll(() => dialog().locator("input, select, textarea").first().getAttribute("id"))
      .toBe(await focusedId())
    await page().unroute(/\/plans\?/)
  })

  it("into the reason while the fields are read goes on there", async () => {
    await signIn(ofSim(sold))
    let isHeld = true
    await page().route(/\/plans\?/, async (route) => {
      await expect.poll(() => isHeld).toBe(false)
      await route.continue()
    })
    await click("Top up")
    await dialog().getByLabel("Why, for the audit log").fill("asked")
    isHeld = false
    await dialog().getByText("The telco would order").waitFor()
    await expect.poll(focusedId).toBe("task-audit-reason")
    await page().unroute(/\/plans\?/)
  })

  it("stays in a dialog that lost the connection, which comes back by itself", async () => {
    await signIn(ofSim(sold))
    await region("History").waitFor()
    await page().context().setOffline(true)
    await click("Top up")
    await dialog().getByRole("alert").getByText("The server gives no answer.").waitFor()
    await dialog().getByLabel("Why, for the audit log").fill("asked")
    await page().context().setOffline(false)
    await dialog().getByText("The telco would order").waitFor()
    await expect.poll(() => dialog().getByRole("alert").count()).toBe(0)
    await expect.poll(() => dialog().getByLabel("Why, for the audit log").inputValue()).toBe("asked")

    await page().context().setOffline(true)
    await click("Top up", dialog())
    await dialog().getByText("It may have been done. Choose it again once there is an answer.").waitFor()
    await page().context().setOffline(false)
    await click("Top up", dialog())
    await page().locator("[data-done]").getByText(/./).waitFor()
    await expect.poll(() => dialog().count()).toBe(0)
    opened.expectComplaint(/ERR_INTERNET_DISCONNECTED/)
  })

  it("into a filter loses no click on what stands there still", async () => {
    await signIn(`?page=sims&of=${of}`)
    const link = region("SIMs").getByRole("link").first()
    const iccid = await link.innerText()
    await page().getByLabel("Find", { exact: true }).fill(World.iccid(40))
    const box = await link.boundingBox()
    const read = page().waitForResponse(/\/sims\?.*search=/)
    await page().mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
    await page().mouse.down()
    await read
    // The list is drawn again after that, if it is.
    await page().evaluate("new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))")
    await page().mouse.up()
    await heading(`SIM ${iccid}`)
    await page().goBack()
    await expect.poll(() => region("SIMs").getByRole("link").allInnerTexts()).toEqual([World.iccid(40)])
  })

  it("stays when the session ends, which the page says; another operator does not get it", async () => {
    await signIn(ofSim(sold))
    await click("Send an SMS")
    await dialog().getByLabel("From").fill("Acme")
    await page().context().clearCookies()
    await page().getByText("Your session has ended. Sign in to go on: what you have typed stays.").waitFor()
    await expect.poll(() => page().locator("main").isVisible()).toBe(false)
    await page().keyboard.press("Escape")
    await page().getByLabel("Your operator's token").fill(World.ADMIN_TOKEN)
    await click("Sign in")
    await expect.poll(() => page().getByText("Your session has ended.").count()).toBe(0)
    await expect.poll(() => dialog().getByLabel("From").inputValue()).toBe("Acme")
    await dialog().getByLabel("Text").fill("Hello")
    await click("Send an SMS", dialog())
    await page().locator("[data-done]").getByText(/sent/).waitFor()

    await click("Send an SMS")
    await dialog().getByLabel("From").fill("Acme")
    const { body } = await world().admin("POST", "/operators", { name: "Grace", role: "support" })
    Leaks.know(body.data.token)
    await page().context().clearCookies()
    await page().getByLabel("Your operator's token").fill(body.data.token)
    await click("Sign in")
    await page().getByText("Grace").waitFor()
    await expect.poll(() => dialog().count()).toBe(0)
  })
})
