/**
 * Finds out at the start what is between this process and the database. A pooler in transaction
 * mode gives each transaction a session of its choice, so locks, notifications and, with some
 * poolers, prepared statements would fail at some later time. If there is no direct address
 * beside it, it is refused.
 *
 * Two connections try what the service needs: a setting stays with the connection that made it, no
 * other connection has it, and a notification arrives. What the trial sets, it resets, in a session
 * of a pooler too. A standby is found by it as well: it is the first that would listen.
 */
import { randomUUID } from "node:crypto"
import { Effect, Fiber, Queue, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Storage } from "simplan/ports"
import * as Failure from "./Failure.ts"
import type * as Session from "./Session.ts"
import * as SessionSettings from "./SessionSettings.ts"

/** The argument with the direct address beside a pooler's. */
export const DIRECT_URL = "directUrl"

const SETTING = "simplan.trial"

/** A busy pooler may give a connection the same session again by chance, but hardly each time. */
const ROUNDS = 4

/** How often the trial checks whether there was an answer. */
const TICK = "100 millis"

/**
 * After how many ticks without any answer the trial is given up, which is 4.5 s: so long waits who
 * is kept waiting by a pooler without a session for it. A database that is far away or busy
 * answers, each time. A process that is held up itself has few ticks meanwhile, and takes what has
 * come before the next one.
 */
const TICKS = 45

const has = (session: Session.Session, mark: string) =>
  Effect.map(
    session.query("select coalesce(current_setting($1, true), '') = $2 as found", [SETTING, mark]),
    ([row]) => row?.["found"] === true
  )

/**
 * Whether the two connections share sessions. The other one keeps its session meanwhile, by a
 * transaction.
 */
const shareSetting = Effect.fnUntraced(function* (one: Session.Session, other: Session.Session, mark: string) {
  yield* one.query("select set_config($1, $2, false)", [SETTING, mark])
  // A pooler in statement mode would end the connection at the transaction below.
  let isShared = yield* has(other, mark)
  for (let round = 0; round < ROUNDS && !isShared; round++) {
    yield* other.query("begin")
    isShared = (yield* has(other, mark)) || !(yield* has(one, mark))
    yield* other.query("commit")
  }
  for (const session of [one, other]) {
    yield* session.query("select set_config($1, '', false) where current_setting($1, true) = $2", [SETTING, mark])
  }
  return isShared
})

/**
 * Whether a notification of the other connection arrives: with the answer to the next statement at
 * the latest.
 */
const receives = Effect.fnUntraced(function* (one: Session.Session, other: Session.Session, channel: string) {
  const notifications = yield* one.listen(channel)
  yield* other.query("select pg_notify($1, '')", [channel])
  for (let round = 0; round < ROUNDS && (yield* Queue.size(notifications)) === 0; round++) yield* one.query("select 1")
  yield* one.query(`unlisten "${channel}"`)
  return (yield* Queue.size(notifications)) > 0
})

const isPooler = (open: Session.Open): Effect.Effect<boolean, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const [one, other] = yield* Effect.all([open, open], { concurrency: 2 })
    const mark = randomUUID().replaceAll("-", "")
    return (yield* shareSetting(one, other, mark)) || !(yield* receives(one, other, `simplan_${mark}`))
  }).pipe(
    // So a pooler in statement mode refuses a transaction, where the client reads its last words.
    Effect.catchIf(Failure.isProtocolRefused, () => Effect.succeed(true))
  )

/** The same sessions, which say when one was opened and when it was answered. */
const watched = (open: Session.Open, onAnswer: () => void): Session.Open => {
  const answered = Effect.sync(onAnswer)
  return Effect.map(Effect.tap(open, answered), ({ listen, lost, query }) => ({
    query: (text, parameters, isPrepared) => Effect.tap(query(text, parameters, isPrepared), answered),
    listen: (channel) => Effect.tap(listen(channel), answered),
    lost
  }))
}

/** Ends when there was no answer for 4.5 s. */
const silence = (answers: () => number) =>
  Effect.gen(function* () {
    let seen = answers()
    for (let quiet = 0; quiet < TICKS; quiet++) {
      yield* Effect.sleep(TICK)
      if (answers() !== seen) quiet = 0
      seen = answers()
    }
  })

