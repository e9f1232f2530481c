/**
 * The text of `adapters/catalogue/Data.ts`, made from the packages `i18n-iso-countries`,
 * `countries-list` and `mcc-mnc-list`, so that the package does not need them installed.
 */
import * as Countries from "./Countries.ts"
import * as Networks from "./Networks.ts"

/** Throws where a text would end the line or the template that it is written into. */
const plain = (text: string): string => {
  if (/[\n`\\]|\$\{/.test(text)) throw new Error(`${JSON.stringify(text)} cannot be written into the data`)
  return text
}

const lines = (rows: ReadonlyArray<ReadonlyArray<string>>): string => rows.map((row) => plain(row.join(" "))).join("\n")

/** The module's text. */
export const text = (): string => `/**
 * The data of the standard catalogue (rule I3). A test makes this file from npm packages and
 * compares it; \`npm run catalogue\` writes it anew.
 */

/**
 * ISO 3166-1, from \`i18n-iso-countries\`: code, code of three letters, continent (of
 * \`countries-list\`), English name.
 */
export const countries: string = \`
${lines(Countries.all.map(({ continent, iso2, iso3, name }) => [iso2, iso3, continent, name]))}
\`

/** Mobile networks, from \`mcc-mnc-list\`: country, technologies, network codes, name. */
export const networks: string = \`
${lines(Networks.operators().map(({ countryIso2, mccMnc, name, rats }) => [countryIso2, rats.join(","), mccMnc.join(","), name]))}
\`
`
