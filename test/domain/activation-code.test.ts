/**
 * Activation codes (rule I8; SGP.22, section 4.1), and the links of installation (rule I10): the
 * code is one query parameter, whatever it holds.
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
    [" lpa:1$smdp.example.com$abc ", { ...code, matchingId: "abc" }],
    ["1$smdp.example.com$04386-AGYFT-A74Y8-3F815", code],
    ["1$smdp.example.com$04386-AGYFT-A74Y8-3F815$$1", { ...code, isConfirmed: true }]
  ])("%s", (text, expected) => {
    expect(ActivationCode.parse(text)).toEqual(expected)
  })

  it.each([
    "",
    "LPA:1$",
    "LPA:1$smdp.example.com",
    "LPA:1$$ABC",
    "LPA:2$smdp.example.com$ABC",
    "2$smdp.example.com$ABC",
    "LPA:LPA:1$smdp.example.com$ABC",
    "LPA 1$smdp.example.com$ABC",
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

it("is stored with its prefix, however it is written", () => {
  for (const text of ["LPA:1$a.example$B", "lpa:1$a.example$B", "1$a.example$B", "  1$a.example$B\n"]) {
    expect(ActivationCode.canonical(text)).toBe("LPA:1$a.example$B")
    expect(ActivationCode.parse(ActivationCode.canonical(text))).toEqual(ActivationCode.parse(text))
  }
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

it("I10: links lead to the pages of iOS and Android with the whole activation code", () => {
  const lpa = "LPA:1$rsp.example.com$A1B2-C3D4$1.3.6.1.4.1$1"
  const { android, apple } = ActivationCode.linksOf(lpa)
  expect([apple, android].map((link) => new URL(link).origin + new URL(link).pathname)).toEqual([
    "https://esimsetup.apple.com/esim_qrcode_provisioning",
    "https://esimsetup.android.com/esim_qrcode_provisioning"
  ])
  for (const link of [apple, android]) expect(new URL(link).searchParams.get("carddata")).toBe(lpa)
})

it("I10: links keep an activation code whole that a URL would cut", () => {
  const lpa = "LPA:1$host$a&b=c#d e+ü%24"
  const { searchParams, hash } = new URL(ActivationCode.linksOf(lpa).apple)
  expect([searchParams.get("carddata"), [...searchParams.keys()], hash]).toEqual([lpa, ["carddata"], ""])
})
