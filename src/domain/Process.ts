/**
 * The processes that share a storage, as operators see them: each says of itself every half a
 * minute what it is and what it has under way. One that stops takes its own leave; one that was
 * killed is forgotten after a while.
 */
import type { Rates } from "./Rates.ts"
import { MINUTE, SECOND, type Instant } from "./Time.ts"

/** What a process says of itself. Instants are machine time, by the storage's clock. */
export interface Process {
  /** Its own from start to end; another one each time it starts. */
  readonly processId: string
  /** The version of its build; null if its host names none. */
  readonly version: string | null
  /** The name of its machine; null if its host names none. */
  readonly host: string | null
  /**
   * What it runs: the groups of routes that it serves, and `worker` if it does work that falls
   * due; sorted.
   */
  readonly runs: ReadonlyArray<string>
  /** When it started. */
  readonly startedAt: Instant
  /** When it last said so. */
  readonly beatAt: Instant
  /** How many jobs it had under way then, under leases. */
  readonly heldJobs: number
  /** How many deliveries it had under way then, under leases. */
  readonly heldDeliveries: number
  /** What has happened in it lately. */
  readonly rates: Rates
}

/** How long a process says nothing, in milliseconds. */
export const BEAT = 30 * SECOND

/**
 * For how long a process that says nothing is shown, in milliseconds: it has missed several beats.
 */
export const SILENCE = 2 * MINUTE

/** How many processes are shown. */
export const SHOWN = 200

/** The processes by when they started, `SHOWN` at most. */
export const shown = (processes: Iterable<Process>): ReadonlyArray<Process> =>
  [...processes].toSorted((a, b) => a.startedAt - b.startedAt || (a.processId < b.processId ? -1 : 1)).slice(0, SHOWN)
