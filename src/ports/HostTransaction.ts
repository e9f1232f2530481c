/**
 * Whether the calling fiber runs in a database transaction that the host has opened on the storage's own client.
 *
 * What such a caller writes is committed or rolled back with the host's transaction, so it must not be done on behalf of
 * other callers, nor by them. An adapter that joins such transactions provides this reference beside its ports.
 */
import { Context, Effect } from "effect"

export const HostTransaction = Context.Reference<Effect.Effect<boolean>>("simplan/HostTransaction", {
  defaultValue: () => Effect.succeed(false)
})
