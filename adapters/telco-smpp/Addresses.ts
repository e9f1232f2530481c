/**
 * Addresses with their type of number (TON) and numbering plan indicator (NPI), SMPP 3.4, sections
 * 5.2.5 and 5.2.6.
 */
import { Result } from "effect"

/** A sender or a recipient in SMPP: digits or a text, and how they are to be read. */
export interface Address {
  /** Type of number: 0 unknown, 1 international, 3 network specific, 5 alphanumeric. */
  readonly ton: number
  /** Numbering plan: 0 unknown, 1 E.164, 6 E.212. */
  readonly npi: number
  /** Without a plus sign. */
  readonly address: string
}

const UNKNOWN = 0
const INTERNATIONAL = 1
const NETWORK_SPECIFIC = 3
const ALPHANUMERIC = 5
const ISDN = 1
const LAND_MOBILE = 6

/** The most digits of a short code. */
const SHORT_CODE = 6

/** A phone number in international form, with or without a plus sign. */
export const msisdn = (number: string): Address => ({
  ton: INTERNATIONAL,
  npi: ISDN,
  address: number.replace(/^\+/, "")
})

/** An IMSI (E.212). Few SMSCs route by it: ask whose it is. */
export const imsi = (digits: string): Address => ({ ton: UNKNOWN, npi: LAND_MOBILE, address: digits })

const byForm = (from: string): Address => {
  if (!/^\+?[0-9]+$/.test(from)) return { ton: ALPHANUMERIC, npi: UNKNOWN, address: from }
  if (from.startsWith("+")) return msisdn(from)
  if (from.length <= SHORT_CODE) return { ton: NETWORK_SPECIFIC, npi: UNKNOWN, address: from }
  return from.startsWith("0") ? { ton: UNKNOWN, npi: ISDN, address: from } : msisdn(from)
}

/**
 * The address of a message's sender by its form: text is alphanumeric (5/0); digits after a plus
 * sign, and 7 or more that do not begin with 0, are an international number (1/1); other 7 or more
 * digits are a number of an unknown type (0/1); up to 6 digits are a short code (3/0). Fails if a
 * character fits into no octet.
 */
export const sender = (
  from: string,
  override: { readonly ton?: number; readonly npi?: number } = {}
): Result.Result<Address, string> => {
  const character = Array.from(from).find((one) => !/^[\u0020-\u00ff]$/.test(one))
  if (character !== undefined) {
    return Result.fail(`SMPP has no way to send the character ${JSON.stringify(character)} of the sender`)
  }
  return Result.succeed({ ...byForm(from), ...override })
}
