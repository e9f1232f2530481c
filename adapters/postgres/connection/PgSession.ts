/**
 * A connection of the package `pg` beside a host's pool, made with the pool's own options: it holds the lock and receives
 * what other processes notify.
 */
import { Cause, Deferred, Duration, Effect, Exit, Predicate, Queue, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Failure from "./Failure.ts"
import { outcome, type PgPool, type PgQuery, type PgResult, queryOf } from "./PgPool.ts"
import type * as Session from "./Session.ts"

interface PgClient {
  connect(): Promise<unknown>
  query(query: PgQuery): Promise<PgResult>
  end(): Promise<unknown>
  on(event: string, listener: (message: unknown) => void): unknown
}

const isClient = (value: unknown): value is PgClient =>
  ["connect", "query", "end", "on"].every(
    (name) => Predicate.hasProperty(value, name) && typeof value[name] === "function"
  )

const made = (pool: PgPool): PgClient => {
  const Client: unknown = Reflect.get(pool, "Client")
  const client: unknown = typeof Client === "function" ? Reflect.construct(Client, [pool.options]) : undefined
  if (!isClient(client)) throw new Error("pool has no Client that connections are made with")
  return client
}

/** Whether the pool says how its connections are made. */
export const canOpen = (pool: object): boolean => typeof Reflect.get(pool, "Client") === "function"

/** Closes at once, without a word: a connection that is not made yet, or hangs, would wait with its end. */
const close = (client: PgClient): void => {
  const connection: unknown = Reflect.get(client, "connection")
  const stream = Predicate.hasProperty(connection, "stream") ? connection.stream : undefined
  void client.end().catch(() => {})
  if (Predicate.hasProperty(stream, "destroy") && typeof stream.destroy === "function") {
    Reflect.apply(stream.destroy, stream, [])
  }
}

/** How long it may take to connect. */
const CONNECT = 4_000

/** How long a connection may take to say that it ends. */
const END = 500

/** Opens a session with the options of the pool. A database that is silent for `waitLimit` counts as lost. */
export const opening = (pool: PgPool, waitLimit: Duration.Duration): Session.Open =>
  Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(Effect.try({ try: () => made(pool), catch: Failure.ofPg }), (opened) =>
      Effect.promise(() => opened.end().catch(() => {})).pipe(
        Effect.timeoutOption(END),
        Effect.andThen(Effect.sync(() => close(opened)))
      )
    )
    const listeners = new Map<string, Queue.Queue<{ readonly payload: string }, SqlError>>()
    const end = yield* Deferred.make<never, SqlError>()
    const lost = (cause: unknown): void => {
      Deferred.doneUnsafe(end, Exit.fail(Failure.ofPg(cause)))
      for (const queue of listeners.values()) Queue.failCauseUnsafe(queue, Cause.fail(Failure.ofPg(cause)))
    }
    client.on("error", lost)
    client.on("end", () => lost(new Error("The connection has ended")))
    client.on("notification", (message) => {
      if (!Predicate.hasProperty(message, "channel") || !Predicate.hasProperty(message, "payload")) return
      const queue = listeners.get(String(message.channel))
      if (queue !== undefined) Queue.offerUnsafe(queue, { payload: String(message.payload) })
    })
    yield* outcome(
      () => client.connect(),
      CONNECT,
      () => close(client)
    )
    const query: Session.Session["query"] = (text, parameters = []) =>
      outcome(
        () => client.query(queryOf(client, text, parameters, false)),
        Duration.toMillis(waitLimit),
        () => close(client)
      ).pipe(Effect.map(({ rows }) => rows))
    const listen = (
      channel: string
    ): Effect.Effect<Queue.Dequeue<{ readonly payload: string }, SqlError>, SqlError, Scope.Scope> =>
      Effect.gen(function* () {
        const queue = yield* Queue.unbounded<{ readonly payload: string }, SqlError>()
        listeners.set(channel, queue)
        yield* Effect.addFinalizer(() => Effect.sync(() => listeners.delete(channel)))
        yield* query(`listen "${channel}"`)
        return queue
      })
    return { query, listen, lost: Deferred.await(end) }
  })
