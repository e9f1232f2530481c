/** Amounts of money, by themselves and beside exact arithmetic of big integers. */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Amount from "../../src/domain/Amount.ts"

const amount = fc.record({
  units: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
  scale: fc.integer({ min: 0, max: 6 }),
  currency: fc.constant("USD")
})

/** In millionths, as a big integer. */
const exact = ({ scale, units }: Amount.Amount): bigint => BigInt(units) * 10n ** BigInt(6 - scale)

describe("amounts", () => {
  it.each([
    ["9.50", { units: 950, scale: 2 }],
    ["4", { units: 4, scale: 0 }],
    ["-0.123456", { units: -123_456, scale: 6 }],
    ["0.10000000", { units: 100_000, scale: 6 }],
    ["-0", { units: 0, scale: 0 }],
    [" 1.00 ", { units: 100, scale: 2 }]
  ])("%s is read exactly", (text, expected) => {
    expect(Amount.parse(text, "EUR")).toStrictEqual({ ...expected, currency: "EUR" })
  })

  it.each(["", "1,50", "1.", ".5", "1e3", "0.1234567", "9007199254740993", "1.5 USD", "NaN"])(
    "%j is no amount",
    (text) => {
      expect(Amount.parse(text, "USD")).toBeUndefined()
    }
  )

  it("are read as they are written", () => {
    fc.assert(
      fc.property(amount, (one) => {
        expect(Amount.parse(Amount.decimal(one), one.currency)).toEqual(one)
        expect(Amount.text(one)).toBe(`${Amount.decimal(one)} ${one.currency}`)
      })
    )
  })

  it("have the order and the sums of exact numbers, whatever their scales", () => {
    fc.assert(
      fc.property(amount, amount, (left, right) => {
        const difference = exact(left) - exact(right)
        expect(Result.getOrThrow(Amount.compare(left, right))).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1)
        expect(exact(Result.getOrThrow(Amount.add(left, right)))).toBe(exact(left) + exact(right))
      })
    )
  })

  it("of two currencies have neither", () => {
    const [dollars, pounds] = [
      { units: 1, scale: 0, currency: "USD" },
      { units: 1, scale: 0, currency: "GBP" }
    ]
    const refusal = Result.fail({ currency: "USD", other: "GBP" })
    expect(Amount.compare(dollars, pounds)).toEqual(refusal)
    expect(Amount.add(dollars, pounds)).toEqual(refusal)
  })
})
