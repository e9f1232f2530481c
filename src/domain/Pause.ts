/**
 * Pausing a subscription and resuming it (rule S7). While it is paused its SIM has no service; its
 * attachments go on as if it had.
 *
 * What is asked for is committed first, and a job tells the telco. One change of a SIM is under way
 * at a time, under a key of its own, until the telco has answered it. Only then the next one is
 * asked for, if what was asked for last differs. So the last wish wins, whatever is lost on the way
 * or overtaken: a copy of an earlier call that arrives late is one that the telco has answered
 * before.
 */
import { type Decision, type NewJob, nothing } from "./Decision.ts"
import type { Service, Sim } from "./Sim.ts"
import type { SimAggregate } from "./SimAggregate.ts"
import type { Instant } from "./Time.ts"

/** The job that asks the telco for a change. */
export const jobId = (changeId: string): string => `service:${changeId}`

/** What a decision about a pause is given beside the SIM. */
export interface Given {
  /** New: the key of the next change at the telco. */
  readonly changeId: string
  /**
   * Whether the telco has refused the change under way for good (rule S6), so that it has done
   * nothing of it.
   */
  readonly isRefused: boolean
}

/**
 * Whether the telco has the SIM in service, with nothing under way. Only such a SIM may be free.
 */
export const isResumed = ({ service }: Pick<Sim, "service">): boolean =>
  service._tag === "Settled" && service.pausedAt === null

/** A change that is under way. */
type Changing = Extract<Service, { readonly _tag: "Changing" }>

/** The SIM after a decision about its service, and the jobs that it leaves. */
export interface Next {
  /** Only its service differs. */
  readonly sim: Sim
  /** The job of the next change, or none. */
  readonly jobs: ReadonlyArray<NewJob>
}

const settled = (sim: Sim, pausedAt: Instant | null): Next => ({
  sim: { ...sim, service: { _tag: "Settled", pausedAt } },
  jobs: []
})

const changing = (sim: Sim, pausedAt: Instant | null, changeId: string, now: Instant): Next => ({
  sim: { ...sim, service: { _tag: "Changing", pausedAt, changeId, active: pausedAt === null } },
  jobs: [{ jobId: jobId(changeId), work: { _tag: "SetService", iccid: sim.iccid, changeId }, dueAt: now }]
})

/** Whether the change under way is what was asked for last. */
export const isWanted = ({ active, pausedAt }: Changing): boolean => active === (pausedAt === null)

/** The SIM after it was asked that it be paused since that instant, or not at all (null). */
export const asked = (sim: Sim, pausedAt: Instant | null, { changeId, isRefused }: Given, now: Instant): Next => {
  const { service } = sim
  if ((service.pausedAt === null) === (pausedAt === null)) return { sim, jobs: [] }
  if (service._tag === "Settled") return changing(sim, pausedAt, changeId, now)
  const wanted: Changing = { ...service, pausedAt }
  if (!isRefused) return { sim: { ...sim, service: wanted }, jobs: [] }
  return isWanted(wanted) ? changing(sim, pausedAt, changeId, now) : settled(sim, pausedAt)
}

/** Rule S7: pauses the SIM's live subscription or resumes it. Again, it changes nothing. */
export const request = (
  aggregate: SimAggregate,
  wanted: { readonly paused: boolean },
  given: Given,
  now: Instant
): Decision => {
  const { sim } = aggregate
  if ((sim.service.pausedAt !== null) === wanted.paused) return nothing
  const next = asked(sim, wanted.paused ? now : null, given, now)
  return { sim: { loaded: aggregate, next: { ...aggregate, sim: next.sim } }, jobs: next.jobs }
}

/** The change that is under way, if it is this one; null if it is another one, or none. */
export const underWay = (sim: Sim, changeId: string): Changing | null =>
  sim.service._tag === "Changing" && sim.service.changeId === changeId ? sim.service : null

/**
 * The telco has made the change under way. If something else is wanted by now, the change
 * `nextId` follows.
 */
export const made = (sim: Sim, service: Changing, nextId: string, now: Instant): Next =>
  isWanted(service) ? settled(sim, service.pausedAt) : changing(sim, service.pausedAt, nextId, now)

/**
 * The telco has refused the change under way, which is not wanted any more: it has what is wanted.
 */
export const dropped = (sim: Sim, service: Changing): Next => settled(sim, service.pausedAt)
