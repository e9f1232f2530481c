/**
 * Calls that cannot be made inside a transaction of the host, because they call the telco (rule H1). A rollback of that
 * transaction would not undo what the telco has done.
 */
import { Effect } from "effect"
import { InsideTransaction } from "../../domain/Refusal.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"

/** Fails with `InsideTransaction` if the calling fiber runs inside a transaction of the host. */
export type Refuse = (operation: string) => Effect.Effect<void, InsideTransaction>

export const make: Effect.Effect<Refuse> = Effect.map(
  HostTransaction,
  (inTransaction): Refuse =>
    (operation) =>
      Effect.flatMap(inTransaction, (isInside) =>
        isInside
          ? Effect.fail(
              new InsideTransaction({
                operation,
                message: `${operation} calls the telco, so it cannot run inside a database transaction: submit a command there instead (Commands.submit, simplan.within)`
              })
            )
          : Effect.void
      )
)
