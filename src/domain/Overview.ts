/**
 * What operators see first: the work that waits, the endpoints that fail, the stock, and whose load
 * it is. Of everything it has so much as one screen shows, and what it counts has a bound.
 */
import { Order } from "effect"
import type { WaitingJob, WaitingReason, Work } from "./Job.ts"
import type { Level } from "./Stock.ts"
import { DAY, type Instant, MINUTE } from "./Time.ts"

/** Whose things an operator sees: those of one organization, or of all (rule W14). */
export interface Watching {
  /** Null: those of all. */
  readonly organizationId: string | null
}

/** How many jobs and deliveries are counted at most. */
export const COUNTED = 10_000

/** How many deliveries of one endpoint are counted at most. */
export const COUNTED_OF_ENDPOINT = 1_000

/** How many endpoints are shown. */
export const ENDPOINTS = 50

/** How many stocks are shown, and the stocks of how many organizations are counted for it. */
export const STOCKS = 50

/** Among how many organizations those are found that have sold last. */
export const ORGANIZATIONS = 2_000

/** How many organizations are shown by their work. */
export const LOADS = 10

/** The jobs that wait for the same telco for the same reason, taken together. */
export interface WaitingGroup {
  /** The kind of work. */
  readonly kind: Work["_tag"]
  /** The class of what their last tries met. */
  readonly reason: WaitingReason
  /** The name of the telco that they wait for; null: one without a name, or none. */
  readonly telco: string | null
  /** How many there are. */
  readonly count: number
  /** Since when the one waits that waits longest. */
  readonly since: Instant
  /** When the first of them is due. */
  readonly nextAt: Instant
}

const taken = (groups: ReadonlyArray<WaitingGroup>): ReadonlyArray<WaitingGroup> => {
  const all = new Map<string, WaitingGroup>()
  for (const group of groups) {
    const key = JSON.stringify([group.kind, group.reason, group.telco])
    const { count = 0, nextAt = group.nextAt, since = group.since } = all.get(key) ?? {}
    all.set(key, {
      ...group,
      count: count + group.count,
      since: Math.min(since, group.since),
      nextAt: Math.min(nextAt, group.nextAt)
    })
  }
  return ordered([...all.values()])
}

/** The jobs by kind, reason and telco, those that wait longest first. */
export const waitingGroups = (jobs: ReadonlyArray<WaitingJob>): ReadonlyArray<WaitingGroup> =>
  taken(
    jobs.map(({ dueAt, waiting: { reason, since, telco = null }, work }) => ({
      ...{ kind: work._tag, reason, telco, count: 1, since, nextAt: dueAt }
    }))
  )

/** The groups by kind and reason alone, whichever telco it is. */
export const ofAnyTelco = (groups: ReadonlyArray<WaitingGroup>): ReadonlyArray<WaitingGroup> =>
  taken(groups.map((group) => ({ ...group, telco: null })))

/** Those that wait longest first. */
export const ordered = (groups: ReadonlyArray<WaitingGroup>): ReadonlyArray<WaitingGroup> =>
  groups.toSorted(
    (a, b) =>
      a.since - b.since ||
      Order.String(a.kind, b.kind) ||
      Order.String(a.reason, b.reason) ||
      Order.String(a.telco ?? "", b.telco ?? "")
  )

/** What waits for one telco. */
export interface TelcoStanding {
  /** Null: the telco has no name, since there is one only. */
  readonly name: string | null
  /** False: jobs wait because it did not answer, or because it is not asked for a while. */
  readonly answers: boolean
  /** Since when the first of those waits; null if it answers. */
  readonly since: Instant | null
  /** How many jobs wait for it, whatever the reason. */
  readonly waiting: number
  /** Since when the first of all these waits; null if none does. */
  readonly oldest: Instant | null
  /** When the first of them is tried again; null if none waits. */
  readonly nextAt: Instant | null
}

const least = (instants: ReadonlyArray<Instant>): Instant | null =>
  instants.length === 0 ? null : instants.reduce((a, b) => Math.min(a, b))

/**
 * How telcos stand, by what waits for them: those of these names, and others that jobs wait for. A
 * job that waits for something else than a telco (`busy`) does not count. A telco that nothing was
 * asked of stands as one that answers.
 */
