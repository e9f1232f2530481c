/**
 * What operators see first.
 */
import type { CallOptions } from "./Calls.ts"
import type { Overview, OverviewOf } from "./printed/Overview.ts"

export type * from "./printed/Overview.ts"

/** What operators see first. */
export interface Overviews {
  /**
   * Whether it is the service, a telco or one customer: how telcos answer, what work waits, which
   * endpoints fail, and which stocks run out. With an organization, only what is of it.
   *
   * Errors: `NotFoundError`.
   */
  readonly read: (of?: OverviewOf, options?: CallOptions) => Promise<Overview>
}
