/**
 * What a run of commands remembers, and what the numbers of a command name, given what there is now
 * and what was made earlier in the run. Reads only.
 */
import { Effect } from "effect"
import type { Plan } from "../../domain/Plan.ts"
import * as Sim from "../../domain/Sim.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import type { Report } from "../../domain/TelcoReport.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Simulated } from "../Simulated.ts"
import type { Request, Side } from "./Command.ts"

/** One run's memory. Commands change it, so two runs must not share one. */
export interface Session {
  /** The service that the commands run against. */
  readonly simulated: Simulated
  /**
   * Whether nothing else happens between two calls of the service. Then each request is previewed
   * before it is made.
   */
  readonly isAlone: boolean
  /** All that were ever created, by organization. */
  readonly plans: readonly [Array<Plan>, Array<Plan>]
  /** All reports made so far, oldest first. A command that repeats a report takes it from here. */
  readonly reports: Array<Report>
  /**
   * Requests with an idempotency key, oldest first, and when each was made. `Repeat` takes them
   * from here.
   */
  readonly keyed: Array<{ readonly at: Instant; readonly request: Request }>
  /** Numbers the requests, so that each can be distinguished from all others by what it leaves. */
  nextRequest: number
  /** Numbers the reports: the next new one has the id `report-<nextReport>`. */
  nextReport: number
}

/** An empty session for a service that no command has run against yet. */
export const begin = (simulated: Simulated, isAlone = true): Session => ({
  simulated,
  isAlone,
  plans: [[], []],
  reports: [],
  keyed: [],
  nextRequest: 1,
  nextReport: 1
})

export const organizationOf = ({ simulated }: Session, side: Side): string => simulated.organizationIds[side]

export const other = (side: Side): Side => (side === 0 ? 1 : 0)

/** The element at `index`, modulo how many there are; undefined if there are none. */
export const pick = <A>(all: ReadonlyArray<A>, index: number): A | undefined =>
  all.length === 0 ? undefined : all[index % all.length]

/** The element at `back`, counted from the last; undefined if there are none. */
export const pickBack = <A>(all: ReadonlyArray<A>, back: number): A | undefined =>
  all.length === 0 ? undefined : all[all.length - 1 - (back % all.length)]

/** The SIMs in service, or all if none is. */
const linesOf = (session: Session, side: Side) =>
  Effect.gen(function* () {
    const organizationId = organizationOf(session, side)
    const all = session.simulated.iccids(organizationId)
    const found = yield* session.simulated.storage.subscriptions.page({
      organizationId,
      after: null,
      limit: all.length
    })
    return found.length === 0 ? all : found.map(({ sim }) => sim.iccid)
  })

/** The SIM in service at that place. */
export const lineOf = (session: Session, side: Side, index: number) =>
  Effect.map(linesOf(session, side), (all) => pick(all, index) ?? "")

/**
 * The withdrawn SIM that is named, those that a subscription has left last before others; null
 * if there is none.
 */
export const leftOf = (session: Session, side: Side, left: number | null = null) => {
  const organizationId = organizationOf(session, side)
  const limit = session.simulated.iccids(organizationId).length
  return left === null
    ? Effect.succeed(null)
    : Effect.map(
        session.simulated.storage.sims.page({ organizationId, isEsim: null, label: null, after: null, limit }),
        (sims) => {
          const since = ({ recycledAt }: Sim.Sim): Instant => recycledAt ?? Number.NEGATIVE_INFINITY
          const withdrawn = sims.filter((sim) => Sim.withdrawnReason(sim) !== null)
          return (
            pick(
              withdrawn.toSorted((one, next) => since(next) - since(one)),
              left
            )?.iccid ?? null
          )
        }
      )
}

/** The attachments of a SIM that are confirmed. */
export const attachmentsOf = (session: Session, side: Side, iccid: string) => {
  const organizationId = organizationOf(session, side)
  return Effect.map(session.simulated.storage.simAggregates.get({ organizationId, iccid }), (line) =>
    line === null ? [] : SimAggregate.confirmed(line)
  )
}

/** The plan at that place, of the other organization if it is foreign. */
export const planOf = (session: Session, { by, foreign, plan }: { by: Side; foreign: boolean; plan: number }) =>
  pick(session.plans[foreign ? other(by) : by], plan)?.planId

/** Whose things a command names. */
export const ownerOf = ({ by, foreign }: { readonly by: Side; readonly foreign: boolean }): Side =>
  foreign ? other(by) : by
