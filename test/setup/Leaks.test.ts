import { describe, expect, it } from "vitest"
import * as Leaks from "./Leaks.ts"

const key = `simplan_${"a1B2".repeat(13)}`
const signingKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwxyz="

describe("Looking for leaks", () => {
  it("finds what was made known, and what has the form of a key", () => {
    Leaks.know("one-token")
    Leaks.know("short")
    Leaks.knowPassword("postgres://me:pass%20word@localhost/db")
    expect(Leaks.secretsIn(`one-token, short, pass word and ${key}, and ${signingKey}`)).toEqual([
      "one-token",
      "pass word",
      key,
      signingKey
    ])
    expect(Leaks.secretsIn("simplan_data, whsec_ and nothing")).toEqual([])
  })

  it("reports where, but for what an output may show", () => {
    let text = ""
    let mayShow = false
    Leaks.watch({ what: "a log", text: () => text, mayShow: () => mayShow })
    expect(Leaks.found()).toEqual([])
    text = `the key is ${key}`
    expect(Leaks.found()).toEqual([`a log shows ${key}`])
    mayShow = true
    expect(Leaks.found()).toEqual([])
  })
})
