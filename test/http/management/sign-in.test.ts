/**
 * Sign-in by OpenID Connect (rule W14) at a real provider, without a browser: which claims count,
 * and which cookies.
 */
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import * as fc from "fast-check"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { OperatorSessions } from "simplan"
import { Operator } from "simplan/ports"
import * as Claims from "../../../adapters/http/middleware/Claims.ts"
import * as Sessions from "../../../adapters/http/middleware/Sessions.ts"
import * as World from "../World.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as IdentityProvider from "../../console/IdentityProvider.ts"

const SAME = { "sec-fetch-site": "same-origin" }
const MINUTE = 60_000

/** A service whose console is one empty page, and which trusts that provider. */
const trusting = async (
  provider: { readonly issuer: URL; readonly close: () => Promise<void> },
  requiredClaims: ReadonlyArray<string> = []
) => {
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
  return { redirectUrl, world, step: (by: number) => step(by) }
}

/** The same with a real provider. */
const start = async (inToken?: ReadonlyArray<string>, requiredClaims: ReadonlyArray<string> = []) => {
  const provider = await IdentityProvider.start(inToken)
  const trusted = await trusting(provider, requiredClaims)
  provider.open(trusted.redirectUrl.href)
  return { provider, ...trusted }
}

type Started = Awaited<ReturnType<typeof start>>

/** The name of the cookie of a sign-in that is under way. */
const signInCookie = (jar: ReadonlyMap<string, string>): string | undefined =>
  [...jar.keys()].find((name) => name.startsWith("simplan_sign_in"))

/**
 * Signs in as a browser does. Returns where that leads to, the cookies, and the address that the
 * provider has led back to.
 */
const signIn = async ({ world }: Pick<Started, "world">, user: string) => {
  const jars = new Map<string, Map<string, string>>()
  let begun = ""
  let back = ""
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
      const name = pair.slice(0, pair.indexOf("="))
      if (/; Max-Age=0(?:;|$)/.test(set)) jar.delete(name)
      else jar.set(name, pair.slice(pair.indexOf("=") + 1))
    }
    begun = jar.get(signInCookie(jar) ?? "") ?? begun
    if (url.pathname === "/admin/v1/signed-in") back = url.href
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
  const kept = jars.get(new URL(world.url).host)
  return {
    refusal: url.searchParams.get("sign_in"),
    cookie: kept?.get("simplan_session") ?? null,
    isForgotten: kept !== undefined && signInCookie(kept) === undefined,
    begun,
    back
  }
}

/**
 * Has a browser that has these cookies led to an address. Returns why it is not signed in, and its
 * session's cookie.
 */
const lead = async (url: string, cookie: string) => {
  const answer = await fetch(url, { redirect: "manual", headers: { cookie } })
  const [, session] = /simplan_session=([^;]+)/.exec(answer.headers.getSetCookie().join("\n")) ?? []
  const location = answer.headers.get("location") ?? ""
  return { refusal: new URL(location, url).searchParams.get("sign_in"), cookie: session ?? null }
}

const whoami = async ({ world }: Pick<Started, "world">, cookie: string | null) =>
  world.fetch("GET", "/admin/v1/whoami", { headers: { cookie: `simplan_session=${cookie}` } })

