/**
 * The random steps by which two storages are compared: what a run of them works on, and their
 * numbers.
 *
 * A step is a name and small numbers that pick rows from small pools, so that steps meet each other
 * often, and so that a run that fails shrinks to a short one that can be read.
 */
import type { WantedLoad } from "../../../domain/Sim.ts"
import { DAY, type Instant } from "../../../domain/Time.ts"
import type { World } from "../world/World.ts"

/** The numbers of a part of a random commit. */
export interface Part {
  /** Which row of its pool; of a move: the SIM that is left. */
  readonly row: number
  readonly choice: number
  readonly stale: boolean
}

/** The numbers of a question, at one moment of machine time. */
export interface Ask {
  readonly row: number
  readonly choice: number
  readonly machineNow: number
}

/** One run of steps: its two organizations and the pools that its steps pick from. */
export interface Run {
  readonly worlds: readonly [World, World]
  readonly now: Instant
  readonly machineNow: Instant
  readonly iccids: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
  /** By organization. */
  readonly ids: ReadonlyMap<string, ReadonlyArray<string>>
  readonly hashes: ReadonlyArray<string>
}

/** The element that a number picks. */
export const pick = <A>(pool: ReadonlyArray<A>, index: number): A => {
  const picked = pool[index % pool.length]
  if (picked === undefined) throw new Error("Nothing can be picked from an empty pool")
  return picked
}

/**
 * An id of the organization's pool, in which plans, regions, endpoints, keys and jobs pick their
 * ids.
 */
export const idOf = (run: Run, { organizationId }: World, index: number): string =>
  pick(run.ids.get(organizationId) ?? [], index)

/** The loads that SIMs come with. */
export const LOADS = ["1 GB", "2 GB"] as const

/** The load that a request takes a SIM with. */
export const wantedLoad = (now: Instant, choice: number): WantedLoad | null =>
  choice % 3 < 2 ? null : { load: pick(LOADS, choice), sellAfter: now + ((choice % 5) - 1) * DAY }
