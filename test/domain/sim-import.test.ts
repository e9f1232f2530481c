/**
 * Rows of an inventory import (rules I1, I7 and I8): a row is a SIM, perhaps with warnings, or an
 * error. No row throws.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Sim from "../../src/domain/Sim.ts"
import * as SimImport from "../../src/domain/SimImport.ts"
import { ICCID } from "./Values.ts"

const row = (changes: Partial<SimImport.SimRow> = {}): SimImport.SimRow => ({
  iccid: ICCID,
  label: "Green",
  isEsim: true,
  lpa: "LPA:1$smdp.example$CODE",
  ...changes
})
const parsed = (changes: Partial<SimImport.SimRow> = {}) => Result.getOrThrow(SimImport.parse(row(changes)))
const error = (changes: Partial<SimImport.SimRow>) => Result.getOrThrow(Result.flip(SimImport.parse(row(changes))))
const physical = { isEsim: false, lpa: "" }

describe("A row is a SIM (I1)", () => {
  it("an eSIM with its LPA", () => {
    expect(parsed()).toEqual({
      iccid: ICCID,
      label: "Green",
      isEsim: true,
      lpa: "LPA:1$smdp.example$CODE",
      imsi: null,
      msisdn: null,
      subscriberId: null,
      warnings: []
    })
  })

  it("with what its telco knows it by (I7)", () => {
    const identities = { imsi: "208930000000001", msisdn: "33612345678", subscriberId: "22" }
    expect(parsed({ ...identities, msisdn: "+33612345678" })).toMatchObject(identities)
  })

  it("or a physical SIM without one", () => {
    for (const lpa of ["", "  ", null]) {
      expect(parsed({ ...physical, lpa })).toMatchObject({ isEsim: false, lpa: null, warnings: [] })
    }
  })

  it("without the space around its values and the pad", () => {
    const typed = parsed({ iccid: ` ${ICCID}F `, label: " Voilet ", lpa: " LPA:1$a$b " })
    expect(typed).toMatchObject({ iccid: ICCID, label: "Voilet", isEsim: true, lpa: "LPA:1$a$b" })
  })

  it.each(["Green", "Aqua", "Blue", "Voilet", "Red", "Grey", "Orange"])("of the label %s", (label) => {
    expect(parsed({ label }).label).toBe(label)
  })
})

describe("A row is a SIM with a warning (I1)", () => {
  it("if the last digit is not the Luhn digit; the digit is kept", () => {
    const iccid = "8944500102198304820"
    const { warnings } = parsed({ iccid })
    expect(parsed({ iccid }).iccid).toBe(iccid)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/Luhn/)
  })

  it("if an eSIM has no LPA", () => {
    expect(parsed({ lpa: null }).warnings).toHaveLength(1)
    expect(parsed({ lpa: null }).warnings[0]).toMatch(/lpa/)
  })

  it("or with both warnings", () => {
    expect(parsed({ iccid: "8944500102198304820", lpa: null }).warnings).toHaveLength(2)
  })
})

describe("A row is an error that names the column", () => {
  it("iccid", () => {
    for (const iccid of ["", "123", "x".repeat(19)]) expect(error({ iccid })).toMatch(/^iccid /)
  })

  it("label", () => {
    for (const label of ["", "green", "GREEN", "Violet"]) expect(error({ label })).toMatch(/^label /)
  })

  it("that could not be read, after iccid and label", () => {
    const unreadable = { iccid: ICCID, label: "Green", problem: "is_esim must be true or false" }
    const errorOf = (changes: object) => Result.getOrThrow(Result.flip(SimImport.parse({ ...unreadable, ...changes })))
    expect(errorOf({})).toBe("is_esim must be true or false")
    expect(errorOf({ iccid: "1" })).toMatch(/^iccid /)
    expect(errorOf({ label: "" })).toMatch(/^label /)
  })

  it("lpa", () => {
    for (const lpa of ["LPA:1$a$\u0000", "LPA:1$a$\ud800", "2$a$b", "LPA:1$a", "https://a/b"])
      expect(error({ lpa })).toMatch(/^lpa /)
    expect(error({ isEsim: false, lpa: "LPA:1$a$b" })).toMatch(/^lpa /)
    expect(error({ lpa: "LPA:1$smdp.example$SECRET 1" })).not.toMatch(/SECRET/)
    const longest = `LPA:1$a$${"b".repeat(247)}`
    expect(parsed({ lpa: longest }).lpa).toBe(longest)
    expect(error({ lpa: `${longest}b` })).toBe("lpa must have at most 255 characters")
  })
})

describe("The texts of a row", () => {
  const { iccid, isEsim, label } = row()
  const read = (of: Readonly<Record<string, unknown>>) =>
    SimImport.rowOf({ iccid, isEsim, label }, (name) => of[SimImport.columns[name]])

  it("are those that are there", () => {
    expect(read({ lpa: "LPA:1$a$b", imsi: null, subscriber_id: "22", other: 1 })).toEqual({
      ...{ iccid, isEsim, label },
      ...{ lpa: "LPA:1$a$b", imsi: null, msisdn: null, subscriberId: "22" }
    })
  })

  it("are no other values", () => {
    for (const value of [22, true, [], {}]) {
      expect(read({ subscriber_id: value })).toEqual({ iccid, label, problem: "subscriberId must be a string" })
    }
  })

  it("have an ICCID of another type than text, such as a number, that has lost digits (I1)", () => {
    for (const number of [Number("8988000000000002100"), 89, true, {}, []]) {
      const read = SimImport.rowOf({ iccid: number, label, isEsim: true }, () => undefined)
      expect(read).toEqual({ iccid: null, label, problem: "iccid must be text" })
      expect(SimImport.parse(read)).toEqual(Result.fail("iccid must be text"))
      expect(SimImport.name(read)).toBe("")
    }
    for (const none of [undefined, null, ""]) {
      const read = SimImport.rowOf({ iccid: none, label: 5, isEsim: true }, () => undefined)
      expect(SimImport.parse(read)).toEqual(Result.fail("iccid must have 18 to 20 digits"))
    }
  })

  it("are named in order", () => {
    expect(SimImport.columnNames).toBe("lpa, imsi, msisdn and subscriber_id")
  })
})

describe("A row is an error that names the identity (I7)", () => {
  it.each([
    ["imsi", "12345"],
    ["msisdn", "unknown"],
    ["subscriberId", "x".repeat(65)]
  ])("%s", (field, text) => {
    const column = field === "subscriberId" ? "subscriber_id" : field
    expect(error({ [field]: text })).toMatch(new RegExp(`^${column} must `))
  })
})

describe("A row's activation code (I8)", () => {
  it.each([
    ["1$smdp.example.com$ABC", "LPA:1$smdp.example.com$ABC"],
    [" lpa:1$smdp.example.com$ABC ", "LPA:1$smdp.example.com$ABC"],
    ["1$smdp.example.com$$1.3.6$1", "LPA:1$smdp.example.com$$1.3.6$1"],
    [" ", null]
  ])("%s is stored as %s", (lpa, stored) => {
    expect(parsed({ lpa }).lpa).toBe(stored)
  })

  it("is counted with its prefix", () => {
    const longest = `1$a$${"b".repeat(247)}`
    expect(parsed({ lpa: longest }).lpa).toBe(`LPA:${longest}`)
    expect(error({ lpa: `${longest}b` })).toBe("lpa must have at most 255 characters")
  })

  it("is the one that is stored, whatever its prefix was when it was stored", () => {
    const stored = { label: "Green", isEsim: true, lpa: "lpa:1$a$1" } as const
    expect(Sim.difference(stored, { ...stored, lpa: "LPA:1$a$1" })).toBeNull()
  })
})

describe("A row differs from the stored SIM (I7)", () => {
  const stored = { label: "Green", isEsim: true, lpa: "LPA:1$a$1" } as const

  it("in its label, its kind or its activation code, and both values are given", () => {
    expect(Sim.difference(stored, { ...stored, label: "Blue" })).toEqual({
      stored: { label: "Green" },
      given: { label: "Blue" }
    })
    expect(Sim.difference(stored, { label: "Blue", isEsim: false, lpa: null })).toEqual({
      stored: { label: "Green", isEsim: true },
      given: { label: "Blue", isEsim: false }
    })
    expect(Sim.difference(stored, { ...stored, lpa: "LPA:1$a$2" })).toEqual({
      stored: { lpa: "LPA:1$a$1" },
      given: { lpa: "LPA:1$a$2" }
    })
  })

  it("not by an activation code that only one of them has", () => {
    expect(Sim.difference(stored, stored)).toBeNull()
    expect(Sim.difference(stored, { ...stored, lpa: null })).toBeNull()
    expect(Sim.difference({ ...stored, lpa: null }, stored)).toBeNull()
  })
})

describe("A row's name", () => {
  it("is its ICCID, and what is none as it was sent, shortened", () => {
    expect(SimImport.name(row({ iccid: " 898520302104026905FF" }))).toBe("898520302104026905")
    expect(SimImport.name(row({ iccid: " 12 " }))).toBe(" 12 ")
    expect(SimImport.name(row({ iccid: "9".repeat(999) }))).toBe("9".repeat(40))
  })
})