/** Renews a cookie. Returns the status, and the cookie that it sets. */
const renew = async (
  { world }: Pick<Started, "world">,
  cookie: string,
  from: Readonly<Record<string, string>> = SAME
) => {
  const answer = await world.fetch("POST", "/admin/v1/renewed-session", {
    headers: { cookie: `simplan_session=${cookie}`, ...from }
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
  expect(await signIn(started, "eve")).toMatchObject({ refusal: "no_role", cookie: null, isForgotten: true })
})

it("an e-mail that is not verified, or that no storage keeps, signs nobody in", async () => {
  const started = await start()
  const operator = { simplan_role: "admin", email: "ada@example.com" }
  started.provider.users.set("ada", { ...operator, email_verified: false })
  started.provider.users.set("eve", { ...operator, email: "eve\0@example.com" })
  started.provider.users.set("eva", { ...operator, email_verified: true })
  expect(await signIn(started, "ada")).toMatchObject({ refusal: "no_role", cookie: null })
  expect(await signIn(started, "eve")).toMatchObject({ refusal: "no_role", cookie: null })
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

it("a cookie that was replaced does nothing, also before it had to be, and other pages renew none", async () => {
  const started = await start()
  started.provider.users.set("ada", { simplan_role: "admin" })
  const { cookie } = await signIn(started, "ada")
  const first = cookie ?? ""
  for (const from of [
    {},
    ...["cross-site", "same-site", "none"].map((site) => ({ "sec-fetch-site": site, origin: started.world.url })),
    ...["null", "https://evil.example"].map((origin) => ({ origin }))
  ]) {
    expect([from, await renew(started, first, from)]).toEqual([from, { status: 403, next: "" }])
  }
  started.provider.users.set("ada", { simplan_role: "read" })
  const { next } = await renew(started, first)
  expect((await whoami(started, next)).body.data.role).toBe("read")
  started.step(6_000)
  expect((await whoami(started, first)).status).toBe(401)
  // Nor does one that was ended.
  const ended = await started.world.fetch("DELETE", "/admin/v1/session", {
    headers: { cookie: `simplan_session=${next}`, ...SAME }
  })
  expect(ended.status).toBe(200)
  for (const one of [first, next]) expect((await renew(started, one)).status).toBe(401)
  // Whom the provider does not know any more is signed out, and does not wait for an answer.
  const again = await signIn(started, "ada")
  started.provider.users.delete("ada")
  expect((await renew(started, again.cookie ?? "")).status).toBe(401)
  expect((await whoami(started, again.cookie)).status).toBe(401)
})

it("the way back from the provider is gone once, by the browser that went there", async () => {
  const started = await start()
  const { provider, world } = started
  provider.users.set("ada", { simplan_role: "admin" })
  provider.users.set("eve", { simplan_role: "read" })
  const [ada, eve] = [await signIn(started, "ada"), await signIn(started, "eve")]
  expect([ada.refusal, ada.isForgotten]).toEqual([null, true])
  // Neither with the cookie that is forgotten, nor with another one's, nor with none.
  for (const [begun, refusal] of [
    [ada.begun, "refused"],
    [eve.begun, "refused"],
    [ada.cookie, "expired"],
    ["", "expired"]
  ]) {
    const state = new URL(ada.back).searchParams.get("state") ?? ""
    const cookie = `simplan_sign_in_${state.slice(0, 8)}=${begun}`
    expect(await lead(ada.back, cookie)).toEqual({ refusal, cookie: null })
  }
  // A cookie of one purpose is none of the other.
  expect((await whoami(started, ada.begun)).status).toBe(401)
  // A code that another browser was led back with, in place of one's own.
  const sent = await fetch(`${world.url}/admin/v1/sign-in`, { redirect: "manual" })
  const [mine = ""] = sent.headers.getSetCookie().map((set) => set.split(";", 1)[0] ?? "")
  const stolen = new URL(eve.back)
  stolen.searchParams.set("state", new URL(sent.headers.get("location") ?? "").searchParams.get("state") ?? "")
  expect(await lead(stolen.href, mine)).toEqual({ refusal: "refused", cookie: null })
  expect((await whoami(started, ada.cookie)).status).toBe(200)
})

/**
 * The same with a provider that says what the test has it say. `begin`: is led to the provider,
 * with its cookie and the way `back`. `enter`: signs in.
 */
const starting = async () => {
  let nonce = ""
  const forger = await IdentityProvider.forging(() => nonce)
  const started = await trusting(forger)
  forger.answer.userInfo = { sub: "ada", simplan_role: "support" }
  const begin = async () => {
    const { world } = started
    const sent = await fetch(`${world.url}/admin/v1/sign-in`, { redirect: "manual" })
    const asked = new URL(sent.headers.get("location") ?? "").searchParams
    const [cookie = ""] = sent.headers.getSetCookie().map((set) => set.split(";", 1)[0] ?? "")
    const back = (cookies: string) => {
      nonce = asked.get("nonce") ?? ""
      return lead(`${world.url}/admin/v1/signed-in?code=c&state=${asked.get("state")}`, cookies)
    }
    return { cookie, back }
  }
  const enter = async () => {
    const { back, cookie } = await begin()
    return back(cookie)
  }
  return { ...started, forger, begin, enter }
}

it("two tabs of a browser sign in at once", async () => {
  const started = await starting()
  const [first, second] = [await started.begin(), await started.begin()]
  // A browser sends the later cookie of a name alone.
  const jar = new Map([first, second].map(({ cookie }) => [cookie.slice(0, cookie.indexOf("=")), cookie]))
  for (const { back } of [first, second]) {
    const { cookie, refusal } = await back([...jar.values()].join("; "))
    expect(refusal).toBe(null)
    expect((await whoami(started, cookie)).body.data).toMatchObject({ role: "support" })
  }
})

const signOut = async ({ world }: Pick<Started, "world">, cookie: string) =>
  (await world.fetch("DELETE", "/admin/v1/session", { headers: { cookie: `simplan_session=${cookie}`, ...SAME } }))
    .status

it("a renewal without the claims that an ID token had before has a session see no more", async () => {
  const started = await starting()
  const { enter, forger, step } = started
  const bound = { simplan_organization: "acme" }
  const info = { sub: "ada", simplan_role: "admin" }
  for (const [idToken, userInfo] of [
    [null, info],
    [{}, info],
    [{ simplan_organization: "*" }, info],
    [{ simplan_organization: "other" }, info],
    [null, { ...info, simplan_organization: "*" }]
  ] as const) {
    forger.answer.idToken = (right) => ({ ...right, ...bound })
    forger.answer.userInfo = info
    const { cookie } = await enter()
    expect((await whoami(started, cookie)).body.data).toMatchObject({ role: "admin", organization_id: "acme" })
    step(5 * MINUTE)
    forger.answer.idToken = idToken === null ? null : (right) => ({ ...right, ...idToken })
    forger.answer.userInfo = userInfo
    expect([idToken, userInfo, await renew(started, cookie ?? "")]).toEqual([
      idToken,
      userInfo,
      { status: 401, next: "" }
    ])
    expect((await whoami(started, cookie)).status).toBe(401)
  }
})

it("the user's information raises no role that an ID token had, and an ID token does", async () => {
  const started = await starting()
  const { enter, forger } = started
  const roleAfter = async (cookie: string, inToken: string | undefined, inInfo: string | undefined) => {
    forger.answer.idToken = inToken === undefined ? null : (right) => ({ ...right, simplan_role: inToken })
    forger.answer.userInfo = { sub: "ada", simplan_role: inInfo }
    const { next } = await renew(started, cookie)
    return [next, (await whoami(started, next)).body.data?.role] as const
  }
  forger.answer.idToken = (right) => ({ ...right, simplan_role: "support" })
  let [cookie, role]: readonly [string, unknown] = [(await enter()).cookie ?? "", "support"]
  for (const [inToken, inInfo, expected] of [
    [undefined, "admin", "support"],
    [undefined, "read", "read"],
    [undefined, "admin", "read"],
    ["admin", "read", "admin"]
  ]) {
    ;[cookie, role] = await roleAfter(cookie, inToken, inInfo)
    expect([inToken, inInfo, role]).toEqual([inToken, inInfo, expected])
  }
  // What it alone ever had, it raises.
  forger.answer.idToken = (right) => right
  forger.answer.userInfo = { sub: "ada", simplan_role: "read" }
  expect((await roleAfter((await enter()).cookie ?? "", undefined, "admin"))[1]).toBe("admin")
})

it("a refresh token is not lost where the user's information fails after it was given", async () => {
  const started = await starting()
  const { enter, forger, step } = started
  forger.answer.rotates = true
  const { userInfo } = forger.answer
  const { cookie } = await enter()
  step(5 * MINUTE)
  for (let turn = 0; turn < 3; turn += 1) {
    forger.answer.userInfo = null
    expect((await renew(started, cookie ?? "")).status).toBe(503)
    step(MINUTE)
  }
  forger.answer.userInfo = userInfo
  const { next, status } = await renew(started, cookie ?? "")
  expect([status, (await whoami(started, next)).body.data?.role]).toEqual([204, "support"])
  expect((await renew(started, next)).status).toBe(204)
})

it("whoever signs out is signed out, also by a cookie that has to be renewed, or that was", async () => {
  const started = await starting()
  const { enter, step } = started
  const [due, renewed] = [(await enter()).cookie ?? "", (await enter()).cookie ?? ""]
  step(5 * MINUTE)
  const { next } = await renew(started, renewed)
  step(MINUTE)
  expect((await whoami(started, due)).status).toBe(401)
  for (const [cookie, last] of [
    [due, due],
    [renewed, next]
  ] as const) {
    const elsewhere = { cookie: `simplan_session=${cookie}`, "sec-fetch-site": "cross-site" }
    expect((await started.world.fetch("DELETE", "/admin/v1/session", { headers: elsewhere })).status).toBe(403)
    expect(await signOut(started, cookie)).toBe(200)
    expect((await renew(started, last)).status).toBe(401)
    expect((await whoami(started, last)).status).toBe(401)
  }
})

const NAMES = { roleClaim: "simplan_role", organizationClaim: "simplan_organization", nameClaim: "email" }

it("whatever claims come and go, a session sees no more than it did, is whose it was, and ends when told", async () => {
  const some = <A>(...values: ReadonlyArray<A>) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })
  const place = fc.record({
    simplan_role: some("read", "support", "admin"),
    simplan_organization: some("a", "a", "b", "*"),
    email: some("me@example.com", "me@example.com", "boss@example.com"),
    email_verified: some(true, true, true, false)
  })
  const answer = fc.record({
    token: fc.option(place, { freq: 3 }),
    info: fc.option(place, { freq: 5 })
  })
  type Answer = typeof answer extends fc.Arbitrary<infer A> ? A : never
  const started = await starting()
  const { enter, forger, step } = started
  forger.answer.rotates = true
  const say = ({ info, token }: Answer) => {
    forger.answer.idToken = token === null ? null : (right) => ({ ...right, ...token })
    forger.answer.userInfo = info === null ? null : { sub: "ada", ...info }
  }
  const rank = (role: Operator.Role) => Operator.roles.indexOf(role)
  let [ended, renewals] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      answer.filter(({ info, token }) => token !== null && info !== null),
      fc.array(
        fc.oneof({ arbitrary: answer, weight: 3 }, fc.constant("the same" as const), fc.constant("out" as const)),
        {
          maxLength: 6
        }
      ),
      async (first, commands) => {
        say(first)
        let cookie = (await enter()).cookie ?? ""
        if (cookie === "") return
        let who = (await whoami(started, cookie)).body.data
        // The user's information is asked for what the ID token does not say.
        const isWhole = first.token !== null && Claims.areComplete(first.token, NAMES)
        const places = [first.token, isWhole ? null : first.info].filter((one) => one !== null)
        const beside = places.filter(({ email_verified }) => email_verified !== undefined)
        const { email = undefined } = places.find(({ email }) => email !== undefined) ?? {}
        expect(who.name).toBe(`oidc:${email ?? "ada"}`)
        expect(beside.every(({ email_verified }) => email_verified)).toBe(true)
        if (beside.length > 0) expect(beside.map((one) => one.email)).toContain(email)
        let isRoleInToken = first.token?.simplan_role !== undefined
        let last = first
        for (const command of commands) {
          if (command === "out") {
            step(6 * MINUTE)
            expect(await signOut(started, cookie)).toBe(200)
            say(first)
            expect((await renew(started, cookie)).status).toBe(401)
            ended += 1
            return
          }
          const now = command === "the same" ? last : command
          say(now)
          step(6 * MINUTE)
          const { next, status } = await renew(started, cookie)
          isRoleInToken ||= now.token?.simplan_role !== undefined
          if (status === 503) {
            // The user's information failed; whoever is asked again is asked by the new token.
            expect(now.info).toBe(null)
            continue
          }
          if (command === "the same" && now.info !== null) expect(status).toBe(204)
          if (status === 401) return
          cookie = next
          last = now
          renewals += 1
          const { body } = await whoami(started, cookie)
          expect(body.data.name).toBe(who.name)
          if (who.organization_id !== null) expect(body.data.organization_id).toBe(who.organization_id)
          if (rank(body.data.role) > rank(who.role)) {
            const raising = isRoleInToken ? now.token : now.info
            expect(raising?.simplan_role).toBe(body.data.role)
          }
          who = body.data
        }
      }
    ),
    { numRuns: 100 }
  )
  expect(Math.min(ended, renewals)).toBeGreaterThan(3)
})

