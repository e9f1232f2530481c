/**
 * A text as the short messages of SMPP that it is sent in: octets, their data coding, and where there are several the
 * header by which the phone puts them together (concatenation with an 8-bit reference, 3GPP TS 23.040, 9.2.3.24.1).
 */
import { GsmAlphabet, SmsSegments } from "simplan/ports"

export interface Segment {
  /** 0x00: the SMSC's default alphabet, a septet of the GSM alphabet an octet. 0x08: UCS-2. */
  readonly dataCoding: 0x00 | 0x08
  /** 0x40: the message begins with a user data header. */
  readonly esmClass: 0x00 | 0x40
  readonly octets: Uint8Array
}

const ucs2 = (text: string): ReadonlyArray<number> =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index)).flatMap((unit) => [unit >> 8, unit & 0xff])

/** The segments of a text. The reference is the same for all, from 0 to 255. */
export const of = (text: string, reference: number): ReadonlyArray<Segment> => {
  const { alphabet, segments } = SmsSegments.split(text)
  return segments.map((segment, index): Segment => {
    const header = segments.length === 1 ? [] : [5, 0, 3, reference, segments.length, index + 1]
    const octets = alphabet === "Gsm" ? GsmAlphabet.unpacked(segment) : undefined
    return {
      dataCoding: octets === undefined ? 0x08 : 0x00,
      esmClass: header.length === 0 ? 0x00 : 0x40,
      octets: Uint8Array.from([...header, ...(octets ?? ucs2(segment))])
    }
  })
}
