/**
 * Amounts of money, exact: whole units of a decimal place of a currency. Suppliers write them as
 * decimals, as cents or as ten-thousandths; nothing of them is ever a fraction of a float.
 */
import { Result } from "effect"

/** An amount of one currency: `units` times 10 to the power of `-scale`. */
export interface Amount {
  /** A safe integer. */
  readonly units: number
  /** How many decimal places a unit is, 0 to 6. */
  readonly scale: number
  /** The code of ISO 4217, in capitals. */
  readonly currency: string
}

/** The most decimal places. */
const MOST = 6

/** Amounts of two currencies, which have neither an order nor a sum. */
export interface OtherCurrency {
  /** What stands beside `currency`. */
  readonly other: string
  /** The currency that was expected. */
  readonly currency: string
}

const FORMAT = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * The amount that a decimal says, such as `9.50`; `undefined` if the text is none, has more than 6
 * places that are not 0, or is too large.
 */
export const parse = (text: string, currency: string): Amount | undefined => {
  const [, sign, whole, fraction = ""] = FORMAT.exec(text.trim()) ?? []
  if (whole === undefined) return undefined
  const places = fraction.slice(0, MOST) + fraction.slice(MOST).replace(/0+$/, "")
  if (places.length > MOST) return undefined
  const units = Number(`${sign}${whole}${places}`)
  return Number.isSafeInteger(units) ? { units: units + 0, scale: places.length, currency } : undefined
}

/** The units of both at the larger scale. */
const aligned = (left: Amount, right: Amount): readonly [left: bigint, right: bigint, scale: number] => {
  const scale = Math.max(left.scale, right.scale)
  const at = ({ scale: own, units }: Amount): bigint => BigInt(units) * 10n ** BigInt(scale - own)
  return [at(left), at(right), scale]
}

const otherCurrency = (left: Amount, right: Amount): Result.Result<never, OtherCurrency> =>
  Result.fail({ currency: left.currency, other: right.currency })

/** Below 0 if the left one is less, 0 if they are equal, above 0 if it is more. */
export const compare = (left: Amount, right: Amount): Result.Result<number, OtherCurrency> => {
  if (left.currency !== right.currency) return otherCurrency(left, right)
  const [one, other] = aligned(left, right)
  return Result.succeed(Number(one > other) - Number(one < other))
}

/** The sum, exact, at the larger scale. */
export const add = (left: Amount, right: Amount): Result.Result<Amount, OtherCurrency> => {
  if (left.currency !== right.currency) return otherCurrency(left, right)
  const [one, other, scale] = aligned(left, right)
  return Result.succeed({ units: Number(one + other), scale, currency: left.currency })
}

/** The decimal with all its places, which `parse` reads: `9.50`. */
export const decimal = ({ scale, units }: Amount): string => {
  const digits = String(Math.abs(units)).padStart(scale + 1, "0")
  const whole = digits.slice(0, digits.length - scale)
  const places = scale === 0 ? "" : `.${digits.slice(-scale)}`
  return `${units < 0 ? "-" : ""}${whole}${places}`
}

/** The decimal and the currency: `9.50 USD`. */
export const text = (amount: Amount): string => `${decimal(amount)} ${amount.currency}`
