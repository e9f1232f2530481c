/**
 * By what a telco knows a SIM (rule I7): what a row of an import says of it, and what an import
 * again makes of it.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as SimIdentities from "../../src/domain/SimIdentities.ts"

const { merged, none, parse } = SimIdentities
const parsed = (of: SimIdentities.Unchecked) => Result.getOrThrow(parse(of))
const error = (of: SimIdentities.Unchecked) => Result.getOrThrow(Result.flip(parse(of)))

describe("The identities of a row (I7)", () => {
  it("are none where they are absent, null or blank", () => {
    for (const text of [undefined, null, "", "  "]) {
      expect(parsed({ ...(text !== undefined && { imsi: text, msisdn: text, subscriberId: text }) })).toEqual(none)
    }
  })

  it("are taken without the space around them, and a phone number without its plus sign", () => {
    expect(parsed({ imsi: " 208930000000001 ", msisdn: " +33612345678 ", subscriberId: " S 1 " })).toEqual({
      imsi: "208930000000001",
      msisdn: "33612345678",
      subscriberId: "S 1"
    })
    expect(parsed({ msisdn: "33612345678" }).msisdn).toBe("33612345678")
  })

  it("keep leading zeros", () => {
    expect(parsed({ imsi: "001010", subscriberId: "007" })).toEqual({ ...none, imsi: "001010", subscriberId: "007" })
  })

  it("have 6 to 15 digits in an IMSI, and 1 to 15 in a phone number", () => {
    for (const imsi of ["123456", "1".repeat(15)]) expect(parsed({ imsi }).imsi).toBe(imsi)
    for (const imsi of ["12345", "1".repeat(16), "20893x000", "+208930000", "٢٠٨٩٣٠٠", "12345\u0000"]) {
      expect(error({ imsi })).toBe("imsi must have 6 to 15 digits")
    }
    for (const msisdn of ["1", "1".repeat(15)]) expect(parsed({ msisdn }).msisdn).toBe(msisdn)
    for (const msisdn of ["+", "1".repeat(16), "++331", "00 331", "331-2", "1\u0000"]) {
      expect(error({ msisdn })).toMatch(/^msisdn must have 1 to 15 digits/)
    }
  })

  it("have at most 64 characters in the telco's id, which every storage keeps", () => {
    for (const subscriberId of ["x".repeat(64), "😀".repeat(64), "a/b c'\""]) {
      expect(parsed({ subscriberId }).subscriberId).toBe(subscriberId)
    }
    expect(error({ subscriberId: "x".repeat(65) })).toBe("subscriber_id must have at most 64 characters")
    for (const subscriberId of ["a\u0000b", "a\ud800"]) {
      expect(error({ subscriberId })).toBe("subscriber_id must be plain text")
    }
  })
})

describe("An import again (I7)", () => {
  const stored = { imsi: "208930000000001", msisdn: null, subscriberId: "22" }

  it("fills in what is missing, replaces what has changed, and leaves what it does not name", () => {
    expect(merged(stored, { ...none, msisdn: "331" })).toEqual({ ...stored, msisdn: "331" })
    expect(merged(stored, { ...none, imsi: "208930000000002" })).toEqual({ ...stored, imsi: "208930000000002" })
    expect(merged(stored, none)).toEqual(stored)
  })

  it("makes no difference by what is there already", () => {
    expect(SimIdentities.isSame(stored, merged(stored, { ...none, subscriberId: "22" }))).toBe(true)
    for (const other of [{ imsi: null }, { msisdn: "331" }, { subscriberId: "23" }]) {
      expect(SimIdentities.isSame(stored, { ...stored, ...other })).toBe(false)
    }
  })
})