/**
 * For how long a statement may wait for a session that another connection's transaction has, in the
 * trial below.
 */
const TAKEN = "200 millis"

/**
 * The session that runs it, and the name under which it was prepared there last; null if it was
 * not.
 */
const prepared = (mark: string): string => `
  select pg_backend_pid() as session,
    (
      select name from pg_prepared_statements where statement like '%${mark}%' order by prepare_time desc limit 1
    ) as name`

/**
 * Whether a statement that was prepared in one session runs in another. The other connection's
 * transactions take sessions meanwhile, after one statement more each time. A client may prepare it
 * anew if it is missing, under another name. False also if it always was the same session: a
 * pooler of one session may replace it later.
 */
const keepsPrepared = (open: Session.Open): Effect.Effect<boolean, never, Scope.Scope> =>
  Effect.gen(function* () {
    const [one, other] = yield* Effect.all([open, open], { concurrency: 2 })
    const run = Effect.map(one.query(prepared(randomUUID()), [], true), ([row]) => row)
    const first = yield* run
    for (let round = 0; round < ROUNDS; round++) {
      for (let n = 0; n < round; n++) yield* other.query("select 1")
      yield* other.query("begin")
      const running = yield* Effect.forkChild(run)
      yield* Effect.timeoutOption(Fiber.await(running), TAKEN)
      yield* other.query("commit")
      const next = yield* Fiber.join(running)
      if (typeof next?.["name"] !== "string" || next["name"] !== first?.["name"]) return false
      if (next["session"] !== first["session"]) return true
    }
    return false
  }).pipe(
    // The statement is not there, which ends the connection with some poolers.
    // Failure: none is kept prepared, which is slower and always right.
    Effect.orElseSucceed(() => false)
  )

/** What is between this process and the database. */
export interface Way {
  /** Whether a pooler gives each transaction another session. */
  readonly isPooled: boolean
  /** Whether statements that were prepared run in each session. */
  readonly keepsPrepared: boolean
}

/** What it is if nothing is between. */
export const DIRECT: Way = { isPooled: false, keepsPrepared: true }

const refusal = ({ address, argument }: Failure.Target, is: string) => {
  const orBeside = argument === DIRECT_URL ? "" : `, or have a direct address beside it in ${DIRECT_URL}`
  return new Storage.StorageError({
    message: `${argument} names ${address}, ${is}, but must be in session mode or a direct address of the database${orBeside}, because locks and notifications belong to a session`
  })
}

/**
 * What a trial finds, with connections that `open` opens, another one each time. Fails with one
 * sentence within 5 s of the last answer, also if the database cannot be reached.
 */
const trying = <A>(
  open: Session.Open,
  target: Failure.Target,
  trial: (open: Session.Open) => Effect.Effect<A, SqlError, Scope.Scope>
): Effect.Effect<A, Storage.StorageError> =>
  Effect.suspend(() => {
    let answers = 0
    const tried = watched(open, () => {
      answers += 1
    })
    return Effect.scoped(trial(tried)).pipe(
      Effect.mapError((error) =>
        Failure.isReadOnly(error)
          ? SessionSettings.standby
          : (Failure.ofFirstConnection(target, error) ?? Failure.storageError(error))
      ),
      Effect.raceFirst(
        Effect.flatMap(
          silence(() => answers),
          () => Effect.fail(refusal(target, "which has not served two connections at once for 4.5 s"))
        )
      )
    )
  })

/** What is between this process and the database. A pooler in session mode is nothing. */
export const wayOf = (open: Session.Open, target: Failure.Target): Effect.Effect<Way, Storage.StorageError> =>
  trying(open, target, (tried) =>
    Effect.flatMap(Effect.scoped(isPooler(tried)), (isPooled) =>
      isPooled
        ? Effect.map(keepsPrepared(tried), (keeps): Way => ({ isPooled, keepsPrepared: keeps }))
        : Effect.succeed(DIRECT)
    )
  )

/** Fails with one sentence if a pooler in transaction mode is between. */
export const refuse = (open: Session.Open, target: Failure.Target): Effect.Effect<void, Storage.StorageError> =>
  Effect.flatMap(trying(open, target, isPooler), (isPooled) =>
    isPooled ? Effect.fail(refusal(target, "where a pooler gives each transaction another session")) : Effect.void
  )
