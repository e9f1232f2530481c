/**
 * Time limits on the machine's clock, and limits of concurrency.
 */
import { Context } from "effect"
import * as Quota from "../domain/Quota.ts"
import { DAY, MINUTE } from "../domain/Time.ts"

/**
 * Which fast paths the use cases take. Each one can be switched off: the service then does the same
 * work in the plain way. `npm run test:plain` runs the suite with all of them off.
 */
export interface FastPaths {
  /** Plans are cached. */
  readonly planCache: boolean
  /** Free eSIMs are reserved ahead of requests (`SimReservations`). */
  readonly simReservationPool: boolean
}

const fastPaths: FastPaths = { planCache: true, simReservationPool: true }

/** The limits of one process. Spans are milliseconds of machine time unless said otherwise. */
export interface Limits {
  /** How long a telco call may take. After that the telco counts as unavailable. */
  readonly telcoTimeoutMillis: number
  /** How long the lease of a job or delivery lasts. It is renewed after each third of that time. */
  readonly leaseMillis: number
  /** How long the reservation of a SIM lasts. */
  readonly claimMillis: number
  /** How often the fetch loops poll storage when no wake-up comes. */
  readonly pollMillis: number
  /** How many jobs this process runs at once in the background, and how many deliveries. */
  readonly concurrency: number
  /** How long API keys and the catalogue's version are cached. */
  readonly cacheMillis: number
  /** How long stopping waits for work under way. After that the leases are released. */
  readonly drainMillis: number
  /** How long an answer waits for work that it starts but does not depend on. */
  readonly waitLimitMillis: number
  /** How long audit entries are kept, in business time (rule W12); whole months are deleted. */
  readonly auditRetentionMillis: number
  /**
   * How long webhook events, their deliveries and attempts are kept, in business time (rule W12).
   */
  readonly retentionMillis: number
  /**
   * How long usage is kept by day and country, in business time (rule U1); whole months are
   * deleted.
   */
  readonly usageRetentionMillis: number
  /**
   * How many SMS an organization may send to one of its SIMs in a time (rule W13); null: as many as
   * it likes.
   */
  readonly smsLimit: { readonly messages: number; readonly windowMillis: number } | null
  /** How many plans, regions, endpoints and keys an organization may have (rule W13). */
  readonly quotas: Quota.Quotas
  /** Which of the paths that exist for speed alone are on; all by default. */
  readonly fastPaths: FastPaths
}

/** The limits that the services go by; the defaults suit a server. */
export const Settings = Context.Reference<Limits>("simplan/Settings", {
  defaultValue: () => ({
    telcoTimeoutMillis: 10_000,
    leaseMillis: 15_000,
    claimMillis: 5_000,
    pollMillis: 4_000,
    concurrency: 192,
    cacheMillis: 4_000,
    drainMillis: 2_000,
    waitLimitMillis: 1_000,
    auditRetentionMillis: 365 * DAY,
    retentionMillis: 30 * DAY,
    usageRetentionMillis: 400 * DAY,
    smsLimit: { messages: 30, windowMillis: MINUTE },
    quotas: Quota.defaults,
    fastPaths
  })
})
