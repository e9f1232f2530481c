/**
 * How fresh usage is that was counted elsewhere, beside `Telco`: a telco whose SIMs are polled, and
 * which counts late itself, has used more by now than the packages say.
 */
import { Context, type Effect } from "effect"
import type { Instant } from "../domain/Time.ts"

/** How fresh usage is. */
export interface TelcoUsage {
  /**
   * Until when what was used of the packages on a SIM is counted, by the `packageId` of their
   * orders. Those of which nobody knows are left out, as are all of a telco that reports usage by
   * itself.
   */
  readonly asOf: (of: {
    readonly organizationId: string
    readonly iccid: string
  }) => Effect.Effect<ReadonlyMap<string, Instant>>
}

/** How fresh usage is; null, which is the default: it is not known of any package. */
export const TelcoUsage = Context.Reference<TelcoUsage | null>("simplan/TelcoUsage", {
  defaultValue: () => null
})
