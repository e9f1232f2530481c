/**
 * Activation codes of eSIMs (rule I8; SGP.22, section 4.1): what a QR code says, and what a phone
 * downloads a profile by.
 *
 * Links that install an eSIM from its activation code without a QR code (rule I10). Whoever has one
 * can download the profile, as with the code itself.
 */

/** The links of one eSIM. */
export interface Links {
  /** A universal link of iOS, from 17.4 on. */
  readonly apple: string
  /** A link of Android, from 10 on. */
  readonly android: string
}

const page = (host: string, lpa: string): string =>
  `https://${host}/esim_qrcode_provisioning?carddata=${encodeURIComponent(lpa)}`

/** Rule I10: the links for an activation code of SGP.22, section 4.1. */
export const linksOf = (lpa: string): Links => ({
  apple: page("esimsetup.apple.com", lpa),
  android: page("esimsetup.android.com", lpa)
})

/** What an activation code names. */
export interface ActivationCode {
  /** The host name of the SM-DP+. */
  readonly smdpAddress: string
  /** Which profile it is at the SM-DP+; empty if the SM-DP+ knows it by the eUICC. */
  readonly matchingId: string
  /** The object identifier of the SM-DP+, which the phone checks; null: none. */
  readonly smdpOid: string | null
  /** Whether the phone asks for a confirmation code. */
  readonly isConfirmed: boolean
}

const FORMAT = /^(?:LPA:)?1\$([a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?)\$([a-z\d-]*)(?:\$(\d+(?:\.\d+)*)?(?:\$(1)?)?)?$/i

/** The code that a text is, without the space around it; undefined if it is none. */
export const parse = (text: string): ActivationCode | undefined => {
  const [, smdpAddress, matchingId, smdpOid, flag] = FORMAT.exec(text.trim()) ?? []
  if (smdpAddress === undefined || matchingId === undefined) return undefined
  return { smdpAddress, matchingId, smdpOid: smdpOid ?? null, isConfirmed: flag === "1" }
}

/**
 * Rule I8: a code as it is stored: with the prefix `LPA:`, which is part of a QR code and not of
 * the code itself, and without the space around it.
 */
export const canonical = (text: string): string => text.trim().replace(/^(?:LPA:)?/i, "LPA:")

/** What messages say that a text has to be. They repeat no code, since a code opens its profile. */
export const expected = "an activation code of the form LPA:1$<SM-DP+ host>$<matching id>, perhaps with $<OID> and $1"

/**
 * A code for those who may not use it: its host, and the last four characters of its matching id.
 */
export const shortened = (code: string): string => {
  const { matchingId, smdpAddress } = parse(code) ?? { matchingId: "", smdpAddress: "" }
  return `LPA:1$${smdpAddress}$…${matchingId.length > 8 ? matchingId.slice(-4) : ""}`
}
