/**
 * How long things may take on the machine's clock, and how much is done at once.
 */
import { Context } from "effect"
import * as FastPaths from "./fast/FastPaths.ts"

export interface Limits {
  /** How long one telco call may take before it counts as unavailable. */
  readonly telcoTimeoutMillis: number
  /** How long a job or delivery is held without a sign of life; it is renewed three times as often. */
  readonly leaseMillis: number
  /** How long a SIM that was chosen for a request is kept for it. */
  readonly claimMillis: number
  /** How often storage is asked for work although nobody announced any. */
  readonly pollMillis: number
  /** How many jobs are under way at once in the background of this process, and how many deliveries. */
  readonly concurrency: number
  /** How long keys and the catalogue are believed without asking storage. */
  readonly cacheMillis: number
  /** How long stopping waits for work that is under way before it hands it back. */
  readonly drainMillis: number
  /** How long an answer waits for work that is tried at once but need not be done. */
  readonly patienceMillis: number
  readonly fastPaths: FastPaths.FastPaths
}

export const Settings = Context.Reference<Limits>("simplan/Settings", {
  defaultValue: () => ({
    telcoTimeoutMillis: 10_000,
    leaseMillis: 15_000,
    claimMillis: 5_000,
    pollMillis: 4_000,
    concurrency: 192,
    cacheMillis: 4_000,
    drainMillis: 2_000,
    patienceMillis: 1_000,
    fastPaths: FastPaths.defaults
  })
})
