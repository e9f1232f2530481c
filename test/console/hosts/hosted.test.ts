/**
 * The console in a host: below a prefix, with the host's own login and policy, and behind a proxy.
 * What another site has a browser ask for is refused, though the browser sends the host's cookie
 * along.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as BuiltCopy from "../../cli/BuiltCopy.ts"
import * as Chromium from "../../playground/Chromium.ts"
import * as Proxy from "./Proxy.ts"

/**
 * A name that is no loopback's: without TLS browsers say of it only which page asks, and not of
 * which site it is.
 */
const NAME = "shop.example"
const PREFIX = "/ops"

const script = fileURLToPath(new URL("Host.mjs", import.meta.url))

interface Host {
  readonly url: string
  readonly child: ChildProcess
}

const startHost = async (copy: string, trustedProxies: number): Promise<Host> => {
  const child = spawn(process.execPath, ["--no-warnings", script, copy, String(trustedProxies), Proxy.POLICY], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [url] = await once(createInterface({ input: child.stdout }), "line")
  return { url: String(url), child }
}

let hosts: ReadonlyArray<Host> = []
let [direct, proxied]: [string, string] = ["", ""]
let proxy: Proxy.Proxy | undefined
let browser: Browser | undefined
let context: BrowserContext
let page: Page
let complaints: Array<string> = []

beforeAll(async () => {
  const { main } = await BuiltCopy.shared()
  const copy = join(dirname(main), "../../..")
  hosts = await Promise.all([startHost(copy, 0), startHost(copy, 1)])
  direct = hosts[0]?.url ?? ""
  proxy = await Proxy.start(PREFIX, () => hosts[1]?.url ?? "", "http")
  proxied = `http://${NAME}:${proxy.port}${PREFIX}`
  browser = await Chromium.launch([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`])
}, Chromium.SET_UP)
afterAll(async () => {
  await browser?.close()
  await proxy?.close()
  for (const { child } of hosts) child.kill()
})
beforeEach(async () => {
  if (browser === undefined) throw new Error("No browser is open")
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  page = await context.newPage()
  complaints = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on("pageerror", (error) => complaints.push(error.message))
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await context.close()
})

const expectComplaint = (text: RegExp): void => {
  complaints = complaints.filter((one) => !text.test(one))
}

/** Who asks first is not signed in, and the shop has no picture for the browser's tab. */
const open = async (at: string, query = ""): Promise<void> => {
  await page.goto(`${at}/esim/admin/console${query}`)
}

const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor()

/** Signs in at the shop, which leads to the console. */
const logIn = async (at: string, actor: string, role: string, organizationId = ""): Promise<void> => {
  await page.goto(`${at}/login`)
  await page.getByLabel("Name").fill(actor)
  await page.getByLabel("Role").fill(role)
  await page.getByLabel("Organization").fill(organizationId)
  await page.getByRole("button", { name: "Log in" }).click()
  await heading("Overview")
  // No page of the shop names a picture for the tab, so that browsers ask for one.
  expectComplaint(/favicon/)
}

/** What the page gets that a person on it asks for. */
const asked = (method: string, path: string, body?: object) =>
  page.evaluate(
    async ([how, where, sent]: ReadonlyArray<string>) => {
      const json = { "content-type": "application/json" }
      const answer = await fetch(`v1${where}`, {
        method: how ?? "",
        ...(sent !== "" && { body: sent ?? "", headers: json })
      })
      return { status: answer.status, text: await answer.text() }
    },
    [method, path, body === undefined ? "" : JSON.stringify(body)]
  )

const data = async (path: string) => JSON.parse((await asked("GET", path)).text).data

const create = async (name: string): Promise<void> => {
  await page.getByRole("navigation").getByRole("link", { name: "Organizations" }).click()
  await page.getByRole("button", { name: "Create an organization" }).click()
  await page.getByRole("dialog").getByLabel("Name").fill(name)
  await page.getByRole("dialog").getByRole("button", { name: "Create an organization" }).click()
}

const named = async (): Promise<ReadonlyArray<{ readonly name: string; readonly organization_id: string }>> =>
  data("/organizations")

describe.each([
  ["itself", () => direct],
  ["behind a proxy, by a name and without TLS", () => proxied]
])("a host %s", (where, at) => {
  it("lets its own people in, who read and change what their roles allow", async () => {
    await open(at())
    await page.getByText("You are not signed in where this console is served.").waitFor()
    expectComplaint(/status of 401/)
    await expect.poll(() => page.getByLabel("Your operator's token").count()).toBe(0)
    await logIn(at(), "ada", "admin")
    await expect.poll(() => page.locator(".who").innerText()).toMatch(/^ada\s+\(admin\)$/)
    await expect.poll(() => page.getByRole("button", { name: "Sign out" }).count()).toBe(0)
    await page.getByText("It answers.").waitFor()
    await create(`Made at ${where}`)
    await page.getByText("The organization is made.").waitFor()
    const made = (await named()).find(({ name }) => name === `Made at ${where}`)
    const [entry] = await data(`/organizations/${made?.organization_id}/audit`)
    expect([entry.actor, entry.action]).toEqual(["ada", "organization.create"])
    await page.reload()
    await page.getByText(`Made at ${where}`).first().waitFor()
  })

  it("has the console's policy on its page, whatever its own is", async () => {
    const answer = await page.goto(`${at()}/esim/admin/console`)
    const policy = (await answer?.allHeaders())?.["content-security-policy"] ?? ""
    expect(policy).toContain("default-src 'none'; script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    await page.getByText("You are not signed in").waitFor()
    expectComplaint(/status of 401/)
  })

  it("lets whoever only reads change nothing, by the page or past it", async () => {
    await logIn(at(), "rea", "read")
    await page.getByRole("navigation").getByRole("link", { name: "Organizations" }).click()
    await heading("Organizations")
    await expect.poll(() => page.getByRole("button", { name: "Create an organization" }).count()).toBe(0)
    expect((await asked("POST", "/organizations", { name: "Past the page" })).status).toBe(403)
    expect((await named()).map(({ name }) => name)).not.toContain("Past the page")
    expectComplaint(/status of 403/)
  })

  it("shows whoever is bound to an organization nothing else", async () => {
    await logIn(at(), "ada", "admin")
    for (const name of ["Ours", "Theirs"]) await asked("POST", "/organizations", { name })
    const all = await named()
    const idOf = (asked: string) => all.find(({ name }) => name === asked)?.organization_id ?? ""
    await logIn(at(), "bob", "support", idOf("Ours"))
    expect((await named()).map(({ name }) => name)).toEqual(["Ours"])
    await open(at(), `?page=subscriptions&of=${idOf("Theirs")}`)
    await page.getByRole("alert").first().waitFor()
    await expect.poll(() => page.locator("main").innerText()).not.toContain("Theirs")
    expectComplaint(/status of 404/)
  })

  it("says so where its login has ended meanwhile, and goes on with the next one", async () => {
    await logIn(at(), "ada", "admin")
    await page.evaluate((address) => fetch(address, { method: "POST" }), `${at()}/logout`)
    await page.getByText("You are not signed in where this console is served.").waitFor()
    expectComplaint(/status of 401/)
    await logIn(at(), "ada", "admin")
  })
})

describe("a page of another origin", () => {
  let evil: Server | undefined
  let address = ""

  /**
   * Has the browser ask for changes in each way that a page can without the other one's leave, and
   * for the console in a frame.
   */
  const attack = () => `<!doctype html><html lang="en"><title>Evil</title>
    <iframe id="frame" src="${direct}/esim/admin/console" title="frame"></iframe>
    <form id="form" method="post" enctype="text/plain" action="${direct}/esim/admin/v1/organizations">
      <input name='{"name":"By a form","x":"' value='"}'></form>
    <script>
      const at = "${direct}/esim/admin/v1/organizations"
      const sent = { method: "POST", mode: "no-cors", credentials: "include", body: '{"name":"By a script"}' }
      window.done = Promise.allSettled([
        fetch(at, sent),
        fetch(at, { ...sent, mode: "cors" }),
        fetch(at, { ...sent, mode: "cors", headers: { "content-type": "application/json" } }),
        fetch(at, { mode: "cors", credentials: "include" }).then((answer) => answer.text())
      ]).then((all) => all.map(({ status }) => status))
    </script>`

  beforeAll(async () => {
    evil = createServer((_, response) => response.setHeader("content-type", "text/html").end(attack()))
    await new Promise<void>((resolve) => evil?.listen(0, "127.0.0.1", resolve))
    const bound = evil.address()
    // Another port is another origin of the same site, to which the browser sends the shop's
    // cookie.
    address = `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`
  })
  afterAll(() => {
    evil?.closeAllConnections()
    evil?.close()
  })

  it("changes nothing, reads nothing and frames nothing, though the browser sends the login along", async () => {
    await logIn(direct, "ada", "admin")
    const before = (await named()).length
    const seen = async (): Promise<ReadonlyArray<unknown>> => JSON.parse(await (await fetch(`${direct}/seen`)).text())
    const seenBefore = (await seen()).length
    await page.goto(address)
    expect(await page.evaluate("window.done")).toEqual(["fulfilled", "rejected", "rejected", "rejected"])
    const frame = page.frames().find((one) => one !== page.mainFrame())
    expect(await frame?.evaluate("document.getElementById('console')")).toBeNull()
    await page.evaluate("document.getElementById('form').submit()")
    await page.getByText("the request comes from a page of another origin").waitFor()
    expect((await seen()).slice(seenBefore)).toEqual(Array.from({ length: 3 }, () => ["same-site", "ada"]))
    complaints = []
    await open(direct, "?page=organizations")
    await heading("Organizations")
    expect((await named()).length).toBe(before)
  })
})

it("a host that trusts no proxy takes no word of one for where a page is from", async () => {
  const form = new URLSearchParams({ actor: "ada", role: "admin" })
  const login = async (at: string): Promise<string> => {
    const answer = await fetch(`${at}/login`, { method: "POST", body: form, redirect: "manual" })
    return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
  }
  const [untrusting = "", trusting = ""] = hosts.map(({ url }) => url)
  const write = async (at: string, headers: Readonly<Record<string, string>>) => {
    const sent = { "content-type": "application/json", cookie: await login(at), ...headers }
    const body = JSON.stringify({ name: "Acme" })
    return (await fetch(`${at}/esim/admin/v1/organizations`, { method: "POST", headers: sent, body })).status
  }
  const forwarded = { origin: "http://shop.example", "x-forwarded-host": "shop.example" }
  expect(await write(untrusting, forwarded)).toBe(403)
  expect(await write(trusting, forwarded)).toBe(201)
  expect(await write(trusting, { ...forwarded, "x-forwarded-host": "shop.example, shop.example" })).toBe(201)
  expect(await write(trusting, { ...forwarded, "x-forwarded-host": "shop.example, other.example" })).toBe(403)
  expect(await write(trusting, { ...forwarded, origin: "http://evil.example" })).toBe(403)
  expect(await write(trusting, { ...forwarded, origin: "null" })).toBe(403)
  expect(await write(trusting, { "x-forwarded-host": "shop.example" })).toBe(403)
  expect(await write(trusting, { ...forwarded, "sec-fetch-site": "same-site" })).toBe(403)
})
