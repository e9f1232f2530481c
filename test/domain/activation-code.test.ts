/**
 * Activation codes (rule I8; SGP.22, section 4.1).
 */
import { describe, expect, it } from "vitest"
import * as ActivationCode from "../../src/domain/ActivationCode.ts"

const code = {
  smdpAddress: "smdp.example.com",
  matchingId: "04386-AGYFT-A74Y8-3F815",
  smdpOid: null,
  isConfirmed: false
}

describe("An activation code", () => {
  it.each([
    ["LPA:1$smdp.example.com$04386-AGYFT-A74Y8-3F815", code],
    ["LPA:1$smdp.example.com$04386-AGYFT-A74Y8-3F815$$1", { ...code, isConfirmed: true }],
    [
      "LPA:1$smdp.example.com$04386-AGYFT-A74Y8-3F815$1.3.6.1.4.1.31746$1",
      { ...code, smdpOid: "1.3.6.1.4.1.31746", isConfirmed: true }
    ],
    ["LPA:1$smdp.example.com$04386-AGYFT-A74Y8-3F815$1.3.6.1.4.1.31746", { ...code, smdpOid: "1.3.6.1.4.1.31746" }],
    ["LPA:1$smdp.example.com$", { ...code, matchingId: "" }],
    [" lpa:1$smdp.example.com$abc ", { ...code, matchingId: "abc" }]
  ])("%s", (text, expected) => {
    expect(ActivationCode.parse(text)).toEqual(expected)
  })

  it.each([
    "",
    "LPA:1$",
    "LPA:1$smdp.example.com",
    "LPA:1$$ABC",
    "LPA:2$smdp.example.com$ABC",
    "1$smdp.example.com$ABC",
    "LPA:1$smdp.example.com/path$ABC",
    "LPA:1$-smdp.example.com$ABC",
    "LPA:1$smdp.example.com$A B",
    "LPA:1$smdp.example.com$A_B",
    "LPA:1$smdp.example.com$ABC$x",
    "LPA:1$smdp.example.com$ABC$1.$1",
    "LPA:1$smdp.example.com$ABC$$2",
    "LPA:1$smdp.example.com$ABC$$1$",
    "https://smdp.example.com/ABC"
  ])("is not %j", (text) => {
    expect(ActivationCode.parse(text)).toBeUndefined()
  })
})

it("is shortened so that it opens nothing", () => {
  expect(ActivationCode.shortened("LPA:1$smdp.example.com$04386-AGYFT-A74Y8-3F815$$1")).toBe(
    "LPA:1$smdp.example.com$…F815"
  )
  for (const code of ["LPA:1$smdp.example.com$12345678", "LPA:1$smdp.example.com$"]) {
    expect(ActivationCode.shortened(code)).toBe("LPA:1$smdp.example.com$…")
  }
  expect(ActivationCode.shortened("no code")).toBe("LPA:1$$…")
})
