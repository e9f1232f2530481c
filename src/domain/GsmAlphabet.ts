/**
 * The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038, 6.2.1). A character of the default alphabet
 * takes one septet. A character of the extension table follows an escape and takes two.
 */

const ESCAPE = 0x1b

/** The default alphabet in the order of its septets, without the escape. */
const BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§" +
  "¿abcdefghijklmnopqrstuvwxyzäöñüà"

/** The extension table, and the septet that follows the escape. */
const EXTENSION: ReadonlyArray<readonly [string, number]> = [
  ["\f", 0x0a],
  ["^", 0x14],
  ["{", 0x28],
  ["}", 0x29],
  ["\\", 0x2f],
  ["[", 0x3c],
  ["~", 0x3d],
  ["]", 0x3e],
  ["|", 0x40],
  ["€", 0x65]
]

const septetsOf: ReadonlyMap<string, ReadonlyArray<number>> = new Map<string, ReadonlyArray<number>>([
  ...Array.from(BASIC, (character, index) => [character, [index < ESCAPE ? index : index + 1]] as const),
  ...EXTENSION.map(([character, septet]) => [character, [ESCAPE, septet]] as const)
])

/** The septets of each character, 1 or 2; undefined where the text has a character that is not of the alphabet. */
const encode = (text: string): ReadonlyArray<ReadonlyArray<number>> | undefined => {
  const all: Array<ReadonlyArray<number>> = []
  for (const character of text) {
    const septets = septetsOf.get(character)
    if (septets === undefined) return undefined
    all.push(septets)
  }
  return all
}

/** How many septets each character takes; undefined where the text has a character that is not of the alphabet. */
export const septets = (text: string): ReadonlyArray<number> | undefined => encode(text)?.map(({ length }) => length)

/** The text in septets, each in an octet of its own; undefined where it has a character that is not of the alphabet. */
export const unpacked = (text: string): ReadonlyArray<number> | undefined => encode(text)?.flat()
