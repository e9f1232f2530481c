/**
 * Radio access technologies, read from the band lists of `mcc-mnc-list`:
 * `GSM 900 / UMTS 2100 / LTE 800 / 5G 3500`.
 *
 * Other entries are ignored: MVNO, TETRA, satellite, paging, WiMAX, iDEN, TDMA, and the railways'
 * GSM-R.
 */

/** Oldest first. */
export const rats = ["2G", "3G", "4G", "5G"] as const

export type Rat = (typeof rats)[number]

/** `UTMS` is a misspelling in one of the rows. */
const generations: Readonly<Record<Rat, RegExp>> = {
  "2G": /^GSM(?!-R)/,
  "3G": /^(UMTS|UTMS|CDMA|TD-SCDMA)/,
  "4G": /^(TD-)?LTE/,
  "5G": /^(TD-)?(5G|NR)/
}

/** The technologies of a band list, oldest first. */
export const fromBands = (bands: string | null): ReadonlyArray<Rat> => {
  const parts = (bands ?? "").split("/").map((part) => part.trim())
  return rats.filter((rat) => parts.some((part) => generations[rat].test(part)))
}
