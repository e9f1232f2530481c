/**
 * The text of a CSV file, as programs of all kinds write it: UTF-8, or UTF-16 with a byte order
 * mark, and lines that end with a line feed, with a carriage return, or with both. Whoever reads a
 * file gets UTF-8 without a mark, whose lines end with a line feed. The API, the command line and
 * the console read files by this, so that all take the same ones.
 */

const [CARRIAGE_RETURN, LINE_FEED] = [0x0d, 0x0a]

/** Byte order marks, and the names of their encodings. */
const marks = [
  { mark: [0xff, 0xfe], encoding: "utf-16le" },
  { mark: [0xfe, 0xff], encoding: "utf-16be" }
] as const

const UTF8_MARK = [0xef, 0xbb, 0xbf]

const begins = (bytes: Uint8Array, mark: ReadonlyArray<number>): boolean => mark.every((byte, at) => bytes[at] === byte)

const NOTHING = new Uint8Array()

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  if (one.length === 0) return other
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

/** Takes the bytes of a file in pieces of any size, and gives its text as UTF-8. */
export const reader = () => {
  let begun: Uint8Array | null = NOTHING
  let decoder: InstanceType<typeof TextDecoder> | null = null
  const encoder = new TextEncoder()
  let afterReturn = false

  /** A line feed for each end of a line. A line feed after a carriage return belongs to it. */
  const withLineFeeds = (bytes: Uint8Array): Uint8Array => {
    if (!afterReturn && !bytes.includes(CARRIAGE_RETURN)) return bytes
    const changed = new Uint8Array(bytes.length)
    let length = 0
    for (const byte of bytes) {
      const isSecond = byte === LINE_FEED && afterReturn
      afterReturn = byte === CARRIAGE_RETURN
      if (!isSecond) changed[length++] = afterReturn ? LINE_FEED : byte
    }
    return changed.subarray(0, length)
  }

  const toUtf8 = (bytes: Uint8Array, stream: boolean): Uint8Array =>
    decoder === null ? bytes : encoder.encode(decoder.decode(bytes, { stream }))

  /** What is left of the first bytes without their mark. */
  const begin = (bytes: Uint8Array): Uint8Array => {
    begun = null
    const found = marks.find(({ mark }) => begins(bytes, mark))
    if (found !== undefined) decoder = new TextDecoder(found.encoding)
    return found === undefined && begins(bytes, UTF8_MARK) ? bytes.subarray(UTF8_MARK.length) : bytes
  }

  return {
    take: (bytes: Uint8Array): Uint8Array => {
      const all = begun === null ? bytes : joined(begun, bytes)
      if (begun !== null && all.length < UTF8_MARK.length) {
        begun = all
        return NOTHING
      }
      return withLineFeeds(toUtf8(begun === null ? all : begin(all), true))
    },
    end: (): Uint8Array => {
      const left = begun === null ? NOTHING : begin(begun)
      return withLineFeeds(toUtf8(left, false))
    }
  }
}

/** The text of a whole file. */
export const text = (bytes: Uint8Array): string => {
  const { end, take } = reader()
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  return decoder.decode(take(bytes), { stream: true }) + decoder.decode(end())
}

/** With what spreadsheets begin a formula, wide characters among it. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/

/** A sum below 0 calculates nothing, and is a number in a spreadsheet. */
const NUMBER = /^-\d+(?:\.\d+)?$/

/** Whether a spreadsheet would take a text for a formula. */
export const isFormula = (text: string): boolean => FORMULA.test(text) && !NUMBER.test(text)
