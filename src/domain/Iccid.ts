/**
 * ICCIDs (rule I1; ITU-T E.118): 18 to 20 digits. The last one is usually a Luhn check digit. A
 * card stores 20 places of four bits, and fills those that it does not need with `F`. Every way
 * into the service reads an ICCID by this module.
 */

const FORMAT = /^(?:(\d{18,20})F?|(\d{18})FF)$/i

/**
 * The ICCID without surrounding space and the pad, `F` or after 18 digits `FF`; `undefined` if the
 * text is no ICCID.
 */
export const parse = (text: string): string | undefined => {
  const [, digits, padded] = FORMAT.exec(text.trim()) ?? []
  return digits ?? padded
}

/**
 * Rule I1: the ICCID as the service writes it; a text that is none stays as it is, since no SIM has
 * it.
 */
export const canonical = (text: string): string => parse(text) ?? text

/**
 * Whether the last digit is the Luhn check digit of the others. Many ICCIDs in the field have none,
 * so an import only warns.
 */
export const hasLuhnDigit = (iccid: string): boolean => {
  let sum = 0
  for (let fromRight = 0; fromRight < iccid.length; fromRight++) {
    const digit = Number(iccid.charAt(iccid.length - 1 - fromRight))
    const doubled = fromRight % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
