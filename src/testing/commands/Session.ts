/**
 * What the interpreter of commands remembers of a run: what was made, and what could be asked for once more.
 */
import type { Plan } from "../../domain/Plan.ts"
import type { Report } from "../../domain/TelcoReport.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Simulated } from "../Simulated.ts"
import type { Request } from "./Asked.ts"
import type { Side } from "./Command.ts"

/** One run's memory. Commands change it, so two runs must not share one. */
export interface Session {
  /** The service that the commands run against. */
  readonly simulated: Simulated
  /** All that were ever created, by organization. */
  readonly plans: readonly [Array<Plan>, Array<Plan>]
  /** All reports made so far, oldest first. A command that repeats a report takes it from here. */
  readonly reports: Array<Report>
  /** Requests with an idempotency key, oldest first, and when each was made. `Repeat` takes them from here. */
  readonly keyed: Array<{ readonly at: Instant; readonly request: Request }>
  /** Numbers the requests, so that each can be distinguished from all others by what it leaves. */
  nextRequest: number
  /** Numbers the reports: the next new one has the id `report-<nextReport>`. */
  nextReport: number
}

/** An empty session for a service that no command has run against yet. */
export const begin = (simulated: Simulated): Session => ({
  simulated,
  plans: [[], []],
  reports: [],
  keyed: [],
  nextRequest: 1,
  nextReport: 1
})

export const organizationOf = ({ simulated }: Session, side: Side): string => simulated.organizationIds[side]

export const other = (side: Side): Side => (side === 0 ? 1 : 0)

/** The element at `index`, modulo how many there are; undefined where there are none. */
export const pick = <A>(all: ReadonlyArray<A>, index: number): A | undefined =>
  all.length === 0 ? undefined : all[index % all.length]

/** Likewise, counted from the last. */
export const pickBack = <A>(all: ReadonlyArray<A>, back: number): A | undefined =>
  all.length === 0 ? undefined : all[all.length - 1 - (back % all.length)]
