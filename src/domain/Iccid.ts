/**
 * ICCIDs (rule I1; ITU-T E.118): 18 to 20 digits. The last one is usually a Luhn check digit.
 */

/** The ICCID without surrounding space and trailing `F` pad; `undefined` if the text is no ICCID. */
export const parse = (text: string): string | undefined => {
  const digits = text.trim().replace(/[Ff]$/, "")
  return /^\d{18,20}$/.test(digits) ? digits : undefined
}

/**
 * Whether the last digit is the Luhn check digit of the others. Many ICCIDs in the field have none, so an import only
 * warns.
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
