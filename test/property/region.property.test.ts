/**
 * Random sets of countries (rule I4): a set is the same in any order and case, however often it
 * names a country.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Region from "../../src/domain/Region.ts"

const letter = fc.constantFrom(..."ABCD")
const codes = fc.uniqueArray(
  fc.tuple(letter, letter).map((both) => both.join("")),
  { minLength: 1, maxLength: 6 }
)

const request = (iso2List: ReadonlyArray<string>): Region.Request => ({
  organizationId: "organization",
  regionName: "North",
  label: "Green",
  iso2List
})

describe("Two sets of countries (I4)", () => {
  it("are the same in any order", () => {
    const shuffled = codes.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))
    )
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        expect(Region.sameCountries(all, other)).toBe(true)
      })
    )
  })

  it("are the same if and only if each has all countries of the other", () => {
    fc.assert(
      fc.property(codes, codes, (left, right) => {
        const [some, others] = [new Set(left), new Set(right)]
        const same = left.every((code) => others.has(code)) && right.every((code) => some.has(code))
        expect(Region.sameCountries(left, right)).toBe(same)
      })
    )
  })

  it("are the same after they are normalized, in any case and with repeated codes", () => {
    const sent = codes.chain((all) =>
      fc.tuple(fc.constant(all), fc.array(fc.tuple(fc.constantFrom(...all), fc.boolean()), { maxLength: 5 }))
    )
    fc.assert(
      fc.property(sent, ([all, more]) => {
        const again = more.map(([code, lower]) => ` ${lower ? code.toLowerCase() : code} `)
        expect(Result.getOrThrow(Region.normalize(request([...all, ...again]))).iso2List).toEqual(all)
      })
    )
  })
})
