/**
 * The jobs port: handing out durable work. Jobs are written and finished by `Storage.commit`; here
 * they are claimed.
 *
 * A job is given to one worker at a time: a claim holds it until `until` (machine time; at that
 * instant it is over), and a commit under a lease that was lost changes nothing. A job that has
 * ended (`Job.endedAt`) is not there for this port.
 */
import { Context, type Effect } from "effect"
import type { Job } from "../domain/Job.ts"
import type { Instant } from "../domain/Time.ts"
import type { StorageError } from "./storage/Read.ts"

/** A place in the order of work, by due time and id. */
export interface Place {
  /** Business time. */
  readonly dueAt: Instant
  /** The job's id, or the delivery's, compared by code point. */
  readonly id: string
}

/**
 * A part of the work that is to have its turn beside the others: an organization's jobs, an
 * endpoint's deliveries.
 */
export interface Partition {
  /** The organization's id, or the endpoint's. */
  readonly partitionId: string
  /** The organization whose work it is. */
  readonly organizationId: string
  /** Where its first piece of work that nobody holds is: it is due. */
  readonly first: Place
}

/** What to claim of one partition: from a place on, up to a limit. */
export interface Share {
  /** The id of a partition that `partitions` has found. */
  readonly partitionId: string
  /** The organization whose work it is. */
  readonly organizationId: string
  /** Inclusive. */
  readonly from: Place
  /** How many jobs or deliveries to claim at most. */
  readonly limit: number
}

/** How to claim due work; `now` is business time, `machineNow` and `until` machine time. */
export interface Claim {
  /** Business time: what is due by then is claimed. */
  readonly now: Instant
  /** Machine time: leases that ended by then count as none. */
  readonly machineNow: Instant
  /** Machine time at which the new leases end. */
  readonly until: Instant
  /** Of this claim alone. Renewals, commits and releases name it. */
  readonly token: string
  /** How many at most; of no account if there are shares. */
  readonly limit: number
  /**
   * Only what is at this place or after it, so that who knows what is gone or held need not walk
   * past it again.
   */
  readonly from?: Place
  /** Only of these partitions, each named once. */
  readonly shares?: ReadonlyArray<Share>
}

/** A job by its id. Its rows stand with those of its organization. */
export interface OfJob {
  /** Whose it is: a job of another organization is not there. */
  readonly organizationId: string
  /** Unique in the whole service. */
  readonly jobId: string
}

/** The lease of a job: the token that it was claimed with. */
export interface JobLease extends OfJob {
  /** The token of the claim that took it. */
  readonly token: string
}

/** Jobs, and the machine time at which their leases are to end. */
export interface Renewal {
  /** Each job once. */
  readonly leases: ReadonlyArray<JobLease>
  /** Machine time. */
  readonly until: Instant
}

/** What there is to wait for. */
export interface Pending {
  /**
   * Business time at which the next unheld piece of work is due, even if long past; null if
   * there is none.
   */
  readonly dueAt: Instant | null
  /**
   * How many pieces of due work are held by someone. A storage may look at the first 1,000 that are
   * due only: the number counts if nothing that is due is free.
   */
  readonly held: number
}

/** Where work is waited for: at this place or after it. */
export interface PendingQuery {
  /** Business time. */
  readonly now: Instant
  /** Machine time: leases that ended by then count as none. */
  readonly machineNow: Instant
  /** Inclusive. Absent: all work. */
  readonly from?: Place
}

/** Which partitions to read: up to `limit` after a partition, by their ids. */
export interface PartitionQuery {
  /** Business time: what is due by then counts. */
  readonly now: Instant
  /** Machine time: leases that ended by then count as none. */
  readonly machineNow: Instant
  /** Exclusive; an empty text begins with the first. */
  readonly after: string
  /** How many partitions are read, at most; fewer may be returned. */
  readonly limit: number
}

/** The partitions with due work, of those that were read. */
export interface Partitions {
  /** Ascending by id. */
  readonly partitions: ReadonlyArray<Partition>
  /** The last partition that was read; null if no more follow. */
  readonly next: string | null
}

/** How much due work there is, counted up to 10,000: more need not be distinguished. */
export interface Backlog {
  /** What nobody holds. */
  readonly due: number
  /** Due work that someone holds. */
  readonly held: number
  /** Business time at which the oldest of those fell due; null if none is due. */
  readonly oldestDueAt: Instant | null
}

/** The port of jobs. Every operation may fail with `StorageError`. */
export class Jobs extends Context.Service<
  Jobs,
  {
    /** Due jobs that nobody holds, by due time and id. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Job>, StorageError>
    /**
     * Moves the ends of leases. A job that is not, or no longer, held with that token stays as it
     * is.
     */
    readonly renew: (of: Renewal) => Effect.Effect<void, StorageError>
    /** What a worker that finds nothing to claim is to wait for. */
    readonly pending: (at: PendingQuery) => Effect.Effect<Pending, StorageError>
    /**
     * The organizations with due jobs that nobody holds, by id; perhaps not all: `next` is where to
     * go on.
     */
    readonly partitions: (at: PartitionQuery) => Effect.Effect<Partitions, StorageError>
    /** For watching; the cost must not grow with what is not due. */
    readonly backlog: (at: {
      readonly now: Instant
      readonly machineNow: Instant
    }) => Effect.Effect<Backlog, StorageError>
    /**
     * Ends every lease on due jobs: for the start of a process that is known to be the only one.
     */
    readonly release: (at: { readonly now: Instant }) => Effect.Effect<void, StorageError>
    /**
     * Ends leases: for a process that stops. A job that is not, or no longer, held with that token
     * stays as it is.
     */
    readonly handBack: (leases: ReadonlyArray<JobLease>) => Effect.Effect<void, StorageError>
  }
>()("simplan/Jobs") {}
