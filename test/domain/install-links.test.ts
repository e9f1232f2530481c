/**
 * Install links (rule I10): the activation code is one query parameter, whatever it holds.
 */
import { expect, it } from "vitest"
import * as InstallLinks from "../../src/domain/InstallLinks.ts"

it("I10: lead to the pages of iOS and Android with the whole activation code", () => {
  const lpa = "LPA:1$rsp.example.com$A1B2-C3D4$1.3.6.1.4.1$1"
  const { android, apple } = InstallLinks.of(lpa)
  expect([apple, android].map((link) => new URL(link).origin + new URL(link).pathname)).toEqual([
    "https://esimsetup.apple.com/esim_qrcode_provisioning",
    "https://esimsetup.android.com/esim_qrcode_provisioning"
  ])
  for (const link of [apple, android]) expect(new URL(link).searchParams.get("carddata")).toBe(lpa)
})

it("I10: keep an activation code whole that a URL would cut", () => {
  const lpa = "LPA:1$host$a&b=c#d e+ü%24"
  const { searchParams, hash } = new URL(InstallLinks.of(lpa).apple)
  expect([searchParams.get("carddata"), [...searchParams.keys()], hash]).toEqual([lpa, ["carddata"], ""])
})
