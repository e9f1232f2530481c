/**
 * Sign-in by OpenID Connect (rule W14) at a real provider, without a browser: which claims count, and which cookies.
 */
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Claims from "../../../adapters/http/middleware/Claims.ts"
import * as World from "../World.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as IdentityProvider from "../../console/IdentityProvider.ts"

const SAME = { "sec-fetch-site": "same-origin" }
const MINUTE = 60_000

/** A service whose console is one empty page, and the provider that it trusts. */
const start = async (inToken?: ReadonlyArray<string>, requiredClaims: ReadonlyArray<string> = []) => {
  const folder = mkdtempSync(join(tmpdir(), "simplan-console-"))
  mkdirSync(join(folder, "console", "assets"), { recursive: true })
  writeFileSync(join(folder, "index.html"), "<!doctype html>")
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
  const redirectUrl = new URL("http://127.0.0.1/admin/v1/signed-in")
  const world = await World.start({
    console: folder,
    around,
    openId: {
      issuer: provider.issuer,
      clientId: IdentityProvider.CLIENT.id,
      clientSecret: Redacted.make(IdentityProvider.CLIENT.secret),
      redirectUrl,
      scope: "openid profile email offline_access",
      roleClaim: "simplan_role",
      organizationClaim: "simplan_organization",
      nameClaim: "email",
      requiredClaims,
      renewalMillis: 5 * MINUTE,
      sessionMillis: 60 * MINUTE
    }
  })
  onTestFinished(async () => {
    await world.close()
    await provider.close()
    rmSync(folder, { recursive: true })
  })
  redirectUrl.port = new URL(world.url).port
  provider.open(redirectUrl.href)
  return { provider, world, step: (by: number) => step(by) }
}

type Started = Awaited<ReturnType<typeof start>>

/** Signs in as a browser does. Returns where that leads to, and the session's cookie. */
const signIn = async ({ world }: Started, user: string) => {
  const jars = new Map<string, Map<string, string>>()
  const visit = async (url: URL, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { cookie: Array.from(jar, (pair) => pair.join("=")).join("; ") },
      ...(form !== undefined && { method: "POST", body: new URLSearchParams(form) })
    })
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";")
      jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    }
    return answer
  }
  let url = new URL(`${world.url}/admin/v1/sign-in`)
  let answer = await visit(url)
  for (let turn = 0; turn < 20 && !url.pathname.startsWith("/admin/console"); turn += 1) {
    const location = answer.headers.get("location")
    if (location !== null) {
      url = new URL(location, url)
      answer = await visit(url)
      continue
    }
    const page = await answer.text()
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? expect.fail(page)
    url = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? expect.fail(page), url)
    answer = await visit(url, { prompt, login: user, password: "any" })
  }
  const session = jars.get(new URL(world.url).host)?.get("simplan_session")
  return { refusal: url.searchParams.get("sign_in"), cookie: session === undefined ? null : session }
}

const whoami = async ({ world }: Started, cookie: string | null) =>
  world.fetch("GET", "/admin/v1/whoami", { headers: { cookie: `simplan_session=${cookie}` } })

/** Renews a cookie. Returns the status, and the cookie that it sets. */
const renew = async ({ world }: Started, cookie: string) => {
  const answer = await world.fetch("POST", "/admin/v1/renewed-session", {
    headers: { cookie: `simplan_session=${cookie}`, ...SAME }
  })
  const [, next = ""] = /^simplan_session=([^;]*)/.exec(answer.headers.get("set-cookie") ?? "") ?? []
  return { status: answer.status, next }
}

it("an organization binds that only the user's information has, where the ID token has the role", async () => {
  const started = await start(["simplan_role"])
  const { body } = await started.world.admin("POST", "/organizations", { name: "Bound Ltd" })
  const { organization_id } = body.data
  started.provider.users.set("ada", { simplan_role: "admin", simplan_organization: organization_id })
  const { cookie } = await signIn(started, "ada")
  expect((await whoami(started, cookie)).body.data).toMatchObject({ name: "oidc:ada", role: "admin", organization_id })
  expect((await renew(started, cookie ?? "")).status).toBe(204)
  started.provider.users.set("eve", { simplan_role: "admin", simplan_organization: null })
  expect(await signIn(started, "eve")).toEqual({ refusal: "no_role", cookie: null })
})

it("an e-mail that is not verified, or that no storage keeps, signs nobody in", async () => {
  const started = await start()
  const operator = { simplan_role: "admin", email: "ada@example.com" }
  started.provider.users.set("ada", { ...operator, email_verified: false })
  started.provider.users.set("eve", { ...operator, email: "eve\0@example.com" })
  started.provider.users.set("eva", { ...operator, email_verified: true })
  expect(await signIn(started, "ada")).toEqual({ refusal: "no_role", cookie: null })
  expect(await signIn(started, "eve")).toEqual({ refusal: "no_role", cookie: null })
  expect((await signIn(started, "eva")).refusal).toBe(null)
})

