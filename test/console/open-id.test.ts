/**
 * Sign-in by OpenID Connect (rule W14), in a real browser at a real provider.
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as World from "../http/World.ts"
import * as SteppedClock from "../setup/SteppedClock.ts"
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
const start = async ({
  inToken = undefined as ReadonlyArray<string> | undefined,
  prefix = "",
  roleClaim = "simplan_role",
  scope = "openid profile email"
} = {}) => {
  let step: (millis: number) => void = () => undefined
  const around = Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (clock) => {
      const stepped = SteppedClock.of(clock)
      step = stepped.step
      return stepped.clock
    })
  )
  const provider = await IdentityProvider.start(inToken)
  const redirectUrl = new URL(`http://127.0.0.1${prefix}/admin/v1/signed-in`)
  const world = await World.start({
    console: built.folder,
    around,
    ...(prefix !== "" && { prefix }),
    openId: {
      issuer: provider.issuer,
      clientId: IdentityProvider.CLIENT.id,
      clientSecret: Redacted.make(IdentityProvider.CLIENT.secret),
      redirectUrl,
      scope,
      roleClaim,
      organizationClaim: "simplan_organization",
      nameClaim: "email",
      renewalMillis: 300_000,
      sessionMillis: 3_600_000
    }
  })
  opened.push(world.close, provider.close)
  // The service has a port now.
  redirectUrl.port = new URL(world.url).port
  provider.open(redirectUrl.href)
  return { provider, world, console: `${world.url}${prefix}/admin/console`, step: (by: number) => step(by) }
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
  await expect.poll(() => page.locator("header").innerText()).toMatch(/oidc:ada@example\.com\s*\(support\)/)
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
  const { console, provider, world } = await start({ inToken: [], prefix: "/esim", roleClaim: "groups" })
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
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("gives you no role here")
    expect(await whoami()).toMatchObject({ code: "token_missing" })
  }
})

describe("claims hold for minutes", () => {
  const MINUTE = 60_000
  const OFFLINE = { scope: "openid profile email offline_access" }
  const header = () => page.locator("header").innerText()
  const sessionOf = async (console: string) =>
    (await context.cookies(console.replace("/console", "/v1"))).find(({ name }) => name === "simplan_session")?.value

  it("another role counts once the provider was asked again, and no role signs out", async () => {
    const { console, provider, step, world } = await start(OFFLINE)
    provider.users.set("ada", { email: "ada@example.com", simplan_role: "admin" })
    await enter(console, "ada")
    await heading("Overview")
    expect(await header()).toContain("(admin)")
    provider.users.set("ada", { email: "ada@example.com", simplan_role: "read" })
    step(4 * MINUTE)
    await page.reload()
    await heading("Overview")
    expect(await header()).toContain("(admin)")
    const before = await sessionOf(console)
    step(MINUTE)
    // The page asks by itself every few seconds.
    await expect.poll(header).toContain("(read)")
    await expect.poll(() => page.getByRole("button", { name: "Sign out" }).count()).toBe(1)
    expect(await sessionOf(console)).not.toBe(before)
    provider.users.set("ada", { email: "ada@example.com" })
    step(5 * MINUTE)
    await heading("Sign in")
    expect(await whoami()).toMatchObject({ code: "token_missing" })
    const { body } = await world.admin("GET", "/audit?actor=oidc:ada@example.com")
    expect(body.data.map(({ action }: { readonly action: string }) => action).sort()).toEqual([
      "session.create",
      "session.delete"
    ])
  })

  it("whom the provider does not know any more is signed out", async () => {
    const { console, provider, step } = await start(OFFLINE)
    provider.users.set("ada", { simplan_role: "support" })
    await enter(console, "ada")
    await heading("Overview")
    provider.users.delete("ada")
    step(5 * MINUTE)
    await heading("Sign in")
  })

  it("nothing is done meanwhile, and nothing changes where a form is open", async () => {
    const { console, provider, step, world } = await start(OFFLINE)
    provider.users.set("ada", { simplan_role: "admin" })
    await enter(console, "ada")
    await page.getByRole("navigation").getByRole("link", { name: "Organizations" }).click()
    await page.getByRole("button", { name: "Create an organization" }).click()
    await page.getByLabel("Name").fill("Acme")
    step(5 * MINUTE)
    const stale = { cookie: `simplan_session=${await sessionOf(console)}`, "sec-fetch-site": "same-origin" }
    const refused = await world.fetch("POST", "/admin/v1/organizations", { headers: stale, body: { name: "Stale" } })
    expect([refused.status, refused.body.code]).toEqual([401, "token_invalid"])
    await page.getByRole("dialog").getByRole("button", { name: "Create an organization" }).click()
    await page.getByText("The organization is made.").waitFor()
    const { body } = await world.admin("GET", "/organizations")
    expect(body.data.map(({ name }: { readonly name: string }) => name)).toEqual(["Acme"])
    // Another origin renews nothing.
    const elsewhere = await fetch(`${console.replace("/console", "/v1/renewed-session")}`, {
      method: "POST",
      headers: { ...stale, "sec-fetch-site": "cross-site" }
    })
    expect([elsewhere.status, elsewhere.headers.get("set-cookie")]).toEqual([403, null])
  })

  it("a provider that gives no answer leaves the page waiting for it", async () => {
    const { console, provider, step } = await start(OFFLINE)
    provider.users.set("ada", { simplan_role: "support" })
    await enter(console, "ada")
    await heading("Overview")
    await provider.close()
    step(5 * MINUTE)
    await page.getByText("The identity provider gives no answer").first().waitFor()
    await expect.poll(() => page.getByRole("button", { name: "Sign out" }).count()).toBe(1)
  })

  it("without a refresh token the sign-in is a short one", async () => {
    const { console, provider, step } = await start()
    provider.users.set("ada", { simplan_role: "support" })
    await enter(console, "ada")
    await heading("Overview")
    step(59 * MINUTE)
    await page.reload()
    await heading("Overview")
    step(MINUTE)
    await heading("Sign in")
  })

  it("a session ends after eight hours, also one that goes on being renewed", async () => {
    const { console, provider, step } = await start(OFFLINE)
    provider.users.set("ada", { simplan_role: "support" })
    await enter(console, "ada")
    await heading("Overview")
    step(7 * 60 * MINUTE)
    await page.reload()
    await heading("Overview")
    step(60 * MINUTE)
    await heading("Sign in")
  })
})

it("an answer that belongs to no sign-in of this browser begins no session", async () => {
  const { console, provider } = await start()
  provider.users.set("ada", { simplan_role: "admin" })
  await page.goto(console.replace("/console", "/v1/signed-in?code=stolen&state=guessed"))
  await expect.poll(() => page.getByRole("alert").innerText()).toContain("Begin again")
  // A state of another sign-in than the one that the cookie is of.
  await page.goto(console)
  await page.getByRole("link", { name: "Sign in with the identity provider" }).click()
  await page.locator("input[name=login]").waitFor()
  const begun = (await page.context().cookies())
    .map(({ name }) => /^simplan_sign_in_(.+)$/.exec(name)?.[1] ?? "")
    .join("")
  await page.goto(console.replace("/console", `/v1/signed-in?code=stolen&state=${begun}guessed`))
  await expect.poll(() => page.getByRole("alert").innerText()).toContain("did not sign you in")
  expect(await whoami()).toMatchObject({ code: "token_missing" })
})

it("a provider that gives no answer leaves the token as the way in", async () => {
  const { console, provider } = await start()
  await provider.close()
  await page.goto(console)
  await page.getByRole("link", { name: "Sign in with the identity provider" }).click()
  await expect.poll(() => page.getByRole("alert").innerText()).toContain("gives no answer")
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
  await expect.poll(() => page.getByRole("link", { name: /identity provider/ }).count()).toBe(0)
})
