/**
 * ICCIDs (rule I1): 18 to 20 digits and an optional trailing pad. A wrong check digit is reported,
 * not refused.
 */
import { describe, expect, it } from "vitest"
import * as Iccid from "../../src/domain/Iccid.ts"

/** Numbers in the form of real cards (ITU-T E.118), each with a right check digit. */
const withCheckDigit = [
  "893108064520115200",
  "8944500102198304826",
  "8901260862291477114",
  "8946071512360089522",
  "89014103211118510720",
  "89860318740215489625"
]

describe("An ICCID is read (I1)", () => {
  it.each(withCheckDigit)("%s, with and without pad and spaces", (iccid) => {
    for (const text of [iccid, `${iccid}F`, `${iccid}f`, ` ${iccid} `, `\t${iccid}F\r\n`]) {
      expect(Iccid.parse(text)).toBe(iccid)
    }
  })

  it("of 18 digits with the two places that fill the card's ten bytes", () => {
    for (const text of ["898520302104026905FF", "898520302104026905ff", " 898520302104026905Ff\n"]) {
      expect(Iccid.parse(text)).toBe("898520302104026905")
    }
  })

  it("if it has 18 to 20 digits without the pad", () => {
    const digits = (count: number) => "8".repeat(count)
    for (const count of [18, 19, 20]) expect(Iccid.parse(digits(count))).toBe(digits(count))
    for (const count of [0, 1, 17, 21, 22]) expect(Iccid.parse(digits(count))).toBeUndefined()
    expect(Iccid.parse(`${digits(17)}F`)).toBeUndefined()
  })

  it.each([
    "89445001021983048FFF",
    "8944500102198304826FF",
    "89014103211118510720FF",
    "898520302104026905FFF",
    "F8944500102198304826",
    "8944500102198304826A",
    "89445001021983O4826",
    "8944 5001 0219 8304 826",
    "8944-5001-0219-8304-826",
    "+8944500102198304826",
    "8.944500102198305e18",
    "\u0668944500102198304826",
    "8944500102198304826\u0000",
    "F",
    ""
  ])("not as %j", (text) => {
    expect(Iccid.parse(text)).toBeUndefined()
  })
})

describe("The Luhn digit (I1)", () => {
  it.each(withCheckDigit)("of %s is right, and any other digit is wrong", (iccid) => {
    const right = Number(iccid.at(-1))
    for (let digit = 0; digit <= 9; digit++) {
      expect(Iccid.hasLuhnDigit(iccid.slice(0, -1) + digit)).toBe(digit === right)
    }
  })

  it.each(withCheckDigit)("of %s detects any single wrong digit", (iccid) => {
    for (let at = 0; at < iccid.length; at++) {
      for (let digit = 0; digit <= 9; digit++) {
        const typed = iccid.slice(0, at) + digit + iccid.slice(at + 1)
        expect(Iccid.hasLuhnDigit(typed)).toBe(typed === iccid)
      }
    }
  })
})
