/**
 * The segments of an SMS (3GPP TS 23.038 and 23.040): the fewest into which a text can be cut, no
 * character split.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as SmsSegments from "../../src/domain/SmsSegments.ts"

const BASIC = [..."@£Δ aZ9à\n"]
const EXTENSION = [..."[]{}€^"]
const WIDE = [..."çα中"]
const PAIR = ["😀", "𝒳"]

const texts = (...characters: ReadonlyArray<string>) =>
  fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 700 }).map((all) => all.join(""))

/** The sizes of the characters, and what fits into one of several messages. */
const sized = (text: string) => {
  const all = [...text]
  const isWide = all.some((one) => WIDE.includes(one) || PAIR.includes(one))
  return isWide
    ? { sizes: all.map((one) => one.length), alone: 70, each: 67 }
    : { sizes: all.map((one) => (EXTENSION.includes(one) ? 2 : 1)), alone: 160, each: 153 }
}

/** The fewest pieces of at most `each`, over all ways to cut. */
const fewest = (sizes: ReadonlyArray<number>, each: number): number => {
  const best = [0]
  for (let end = 1; end <= sizes.length; end++) {
    let [least, sum] = [Number.POSITIVE_INFINITY, 0]
    for (let begin = end - 1; begin >= 0; begin--) {
      sum += sizes[begin] ?? 0
      if (sum > each) break
      least = Math.min(least, (best[begin] ?? 0) + 1)
    }
    best.push(least)
  }
  return best.at(-1) ?? 0
}

const any = fc.oneof(
  texts(...BASIC),
  texts(...BASIC, ...EXTENSION),
  texts(...EXTENSION),
  texts(...BASIC, ...WIDE),
  texts(...PAIR),
  texts(...BASIC, ...EXTENSION, ...WIDE, ...PAIR)
)

describe("An SMS of any text", () => {
  it("takes the fewest segments into which it can be cut", () => {
    fc.assert(
      fc.property(any, (text) => {
        const { alone, each, sizes } = sized(text)
        const total = sizes.reduce((sum, size) => sum + size, 0)
        expect(SmsSegments.count(text)).toBe(total <= alone ? 1 : fewest(sizes, each))
      })
    )
  })

  it("is cut into segments that fit, and are the text when they are put together", () => {
    fc.assert(
      fc.property(any, (text) => {
        const { alphabet, segments } = SmsSegments.split(text)
        const { alone, each } = sized(text)
        expect(alphabet).toBe(alone === 160 ? "Gsm" : "Ucs2")
        expect(segments.join("")).toBe(text)
        for (const segment of segments) {
          const size = alphabet === "Ucs2" ? segment.length : (SmsSegments.unpacked(segment)?.length ?? Infinity)
          expect(size).toBeLessThanOrEqual(segments.length === 1 ? alone : each)
          // No half of a surrogate pair.
          expect(segment.isWellFormed()).toBe(true)
        }
      })
    )
  })

  it.each([
    ["a".repeat(160), 1],
    ["a".repeat(161), 2],
    ["a".repeat(306), 2],
    ["a".repeat(307), 3],
    [`${"a".repeat(159)}€`, 2],
    // An escape and its character stay together: the 153rd septet of the first segment is left out.
    [`${"a".repeat(152)}€${"a".repeat(151)}`, 2],
    [`${"a".repeat(152)}€${"a".repeat(152)}`, 3],
    ["ç".repeat(70), 1],
    ["ç".repeat(71), 2],
    ["ç".repeat(134), 2],
    ["ç".repeat(135), 3],
    ["😀".repeat(35), 1],
    ["😀".repeat(66), 2],
    ["😀".repeat(67), 3]
  ])("counts at the boundaries (%#)", (text, segments) => {
    expect(SmsSegments.count(text)).toBe(segments)
  })
})

it("as many segments were sent as the telco says, and as the standard has it where it says none", () => {
  const said = [{ segments: 3 }, null]
  expect(said.map((one) => SmsSegments.sent("hello", one).segments)).toEqual([3, 1])
})