it("a cookie that was renewed renews nothing later, and ends the session of whoever has lost the role", async () => {
  const started = await start()
  started.provider.users.set("ada", { simplan_role: "admin", email: "ada@example.com" })
  const { cookie: first = "" } = await signIn(started, "ada")
  started.step(5 * MINUTE)
  const tabs = await Promise.all([renew(started, first ?? ""), renew(started, first ?? "")])
  expect(tabs.map(({ status }) => status)).toEqual([204, 204])
  expect(tabs[0]?.next).toBe(tabs[1]?.next)
  const second = tabs[0]?.next ?? ""
  expect((await whoami(started, second)).body.data).toMatchObject({ role: "admin" })
  started.step(6_000)
  expect((await whoami(started, first)).status).toBe(401)
  expect((await whoami(started, second)).status).toBe(200)
  expect((await renew(started, first ?? "")).status).toBe(401)
  for (const cookie of [first, second]) expect((await whoami(started, cookie)).status).toBe(401)
  expect((await renew(started, second)).status).toBe(401)
  const { body } = await started.world.admin("GET", "/audit?actor=oidc:ada@example.com")
  expect(body.data.map(({ action }: { readonly action: string }) => action).sort()).toEqual([
    "session.create",
    "session.delete"
  ])
})

it("a cookie does not let the server's token be guessed: its key is the storage's too", async () => {
  const started = await start()
  started.provider.users.set("ada", { simplan_role: "read" })
  const { cookie } = await signIn(started, "ada")
  const other = await start()
  expect((await whoami(started, cookie)).status).toBe(200)
  // Another service with the same token, and a storage of its own.
  expect((await whoami(other, cookie)).status).toBe(401)
})

describe("claims", () => {
  const NAMES = { roleClaim: "r.roles", organizationClaim: "org", nameClaim: "email" }
  const ada = { sub: "1", r: { roles: ["x", "support"] }, org: "acme", email: "ada@example.com" }
  const of = (claims: Claims.Claims, more: Partial<Claims.Names> = {}, info: Claims.Claims = {}) =>
    Result.getOrNull(Claims.operatorOf([claims, info], { ...NAMES, ...more }))
  const without = (name: keyof typeof ada) => Object.fromEntries(Object.entries(ada).filter(([one]) => one !== name))

  it("name a role, an organization and a person, each in the ID token or else in the user's information", () => {
    const expected = { name: "oidc:ada@example.com", role: "support", organizationId: "acme" }
    expect(of(ada)).toEqual(expected)
    for (const name of ["r", "org", "email"] as const) {
      expect(Claims.areComplete({ ...ada, email_verified: true }, NAMES)).toBe(true)
      expect(Claims.areComplete({ ...without(name), email_verified: true }, NAMES)).toBe(false)
      expect(of(without(name), {}, ada)).toEqual(expected)
    }
    expect(of({ ...ada, org: "*" })).toEqual({ ...expected, organizationId: null })
    expect(of({ "a.b": "admin", a: { b: "read" }, sub: "1" }, { roleClaim: "a.b" })?.role).toBe("admin")
  })

  it("that are not there bind to nothing, and are refused if they have to be there", () => {
    expect(of(without("org"))?.organizationId).toBe(null)
    expect(of(without("email"))?.name).toBe("oidc:1")
    expect(of(without("org"), { requiredClaims: ["org"] })).toBe(null)
    expect(of(without("email"), { requiredClaims: ["email"] })).toBe(null)
    expect(of({ ...ada }, { requiredClaims: ["org", "email"] })).not.toBe(null)
    expect(of(without("r"))).toBe(null)
    expect(of({ r: ada.r, org: "acme" })).toBe(null)
  })

  const nothing = [null, "", " ", 7, 0, true, false, {}, [], ["acme"], "a\0b", "\ud800", "x".repeat(256), " acme"]

  it.each(nothing.map((value) => [value]))("that are %j name nobody, wherever they are", (value) => {
    for (const name of ["org", "email"]) {
      expect([name, of({ ...ada, [name]: value })]).toEqual([name, null])
      expect([name, of({ r: ada.r, sub: "1", [name]: value }, {}, { org: "acme" })]).toEqual([name, null])
    }
    expect(of({ ...ada, r: { roles: value } })).toBe(null)
    expect(of({ ...ada, r: value })).toBe(null)
    expect(of({ r: ada.r, sub: value })).toBe(null)
  })

  it.each(["e\u001b[31mve", "e\u009bve", "eve\u202eada", "eve\u2028", "eve\u200b", "eve\u00ad"])(
    "do not name %j, which nobody can read",
    (email) => {
      expect(of({ ...ada, email })).toBe(null)
      expect(of({ r: ada.r, sub: email })).toBe(null)
    }
  )

  it.each([false, null, "false", "true", 0, 1, {}])("do not name an e-mail that is verified %j", (email_verified) => {
    expect(of({ ...ada, email_verified })).toBe(null)
    expect(of(ada, {}, { email_verified })).toBe(null)
    expect(of({ ...ada, email_verified: true })).not.toBe(null)
  })
})
