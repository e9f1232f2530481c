/**
 * What somebody may try who has a customer's API key, an operator's token of little worth, or a
 * link that others open: nothing of it is markup, leads to another address, or does what the role
 * may not.
 */
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as Inventory from "../../http/Inventory.ts"
import * as World from "../../http/World.ts"
import * as Opened from "../Opened.ts"

const HOSTILE = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>{{7*7}}`

let [of, other] = ["", ""]
const [sold, broken] = [World.iccid(1), World.iccid(2)]

/** An organization whose texts are hostile wherever somebody may write one, and one without. */
const opened = Opened.forFile({ telcos: undefined }, async (world) => {
  const { coverageId, plan } = await Inventory.stock(world, 100, 1)
  expect([coverageId, await plan({ name: HOSTILE })]).toEqual([expect.any(String), expect.any(String)])
  const made = await world.admin("POST", "/organizations", { name: HOSTILE })
  of = made.body.data.organization_id
  const path = `/organizations/${of}`
  await world.admin("POST", `${path}/sims`, { sims: Inventory.esims(1, 3) })
  const { body } = await world.admin("POST", `${path}/api-keys`, { name: HOSTILE })
  const key: string = body.data.key
  const call = (method: string, route: string, sent?: object) =>
    world.fetch(method, route, { headers: { "x-api-key": key }, ...(sent && { body: sent }) })
  const sellable = await call("POST", "/v3/plans", Inventory.planBody(coverageId, { name: HOSTILE }))
  for (const iccid of [sold, broken]) {
    await call("POST", "/v3/subscription", { plan_id: sellable.body.plan_id, metadata: HOSTILE, iccid })
  }
  const hook = { url: "https://hooks.example/", description: HOSTILE, events: ["subscription.created"] }
  await world.admin("POST", `${path}/webhook-endpoints`, hook)
  const refusal = { fault: "refuse", on: "cancelPackage", message: HOSTILE } as const
  await world.run(TelcoSimulator.TelcoSimulator.use((simulator) => simulator.setFaults([refusal])))
  await call("DELETE", `/v3/subscriptions/${broken}`)
  await world.admin("POST", "/clock/advance", { by: "1 hour" })
  await world.admin("POST", "/operators", { name: HOSTILE, role: "read" })
  const another = await world.admin("POST", "/organizations", { name: "Theirs" })
  other = another.body.data.organization_id
})

const { heading, page, signIn, signInAs, world } = opened

const settled = async (): Promise<void> => {
  await page().locator("main h1").waitFor()
  await expect.poll(() => page().locator("main").innerText()).not.toContain("Reading …")
}

const go = async (query: string): Promise<void> => {
  await page().goto(`${world().url}/admin/console${query}`)
  await settled()
}

describe("a text that is markup", () => {
  const pages: ReadonlyArray<readonly [name: string, query: () => string]> = [
    ["the first page", () => ""],
    ["problems", () => "?page=problems"],
    ["organizations", () => "?page=organizations"],
    ["subscriptions", () => `?page=subscriptions&of=${of}`],
    ["plans", () => `?page=plans&of=${of}`],
    ["deliveries", () => `?page=deliveries&of=${of}`],
    ["keys", () => `?page=keys&of=${of}`],
    ["endpoints", () => `?page=endpoints&of=${of}`],
    ["the audit log", () => `?page=audit&of=${of}`],
    ["operators", () => "?page=operators"],
    ["a SIM", () => `?page=sim&of=${of}&iccid=${sold}`],
    ["a search", () => `?page=search&q=${encodeURIComponent(HOSTILE)}`]
  ]

  it.each(pages)("is a text on %s", async (_, query) => {
    await signIn("")
    await go(query())
    await expect
      .poll(() => page().locator("body").innerText())
      .toContain("<script>document.title='run'</script>{{7*7}}")
    await expect
      .poll(() => page().locator("main :is(img, script, iframe, object, [onerror], [onload], [style])").count())
      .toBe(0)
    await expect.poll(() => page().title()).toMatch(/ – simplan console$/)
  })
})

describe("a link that others open", () => {
  it("asks for no other address by an id of dots", async () => {
    await signIn("")
    const asked: Array<string> = []
    page().on("request", (request) => asked.push(new URL(request.url()).pathname))
    for (const query of ["page=sim&of=%s&iccid=..", "page=sim&of=..&iccid=.", "page=keys&of=..", "page=sims&of=."]) {
      await go(`?${query.replace("%s", of)}`)
      await page().getByText("There is nothing of this name.").first().waitFor()
    }
    // The header has the name of the organization at hand.
    const known = ["whoami", "clock", "overview", "problems", `organizations/${of}`].map((name) => `/admin/v1/${name}`)
    const called = asked.filter((path) => path.startsWith("/admin/v1/") && !known.includes(path))
    expect(called).toEqual([])
  })

  it("says nothing in the name of an identity provider that it does not know", async () => {
    for (const name of ["constructor", "toString", "__proto__", "<b>"]) {
      await page().goto(`${world().url}/admin/console?sign_in=${encodeURIComponent(name)}`)
      await heading("Sign in")
      await expect.poll(() => page().getByRole("alert").count()).toBe(0)
    }
  })
})

describe("whoever is signed in", () => {
  /** Asks as the page does: by the cookie, from the same origin. */
  const asked = (method: string, path: string, body?: object) =>
    page().evaluate(
      async ([how = "", where = "", sent = ""]: ReadonlyArray<string>) => {
        const json = { "content-type": "application/json" }
        return (await fetch(`v1${where}`, { method: how, ...(sent !== "" && { body: sent, headers: json }) })).status
      },
      [method, path, body === undefined ? "" : JSON.stringify(body)]
    )

  it("has a cookie that no script of the page reads", async () => {
    await signIn("")
    await expect.poll(() => page().evaluate("document.cookie")).toBe("")
    expect(await page().context().cookies(`${world().url}/admin/v1`)).toMatchObject([
      { httpOnly: true, sameSite: "Strict", path: "/admin/v1" }
    ])
  })

  it("does past the page no more than the role may", async () => {
    await signInAs("support", "")
    const statuses = [
      await asked("POST", "/operators", { name: "Mallory", role: "admin" }),
      await asked("POST", "/organizations", { name: "Mallory's" }),
      await asked("POST", `/organizations/${of}/api-keys`, { name: "Mallory's" }),
      await asked("POST", "/clock/advance", { by: "1 day" }),
      await asked("PUT", "/catalogue", {}),
      await asked("POST", `/organizations/${of}/sims?dry_run=true`, { sims: [] })
    ]
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403])
    opened.expectComplaint(/status of 403/)
  })

  it("is bound to one organization also past the page, and by a link to another one", async () => {
    await signInAs("admin", "", of)
    expect(await asked("GET", `/organizations/${of}/sims`)).toBe(200)
    for (const path of [
      `/organizations/${other}`,
      `/organizations/${other}/sims`,
      "/audit",
      "/operators",
      "/jobs?x=1"
    ]) {
      expect([path, await asked("GET", path)]).not.toEqual([path, 200])
    }
    expect(await asked("POST", `/organizations/${other}/api-keys`, { name: "Mallory's" })).toBe(404)
    expect(await asked("POST", "/operators", { name: "Mallory", role: "admin" })).toBe(404)
    for (const query of [
      `page=sims&of=${other}`,
      `page=audit&of=${other}`,
      "page=operators",
      `page=keys&of=${other}`
    ]) {
      await go(`?${query}`)
      expect([query, await page().locator("body").innerText()]).toEqual([query, expect.not.stringContaining("Theirs")])
    }
    opened.expectComplaint(/status of 40[04]/)
  })
})
