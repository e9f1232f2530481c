/**
 * By what a telco knows a SIM beside its ICCID (rule I7). No decision depends on them: adapters of
 * telcos address the SIM by them.
 */
import { Result } from "effect"
import * as TextLimit from "./TextLimit.ts"

/** What a telco knows a SIM by. */
export interface SimIdentities {
  /** The IMSI (ITU-T E.212): 6 to 15 digits. Null: it is not known. */
  readonly imsi: string | null
  /**
   * The phone number (ITU-T E.164): 1 to 15 digits with the country code, without a plus sign.
   * Null: it has none.
   */
  readonly msisdn: string | null
  /**
   * The telco's own id of the SIM, at most 64 characters of whatever form. Null: it is not known.
   */
  readonly subscriberId: string | null
}

/** A SIM of which only the ICCID is known. */
export const none: SimIdentities = { imsi: null, msisdn: null, subscriberId: null }

/** The identities of a row of an import as they came. */
export interface Unchecked {
  /** Null, absent or blank: not known. */
  readonly imsi?: string | null
  /** With or without a plus sign. Null, absent or blank: none. */
  readonly msisdn?: string | null
  /** Null, absent or blank: not known. */
  readonly subscriberId?: string | null
}

const trimmed = (text: string | null | undefined): string | null => text?.trim() || null

/**
 * Rule I7: the identities, or what is wrong with them. Blanks around them are ignored, and an empty
 * text is none.
 */
export const parse = (of: Unchecked): Result.Result<SimIdentities, string> => {
  const imsi = trimmed(of.imsi)
  if (imsi !== null && !/^\d{6,15}$/.test(imsi)) return Result.fail("imsi must have 6 to 15 digits")
  const msisdn = trimmed(of.msisdn)?.replace(/^\+/, "") ?? null
  if (msisdn !== null && !/^\d{1,15}$/.test(msisdn)) {
    return Result.fail("msisdn must have 1 to 15 digits, which may follow a plus sign")
  }
  const subscriberId = trimmed(of.subscriberId)
  if (subscriberId !== null && !TextLimit.isStorable(subscriberId)) {
    return Result.fail("subscriber_id must be plain text")
  }
  if (subscriberId !== null && !TextLimit.isWithin(subscriberId, TextLimit.SUBSCRIBER_ID)) {
    return Result.fail(`subscriber_id ${TextLimit.message(TextLimit.SUBSCRIBER_ID)}`)
  }
  return Result.succeed({ imsi, msisdn, subscriberId })
}

/** Rule I7: what a repeated import makes of them. What it does not name stays. */
export const merged = (stored: SimIdentities, given: SimIdentities): SimIdentities => ({
  imsi: given.imsi ?? stored.imsi,
  msisdn: given.msisdn ?? stored.msisdn,
  subscriberId: given.subscriberId ?? stored.subscriberId
})

/** Whether all three are equal. */
export const isSame = (one: SimIdentities, other: SimIdentities): boolean =>
  one.imsi === other.imsi && one.msisdn === other.msisdn && one.subscriberId === other.subscriberId

/** The identities alone, of whatever has them. */
export const of = ({ imsi, msisdn, subscriberId }: SimIdentities): SimIdentities => ({ imsi, msisdn, subscriberId })
