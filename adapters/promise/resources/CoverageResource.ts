/**
 * Coverage profiles, operators, and the catalogue that they come from.
 */
import { Effect, Result, Schema, Stream } from "effect"
import { Catalogues, Coverage, Operators } from "simplan"
import type { Catalogue } from "simplan/ports"
import { Copy, Coverage as Views, View } from "simplan/views"
import * as Arguments from "../Arguments.ts"
import type * as Types from "../types/CoverageTypes.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"

const networkOperatorOf = Copy.toHost(Views.NetworkOperator)
const countryOf = Copy.toHost(Views.Country)
const operatorToHost = Copy.toHost(Views.Operator)
const profileOf = Copy.toHost(Views.CoverageProfile)
const regionOf = Copy.toHost(Views.Region)

const operatorOf = (of: Operators.OperatorWithCountry) => operatorToHost(Views.operatorOf(of))

const catalogueOf = ({ countries, operators, profiles }: Catalogue.Catalogue): Required<Types.Catalogue> => ({
  countries: countries.map(countryOf),
  operators: operators.map((of) => ({ ...networkOperatorOf(of), countryIso2: of.countryIso2 })),
  profiles: profiles.map(({ coverageId, iso2List, label, regionCode, regionName }) => ({
    coverageId,
    label,
    regionName,
    regionCode,
    iso2List
  }))
})

// The fileNames of fields in the file of a catalogue.
const fileNames: Readonly<Record<string, string>> = {
  operatorId: "operator_id",
  countryIso2: "country",
  supportedRats: "supported_rats",
  mccMnc: "mcc_mnc",
  coverageId: "coverage_id",
  regionName: "region_name",
  regionCode: "region_code",
  iso2List: "iso2_list"
}

const renamed = (value: unknown, nameOf: (name: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item) => renamed(item, nameOf))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      part === undefined ? [] : [[nameOf(name), renamed(part, nameOf)] as const]
    )
  )
}

const hostsName = (field: string): string =>
  field
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^(operators\[\d+\])\.country$/, "$1.countryIso2")

/** Checks a catalogue and fills in what it leaves out. Throws an `InvalidFieldError`. */
export const complete = async (method: string, given: unknown): Promise<Catalogue.Catalogue> => {
  const { CatalogueFile } = await import("../../catalogue/index.ts")
  const completed = await Effect.runPromise(
    Effect.result(CatalogueFile.complete(renamed(given, (name) => fileNames[name] ?? name)))
  )
  if (Result.isSuccess(completed)) return completed.success
  const { field, message } = completed.failure
  throw Arguments.invalidIn(method, given, hostsName(field), message)
}

const profileNamed = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, coverageId: Arguments.Id }))

export const make = (runtime: Runtime): Types.Coverage => ({
  list: Methods.streaming(
    runtime,
    Methods.method("coverage.list", Views.CoverageFilter),
    ({ label = null, organizationId, regionCode = null }) =>
      Effect.map(Coverage.Coverage, (coverage) =>
        Stream.map(coverage.list({ organizationId, label, regionCode }), profileOf)
      )
  ),
  get: Methods.reading(runtime, { name: "coverage.get", decode: profileNamed }, (of) =>
    Effect.flatMap(Coverage.Coverage, (coverage) => Effect.map(coverage.get(of), profileOf))
  ),
  createRegion: Methods.writing(runtime, Methods.method("coverage.createRegion", Views.CreateRegion), (request) =>
    Methods.once(
      "Region",
      Effect.flatMap(Coverage.Coverage, (coverage) => coverage.createRegion(request)),
      (region) => Effect.succeed(regionOf(region))
    )
  )
})

const operatorNamed = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, operatorId: Arguments.Id }))

export const makeOperators = (runtime: Runtime): Types.Operators => ({
  list: Methods.streaming(
    runtime,
    Methods.method("operators.list", Views.OperatorFilter),
    ({ country = null, label = null, organizationId }) =>
      Effect.flatMap(Operators.Operators, (operators) =>
        Effect.map(operators.list({ organizationId, label, country }), (found) =>
          Stream.fromIterable(found.map(operatorOf))
        )
      )
  ),
  get: Methods.reading(runtime, { name: "operators.get", decode: operatorNamed }, (of) =>
    Effect.flatMap(Operators.Operators, (operators) => Effect.map(operators.get(of), operatorOf))
  )
})

// The file's own format says what is wrong with a catalogue.
const anything = (_: string, request: unknown): object => ({ request })

const decodeVersion = Arguments.decoder(Schema.Struct({ ifVersion: Arguments.Version }), "the options")

const versionedOf = ({ index, version }: Catalogues.Versioned): Types.CurrentCatalogue => ({
  ...catalogueOf(index),
  version
})

type Replacing = Parameters<Types.Catalogues["replace"]>

/** What is given for a catalogue, checked, and the versions that it may find. */
const replacing = async (
  method: string,
  given: Replacing[0],
  { ifVersion: named }: { readonly ifVersion?: unknown }
) => {
  const { version: _, ...catalogue } = { version: undefined, ...given }
  const completed = await complete(method, catalogue)
  const { ifVersion } = decodeVersion(`${method}, options`, { ifVersion: named })
  return { catalogue, completed, ifVersion: Arguments.versions(ifVersion) }
}

const useToHost = Copy.toHost(Views.CatalogueUse)

export const makeCatalogues = (runtime: Runtime): Types.Catalogues => {
  const current = Methods.reading(runtime, Methods.method("catalogues.current", View.nothing), () =>
    Catalogues.Catalogues.use((catalogues) => Effect.map(catalogues.versioned, versionedOf))
  )
  const uses = Methods.reading(runtime, Methods.method("catalogues.uses", View.nothing), () =>
    Catalogues.Catalogues.use((catalogues) => Effect.map(catalogues.uses, (found) => found.map(useToHost)))
  )
  return {
    current: (options) => current({}, options),
    uses: (options) => uses({}, options),
    previewReplace: async (given, { ifVersion: named, ...options } = {}) => {
      const method = { name: "catalogues.previewReplace", decode: anything }
      const { catalogue, completed, ifVersion } = await replacing(method.name, given, { ifVersion: named })
      const preview = Methods.reading(runtime, method, () =>
        Catalogues.Catalogues.use((catalogues) => Effect.map(catalogues.preview(completed, ifVersion), versionedOf))
      )
      return preview(catalogue, options)
    },
    replace: async (given, { ifVersion: named, ...options } = {}) => {
      const method = { name: "catalogues.replace", decode: anything }
      const { catalogue, completed, ifVersion } = await replacing(method.name, given, { ifVersion: named })
      const replace = Methods.writing(runtime, method, () =>
        Methods.done(Catalogues.Catalogues.use((catalogues) => catalogues.replace(completed, ifVersion)))
      )
      return replace(catalogue, options)
    }
  }
}
