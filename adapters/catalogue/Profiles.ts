/**
 * The standard coverage profiles (rule I3): under each label one per country that has an operator of it, one per
 * continent, and `GLOBAL`. `Green` has every operator, `Aqua` those with 4G or 5G, `Blue` those with 5G.
 */
import { type Catalogue, Label } from "simplan/ports"
import * as Countries from "./Countries.ts"
import * as Ids from "./Ids.ts"

/** The non-empty profiles of these operators. */
export const profiles = (operators: ReadonlyArray<Catalogue.Operator>): ReadonlyArray<Catalogue.StandardProfile> =>
  Label.labels.flatMap((label) => {
    const served = new Set(
      operators.filter(({ labels }) => labels.includes(label)).map(({ countryIso2 }) => countryIso2)
    )
    const countries = Countries.all.filter(({ iso2 }) => served.has(iso2))
    const profile = (regionCode: string, regionName: string, members: ReadonlyArray<Catalogue.Country>) => ({
      coverageId: Ids.coverageId(label, regionCode),
      label,
      regionName,
      regionCode,
      iso2List: members.map(({ iso2 }) => iso2)
    })
    return [
      ...countries.map((country) => profile(country.iso2, country.name, [country])),
      ...Countries.allContinents.map(({ regionCode, regionName }) =>
        profile(
          regionCode,
          regionName,
          countries.filter(({ iso2 }) => Countries.continentOf(iso2)?.regionCode === regionCode)
        )
      ),
      profile("GLOBAL", "Global", countries)
    ].filter(({ iso2List }) => iso2List.length > 0)
  })
