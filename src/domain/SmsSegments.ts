/**
 * The segments of an SMS: a text of the GSM alphabet is sent in septets, any other one in UCS-2 (3GPP TS 23.038). A text
 * that does not fit into one message is sent in several, which the phone puts together (concatenation, 3GPP TS 23.040).
 */
import * as GsmAlphabet from "./GsmAlphabet.ts"

/** What the sender of a message is told. */
export interface Sent {
  /** How many segments the text took. */
  readonly segments: number
}

/** What fits into the only segment of a text, and into each of several; a header takes the rest of those. */
interface Capacity {
  readonly alone: number
  readonly concatenated: number
}

const SEPTETS: Capacity = { alone: 160, concatenated: 153 }
const CODE_UNITS: Capacity = { alone: 70, concatenated: 67 }

/** The fewest segments for characters of these sizes; no character is split. */
const fewest = (sizes: Iterable<number>, { alone, concatenated }: Capacity): number => {
  let [total, segments, used] = [0, 1, 0]
  for (const size of sizes) {
    total += size
    if (used + size > concatenated) [segments, used] = [segments + 1, 0]
    used += size
  }
  return total <= alone ? 1 : segments
}

/** How many segments a text takes, at least 1. */
export const count = (text: string): number => {
  const septets = GsmAlphabet.septets(text)
  return septets === undefined
    ? fewest(
        Array.from(text, (character) => character.length),
        CODE_UNITS
      )
    : fewest(septets, SEPTETS)
}
