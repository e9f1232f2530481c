import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import * as Greeting from "../../../adapters/cli/server/Greeting.ts"

const greeting: Greeting.Greeting = {
  url: "http://127.0.0.1:3000",
  adminUrl: null,
  hasConsole: true,
  version: "0.1.0",
  database: "memory:",
  directory: "/home/me",
  telco: null,
  virtualNow: null,
  tokens: {
    admin: { _tag: "Generated", value: Redacted.make("the-admin-token") },
    telco: { _tag: "Generated", value: Redacted.make("the-telco-token") }
  },
  demo: {
    apiKey: "the-key",
    tried: { coverageId: "59c38639-c7df-507c-9d4f-67a2178790d7", iccid: "8999900000000010017" }
  },
  unfit: []
}

const secrets = /the-(admin-token|telco-token|key)/g

describe("the greeting", () => {
  it("says what of the settings is not for production, and nothing where all of it is", () => {
    expect(Greeting.text(greeting, false)).not.toContain("production")
    const text = Greeting.text({ ...greeting, unfit: ["the clock is virtual", "the telco is simulated"] }, false)
    expect(text).toContain("\nNot for production:\n  the clock is virtual\n  the telco is simulated\n\n")
  })

  it("says where the console is, where there is one that somebody can sign in to", () => {
    const shown = (changed: Partial<Greeting.Greeting>) =>
      /^ {2}console {6}(.*)$/m.exec(Greeting.text({ ...greeting, ...changed }, false))?.[1]
    const how = "sign in with the admin token or an operator's"
    expect(shown({})).toBe(`http://127.0.0.1:3000/admin/console, ${how}`)
    expect(shown({ adminUrl: "http://127.0.0.1:9000" })).toBe(`http://127.0.0.1:9000/admin/console, ${how}`)
    expect(shown({ hasConsole: false })).toBe(undefined)
    expect(shown({ tokens: { ...greeting.tokens, admin: { _tag: "Off" } } })).toBe(undefined)
  })

  it("shows generated secrets to a terminal, once, and elsewhere where they are", () => {
    const shown = Greeting.text(greeting, true)
    expect(shown.match(secrets)).toEqual(["the-key", "the-admin-token", "the-telco-token"])
    const elsewhere = Greeting.text(greeting, false)
    expect(elsewhere.match(secrets)).toBe(null)
    expect(elsewhere).toContain("  admin token  in /home/me/.simplan/admin.token\n")
    expect(elsewhere.slice(elsewhere.indexOf("To try"))).toBe(shown.slice(shown.indexOf("To try")))
  })

  it("has commands to try that fit a line each, and none that its APIs refuse", () => {
    const toTry = (changed: Partial<Greeting.Greeting>) =>
      Greeting.text({ ...greeting, ...changed }, true)
        .split("\n")
        .filter((line) => /^(npx|curl) /.test(line))
    expect(toTry({})).toHaveLength(5)
    for (const line of toTry({})) expect(line.length).toBeLessThanOrEqual(100)
    expect(toTry({ tokens: { ...greeting.tokens, telco: { _tag: "Off" } } }).join()).not.toContain("events send")
    expect(toTry({ demo: { apiKey: "the-key", tried: null } })).toEqual([])
  })
})
