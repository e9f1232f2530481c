/** Printed from the views by `npm run print`: what hosts see and send. */
import type { JobKind } from "./Jobs.ts"
import type { WaitingReason } from "./Jobs.ts"

/** Of what the overview is; of the whole service by default. */
export interface OverviewOf {
  /** Only of this organization. */
  readonly organizationId?: string | undefined
}

/** How a telco answers. */
export interface TelcoStanding {
  /** The telco's name in the settings file; null where there is one telco without a name. */
  readonly name: string | null
  /**
   * False while work waits because the telco did not answer, or because it is not asked for a while.
   * One that nothing was asked of counts as answering.
   */
  readonly answers: boolean
  /** Since when the first of that work waits; null where it answers. */
  readonly since: Date | null
  /** How many jobs wait for it, for any reason. */
  readonly waitingJobs: number
  /** Since when the first of these waits; null where none does. */
  readonly oldestSince: Date | null
  /** When the first of them is tried again; null where none waits. */
  readonly nextTryAt: Date | null
}

/** Jobs that wait for one reason. */
export interface WaitingGroup {
  /** The kind of work. */
  readonly kind: JobKind
  /** Why its last try gave it back. */
  readonly reason: WaitingReason
  /** The name of the telco that it waits for; null: one without a name, or none. */
  readonly telco: string | null
  /** How many jobs there are. */
  readonly count: number
  /** Since when the first of them waits. */
  readonly since: Date
  /** When the first of them is tried again. */
  readonly nextTryAt: Date
}

/** A webhook endpoint at which every attempt fails, or that is disabled for it. */
export interface FailingEndpoint {
  /** The organization's id. */
  readonly organizationId: string
  /** The organization's name. */
  readonly organizationName: string
  /** The endpoint's id. */
  readonly webhookEndpointId: string
  /** Its URL, without secrets. */
  readonly url: string
  /** Since when it has failed, or is gone. */
  readonly since: Date
  /**
   * Since when the service has it disabled, because it failed for five days or answered 410; null:
   * it is tried.
   */
  readonly disabledAt: Date | null
  /** How many deliveries to it are to be made yet, counted up to 1000. */
  readonly pendingDeliveries: number
}

/** The free eSIMs of a label. */
export interface WatchedStock {
  /** The organization's id. */
  readonly organizationId: string
  /** The organization's name. */
  readonly organizationName: string
  /** The network supply tier of the SIM and of the plans that it can carry. */
  readonly label: string
  /** How many eSIMs are free, counted up to 1,000, or to the level where that is higher. */
  readonly free: number
  /** The level below which the organization is notified; null where it has set none. */
  readonly level: number | null
  /** Whether fewer are free than that. */
  readonly isLow: boolean
  /**
   * How many were sold a day: of the organization's subscriptions of the last 7 days that are still
   * there, or of the newest 200 where there are more.
   */
  readonly soldADay: number
  /** For how many days the free ones last at that rate; null where none was sold. */
  readonly daysLeft: number | null
}

/** What happened in each span. */
export interface Counts {
  /** How many there were in each span, oldest first. */
  readonly all: ReadonlyArray<number>
  /** How many of these failed. */
  readonly failed: ReadonlyArray<number>
}

/** What happened lately. */
export interface RecentRates {
  /** When the first span begins, in machine time. */
  readonly from: Date
  /** How long a span is. */
  readonly spanSeconds: number
  /** Answered requests; those with a status from 500 on failed. */
  readonly requests: Counts
  /** Calls of telcos; those without an answer failed. */
  readonly telcoCalls: Counts
  /** Webhooks; those that did not arrive failed. */
  readonly deliveries: Counts
  /** Jobs that were tried; those that are not done failed. */
  readonly jobs: Counts
}

/** A process that shares the database. */
export interface Process {
  /** The process's id, another one each time it starts. */
  readonly processId: string
  /** Whether it is the process that answers. */
  readonly answers: boolean
  /** The version of its build; null where its host names none. */
  readonly version: string | null
  /** The name of its machine; null where its host names none. */
  readonly host: string | null
  /** The groups of routes that it serves, and `worker` where it does work that falls due. */
  readonly runs: ReadonlyArray<string>
  /** Since when it runs, in machine time. */
  readonly startedAt: Date
  /** When it last said so, in machine time, each 30 s; it is shown for 120 s more. */
  readonly lastHeartbeatAt: Date
  /** How many jobs it had under way then, under leases. */
  readonly heldJobs: number
  /** How many webhooks it had under way then, under leases. */
  readonly heldDeliveries: number
}

/** The database, as far as the storage has a server. */
export interface DatabaseStanding {
  /** Whether it took a write just now. */
  readonly takesWrites: boolean
  /**
   * Its servers that do not answer, where it is distributed over several: the organizations on them
   * are not served.
   */
  readonly deadServers: ReadonlyArray<string>
  /** Its size in bytes; null where the storage has no server. */
  readonly bytes: number | null
  /**
   * How many connections it has, those of other programs included; null where the storage has no
   * server.
   */
  readonly connections: number | null
  /** How many connections its server takes; null where the storage has no server. */
  readonly mostConnections: number | null
}

/** The work of an organization that waits. */
export interface Load {
  /** The organization's id. */
  readonly organizationId: string
  /** The organization's name. */
  readonly organizationName: string
  /** Its jobs that wait for their next try. */
  readonly waitingJobs: number
  /** Its deliveries that are to be made. */
  readonly pendingDeliveries: number
}

/** What belongs to no organization. */
export interface ServiceStanding {
  /** The version of the process that answers. */
  readonly version: string | null
  /** Since when that process runs, in machine time. */
  readonly startedAt: Date
  /** Jobs of the whole service that are due and that no process holds, counted up to 10,000. */
  readonly dueJobs: number
  /** Due jobs that a process holds by a lease, counted up to 10,000. */
  readonly heldJobs: number
  /** Since when the oldest due job is due that no process holds; null where none is. */
  readonly oldestDueAt: Date | null
  /** Jobs that ended in refusals and wait for an operator, counted up to 10,000. */
  readonly problems: number
  /** The database, which answered: where it does not, neither does this operation. */
  readonly database: DatabaseStanding
  /** The processes that share the database, by when they started, 200 at most. */
  readonly processes: ReadonlyArray<Process>
  /**
   * What happened in the last 6 hours in these processes together, in each since it runs and as it
   * last said, in spans of five minutes; the last one is not over.
   */
  readonly rates: RecentRates
  /**
   * The 10 organizations with the most work that waits, among the first 10,000 jobs and 10,000
   * deliveries.
   */
  readonly loads: ReadonlyArray<Load>
}

/** What operators see first. */
export interface Overview {
  /** The business time, of which all other instants are where nothing else is said. */
  readonly now: Date
  /** The telcos, by name. */
  readonly telcos: ReadonlyArray<TelcoStanding>
  /**
   * Jobs between two tries by kind, reason and telco, those that wait longest first: the first
   * 10,000 are counted.
   */
  readonly waiting: ReadonlyArray<WaitingGroup>
  /** Endpoints that fail, or that the service has disabled for it, longest first, 50 at most. */
  readonly failingEndpoints: ReadonlyArray<FailingEndpoint>
  /**
   * Stocks by label, low ones first, then those with the fewest days left, 50 at most: of an
   * organization all of them; of the service those of the 50 first levels and of the 50
   * organizations that have sold last among the 2000 first.
   */
  readonly stock: ReadonlyArray<WatchedStock>
  /** What belongs to no organization; null for an operator who is bound to one. */
  readonly service: ServiceStanding | null
}