describe("answers of a provider that are forged", () => {
  type Claims = Readonly<Record<string, unknown>>

  const forged: Readonly<Record<string, (right: Claims) => Claims>> = {
    "the audience is another client": (right) => ({ ...right, aud: "another" }),
    "the audience is others": (right) => ({ ...right, aud: ["another", "one more"] }),
    "the audience is none": ({ aud: _, ...right }) => right,
    "the audience is several, and none of them is authorized": (right) => ({
      ...right,
      aud: [IdentityProvider.CLIENT.id, "another"]
    }),
    "another client is authorized": (right) => ({ ...right, azp: "another" }),
    "another of several clients is authorized": (right) => ({
      ...right,
      aud: [IdentityProvider.CLIENT.id, "another"],
      azp: "another"
    }),
    "the nonce is missing": ({ nonce: _, ...right }) => right,
    "the nonce is another": (right) => ({ ...right, nonce: "another" }),
    "the nonce is null": (right) => ({ ...right, nonce: null }),
    "the end is missing": ({ exp: _, ...right }) => right,
    "the end is text": (right) => ({ ...right, exp: String(right["exp"]) }),
    "the end is past": (right) => ({ ...right, exp: Number(right["exp"]) - 3_600 }),
    "the time of issue is missing": ({ iat: _, ...right }) => right,
    "the issuer is another": (right) => ({ ...right, iss: "https://evil.example" }),
    "the subject is missing": ({ sub: _, ...right }) => right,
    "the subject is a number": (right) => ({ ...right, sub: 7 }),
    "the user's information is of another subject": (right) => ({ ...right, sub: "eve" })
  }

  it("sign nobody in, whatever is wrong with the ID token", async () => {
    const { enter, forger } = await starting()
    for (const [name, of] of Object.entries(forged)) {
      forger.answer.idToken = of
      expect([name, await enter()]).toEqual([name, { refusal: "refused", cookie: null }])
    }
    forger.answer.idToken = null
    expect(await enter()).toEqual({ refusal: "refused", cookie: null })
    const { CLIENT } = IdentityProvider
    for (const right of [{}, { aud: [CLIENT.id] }, { aud: [CLIENT.id, "another"], azp: CLIENT.id }]) {
      forger.answer.idToken = (claims) => ({ ...claims, ...right })
      expect([right, (await enter()).refusal]).toEqual([right, null])
    }
  })

  it("renew no session, and leave it to be renewed by an answer that is right", async () => {
    const started = await starting()
    const { enter, forger, step } = started
    const { cookie } = await enter()
    const whose = async (of: string | null) => (await whoami(started, of)).body.data?.name
    expect(await whose(cookie)).toBe("oidc:ada")
    step(5 * MINUTE)
    for (const of of [
      "the user's information is of another subject",
      "the audience is another client",
      "the end is text"
    ]) {
      forger.answer.idToken = forged[of] ?? expect.fail()
      expect([of, (await renew(started, cookie ?? "")).status]).toEqual([of, 503])
      expect(await whose(cookie)).toBe(undefined)
    }
    // Without an ID token the user's information has to be of the same user.
    forger.answer.idToken = null
    forger.answer.userInfo = { sub: "eve", simplan_role: "admin" }
    expect((await renew(started, cookie ?? "")).status).toBe(503)
    forger.answer.userInfo = { sub: "ada", simplan_role: "read" }
    const { next, status } = await renew(started, cookie ?? "")
    expect([status, (await whoami(started, next)).body.data.role]).toEqual([204, "read"])
    // What is no longer said binds to nothing.
    step(5 * MINUTE)
    forger.answer.userInfo = { sub: "ada" }
    expect((await renew(started, next)).status).toBe(401)
    expect((await whoami(started, next)).status).toBe(401)
  })
})

