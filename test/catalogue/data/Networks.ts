/**
 * The mobile network operators of the world, read from `mcc-mnc-list` for the data of the catalogue
 * (rule I3).
 *
 * An operator combines a country's operational rows of the same brand, or of the same company
 * without a brand, whose bands name a known technology. A row of several countries, such as
 * `AU/CC/CX`, counts for each of them, unless its notes name particular islands.
 */
import networks from "mcc-mnc-list/mcc-mnc-list.json" with { type: "json" }
import * as Countries from "./Countries.ts"
import * as Rats from "./Rats.ts"

interface Row {
  readonly type: string
  readonly countryCode: string | null
  readonly mcc: string
  readonly mnc: string
  readonly brand: string | null
  readonly operator: string | null
  readonly status: string
  readonly bands: string | null
  readonly notes: string | null
}

const rows: ReadonlyArray<Row> = networks

/** The countries that the notes of a row can name. */
const islands: ReadonlyArray<readonly [name: string, iso2: string]> = [
  ["Bonaire", "BQ"],
  ["Curaçao", "CW"],
  ["French Guiana", "GF"],
  ["Guadeloupe", "GP"],
  ["Martinique", "MQ"],
  ["Mayotte", "YT"],
  ["Réunion", "RE"],
  ["Saba", "BQ"],
  ["Saint Barthélemy", "BL"],
  ["Saint Martin", "MF"],
  ["Sint Eustatius", "BQ"],
  ["Sint Maarten", "SX"]
]

/** A code names one country, several (`YT/RE`) or a part of one (`GE-AB`). */
const countriesOf = ({ countryCode, notes }: Row): ReadonlyArray<string> => {
  const codes = (countryCode ?? "").split("/").map((code) => code.slice(0, 2))
  const named = islands.filter(([name, iso2]) => codes.includes(iso2) && notes?.includes(name)).map(([, iso2]) => iso2)
  return codes.filter((code) => Countries.isKnown(code) && (named.length === 0 || named.includes(code)))
}

export interface Network {
  readonly name: string
  readonly countryIso2: string
  readonly rats: ReadonlyArray<Rats.Rat>
  readonly mccMnc: ReadonlyArray<string>
}

interface Found {
  readonly name: string
  readonly countryIso2: string
  readonly rats: Set<Rats.Rat>
  readonly mccMnc: Set<string>
}

/** The operators, by country and name. */
export const operators = (): ReadonlyArray<Network> => {
  const found = new Map<string, Found>()
  for (const row of rows) {
    const name = (row.brand ?? row.operator ?? "").trim()
    const code = `${row.mcc}-${row.mnc}`
    const rats = Rats.fromBands(row.bands)
    if (row.type !== "National" || row.status !== "Operational" || rats.length === 0 || name === "") continue
    if (!/^\d{3}-\d{2,3}$/.test(code)) continue
    for (const countryIso2 of countriesOf(row)) {
      // The spelling of a brand varies in case.
      const key = `${countryIso2}/${name.toLowerCase()}`
      const network = found.get(key) ?? { name, countryIso2, rats: new Set(), mccMnc: new Set() }
      found.set(key, network)
      for (const rat of rats) network.rats.add(rat)
      network.mccMnc.add(code)
    }
  }
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { countryIso2, mccMnc, name, rats }]) => ({
      name,
      countryIso2,
      rats: Rats.rats.filter((rat) => rats.has(rat)),
      mccMnc: [...mccMnc].sort()
    }))
}
