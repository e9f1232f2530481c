/**
 * The GSM alphabet: every character of 3GPP TS 23.038 and no other.
 */
import { describe, expect, it } from "vitest"
import * as SmsSegments from "../../src/domain/SmsSegments.ts"

const everyCharacter = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))
const taking = (count: number) => everyCharacter.filter((one) => SmsSegments.septets(one)?.[0] === count)

describe("The GSM alphabet", () => {
  it("has 127 characters of one septet: those of 7 bits but the escape", () => {
    expect(taking(1)).toHaveLength(127)
    for (const one of ["@", "£", "é", "Ç", "Δ", "Ξ", "Æ", "¤", "¡", "§", "¿", "à", "\n", "\r", " "]) {
      expect(taking(1)).toContain(one)
    }
  })

  it("has 10 characters of two septets", () => {
    expect(taking(2)).toEqual(["\f", "[", "\\", "]", "^", "{", "|", "}", "~", "€"])
  })

  it("lacks any other character, however the text goes on", () => {
    for (const one of ["`", "ç", "á", "\t", "\0", "\u001b", "α", "😀", "\ud800"]) {
      expect(SmsSegments.septets(`a${one}`)).toBeUndefined()
    }
    expect(SmsSegments.septets("a€")).toEqual([1, 2])
    expect(SmsSegments.septets("")).toEqual([])
  })

  it("is numbered as the standard has it", () => {
    expect(SmsSegments.unpacked("@$\nÅΔΞÆ !?¡AZÜ§¿azà")).toEqual([
      0x00, 0x02, 0x0a, 0x0e, 0x10, 0x1a, 0x1c, 0x20, 0x21, 0x3f, 0x40, 0x41, 0x5a, 0x5e, 0x5f, 0x60, 0x61, 0x7a, 0x7f
    ])
    expect(SmsSegments.unpacked("[]{}\\^~|€\f")).toEqual(
      [0x3c, 0x3e, 0x28, 0x29, 0x2f, 0x14, 0x3d, 0x40, 0x65, 0x0a].flatMap((code) => [0x1b, code])
    )
    expect(SmsSegments.unpacked("aç")).toBeUndefined()
  })
})