it("a cookie is sealed with the token, with the storage's random key, and for its purpose", async () => {
  const sealing = (token: string, key: number, purpose: string) => {
    const none = Effect.die("no session is asked for")
    const stored = OperatorSessions.OperatorSessions.of({
      ...{ begin: () => none, standing: () => none, renew: () => none, end: () => none },
      key: Effect.succeed(Buffer.alloc(32, key).toString("base64"))
    })
    return Effect.runPromise(
      Sessions.make(Redacted.make(token), 0).pipe(
        Effect.flatMap((sessions) => sessions.sealing(purpose)),
        Effect.provideService(OperatorSessions.OperatorSessions, stored)
      )
    )
  }
  const { open, seal } = await sealing("token", 1, "purpose")
  const text = seal("what it has")
  expect([open(text), (await sealing("token", 1, "purpose")).open(text)]).toEqual(["what it has", "what it has"])
  // Whoever guesses the token has not the key, whoever reads the database has not the token.
  for (const other of [sealing("token", 2, "purpose"), sealing("other", 1, "purpose"), sealing("token", 1, "other")]) {
    expect((await other).open(text)).toBe(null)
  }
  for (let length = 0; length < text.length; length += 1) expect(open(text.slice(0, length))).toBe(null)
  expect(seal("what it has")).not.toBe(text)
})