export const telcos = (
  groups: ReadonlyArray<WaitingGroup>,
  names: Iterable<string | null>
): ReadonlyArray<TelcoStanding> => {
  const atTelcos = groups.filter(({ reason }) => reason !== "busy")
  const all = new Set<string | null>([...names, ...atTelcos.map(({ telco }) => telco)])
  return [...all]
    .toSorted((a, b) => Order.String(a ?? "", b ?? ""))
    .map((name) => {
      const own = atTelcos.filter(({ telco }) => telco === name)
      const unanswered = own.filter(({ reason }) => reason !== "refused")
      return {
        name,
        answers: unanswered.length === 0,
        since: least(unanswered.map(({ since }) => since)),
        waiting: own.reduce((sum, { count }) => sum + count, 0),
        oldest: least(own.map(({ since }) => since)),
        nextAt: least(own.map(({ nextAt }) => nextAt))
      }
    })
}

/**
 * An endpoint that fails, or that the service has disabled because it failed for too long or is
 * gone (`WebhookEndpoint.troubledSince`).
 */
export interface FailingEndpoint {
  /** Whose it is. */
  readonly organizationId: string
  /** Names it in paths. */
  readonly endpointId: string
  /** As it was given. */
  readonly url: string
  /** Since when it has failed; since when it is disabled if it answered that it is gone. */
  readonly since: Instant
  /** Since when the service has it disabled; null: it is tried. */
  readonly disabledAt: Instant | null
  /** How many deliveries to it are to be made yet, counted up to `COUNTED_OF_ENDPOINT`. */
  readonly pending: number
}

/** Of how long the rate of a stock is. */
export const RATE_SPAN = 7 * DAY

/**
 * Of how many of an organization's newest subscriptions the rate is, if there are more in that
 * time.
 */
export const RATE_SAMPLE = 200

/** The free eSIMs of a label that can be sold, and how many were sold lately. */
export interface WatchedStock extends Pick<Level, "organizationId" | "label" | "isLow"> {
  /** Below how many the organization is notified (rule I12); null if it has set none. */
  readonly level: number | null
  /** Counted up to 1,000, or to the level if that is higher. */
  readonly free: number
  /**
   * How many of the organization's subscriptions since `soldSince` that are still there have an
   * eSIM of the label.
   */
  readonly sold: number
  /**
   * The beginning of the span that was asked for, or the creation of the oldest of the
   * `RATE_SAMPLE` newest.
   */
  readonly soldSince: Instant
}

/** How many of the stock were sold a day. The span is a minute at least. */
export const soldADay = ({ sold, soldSince }: Pick<WatchedStock, "sold" | "soldSince">, now: Instant): number =>
  (sold * DAY) / Math.max(now - soldSince, MINUTE)

/** For how many days the free ones last at that rate; null if none was sold. */
export const daysLeft = (stock: Pick<WatchedStock, "free" | "sold" | "soldSince">, now: Instant): number | null => {
  const rate = soldADay(stock, now)
  return rate === 0 ? null : stock.free / rate
}

/**
 * Those that run out first, `STOCKS` at most: low ones, then those with the fewest days left, then
 * those that were not sold lately, by how many are free.
 */
export const scarcest = (stocks: ReadonlyArray<WatchedStock>, now: Instant): ReadonlyArray<WatchedStock> => {
  const days = new Map(stocks.map((stock) => [stock, daysLeft(stock, now) ?? Number.MAX_VALUE]))
  return stocks
    .toSorted(
      (a, b) =>
        Number(b.isLow) - Number(a.isLow) ||
        (days.get(a) ?? 0) - (days.get(b) ?? 0) ||
        a.free - b.free ||
        Order.String(a.organizationId, b.organizationId) ||
        Order.String(a.label, b.label)
    )
    .slice(0, STOCKS)
}

/** How much of the work that was counted is an organization's. */
export interface Load {
  /** Whose work it is. */
  readonly organizationId: string
  /** Jobs that wait for their next try. */
  readonly waitingJobs: number
  /** Deliveries to endpoints that are to be made. */
  readonly pendingDeliveries: number
}

/** Those with the most work first, `LOADS` at most. */
export const heaviest = (loads: Iterable<Load>): ReadonlyArray<Load> => {
  const workOf = ({ pendingDeliveries, waitingJobs }: Load) => waitingJobs + pendingDeliveries
  return [...loads]
    .toSorted((a, b) => workOf(b) - workOf(a) || Order.String(a.organizationId, b.organizationId))
    .slice(0, LOADS)
}

/** What a database server says of itself. */
export interface DatabaseFigures {
  /** How much room the database takes. */
  readonly bytes: number
  /** How many connections it has, those of other programs included. */
  readonly connections: number
  /** How many connections the server takes, for all of its databases. */
  readonly mostConnections: number
}
