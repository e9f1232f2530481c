/**
 * The storage port's reads of plans, of what they cover, and of the catalogue.
 */
import type { Catalogue } from "../../domain/Catalogue.ts"
import type { Filter, Plan, Use } from "../../domain/Plan.ts"
import type { Region } from "../../domain/Region.ts"
import type { CreatedCursor, Filtered, FilteredKeyset, OfOrganization, Page, Read } from "./Read.ts"

/** A page of an organization's plans, oldest first, as far as the filter takes them. */
export interface PlanQuery extends FilteredKeyset, OfOrganization, Filter {}

/** Reads of plans. A commit writes them. */
export interface Plans {
  /** Deleted plans included. */
  readonly get: (of: OfOrganization & { readonly planId: string }) => Read<Plan | null>
  /** Those of `Plan.isAsked`, by creation and id, ascending, without deleted ones. */
  readonly page: (query: PlanQuery) => Read<Filtered<Plan>>
  /**
   * How many plans of all organizations have each coverage profile (`Plan.usesOf`), in any order.
   * For operators: it reads all plans.
   */
  readonly uses: Read<ReadonlyArray<Use>>
}

/** An organization's custom regions. */
export interface Regions {
  /** Null: the organization has none of that id. */
  readonly get: (of: OfOrganization & { readonly coverageId: string }) => Read<Region | null>
  /**
   * The region of this id, of whichever organization; for operators, since it searches all regions.
   */
  readonly find: (coverageId: string) => Read<Region | null>
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
  /** Null: none is stored, and the built-in one is used. */
  readonly get: Read<Catalogue | null>
}