it("a session that a provider has begun is none for another provider or client, and one of a token is", async () => {
  const stored = OperatorSessions.OperatorSessions.of({
    begin: () => Effect.void,
    standing: () => Effect.succeed("good"),
    renew: () => Effect.die("no session is renewed"),
    end: () => Effect.void,
    key: Effect.succeed(Buffer.alloc(32, 1).toString("base64"))
  })
  const asking = (cookie?: string) =>
    HttpServerRequest.fromWeb(new Request("http://host/", cookie === undefined ? {} : { headers: { cookie } }))
  const identity = { name: "oidc:ada", role: "admin", organizationId: null } as const
  const run = <A>(provider: string | null, use: (sessions: Sessions.Sessions) => Effect.Effect<A, unknown>) =>
    Effect.runPromise(
      Effect.flatMap(Sessions.make(Redacted.make("token"), 0, provider), use).pipe(
        Effect.provideService(OperatorSessions.OperatorSessions, stored)
      )
    )
  const cookieBy = (holder: Sessions.Holder) => run("one a", (of) => of.begin(holder, asking()))
  for (const [holder, isTheirs] of [
    [{ operator: identity, renewal: { subject: "ada", refreshToken: "secret" } }, true],
    [{ token: "token" }, false]
  ] as const) {
    const { cookie } = await cookieBy(holder)
    const heldBy = async (provider: string | null) =>
      (await run(provider, (of) => of.of(asking(cookie.split(";")[0]))))?.holder ?? null
    expect(await heldBy("one a")).toEqual(holder)
    for (const other of ["two a", "one b", null]) expect(await heldBy(other)).toEqual(isTheirs ? null : holder)
  }
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
    if (typeof value !== "string") expect(of({ ...ada, r: { roles: ["admin", value] } })).toBe(null)
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

  it("do not name an e-mail that is verified beside another one, or beside none", () => {
    const [mine, boss] = [{ email: "me@example.com" }, { email: "boss@example.com" }]
    const role = { r: ada.r, sub: "1" }
    const [yes, no] = [{ email_verified: true }, { email_verified: false }]
    const cases: ReadonlyArray<readonly [token: object, info: object, named: string | null]> = [
      [yes, { ...boss, ...no }, null],
      [boss, { ...mine, ...yes }, null],
      [yes, boss, null],
      [boss, yes, null],
      [{ ...mine, ...yes }, { ...boss, ...no }, null],
      [{ ...mine, ...no }, { ...mine, ...yes }, null],
      [{ ...mine, ...yes }, { ...boss, ...yes }, "oidc:me@example.com"],
      [mine, { ...mine, ...yes }, "oidc:me@example.com"],
      [{}, { ...mine, ...yes }, "oidc:me@example.com"],
      [mine, {}, "oidc:me@example.com"],
      [yes, {}, "oidc:1"],
      [no, {}, null]
    ]
    for (const [token, info, named] of cases) {
      expect([token, info, of({ ...role, ...token }, {}, { ...info })?.name ?? null]).toEqual([token, info, named])
    }
  })
})
