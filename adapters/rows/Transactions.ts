/**
 * Transactions of a `RowStore` as effects, and their failures.
 */
import { Effect } from "effect"
import { Storage } from "simplan/ports"
import type { RowStore } from "./RowStore.ts"

/** What a store has thrown. */
export const failed = (cause: unknown): Storage.StorageError =>
  new Storage.StorageError({ message: cause instanceof Error ? cause.message : String(cause), cause })

/** Runs the body as a transaction of the store. */
export const run = <A>(store: RowStore, body: () => A): Effect.Effect<A, Storage.StorageError> =>
  Effect.try({ try: () => store.transaction(body), catch: failed })
