/**
 * Coverage profiles: the catalogue's standard ones and an organization's custom regions (rules I3 and I4).
 */
import { Context, type Effect, type Stream } from "effect"
import type { Country, Operator } from "../domain/Catalogue.ts"
import type { Label } from "../domain/Label.ts"
import type { InvalidField, NotFound, RegionExists, RegionNameTaken, RegionUncovered } from "../domain/Refusal.ts"
import type { Region } from "../domain/Region.ts"
import type { StorageError } from "../ports/Storage.ts"

/** A profile with its countries, and in each the operators that serve its label. */
export interface Profile {
  readonly coverageId: string
  readonly label: Label
  readonly regionName: string
  readonly regionCode: string
  readonly countries: ReadonlyArray<Country & { readonly operators: ReadonlyArray<Operator> }>
}

export class Coverage extends Context.Service<
  Coverage,
  {
    /** Standard profiles first, then custom ones by creation. */
    readonly list: (of: {
      readonly organizationId: string
      readonly regionCode: string | null
      readonly label: string | null
    }) => Stream.Stream<Profile, StorageError>
    readonly get: (of: {
      readonly organizationId: string
      readonly coverageId: string
    }) => Effect.Effect<Profile, NotFound | StorageError>
    readonly createRegion: (request: {
      readonly organizationId: string
      readonly regionName: string
      readonly label: Label
      readonly iso2List: ReadonlyArray<string>
    }) => Effect.Effect<Region, InvalidField | RegionNameTaken | RegionUncovered | RegionExists | StorageError>
  }
>()("simplan/Coverage") {}
