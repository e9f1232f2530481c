/**
 * ICCIDs as they are typed and imported (rule I1): right, padded, with a wrong check digit, and no ICCIDs at all.
 */
import * as fc from "fast-check"

const digits = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(..."0123456789"), {
      minLength: length,
      maxLength: length
    })
    .map((all) => all.join(""))

/** The digit that makes the Luhn sum of the whole a multiple of 10. */
const checkDigit = (body: string): number => {
  const sum = [...body].reverse().reduce((total, character, index) => {
    const weighted = Number(character) * (index % 2 === 0 ? 2 : 1)
    return total + Math.floor(weighted / 10) + (weighted % 10)
  }, 0)
  return (10 - (sum % 10)) % 10
}

const body: fc.Arbitrary<string> = fc.integer({ min: 17, max: 19 }).chain(digits)

/** 18 to 20 digits with their Luhn digit. */
export const valid: fc.Arbitrary<string> = body.map((text) => `${text}${checkDigit(text)}`)

/** 18 to 20 digits whose last one is not the Luhn digit: taken with a warning. */
export const wrongCheckDigit: fc.Arbitrary<string> = fc
  .tuple(body, fc.integer({ min: 1, max: 9 }))
  .map(([text, beside]) => `${text}${(checkDigit(text) + beside) % 10}`)

/** A valid one as it is often written: with the `F` that pads it to whole bytes, or space around it. */
export const padded: fc.Arbitrary<{
  readonly written: string
  readonly iccid: string
}> = fc.tuple(valid, fc.constantFrom("F", "f", "F ", " ")).map(([iccid, after]) => ({
  written: `${after.endsWith(" ") ? " " : ""}${iccid}${after}`,
  iccid
}))

/** Texts that are no ICCID: too short, too long, or not of digits alone. */
export const invalid: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 0, max: 17 }).chain(digits),
  fc.integer({ min: 21, max: 30 }).chain(digits),
  fc
    .tuple(valid, fc.integer({ min: 1, max: 16 }), fc.constantFrom("x", " ", "-", "F", "٣"))
    .map(([iccid, at, wrong]) => `${iccid.slice(0, at)}${wrong}${iccid.slice(at + 1)}`),
  valid.map((iccid) => `${iccid}FF`)
)
