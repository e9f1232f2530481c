/**
 * A catalogue with the same profile under each id that the scenario's plans name. The history does not depend on coverage.
 */
import { Catalogues } from "simplan"
import type { Catalogue } from "simplan/ports"
import { Effect, Layer } from "effect"

/** The default profile of a plan. */
export const COVERAGE_ID = "00000000-0000-5000-8000-000000000001"

const profile = (coverageId: string): Catalogue.StandardProfile => ({
  coverageId,
  label: "Green",
  regionName: "Everywhere",
  regionCode: "GLOBAL",
  iso2List: ["FR"]
})

const catalogue = (coverageIds: ReadonlyArray<string>): Catalogue.Catalogue => ({
  countries: [{ iso2: "FR", iso3: "FRA", name: "France" }],
  operators: [
    {
      operatorId: "00000000-0000-5000-8000-000000000002",
      name: "Simulated",
      countryIso2: "FR",
      supportedRats: ["4G", "5G"],
      mccMnc: ["208-01"],
      labels: ["Green"]
    }
  ],
  profiles: [...new Set([COVERAGE_ID, ...coverageIds])].map(profile)
})

/** Provides a service with these profiles. */
export const layer = (coverageIds: ReadonlyArray<string>): Layer.Layer<Catalogues.BuiltIn> =>
  Layer.succeed(Catalogues.BuiltIn, { catalogue: Effect.sync(() => catalogue(coverageIds)) })
