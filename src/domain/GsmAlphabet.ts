/**
 * The GSM 7-bit default alphabet and its extension table (3GPP TS 23.038, 6.2.1). A character of the default alphabet
 * takes one septet. A character of the extension table follows an escape and takes two.
 */

const BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§" +
  "¿abcdefghijklmnopqrstuvwxyzäöñüà"

const EXTENSION = "\f^{}\\[~]|€"

const septetsOf: ReadonlyMap<string, number> = new Map([
  ...[...BASIC].map((character) => [character, 1] as const),
  ...[...EXTENSION].map((character) => [character, 2] as const)
])

/** The septets of each character, 1 or 2; undefined where the text has a character that is not of the alphabet. */
export const septets = (text: string): ReadonlyArray<number> | undefined => {
  const all: Array<number> = []
  for (const character of text) {
    const count = septetsOf.get(character)
    if (count === undefined) return undefined
    all.push(count)
  }
  return all
}
