/**
 * The storage port's reads of the ledger of costs (rules C1 to C4). A commit adds to it, and
 * nothing is ever deleted of it.
 */
import type { Booked, Group, Spent, Total } from "../../domain/Cost.ts"
import type { Instant } from "../../domain/Time.ts"
import type { OfOrganization, Read } from "./Read.ts"

/** Reads of the ledger. */
export interface Ledger {
  /**
   * What an organization's purchases and top-ups since an instant, that one included, have cost, as
   * `Cost.spent` has it. What no supplier has named an amount of is left out. It is asked for each
   * purchase, and about a day.
   */
  readonly spent: (of: OfOrganization & { readonly since: Instant }) => Read<ReadonlyArray<Spent>>
  /** The amount of one row; null: it is not there. */
  readonly booked: (of: OfOrganization & { readonly costId: string }) => Read<Booked | null>
  /**
   * What was charged and sold from an instant until before another, of one organization or of all,
   * as `Cost.totals` has it: after a total of the same groups, up to `limit`.
   */
  readonly totals: (query: {
    readonly organizationId: string | null
    readonly from: Instant
    readonly until: Instant
    readonly by: ReadonlyArray<Group>
    readonly after: Total | null
    readonly limit: number
  }) => Read<ReadonlyArray<Total>>
}
