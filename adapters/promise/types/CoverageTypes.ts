/**
 * Coverage profiles, operators, and the catalogue that they come from.
 */
import type { CallOptions, List, WriteOptions } from "./Calls.ts"
import type {
  CatalogueUse,
  Country,
  CoverageFilter,
  CoverageProfile,
  CreateRegion,
  Operator,
  OperatorFilter,
  Region
} from "./printed/Coverage.ts"
import type { OfOrganization } from "./printed/Organizations.ts"
import type { Label } from "./Label.ts"

export type * from "./printed/Coverage.ts"

/**
 * Coverage profiles: the catalogue's standard ones and an organization's regions (rules I3 and I4).
 */
export interface Coverage {
  /** Standard profiles first, then the organization's regions by creation. */
  readonly list: (of: CoverageFilter, options?: CallOptions) => List<CoverageProfile>
  /** Reads a profile. Errors: `NotFoundError`. */
  readonly get: (
    of: OfOrganization & { readonly coverageId: string },
    options?: CallOptions
  ) => Promise<CoverageProfile>
  /**
   * Creates a region of an organization's own.
   *
   * Errors: `InvalidFieldError`, `RegionNameTakenError`, `RegionUncoveredError`,
   * `RegionExistsError`, `QuotaExceededError`.
   */
  readonly createRegion: (request: CreateRegion, options?: WriteOptions) => Promise<Region>
}

/** Mobile network operators of the catalogue (rule I5). */
export interface Operators {
  /** The operators of the catalogue. */
  readonly list: (of: OperatorFilter, options?: CallOptions) => List<Operator>
  /** Reads an operator. Errors: `NotFoundError`. */
  readonly get: (of: OfOrganization & { readonly operatorId: string }, options?: CallOptions) => Promise<Operator>
}

/** An operator of a catalogue. */
export interface CatalogueOperator {
  /** A UUID; made from country and name if it is absent. */
  readonly operatorId?: string | undefined
  /** The brand, 1 to 200 characters. */
  readonly name: string
  /** ISO 3166-1 alpha-2, upper case. */
  readonly countryIso2: string
  /** Radio access technologies, `2G` to `5G`, at least one. */
  readonly supportedRats: ReadonlyArray<string>
  /** `<mcc>-<mnc>` codes. */
  readonly mccMnc: ReadonlyArray<string>
  /** The labels that it serves. */
  readonly labels: ReadonlyArray<Label>
}

/** A standard coverage profile of a catalogue. */
export interface CatalogueProfile {
  /** A UUID; made from label and region code if it is absent. */
  readonly coverageId?: string | undefined
  /** The label. */
  readonly label: Label
  /** The name of the region, 1 to 200 characters. */
  readonly regionName: string
  /** The code of the region, 1 to 200 characters. */
  readonly regionCode: string
  /** The countries by ISO 3166-1 alpha-2 code, upper case; each has an operator of the label. */
  readonly iso2List: ReadonlyArray<string>
}

/** The countries, operators and standard coverage profiles of the whole service (rule I3). */
export interface Catalogue {
  /** The countries; those of ISO 3166-1 if they are absent. */
  readonly countries?: ReadonlyArray<Country> | undefined
  /** The operators. */
  readonly operators: ReadonlyArray<CatalogueOperator>
  /** The standard coverage profiles. */
  readonly profiles: ReadonlyArray<CatalogueProfile>
}

/** The catalogue in use, with all its ids. */
export interface CurrentCatalogue extends Required<Catalogue> {
  /** How often it was replaced; 0: it is the built-in one. */
  readonly version: number
}

/** Options of a replacement. */
export interface ReplaceOptions extends WriteOptions {
  /**
   * The version that is replaced (rule W16): if another one is there, nothing is. Absent:
   * whichever is there.
   */
  readonly ifVersion?: number | undefined
}

/** The catalogue of the whole service (rule I3). */
export interface Catalogues {
  /** Reads it. */
  readonly current: (options?: CallOptions) => Promise<CurrentCatalogue>
  /** How many plans of all organizations have each coverage profile, before profiles go. */
  readonly uses: (options?: CallOptions) => Promise<ReadonlyArray<CatalogueUse>>
  /**
   * Replaces the catalogue, for all processes within 5 s. What `current` has given can be given
   * with changes; its `version` counts only as `ifVersion`.
   *
   * Errors: `InvalidFieldError`, `ChangedMeanwhileError`.
   */
  readonly replace: (
    catalogue: Catalogue | (Catalogue & Pick<CurrentCatalogue, "version">),
    options?: ReplaceOptions
  ) => Promise<void>
  /**
   * The catalogue that `replace` would leave: nothing is replaced (rule S9). Errors: those of
   * `replace`.
   */
  readonly previewReplace: (
    catalogue: Catalogue | (Catalogue & Pick<CurrentCatalogue, "version">),
    options?: CallOptions & Pick<ReplaceOptions, "ifVersion">
  ) => Promise<CurrentCatalogue>
}
