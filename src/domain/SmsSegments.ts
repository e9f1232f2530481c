/**
 * The segments of an SMS: a text of the GSM alphabet is sent in septets, any other one in UCS-2
 * (3GPP TS 23.038). A text that does not fit into one message is sent in several, which the phone
 * puts together (concatenation, 3GPP TS 23.040).
 *
 * The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038, 6.2.1). A character of
 * the default alphabet takes one septet. A character of the extension table follows an escape and
 * takes two.
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

/**
 * The septets of each character, 1 or 2; undefined if the text has a character that is not of
 * the alphabet.
 */
const encode = (text: string): ReadonlyArray<ReadonlyArray<number>> | undefined => {
  const all: Array<ReadonlyArray<number>> = []
  for (const character of text) {
    const septets = septetsOf.get(character)
    if (septets === undefined) return undefined
    all.push(septets)
  }
  return all
}

/**
 * How many septets each character takes; undefined if the text has a character that is not of
 * the alphabet.
 */
export const septets = (text: string): ReadonlyArray<number> | undefined => encode(text)?.map(({ length }) => length)

/**
 * The text in septets, each in an octet of its own; undefined if it has a character that is not
 * of the alphabet.
 */
export const unpacked = (text: string): ReadonlyArray<number> | undefined => encode(text)?.flat()

/** The answer to the sender of a message. */
export interface Sent {
  /** How many segments the text took. */
  readonly segments: number
}

/** A text in the segments that it is sent in, at least one. */
export interface Split {
  /** `Ucs2` as soon as one character is not of the GSM alphabet. */
  readonly alphabet: "Gsm" | "Ucs2"
  /** The text in the parts that are sent; joined they are the text. */
  readonly segments: ReadonlyArray<string>
}

/**
 * What fits into the only segment of a text, and into each of several; a header takes the rest of
 * those.
 */
interface Capacity {
  readonly alone: number
  readonly concatenated: number
}

const SEPTETS: Capacity = { alone: 160, concatenated: 153 }
const CODE_UNITS: Capacity = { alone: 70, concatenated: 67 }

/** The fewest segments for characters of these sizes; no character is split. */
const fewest = (
  characters: ReadonlyArray<string>,
  sizes: ReadonlyArray<number>,
  { alone, concatenated }: Capacity
): ReadonlyArray<string> => {
  let [total, start, used] = [0, 0, 0]
  const segments: Array<string> = []
  for (const [index, size] of sizes.entries()) {
    total += size
    if (used + size > concatenated) {
      segments.push(characters.slice(start, index).join(""))
      start = index
      used = 0
    }
    used += size
  }
  return total <= alone ? [characters.join("")] : [...segments, characters.slice(start).join("")]
}

/** The text in the fewest segments of UCS-2, for who cannot send it in septets. */
export const splitUcs2 = (text: string): Split => {
  const characters = Array.from(text)
  const sizes = characters.map(({ length }) => length)
  return { alphabet: "Ucs2", segments: fewest(characters, sizes, CODE_UNITS) }
}

/** The text in the fewest segments. */
export const split = (text: string): Split => {
  const sizes = septets(text)
  return sizes === undefined ? splitUcs2(text) : { alphabet: "Gsm", segments: fewest(Array.from(text), sizes, SEPTETS) }
}

/** How many segments a text takes, at least 1. */
export const count = (text: string): number => split(text).segments.length

/**
 * In how many segments a telco has sent a text: as many as it says, else as the standard has it.
 */
export const sent = (text: string, said: Sent | null): Sent => said ?? { segments: count(text) }
