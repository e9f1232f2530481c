/**
 * The outbox port: handing out webhook deliveries. They are written by the commit that causes their event and settled
 * by `Storage.commit`; here they are claimed, under the same kind of lease as jobs.
 */
import { Context, type Effect } from "effect"
import type { DueDelivery } from "../domain/Delivery.ts"
import type { Claim, Pending } from "./Jobs.ts"
import type { StorageError } from "./Storage.ts"

export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Pending deliveries that are due and that nobody holds, by next attempt and id, each with its endpoint as it is
     * now: disabled and deleted ones as well.
     */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<DueDelivery>, StorageError>
    readonly pending: (at: { readonly machineNow: number }) => Effect.Effect<Pending, StorageError>
    /** Ends every lease: for the start of a process that is known to be the only one. */
    readonly release: Effect.Effect<void, StorageError>
    /** Ends every lease whose token begins with `<holder>-`: for a process that stops. */
    readonly handBack: (of: { readonly holder: string }) => Effect.Effect<void, StorageError>
  }
>()("simplan/Outbox") {}
