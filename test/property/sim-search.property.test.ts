/**
 * Properties of finding SIMs (rule L1).
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as SimSearch from "../../src/domain/SimSearch.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import { Arbitraries } from "../../src/testing/index.ts"
import * as Values from "../domain/Values.ts"

const texts = fc.string({ unit: "grapheme", maxLength: 80 })

const withMetadata = (metadata: string): SimAggregate => ({
  sim: Values.sim({ iccid: "8946012345678900017" }),
  subscription: { ...Values.subscription(), metadata },
  attachments: []
})

const finds = (text: string, of: SimAggregate): boolean => {
  const search = SimSearch.of(text)
  return search === null || SimSearch.isFound(of, search)
}

describe("L1", () => {
  it("an ICCID is found by every beginning and every end of it", () => {
    fc.assert(
      fc.property(Arbitraries.iccids, fc.nat(), (iccid, at) => {
        const of = { sim: Values.sim({ iccid }), subscription: null, attachments: [] }
        const length = 1 + (at % iccid.length)
        expect([finds(iccid.slice(0, length), of), finds(iccid.slice(-length), of)]).toEqual([true, true])
      })
    )
  })

  it("digits find an ICCID only where it begins or ends with them", () => {
    const digits = fc.stringMatching(/^\d{1,20}$/)
    fc.assert(
      fc.property(Arbitraries.iccids, digits, (iccid, part) => {
        const of = { sim: Values.sim({ iccid }), subscription: null, attachments: [] }
        expect(finds(part, of)).toBe(iccid.startsWith(part) || iccid.endsWith(part))
      })
    )
  })

  it("metadata is found by each beginning of its first 64 characters, and by another text only where that begins it", () => {
    fc.assert(
      fc.property(texts, fc.nat(80), texts, (metadata, length, other) => {
        const searched = [...metadata.trim()].slice(0, SimSearch.METADATA)
        const of = withMetadata(metadata.trim())
        const beginning = searched.slice(0, length).join("")
        expect(finds(beginning, of) || beginning.trim() !== beginning).toBe(true)
        const begins = SimSearch.folded(metadata.trim()).startsWith(SimSearch.folded(other.trim()))
        const words = SimSearch.words(other)
        const has = words.length > 0 && words.every((word) => SimSearch.words(metadata.trim()).includes(word))
        if (!/^[\d\s()+./Ff-]*$/.test(other)) expect(finds(other, of)).toBe(begins || has)
      })
    )
  })

  it("metadata is found by its words, in any order and case, and with whatever between them", () => {
    const word = fc.stringMatching(/^[a-z0-9åäöé]{1,9}$/)
    const between = fc.constantFrom(" ", ", ", "@", ".", " – ", "\n", "<", "\u00a0")
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 9 }),
        between,
        between,
        fc.nat(),
        (words, one, other, at) => {
          const of = withMetadata(words.join(one))
          const asked = [...words.slice(at % words.length), ...words.slice(0, at % words.length)]
          expect(finds(asked.join(other).toUpperCase(), of)).toBe(true)
          // At the beginning: metadata are found by their first 64 characters too, whatever follows
          // in the search.
          expect(finds(["nowhere", ...asked].join(other), of)).toBe(false)
        }
      )
    )
  })

  it("folding is done once, keeps the number of characters, and makes capitals and small letters equal", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const folded = SimSearch.folded(text)
        expect(SimSearch.folded(folded)).toBe(folded)
        expect([...folded]).toHaveLength(Math.min(SimSearch.METADATA, [...text].length))
      })
    )
    for (const [upper, lower] of [
      ["AZÀÞŸΆΩЀЯ", "azàþÿάωѐя"],
      ["ÅÄÖ", "åäö"]
    ] as const) {
      expect(SimSearch.folded(upper)).toBe(lower)
    }
  })
})
