/**
 * One connection that is kept: it holds a lock, or receives what other processes notify.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Queue, RcRef, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Failure from "./Failure.ts"

export interface Session {
  /** Runs one statement and returns its rows. It is prepared only if that is asked for. */
  readonly query: (
    text: string,
    parameters?: ReadonlyArray<unknown>,
    isPrepared?: boolean
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError>
  /** Listens to a channel until the scope ends. The queue fails with the connection. */
  readonly listen: (
    channel: string
  ) => Effect.Effect<Queue.Dequeue<{ readonly payload: string }, SqlError>, SqlError, Scope.Scope>
  /** Fails as soon as the connection is lost, and never ends else. */
  readonly lost: Effect.Effect<never, SqlError>
}

/** Opens a session, which is closed with the scope. */
export type Open = Effect.Effect<Session, SqlError, Scope.Scope>

/** A connection of its own for each session. */
export const opening = (config: PgConnection.Config): Open =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make(config)
    const pinned = yield* connection.pin
    return {
      query: (text, parameters, isPrepared = false) =>
        Effect.map(pinned.query(text, parameters, isPrepared), ({ rows }) => rows),
      listen: pinned.listen,
      // The client says it to those alone who listen on the connection.
      lost: Effect.scoped(
        Effect.flatMap(pinned.listen("simplan_lost"), (notifications) => Effect.forever(Queue.take(notifications)))
      )
    }
  })

/** Sessions that share one connection. If it is lost, the next session opens another. */
export const shared = (open: Open): Effect.Effect<Open, never, Scope.Scope> =>
  Effect.map(RcRef.make({ acquire: open }), (ref) => {
    // Several notice the loss, and the later ones after another connection was opened.
    const lost = new WeakSet<Session>()
    const leave = (session: Session) =>
      Effect.suspend(() => {
        if (lost.has(session)) return Effect.void
        lost.add(session)
        return RcRef.invalidate(ref)
      })
    return Effect.map(RcRef.get(ref), (session) => ({
      query: (text, parameters, isPrepared) =>
        Effect.tapError(session.query(text, parameters, isPrepared), (error) =>
          Failure.isConnectionLost(error) ? leave(session) : Effect.void
        ),
      listen: session.listen,
      lost: Effect.tapError(session.lost, () => leave(session))
    }))
  })
