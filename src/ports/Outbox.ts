/**
 * The outbox port: handing out webhook deliveries. They are written by the commit that causes their
 * event and settled by `Storage.commit`; here they are claimed, under the same kind of lease as
 * jobs.
 */
import { Context, type Effect } from "effect"
import type { DueDelivery, LoggedDelivery } from "../domain/Delivery.ts"
import type { Backlog, Claim, Partitions, PartitionQuery, PendingQuery, Pending } from "./Jobs.ts"
import type { Instant } from "../domain/Time.ts"
import type { StorageError } from "./storage/Read.ts"

/** The lease of a delivery: the token that it was claimed with. */
export interface DeliveryLease {
  /** The organization that owns it. */
  readonly organizationId: string
  /** The delivery that is held. */
  readonly deliveryId: string
  /** The token of the claim that took it. */
  readonly token: string
}

/** Deliveries, and the machine time at which their leases are to end. */
export interface Renewal {
  /** Each delivery once. */
  readonly leases: ReadonlyArray<DeliveryLease>
  /** Machine time. */
  readonly until: Instant
}

/** How to claim what is due to a handler. */
export interface HandlerClaim extends Omit<Claim, "from" | "shares"> {
  /** The handler's name. */
  readonly handler: string
}

/** Where what is due to a handler is waited for. */
export interface HandlerPendingQuery extends Omit<PendingQuery, "from"> {
  /** The handler's name. */
  readonly handler: string
}

/** The port of deliveries. Every operation may fail with `StorageError`. */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Pending deliveries that are due and that nobody holds, by next attempt and id, each with its
     * endpoint as it is now: disabled and deleted ones as well. Those to handlers are not among
     * them, here and in what follows.
     */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<DueDelivery>, StorageError>
    /**
     * Pending deliveries to a handler that are due and that nobody holds, by next attempt and id
     * (rule E2). One about a SIM is not given while an earlier one about that SIM, by creation and
     * id, is pending: held, or not due yet.
     */
    readonly claimForHandler: (claim: HandlerClaim) => Effect.Effect<ReadonlyArray<LoggedDelivery>, StorageError>
    /** What there is of those to wait for; what waits for an earlier one does not count. */
    readonly pendingForHandler: (at: HandlerPendingQuery) => Effect.Effect<Pending, StorageError>
    /**
     * Moves the ends of leases. A delivery that is not, or no longer, held with that token stays as
     * it is.
     */
    readonly renew: (of: Renewal) => Effect.Effect<void, StorageError>
    /** What a process that finds no delivery to claim is to wait for. */
    readonly pending: (at: PendingQuery) => Effect.Effect<Pending, StorageError>
    /**
     * The endpoints with due deliveries that nobody holds, by id; perhaps not all: `next` is where
     * to go on.
     */
    readonly partitions: (at: PartitionQuery) => Effect.Effect<Partitions, StorageError>
    /** For watching; the cost must not grow with what is not due. */
    readonly backlog: (at: {
      readonly now: number
      readonly machineNow: number
    }) => Effect.Effect<Backlog, StorageError>
    /**
     * Ends every lease on due deliveries, to handlers too: for the start of a process that is known
     * to be the only one.
     */
    readonly release: (at: { readonly now: Instant }) => Effect.Effect<void, StorageError>
    /**
     * Ends leases: for a process that stops. A delivery that is not, or no longer, held with that
     * token stays as it is.
     */
    readonly handBack: (leases: ReadonlyArray<DeliveryLease>) => Effect.Effect<void, StorageError>
  }
>()("simplan/Outbox") {}
