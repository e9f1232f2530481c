/**
 * Identifiers: UUIDs of version 7 (RFC 9562, section 5.7). Instant and random bytes are arguments,
 * so a simulation makes the same ids each time it runs with the same seed. Every way into the
 * service reads a UUID by this module (rule I13).
 */
import type { Instant } from "./Time.ts"

const HEX: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const hex = (byte: number): string => HEX[byte & 0xff] ?? ""

/**
 * A UUIDv7 of the millisecond `now`; `random` holds at least 10 bytes, of which 74 bits are used.
 */
export const uuid7 = (now: Instant, random: Uint8Array): string => {
  const time = Math.max(0, now).toString(16).padStart(12, "0").slice(-12)
  const byte = (index: number): number => random[index] ?? 0
  const version = hex(0x70 | (byte(0) & 0x0f)) + hex(byte(1))
  const variant = hex(0x80 | (byte(2) & 0x3f)) + hex(byte(3))
  const node = [4, 5, 6, 7, 8, 9].map((index) => hex(byte(index))).join("")
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${node}`
}

/** How many ids the counter can distinguish within one millisecond. */
export const COUNTER_SIZE = 2 ** 26

/**
 * `random` with a counter in its first 26 bits (RFC 9562, section 6.2, method 1). Ids of one
 * millisecond sort by the counter, so that those of events order them (rule W5). A virtual clock
 * that stands still gives all ids the same millisecond.
 */
export const withCounter = (counter: number, random: Uint8Array): Uint8Array => {
  const counted = random.slice(0, 10)
  counted[0] = (counter >>> 22) & 0x0f
  counted[1] = (counter >>> 14) & 0xff
  counted[2] = (counter >>> 8) & 0x3f
  counted[3] = counter & 0xff
  return counted
}

/**
 * A UUIDv8 (RFC 9562, section 5.8) of the first 128 bits of a digest in hexadecimal: the same
 * digest, the same id.
 */
export const uuid8 = (digest: string): string => {
  const variant = (0x8 | (Number.parseInt(digest.charAt(16), 16) & 0x3)).toString(16)
  const groups = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32)
  ]
  return groups.join("-")
}

/**
 * The UUID that is so many after this one, counted in its last 32 bits, which are random: for what
 * follows from it.
 */
export const following = (id: string, count: number): string =>
  id.slice(0, -8) + ((Number.parseInt(id.slice(-8), 16) + count) >>> 0).toString(16).padStart(8, "0")

/** The form of a UUID, for regular expressions that ignore case. */
export const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

const FORMAT = new RegExp(`^${UUID}(?::${UUID})*$`, "i")

/** Whether the text is such an id, in whatever letters. */
export const isId = (text: string): boolean => FORMAT.test(text)

/**
 * Rule I13: the id as the service writes it: a UUID, or several that colons join, with small
 * letters. Any other text stays as it is.
 */
export const canonical = (text: string): string => (FORMAT.test(text) ? text.toLowerCase() : text)
