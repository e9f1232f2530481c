/**
 * Refuses a pooler in transaction mode at the start. Such a pooler gives each transaction a session of its choice, so locks,
 * notifications and prepared statements would fail at some later time.
 *
 * Two connections try what the service needs: a setting stays with the connection that made it, no other connection has it,
 * and a notification arrives. What the trial sets, it resets, in a session of a pooler too.
 */
import { randomUUID } from "node:crypto"
import { Effect, Queue, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Storage } from "simplan/ports"
import * as Failure from "./Failure.ts"
import type * as Session from "./Session.ts"

const SETTING = "simplan.trial"

/** A busy pooler may give a connection the same session again by chance, but hardly each time. */
const ROUNDS = 4

/** How often the trial checks whether there was an answer. */
const TICK = "100 millis"

/**
 * After how many ticks without any answer the trial is given up, which is 4.5 s: so long waits who is kept waiting by a pooler
 * without a session for it. A database that is far away or busy answers, each time. A process that is held up itself has
 * few ticks meanwhile, and takes what has come before the next one.
 */
const TICKS = 45

const has = (session: Session.Session, mark: string) =>
  Effect.map(
    session.query("select coalesce(current_setting($1, true), '') = $2 as found", [SETTING, mark]),
    ([row]) => row?.["found"] === true
  )

/** Whether the two connections share sessions. The other one keeps its session meanwhile, by a transaction. */
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

/** Whether a notification of the other connection arrives: with the answer to the next statement at the latest. */
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
    query: (text, parameters) => Effect.tap(query(text, parameters), answered),
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
 * Fails with one sentence within 5 s of the last answer where a pooler in transaction mode is between this process and the database, and where
 * the database cannot be reached. `open` opens another connection each time.
 */
export const refuse = (open: Session.Open, target: Failure.Target): Effect.Effect<void, Storage.StorageError> => {
  const { address, argument } = target
  const refusal = (is: string) =>
    new Storage.StorageError({
      message: `${argument} names ${address}, ${is}, but must be in session mode or a direct address of the database, because locks and notifications belong to a session`
    })
  const silent = refusal("which has not served two connections at once for 4.5 s")
  return Effect.suspend(() => {
    let answers = 0
    const trial = isPooler(
      watched(open, () => {
        answers += 1
      })
    )
    return Effect.scoped(trial).pipe(
      Effect.mapError((error) => Failure.ofFirstConnection(target, error) ?? Failure.storageError(error)),
      Effect.raceFirst(
        Effect.flatMap(
          silence(() => answers),
          () => Effect.fail(silent)
        )
      ),
      Effect.flatMap((found) =>
        found ? Effect.fail(refusal("where a pooler gives each transaction another session")) : Effect.void
      )
    )
  })
}
