/**
 * What an organization has, in the console: its API keys and its webhook endpoints.
 */
import { describe, expect, it } from "vitest"
import * as Leaks from "../setup/Leaks.ts"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Opened from "./Opened.ts"

const HOSTILE = `<img src=x onerror="document.title='run'">`
let of = ""

const opened = Opened.forFile({}, async (world) => {
  const { body } = await world.admin("POST", "/organizations", { name: HOSTILE })
  of = body.data.organization_id
})

const { check, click, clicks, heading, page, region, signIn, signInAs, world } = opened

const dialog = () => page().getByRole("dialog")
const said = () => page().locator("[data-done]").innerText()
const rows = (label: string) => region(label).locator("tbody tr")

const confirm = async (name: string): Promise<void> => {
  await click(name, dialog())
}

/** The secret that is shown, which no later page shows. */
const secret = async (): Promise<string> => {
  const text = await page().locator("[data-secret]").innerText()
  Leaks.know(text)
  return text
}

const statusOf = async (key: string): Promise<number> =>
  (await world().fetch("GET", "/v3/plans", { headers: { "x-api-key": key } })).status

const kept = async (what: string) => (await world().admin("GET", `/organizations/${of}/${what}`)).body.data

describe("the organizations", () => {
  it("are made by admins, and lead to all that each has", async () => {
    await signIn("?page=organizations")
    await click("Create an organization")
    await dialog().getByLabel("Name").fill("Beta")
    await confirm("Create an organization")
    await expect.poll(said).toBe("The organization is made.")
    await check()
    const row = rows("Organizations").filter({ hasText: "Beta" })
    for (const name of ["Keys", "Endpoints", "SIMs", "Deliveries"]) {
      await row.getByRole("link", { name }).click()
      await heading(name)
      await page().goBack()
      await heading("Organizations")
    }
    await row.getByRole("link", { name: "Audit log" }).click()
    await region("Audit log").getByText("Organization created").waitFor()
  })
})

