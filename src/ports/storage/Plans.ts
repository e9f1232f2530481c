/**
 * The storage port's reads of plans, of what they cover, and of the catalogue.
 */
import type { Catalogue } from "../../domain/Catalogue.ts"
import type { Label } from "../../domain/Label.ts"
import type { Plan } from "../../domain/Plan.ts"
import type { Region } from "../../domain/Region.ts"
import type { CreatedCursor, OfOrganization, Page, Read } from "./Read.ts"

/** Which plans a page lists; null filters nothing. */
export interface PlanQuery extends Page<CreatedCursor> {
  /** True: only archived plans. False: only plans that are not archived. */
  readonly archived: boolean | null
  readonly label: Label | null
  /** A part of the name, taken literally and in any case: both are compared by their `toLowerCase()`. */
  readonly search: string | null
  /** Only plans whose coverage is one of these ids, or a custom region with all of these countries. */
  readonly covering: {
    readonly coverageIds: ReadonlyArray<string>
    readonly iso2List: ReadonlyArray<string>
  } | null
}

export interface Plans {
  /** Deleted plans included. */
  readonly get: (of: OfOrganization & { readonly planId: string }) => Read<Plan | null>
  /** By creation and id, ascending, without deleted ones. */
  readonly page: (query: PlanQuery) => Read<ReadonlyArray<Plan>>
}

/** An organization's custom regions. */
export interface Regions {
  readonly get: (of: OfOrganization & { readonly coverageId: string }) => Read<Region | null>
  /** By creation and id, ascending. */
  readonly page: (query: Page<CreatedCursor>) => Read<ReadonlyArray<Region>>
  /** The regions that have this name, or exactly these countries in any order; unordered. */
  readonly like: (
    of: OfOrganization & { readonly regionName: string; readonly iso2List: ReadonlyArray<string> }
  ) => Read<ReadonlyArray<Region>>
}

/** The catalogue that replaces the built-in one. */
export interface Catalogues {
  /** How often the catalogue was replaced; 0 while it never was. */
  readonly version: Read<number>
  readonly get: Read<Catalogue | null>
}
