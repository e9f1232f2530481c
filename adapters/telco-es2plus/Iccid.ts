/**
 * ICCIDs as ES2+ writes them (SGP.22 sections 5.2.1 and 6.5.2): 19 or 20 digits, of which the 20th may be the pad `F`.
 */

/**
 * The ICCID on the wire; undefined where ES2+ cannot name it, because it has 18 digits. One of 19 digits gets the pad, because
 * SGP.22 before version 2.2 knows only 20 characters, and later versions take both.
 */
export const toWire = (iccid: string): string | undefined => {
  if (/^\d{20}$/.test(iccid)) return iccid
  return /^\d{19}$/.test(iccid) ? `${iccid}F` : undefined
}

/** The digits of an ICCID of the wire; undefined if the text is none. */
export const fromWire = (text: string): string | undefined => {
  const digits = text.replace(/[Ff]+$/, "")
  return /^\d{18,20}$/.test(digits) && text.length <= 20 ? digits : undefined
}
