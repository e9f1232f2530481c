/**
 * Commits of several callers as one statement. If that statement meets a conflict, each commit is written by itself.
 */
import { Effect, Exit } from "effect"
import type { Storage } from "simplan/ports"
import type { Database } from "../database/Database.ts"
import * as Batcher from "./Batcher.ts"
import * as CommitGroup from "./CommitGroup.ts"

export type Write = (commit: Storage.Commit) => Effect.Effect<void, Storage.Conflict | Storage.StorageError>

// Two statements at once made smaller groups, which cost more and waited longer.
const PARALLEL = 1

/** How many statements may be under way while a full group waits: one is prepared while another is written. */
const PARALLEL_FULL = 2

/** How many rows a group of commits names at most. */
const LIMIT = 500

export const make = (database: Database, write: Write): Write => {
  const batched = Batcher.make<Storage.Commit, void, Storage.Conflict | Storage.StorageError>({
    parallel: PARALLEL,
    parallelFull: PARALLEL_FULL,
    limit: LIMIT,
    context: database.context,
    keys: CommitGroup.keys,
    size: CommitGroup.size,
    run: (group) => {
      const each = Effect.forEach(group, (commit) => Effect.exit(write(commit)))
      if (group.length === 1) return each
      return Effect.matchEffect(write(CommitGroup.merged(group)), {
        onSuccess: () => Effect.succeed(group.map(() => Exit.void)),
        onFailure: (error) => (error._tag === "Conflict" ? each : Effect.succeed(group.map(() => Exit.fail(error))))
      })
    }
  })
  // A commit in the caller's transaction belongs to that transaction alone.
  return (commit) =>
    Effect.flatMap(database.inTransaction, (isInTransaction) => (isInTransaction ? write(commit) : batched(commit)))
}
