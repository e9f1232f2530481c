/**
 * Random JSON values and texts of them (rule W2): one value has one canonical text, however it is
 * written, and two values have two.
 */
import * as fc from "fast-check"
import { JsonText } from "simplan/testing"
import { describe, expect, it } from "vitest"
import * as CanonicalJson from "../../src/domain/CanonicalJson.ts"

const values = fc.jsonValue({ depthSize: "small", noUnicodeString: false })

/** A value and another one that differs in one place. */
const changed = (value: unknown, at: number): unknown => {
  if (Array.isArray(value)) {
    if (value.length === 0) return {}
    const index = at % value.length
    return value.map((one, place) => (place === index ? changed(one, at) : one))
  }
  if (typeof value === "object" && value !== null) {
    const entries: ReadonlyArray<[string, unknown]> = Object.entries(value)
    if (entries.length === 0 || at % 5 === 0) return { ...value, [`more ${at}`]: null }
    if (at % 5 === 1) return Object.fromEntries(entries.slice(1))
    return Object.fromEntries(entries.map(([name, one], place) => [name, place === 0 ? changed(one, at) : one]))
  }
  return [value]
}

describe("The canonical text of a JSON value (W2)", () => {
  it("is the same however the value is written", () => {
    fc.assert(
      fc.property(values, fc.integer(), fc.integer(), (value, one, other) => {
        const [first, second] = [one, other].map((seed) => JsonText.of(value, seed))
        expect(CanonicalJson.text(JSON.parse(first ?? ""))).toBe(CanonicalJson.text(JSON.parse(second ?? "")))
      }),
      { numRuns: 2_000 }
    )
  })

  it("is a text of the value, so that another value has another one", () => {
    fc.assert(
      fc.property(values, (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value))
        expect(JSON.parse(CanonicalJson.text(plain))).toStrictEqual(plain)
      }),
      { numRuns: 2_000 }
    )
  })

  it("differs once anything of the value does", () => {
    fc.assert(
      fc.property(values, fc.nat(1_000), fc.integer(), (value, at, seed) => {
        const other = JSON.parse(JsonText.of(changed(value, at), seed))
        fc.pre(JSON.stringify(other) !== JSON.stringify(JSON.parse(JSON.stringify(value))))
        expect(CanonicalJson.text(other)).not.toBe(CanonicalJson.text(value))
      }),
      { numRuns: 2_000 }
    )
  })
})