describe("the organization at hand", () => {
  const switcher = () =>
    page()
      .getByRole("banner")
      .getByRole("button", { name: /^Organization: / })

  it("is there on every page, and another one is found by its name and kept in the URL", async () => {
    const { body } = await world().admin("POST", "/organizations", { name: "Gamma Mobile" })
    const gamma: string = body.data.organization_id
    // No page asks for a choice first: the oldest one is at hand.
    await signIn("?page=sims")
    await expect.poll(() => page().url()).toContain("&of=")
    for (const name of ["Subscriptions", "Deliveries", "Usage", "SIMs"]) {
      await page().getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click()
      await heading(name)
      await expect.poll(() => page().locator("main").innerText()).not.toMatch(/choose/i)
    }
    await switcher().click()
    await dialog().getByRole("searchbox").fill("gamma")
    await expect.poll(() => dialog().getByRole("listitem").allInnerTexts()).toEqual(["Gamma Mobile"])
    await check()
    await page().keyboard.press("Enter")
    await expect.poll(() => page().url()).toContain(`page=sims&of=${gamma}`)
    await expect.poll(() => switcher().innerText()).toContain("Gamma Mobile")
    await page().getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Usage", exact: true }).click()
    await heading("Usage")
    expect(page().url()).toContain(gamma)
    await page().reload()
    await expect.poll(() => switcher().innerText()).toContain("Gamma Mobile")
    await switcher().click()
    await dialog().getByRole("searchbox").fill("nobody has this name")
    await dialog().getByText("None has this name.").waitFor()
    await dialog().getByRole("searchbox").fill("<img")
    await dialog().getByRole("link").first().click()
    await expect.poll(() => page().url()).toContain(`page=usage&of=${of}`)
  })

  it("has a page of what it has, sells and uses, and of who may act for it", async () => {
    const { body } = await world().admin("POST", "/organizations", { name: "Delta" })
    const delta: string = body.data.organization_id
    const iccids = [World.iccid(900), World.iccid(901)]
    const sims = iccids.map((iccid) => ({
      iccid,
      label: "Green",
      is_esim: true,
      lpa: `LPA:1$smdp.example.com$${iccid}`
    }))
    await world().admin("POST", `/organizations/${delta}/sims`, { sims })
    const key = await world().admin("POST", `/organizations/${delta}/api-keys`, { name: "the shop's" })
    Leaks.know(key.body.data.key)
    const desk = await world().admin("POST", "/operators", { name: "Dora", role: "support", organization_id: delta })
    Leaks.know(desk.body.data.token)
    await signIn(`?page=organization&of=${delta}`)
    await heading("Organization")
    await expect.poll(() => region("Stock").innerText()).toMatch(/Green\s+2\s+0/)
    await expect
      .poll(() => region("People and keys").innerText())
      .toMatch(/Dora\s+an operator: support[\s\S]*the shop's\s+an API key: full/)
    for (const text of ["It sells no plans yet.", "Its events are sent nowhere.", "Nothing was used"]) {
      await page().getByText(text).waitFor()
    }
    await check()
    await page().getByRole("heading", { name: "Plans" }).getByRole("link").click()
    await heading("Plans")
  })

  it("is the only one of an operator who sees no other, and cannot be changed", async () => {
    const { body } = await world().admin("POST", "/organizations", { name: "Zeta" })
    const sims = [{ iccid: World.iccid(930), label: "Green", is_esim: false }]
    await world().admin("POST", `/organizations/${body.data.organization_id}/sims`, { sims })
    await signInAs("read", "?page=organization", body.data.organization_id)
    await expect.poll(() => region("Stock").innerText()).toContain("Green")
    await page().getByRole("banner").getByRole("link", { name: "Zeta" }).waitFor()
    await expect.poll(() => switcher().count()).toBe(0)
    await expect.poll(() => page().getByRole("alert").allInnerTexts()).toEqual([])
  })
})

describe("a SIM that a search finds by its note", () => {
  it("is listed with its state, plan and note, and its page names its organization, numbers and notes", async () => {
    const { planId, tenant } = await Inventory.stock(world(), 950, 3)
    const [first, second] = [World.iccid(950), World.iccid(951)]
    const identities = { imsi: "208930000000950", msisdn: "33612345950" }
    const sim = { ...Inventory.esims(950, 1)[0], ...identities }
    await world().admin("POST", `/organizations/${tenant.organizationId}/sims`, { sims: [sim] })
    for (const [iccid, metadata] of [
      [first, "Table 4, Ms Lindqvist <eva@example.com>"],
      [first, "top-up for Lindqvist"],
      [second, "Mr Lindqvist"]
    ]) {
      await tenant.post("/v3/subscription", { plan_id: planId, metadata, iccid })
    }
    await tenant.post(`/v3/subscriptions/${second}/pause`, {})
    await signIn("")
    const search = async (text: string) => {
      await page().getByRole("searchbox", { name: "Search for SIMs" }).fill(text)
      await page().keyboard.press("Enter")
    }
    await search("lindqvist")
    await heading("Search: lindqvist")
    await expect.poll(() => rows("SIMs").count()).toBe(2)
    const [one, other] = await rows("SIMs").allInnerTexts()
    expect(one).toMatch(/in use\s+France 1 GB\s+Table 4, Ms Lindqvist <eva@example.com>/)
    expect(other).toMatch(/in use, paused\s+France 1 GB\s+Mr Lindqvist/)
    await check()
    // As it is dialled in its country.
    await search("06 12 34 59 50")
    await heading(`SIM ${first}`)
    const identity = () => page().locator("[data-identity]").innerText()
    await expect.poll(identity).toMatch(/Organization\s+Acme/)
    expect(await identity()).toMatch(/Phone number\s+\+33612345950\s+IMSI\s+208930000000950/)
    await expect.poll(() => region("Plans").innerText()).toContain("top-up for Lindqvist")
    await page().locator("[data-identity]").getByRole("link", { name: "Acme" }).click()
    await heading("Organization")
  })
})

describe("the audit log of an organization", () => {
  it("is narrowed by SIM, kind, whoever in any case, and time, and has one row for what one request did", async () => {
    const { body } = await world().admin("POST", "/organizations", { name: "Epsilon" })
    const epsilon: string = body.data.organization_id
    const iccids = Array.from({ length: 5 }, (_, index) => World.iccid(910 + index))
    const sims = iccids.map((iccid) => ({ iccid, label: "Green", is_esim: true }))
    await world().admin("POST", `/organizations/${epsilon}/sims`, { sims })
    await world().admin("POST", `/organizations/${epsilon}/sims/actions`, {
      action: "withdraw",
      all: true,
      reason: "lost"
    })
    await world().admin("PATCH", `/organizations/${epsilon}/sims/${iccids[0]}`, { status: "available" })
    await signIn(`?page=audit&of=${epsilon}`)
    const run = rows("Audit log").filter({ hasText: "SIM withdrawn" })
    await run.first().waitFor()
    await expect.poll(() => run.count()).toBe(1)
    await run.getByText("5 by one request").click()
    expect((await run.getByRole("listitem").allInnerTexts()).toSorted()).toEqual(
      iccids.map((iccid) => `${iccid} status: available → withdrawn, lost`)
    )
    await check()
    const kinds = async () => (await rows("Audit log").locator("td:nth-child(3)").allInnerTexts()).toSorted()
    await page()
      .getByLabel("SIM, or id")
      .fill(iccids[0] ?? "")
    await page().keyboard.press("Tab")
    await expect.poll(kinds).toEqual(["SIM put back into stock", "SIM withdrawn"])
    await page().getByLabel("What", { exact: true }).selectOption("SIM put back into stock")
    await expect.poll(kinds).toEqual(["SIM put back into stock"])
    await rows("Audit log").getByText("status: withdrawn, lost → available").waitFor()
    await rows("Audit log")
      .getByRole("link", { name: iccids[0] ?? "", exact: true })
      .waitFor()
    await page().getByLabel("Only by").fill("BootStrap")
    await page().keyboard.press("Tab")
    await expect.poll(() => page().url()).toContain("q=BootStrap")
    await expect.poll(kinds).toEqual(["SIM put back into stock"])
    await page().getByLabel("Until (UTC)").fill("2026-01-01T00:00")
    await page().getByText("There are no such changes.").waitFor()
  })
})

describe("the keys of an organization", () => {
  it("are made with a secret that is shown once", async () => {
    await signIn(`?page=keys&of=${of}`)
    await page().getByText("nothing can call the API for it").waitFor()
    await click("Create a key")
    await dialog().getByLabel("Name").fill(HOSTILE)
    await dialog().getByLabel("It ends (UTC)").fill("2026-03-01T10:00")
    await check()
    await confirm("Create a key")
    await expect.poll(said).toBe("The key is made.")
    const key = await secret()
    expect(await statusOf(key)).toBe(200)
    await check()
    expect(await kept("api-keys")).toMatchObject([
      { name: HOSTILE, scope: "full", expires_at: "2026-03-01T10:00:00.000Z", hint: key.slice(-4) }
    ])
    await click("Hide it")
    await expect.poll(() => page().locator("main").innerText()).not.toContain(key)
    await expect.poll(() => page().locator("main img").count()).toBe(0)
  })

  it("go on beside the next secret, as long as is chosen, until they are revoked", async () => {
    const { body } = await world().admin("POST", `/organizations/${of}/api-keys`, { name: "shop", scope: "read" })
    const before: string = body.data.key
    await signIn(`?page=keys&of=${of}`)
    const row = rows("Keys").filter({ hasText: "shop" }).first()
    await expect.poll(() => row.innerText()).toContain("never")
    const replace = async (goesOn: string) => {
      await row.getByRole("button", { name: "Replace the secret" }).click()
      await dialog().getByLabel("The secret before goes on").selectOption(goesOn)
      await confirm("Replace the secret")
      await expect.poll(said).toBe("The key is made.")
      return secret()
    }
    const after = await replace("for a day")
    expect([await statusOf(before), await statusOf(after)]).toEqual([200, 200])
    await expect.poll(() => row.innerText()).toContain("The secret before goes on until")
    await check()
    const last = await replace("not at all")
    expect([await statusOf(before), await statusOf(after), await statusOf(last)]).toEqual([401, 401, 200])
    await expect.poll(() => row.innerText()).not.toContain("goes on until")
    await expect.poll(() => row.innerText()).not.toContain("never")
    await row.getByRole("button", { name: "Revoke" }).click()
    await dialog().getByLabel("Type shop to go on").fill("shop")
    await confirm("Revoke")
    await expect.poll(said).toBe("The key is revoked.")
    expect(await statusOf(last)).toBe(401)
    await expect.poll(() => row.getByRole("button").count()).toBe(0)
  })

  it("are shown to who only reads, who is offered nothing", async () => {
    await signInAs("read", `?page=keys&of=${of}`)
    await rows("Keys").first().waitFor()
    await expect.poll(() => page().locator("main button:not(.copies)").count()).toBe(0)
  })
})

describe("the endpoints of an organization", () => {
  it("an addition that is refused keeps its form, and shows its secret once when it is taken", async () => {
    await signIn(`?page=endpoints&of=${of}`)
    await page().getByText("its events are sent nowhere").waitFor()
    await click("Add an endpoint")
    await dialog().getByLabel("URL").fill("http://hooks.example/")
    await dialog().getByLabel("Description").fill(HOSTILE)
    await dialog().getByLabel("stock.low").check()
    await confirm("Add an endpoint")
    await expect.poll(() => dialog().getByRole("alert").innerText()).toContain("must start with https://")
    await expect.poll(() => dialog().getByLabel("URL").inputValue()).toBe("http://hooks.example/")
    expect(await dialog().getByLabel("stock.low").isChecked()).toBe(true)
    await check()
    await dialog().getByLabel("URL").fill("https://hooks.example/")
    await confirm("Add an endpoint")
    await expect.poll(said).toBe("The endpoint is added. Its signing key:")
    expect(await secret()).toMatch(/^whsec_/)
    expect(await kept("webhook-endpoints")).toMatchObject([
      {
        url: "https://hooks.example/",
        description: HOSTILE,
        events: [
          "attachment.allowanceConsumed",
          "subscription.esim.locationChanged",
          "esim.smdp.stateChanged",
          "stock.low"
        ]
      }
    ])
    await check()
    opened.expectComplaint(/status of 400/)
  })

  it("are tested, changed, disabled, enabled and deleted", async () => {
    await signIn(`?page=endpoints&of=${of}`)
    await click("Test")
    await expect.poll(async () => (await kept("deliveries")).length).toBe(1)
    await click("Change")
    await dialog().getByLabel("Description").fill("orders")
    await dialog().getByLabel("stock.low").uncheck()
    await confirm("Change")
    await expect.poll(said).toBe("The endpoint is changed.")
    expect((await kept("webhook-endpoints"))[0]).toMatchObject({ url: "https://hooks.example/", description: "orders" })
    await click("Make another signing key")
    await confirm("Make another signing key")
    await expect.poll(said).toContain("signs along for 24 h")
    expect(await secret()).toMatch(/^whsec_/)
    for (const [name, done] of [
      ["Disable", "disabled"],
      ["Enable", "enabled"]
    ] as const) {
      await click(name)
      await confirm(name)
      await expect.poll(said).toBe(`The endpoint is ${done}.`)
      expect((await kept("webhook-endpoints"))[0].enabled).toBe(name === "Enable")
    }
    const before = clicks()
    await click("Delete")
    await dialog().getByText("It ends for good").waitFor()
    await expect.poll(() => dialog().getByRole("button", { name: "Delete" }).isDisabled()).toBe(true)
    await dialog().getByLabel("Type hooks.example to go on").fill("hooks.example")
    await check()
    await confirm("Delete")
    await expect.poll(said).toBe("The endpoint is deleted.")
    expect(clicks() - before).toBe(2)
    await page().getByText("its events are sent nowhere").waitFor()
  })

  it("are tested by support, who changes none", async () => {
    await world().admin("POST", `/organizations/${of}/webhook-endpoints`, { url: "https://hooks.example/" })
    await signInAs("support", `?page=endpoints&of=${of}`)
    await rows("Endpoints").first().waitFor()
    await expect.poll(() => page().locator("main button:not(.copies)").allInnerTexts()).toEqual(["Test"])
  })
})

describe("the operators", () => {
  const nameOf = async (token: string) => {
    const { body, status } = await world().fetch("GET", "/admin/v1/whoami", {
      headers: { authorization: `Bearer ${token}` }
    })
    return status === 200 ? [body.data.name, body.data.role, body.data.organization_id] : status
  }

  it("are made with a token that is shown once, get another one, and are deleted", async () => {
    await signIn("?page=operators")
    await click("Create an operator")
    await dialog().getByLabel("Name").fill(HOSTILE)
    await dialog().getByLabel("It may").selectOption("support")
    await dialog().getByLabel("It sees").selectOption({ label: HOSTILE })
    await confirm("Create an operator")
    await expect.poll(said).toBe("The operator is made. Its token:")
    const first = await secret()
    expect(await nameOf(first)).toEqual([HOSTILE, "support", of])
    await check()
    const row = rows("Operators").filter({ hasText: HOSTILE })
    await row.getByRole("button", { name: "Replace the token" }).click()
    await confirm("Replace the token")
    await expect.poll(said).toBe("The token is made; the one before goes on for 24 h.")
    const second = await secret()
    expect([await nameOf(first), await nameOf(second)]).toEqual([
      [HOSTILE, "support", of],
      [HOSTILE, "support", of]
    ])
    await row.getByTitle(of, { exact: true }).waitFor()
    await row.getByRole("button", { name: "Change the role" }).click()
    await dialog().getByText("It may do that already").waitFor()
    await dialog().getByLabel("It may").selectOption("admin")
    await dialog().getByText("Its token and its sessions go on.").waitFor()
    await confirm("Change the role")
    await expect.poll(said).toBe("The role is changed.")
    expect(await nameOf(second)).toEqual([HOSTILE, "admin", of])
    await row.getByRole("button", { name: "Delete" }).click()
    await dialog().getByLabel("to go on").fill(HOSTILE)
    await confirm("Delete")
    await expect.poll(said).toBe("The operator is deleted.")
    expect([await nameOf(first), await nameOf(second)]).toEqual([401, 401])
    await expect.poll(() => page().locator("main img").count()).toBe(0)
  })
})
