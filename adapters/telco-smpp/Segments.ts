/**
 * A text as the short messages of SMPP that it is sent in: octets, their data coding, and where there are several the
 * header by which the phone puts them together (concatenation with an 8-bit reference, 3GPP TS 23.040, 9.2.3.24.1).
 *
 * Data coding 0 is "the SMSC's default alphabet" (SMPP 3.4, 5.2.19), and SMSCs differ in which that is. On the air it is the
 * GSM alphabet in any case: a text has septets if all of its characters are of both, else it goes as UCS-2.
 */
import { GsmAlphabet, SmsSegments } from "simplan/ports"

/**
 * What octets of data coding 0 stand for: `gsm`, a septet of the GSM alphabet (3GPP TS 23.038) each, `latin1` (ISO 8859-1) or
 * `ascii`.
 */
export const alphabets = ["gsm", "latin1", "ascii"] as const

export type Alphabet = (typeof alphabets)[number]

export interface Segment {
  /** 0x00: the SMSC's default alphabet. 0x08: UCS-2. */
  readonly dataCoding: 0x00 | 0x08
  /** 0x40: the message begins with a user data header. */
  readonly esmClass: 0x00 | 0x40
  readonly octets: Uint8Array
}

const codeUnits = (text: string): ReadonlyArray<number> =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))

const ucs2 = (text: string): ReadonlyArray<number> => codeUnits(text).flatMap((unit) => [unit >> 8, unit & 0xff])

const upTo = (text: string, last: number): ReadonlyArray<number> | undefined => {
  const units = codeUnits(text)
  return units.every((unit) => unit <= last) ? units : undefined
}

/** The octets of a text; undefined where it has a character that the alphabet has not. */
const octetsIn: Readonly<Record<Alphabet, (text: string) => ReadonlyArray<number> | undefined>> = {
  gsm: GsmAlphabet.unpacked,
  latin1: (text) => upTo(text, 0xff),
  ascii: (text) => upTo(text, 0x7f)
}

/** The segments of a text. The reference is the same for all, from 0 to 255. */
export const of = (text: string, reference: number, alphabet: Alphabet = "gsm"): ReadonlyArray<Segment> => {
  const septets = SmsSegments.split(text)
  const isDefault = septets.alphabet === "Gsm" && octetsIn[alphabet](text) !== undefined
  const { segments } = isDefault ? septets : SmsSegments.splitUcs2(text)
  return segments.map((segment, index): Segment => {
    const header = segments.length === 1 ? [] : [5, 0, 3, reference, segments.length, index + 1]
    const octets = isDefault ? octetsIn[alphabet](segment) : undefined
    return {
      dataCoding: octets === undefined ? 0x08 : 0x00,
      esmClass: header.length === 0 ? 0x00 : 0x40,
      octets: Uint8Array.from([...header, ...(octets ?? ucs2(segment))])
    }
  })
}
