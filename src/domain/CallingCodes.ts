/**
 * Phone numbers as people write them: with the calling code of their country, or as one writes them
 * within the country (rule L1).
 *
 * A stored number has its calling code and no sign before it, so a national one is looked for with
 * each code that there is.
 */

/** Calling codes of E.164 by their first digits, with the last digits that follow those. */
const CODES =
  "1: 7: 2:07 21:12368 22:0123456789 23:0123456789 24:0123456789 25:012345678 26:0123456789 29:01789 " +
  "3:0123469 35:012345679 37:0123456789 38:0123567 4:013456789 42:013 5:12345678 50:0123456789 59:0123456789 " +
  "6:0123456 67:02345678 679: 68:0123567 69:012 8:1246 85:02356 87:08 88:0123468 9:0123458 96:012345678 " +
  "97:01234567 979: 99:234568"

const codes: ReadonlyArray<string> = CODES.split(" ").flatMap((group) => {
  const [first = "", last = ""] = group.split(":")
  return last === "" ? [first] : Array.from(last, (digit) => first + digit)
})

/**
 * What is written before a number within a country, and in which countries: nothing or a zero in
 * any.
 */
const trunks: ReadonlyArray<readonly [trunk: string, codes: ReadonlyArray<string>]> = [
  ["", codes],
  ["0", codes],
  ["8", ["7", "370"]],
  ["06", ["36"]]
]

/** A text of fewer digits is no number of a country. */
const SHORTEST = 6

/** The digits of the longest number. */
const LONGEST = 15

const isNumber = (digits: string): boolean => digits.length > 0 && digits.length <= LONGEST

/**
 * The whole numbers that a text may be, as they are stored. A plus sign or two zeros before it say
 * that it has its calling code, and a zero in parentheses is left out after that. Digits may be
 * grouped by spaces, hyphens, dots, slashes and parentheses.
 */
export const numbersOf = (text: string): ReadonlyArray<string> => {
  const isInternational = /^\s*(\+|00)/.test(text)
  const written = (isInternational ? text.replace("(0)", "") : text).replace(/[\s()./-]/g, "")
  const digits = written.replace(/^\+/, "")
  if (!/^\d+$/.test(digits)) return []
  const international = digits.startsWith("00") ? [digits.slice(2)] : []
  const national =
    isInternational || digits.length < SHORTEST
      ? []
      : trunks.flatMap(([trunk, of]) =>
          digits.startsWith(trunk) ? of.map((code) => code + digits.slice(trunk.length)) : []
        )
  return [...new Set([digits, ...international, ...national])].filter(isNumber)
}
