/**
 * Idempotency keys (rule W2). The edge names the key of the request in `CurrentRequest` and wraps the use case in
 * `once`; the first commit made inside carries the key's record.
 */
import { Context, type Effect } from "effect"
import type { Answers } from "../domain/Idempotency.ts"
import type { Plain } from "../domain/Refusal.ts"
import type { StorageError } from "../ports/Storage.ts"

export interface RequestKey {
  readonly organizationId: string
  readonly key: string
  /** A digest of the method, the path and the body. */
  readonly fingerprint: string
}

/** The idempotency key of the request that the running fiber serves; null where it has none. */
export const CurrentRequest = Context.Reference<RequestKey | null>("simplan/IdempotencyKeys/CurrentRequest", {
  defaultValue: () => null
})

export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    /**
     * Runs the use case, or tells again what it told the first time: its answer, or the refusal as plain data. Fails
     * with `IdempotencyKeyReused` where the key came with another request, `RequestInProgress` where the first one is
     * not done. Without a key in `CurrentRequest` it just runs.
     */
    readonly once: <Kind extends keyof Answers, E, R>(
      kind: Kind,
      run: Effect.Effect<Answers[Kind], E, R>
    ) => Effect.Effect<Answers[Kind], E | Plain | StorageError, R>
  }
>()("simplan/IdempotencyKeys") {}
