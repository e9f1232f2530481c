/**
 * The segments of an SMS: a text of the GSM alphabet is sent in septets, any other one in UCS-2 (3GPP TS 23.038). A text
 * that does not fit into one message is sent in several, which the phone puts together (concatenation, 3GPP TS 23.040).
 */
import * as GsmAlphabet from "./GsmAlphabet.ts"

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

/** What fits into the only segment of a text, and into each of several; a header takes the rest of those. */
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
  const septets = GsmAlphabet.septets(text)
  return septets === undefined
    ? splitUcs2(text)
    : { alphabet: "Gsm", segments: fewest(Array.from(text), septets, SEPTETS) }
}

/** How many segments a text takes, at least 1. */
export const count = (text: string): number => split(text).segments.length

/** In how many segments a telco has sent a text: as many as its answer says, else as the standard has it. */
export const sent = (text: string, answer: unknown): Sent => {
  const reported = typeof answer === "object" && answer !== null && "segments" in answer ? answer.segments : null
  return {
    segments: typeof reported === "number" && Number.isInteger(reported) && reported >= 1 ? reported : count(text)
  }
}
