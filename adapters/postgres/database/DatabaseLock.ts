/**
 * A lock on a service's schema of the database. Any number of processes share it, or one process
 * holds it exclusively, as a virtual clock requires.
 *
 * The lock is an advisory lock on a connection of its own, so it ends with the process. A process
 * that loses this connection takes the lock again at once. Until it has the lock again, it claims
 * and commits nothing: what it is asked for meanwhile waits for the first attempt, and fails if
 * that fails.
 */
import { type Cause, Data, Deferred, type Duration, Effect, Latch, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Storage } from "simplan/ports"
import * as SessionSettings from "../connection/SessionSettings.ts"
import * as Failure from "../connection/Failure.ts"
import type { DatabaseSchema } from "./DatabaseSchema.ts"
import type * as Session from "../connection/Session.ts"

export interface DatabaseLock {
  /** Whether this process has the lock. */
  readonly isHeld: boolean
  /** Ends when the lock was taken, and when the first attempt to take it again has failed. */
  readonly settled: Effect.Effect<void>
}

class Taken extends Data.TaggedError("Taken")<{ readonly message: string }> {}

/** The pause between attempts. The session of an ended process may last ten times as long. */
const PAUSE = "100 millis"

/** The pause after an attempt to take the lost lock again. */
const RECOVERY = "200 millis"

/** How many sessions a refusal names. */
const NAMED = 5

// PostgreSQL keeps a lock's number in two halves.
const HOLDERS = `
  select concat(
    'session ', pid, ' of ', coalesce(nullif(application_name, ''), 'an application without a name'),
    ' from ', coalesce(host(client_addr), 'the same machine')
  ) as holder, count(*) over ()::int as all
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and classid = (($1::bigint >> 32) & 4294967295)::oid and objid = ($1::bigint & 4294967295)::oid
  order by backend_start, pid limit ${NAMED}`

/** Who holds the lock, for people: empty if they have just gone. */
const holders = (session: Session.Session, number: bigint): Effect.Effect<string, SqlError> =>
  Effect.map(session.query(HOLDERS, [number]), (rows) => {
    const more = Number(rows[0]?.["all"] ?? 0) - rows.length
    const named = [...rows.map(({ holder }) => String(holder)), ...(more > 0 ? [`${more} more`] : [])]
    return named.length === 0 ? "" : `: ${named.join(", ")}`
  })

const take = Effect.fnUntraced(function* (open: Session.Open, number: bigint, alone: boolean) {
  const session = yield* open
  yield* session.query(SessionSettings.KEPT)
  const lock = alone ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared"
  const [row] = yield* session.query(`select ${lock}($1::bigint) as taken`, [number])
  if (row?.["taken"] === true) return session
  const found = yield* holders(session, number)
  return yield* new Taken({
    message: alone
      ? `other processes are on it${found}; a process that is to be alone, as with a virtual clock, is refused`
      : `a process that is alone, as with a virtual clock, has it for itself${found}`
  })
})

/**
 * Holds the lock until the scope ends. It is the first to connect: it fails if `target` cannot be
 * reached, and if another process prevents it. `interval` is how often the connection is checked.
 */
export const hold = Effect.fnUntraced(function* (
  open: Session.Open,
  target: Failure.Target,
  schema: DatabaseSchema,
  alone: boolean,
  interval: Duration.Input
): Effect.fn.Return<DatabaseLock, Storage.StorageError, Scope.Scope> {
  const settled = Latch.makeUnsafe(false)
  const lock = { isHeld: false, settled: settled.await }
  const begun = yield* Deferred.make<void, Storage.StorageError>()
  const storageError = (error: Taken | SqlError): Storage.StorageError =>
    error._tag === "Taken"
      ? new Storage.StorageError({ message: error.message })
      : (Failure.ofFirstConnection(target, error) ?? Failure.storageError(error))
  const session = Effect.scoped(
    Effect.gen(function* () {
      const held = yield* Effect.retry(take(open, schema.serviceLock, alone), {
        while: (error) => error._tag === "Taken",
        times: 10,
        schedule: Schedule.spaced(PAUSE)
      })
      lock.isHeld = true
      settled.openUnsafe()
      yield* Deferred.succeed(begun, undefined)
      const checks = Effect.forever(Effect.andThen(Effect.sleep(interval), held.query("select 1")))
      return yield* Effect.raceFirst(checks, held.lost)
    })
  )
  const lost = (error: Taken | SqlError) =>
    Effect.gen(function* () {
      if (yield* Deferred.fail(begun, storageError(error))) return yield* Effect.never
      if (lock.isHeld) {
        lock.isHeld = false
        settled.closeUnsafe()
        return yield* Effect.logWarning("the hold on the database is lost; it is taken again", {
          reason: storageError(error).message
        })
      }
      settled.openUnsafe()
      return yield* Effect.sleep(RECOVERY)
    })
  // Whoever waits for the lock learns of a defect too.
  const ended = (cause: Cause.Cause<never>) => {
    lock.isHeld = false
    settled.openUnsafe()
    return Deferred.failCause(begun, cause)
  }
  yield* Effect.forkScoped(Effect.onError(Effect.forever(Effect.catch(session, lost)), ended))
  yield* Deferred.await(begun)
  return lock
})
