/**
 * Values as text on a line of the terminal. Names and descriptions come from customers, so that characters that could
 * drive the terminal or turn the writing direction are replaced.
 */

const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu

/** The text of a value. */
export const of = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replace(UNSAFE, " ")
