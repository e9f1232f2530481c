/**
 * The units of eSIM Go, in the one place that converts them. Its MB and GB are decimal: 1 GB is
 * 1,000,000,000 bytes (`initialQuantity` in the examples of `GET /esims/{iccid}/bundles`), and
 * `dataAmount` of the catalogue counts decimal MB. Ours has 1,048,576 bytes (rule T1).
 */
import { Amount } from "simplan/ports"

/** The bytes of a MB of theirs, and of ours. */
const THEIRS = 1_000_000n
const OURS = 1_048_576n

const WHOLE = /^\d+(?:\.0+)?$/

/** A whole number that JavaScript keeps exactly; null for any other text. */
export const whole = (text: string): number | null => {
  const number = WHOLE.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : null
}

/** The bytes of so many decimal MB; null if they are no whole, safe number of bytes. */
export const bytesOf = (decimalMegaBytes: number): number | null => {
  if (!Number.isSafeInteger(decimalMegaBytes) || decimalMegaBytes < 0) return null
  const bytes = Number(BigInt(decimalMegaBytes) * THEIRS)
  return Number.isSafeInteger(bytes) ? bytes : null
}

/** How many whole MB of ours so many bytes have: 953 for a GB of theirs. */
export const megaBytesOf = (bytes: number): number => Number(BigInt(bytes) / OURS)

const LONG = /^(-?)(\d+)\.(\d{6})(\d)\d*$/

/** The decimal with 6 places that is nearest to one with more. */
const rounded = (text: string): string => {
  const [, sign = "", units = "", places = "", next = ""] = LONG.exec(text) ?? []
  const digits = (BigInt(units + places) + (next >= "5" ? 1n : 0n)).toString().padStart(7, "0")
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "")
}

/**
 * The amount that a decimal of theirs is; null if it is none. Their prices have few places. What
 * a sum of floats adds beyond 6 places, as in 0.30000000000000004, is rounded off.
 */
export const amountOf = (
  text: string | null | undefined,
  currency: string | null | undefined
): Amount.Amount | null => {
  if (!text || !currency) return null
  const code = currency.trim().toUpperCase()
  return Amount.parse(LONG.test(text) ? rounded(text) : text, code) ?? null
}
