/**
 * Sign-in by OpenID Connect (rule W14), in a real browser at a real provider.
 */
import { Redacted } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import * as World from "../http/World.ts"
import * as Chromium from "../playground/Chromium.ts"
import * as Built from "./Built.ts"
import * as IdentityProvider from "./IdentityProvider.ts"

let built: Built.Built
let browser: Browser
let context: BrowserContext
let page: Page
const opened: Array<() => Promise<void>> = []

beforeAll(async () => {
  built = Built.make()
  browser = await Chromium.launch()
}, Chromium.SET_UP)
afterAll(async () => {
  await browser?.close()
  built?.remove()
})
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
})
afterEach(async () => {
  await context.close()
  for (const close of opened.splice(0)) await close()
})

/** A service and the provider that it trusts. */
const start = async ({ inToken = true, prefix = "", roleClaim = "simplan_role" } = {}) => {
  const provider = await IdentityProvider.start(inToken)
  const redirectUrl = new URL(`http://127.0.0.1${prefix}/admin/v1/signed-in`)
  const world = await World.start({
    console: built.folder,
    ...(prefix !== "" && { prefix }),
    openId: {
      issuer: provider.issuer,
      clientId: IdentityProvider.CLIENT.id,
      clientSecret: Redacted.make(IdentityProvider.CLIENT.secret),
      redirectUrl,
      scope: "openid profile email",
      roleClaim,
      organizationClaim: "simplan_organization",
      nameClaim: "email"
    }
  })
  opened.push(world.close, provider.close)
  // The service has a port now.
  redirectUrl.port = new URL(world.url).port
  provider.open(redirectUrl.href)
  return { provider, world, console: `${world.url}${prefix}/admin/console` }
}

const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor()

/** Signs in at the provider, and allows what the console asks for. */
const enter = async (url: string, user: string) => {
  await page.goto(url)
  await page.getByRole("link", { name: "Sign in with the identity provider" }).click()
  await page.locator("input[name=login]").fill(user)
  await page.locator("input[name=password]").fill("any")
  await page.locator("button[type=submit]").click()
  await page.getByRole("button", { name: "Continue" }).click()
}

const createOrganization = async (url: string): Promise<{ readonly organization_id: string }> => {
  const answer = await fetch(`${url}/admin/v1/organizations`, {
    method: "POST",
    headers: { authorization: `Bearer ${World.ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Bound Ltd" })
  })
  return JSON.parse(await answer.text()).data
}

const whoami = () => page.evaluate("fetch('v1/whoami').then((answer) => answer.json())")

it("whoever the provider gives a role is signed in by name, and signs out", async () => {
  const { console, provider, world } = await start()
  provider.users.set("ada", { email: "ada@example.com", simplan_role: "support" })
  await enter(console, "ada")
  await heading("Overview")
  expect(page.url()).toBe(console)
  expect(await page.locator("header").innerText()).toMatch(/oidc:ada@example\.com\s*\(support\)/)
  await page.reload()
  await heading("Overview")
  expect(await whoami()).toMatchObject({
    data: { name: "oidc:ada@example.com", role: "support", organization_id: null, expires_at: null }
  })
  const [cookie] = (await context.cookies(`${world.url}/admin/v1`)).filter(({ name }) => name === "simplan_session")
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/admin/v1" })
  await page.getByRole("button", { name: "Sign out" }).click()
  await heading("Sign in")
  await page.reload()
  await heading("Sign in")
  const { body } = await world.admin("GET", "/audit?actor=oidc:ada@example.com")
  expect(body.data.map(({ action }: { readonly action: string }) => action).sort()).toEqual([
    "session.create",
    "session.delete"
  ])
})

it("the highest of several roles counts, from the user's information too, and an organization binds", async () => {
  const { console, provider, world } = await start({ inToken: false, prefix: "/esim", roleClaim: "groups" })
  const { organization_id } = await createOrganization(`${world.url}/esim`)
  provider.users.set("desk", { groups: ["staff", "read", "support"], simplan_organization: organization_id })
  await enter(console, "desk")
  await heading("Overview")
  expect(await whoami()).toMatchObject({ data: { name: "oidc:desk", role: "support", organization_id } })
})

it("whoever has no role, or an organization that is none, is told so and is not signed in", async () => {
  const { console, provider } = await start()
  provider.users.set("eve", { simplan_role: "owner" })
  provider.users.set("eva", { simplan_role: "admin", simplan_organization: ["a", "b"] })
  for (const user of ["eve", "eva"]) {
    await context.clearCookies()
    await enter(console, user)
    await heading("Sign in")
    expect(await page.getByRole("alert").innerText()).toContain("gives you no role here")
    expect(await whoami()).toMatchObject({ code: "token_missing" })
  }
})

it("an answer that belongs to no sign-in of this browser begins no session", async () => {
  const { console, provider } = await start()
  provider.users.set("ada", { simplan_role: "admin" })
  await page.goto(console.replace("/console", "/v1/signed-in?code=stolen&state=guessed"))
  expect(await page.getByRole("alert").innerText()).toContain("Begin again")
  // A state of another sign-in than the one that the cookie is of.
  await page.goto(console)
  await page.getByRole("link", { name: "Sign in with the identity provider" }).click()
  await page.locator("input[name=login]").waitFor()
  await page.goto(console.replace("/console", "/v1/signed-in?code=stolen&state=guessed"))
  expect(await page.getByRole("alert").innerText()).toContain("did not sign you in")
  expect(await whoami()).toMatchObject({ code: "token_missing" })
})

it("a provider that gives no answer leaves the token as the way in", async () => {
  const { console, provider } = await start()
  await provider.close()
  await page.goto(console)
  await page.getByRole("link", { name: "Sign in with the identity provider" }).click()
  expect(await page.getByRole("alert").innerText()).toContain("gives no answer")
  await page.getByLabel("Your operator's token").fill(World.ADMIN_TOKEN)
  await page.getByRole("button", { name: "Sign in" }).click()
  await heading("Overview")
})

it("the routes and the link are there only where a provider is named", async () => {
  const world = await World.start({ console: built.folder })
  opened.push(world.close)
  for (const path of ["sign-in", "signed-in"]) {
    expect((await fetch(`${world.url}/admin/v1/${path}`, { redirect: "manual" })).status).toBe(404)
  }
  await page.goto(`${world.url}/admin/console`)
  await heading("Sign in")
  expect(await page.getByRole("link", { name: /identity provider/ }).count()).toBe(0)
})
