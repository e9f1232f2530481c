/**
 * Notifies other processes of what this process's commits have changed, and listens to theirs, by `NOTIFY` and `LISTEN`.
 *
 * Both use one connection of their own. Changes are merged and sent after the commits: a NOTIFY within a commit would
 * make commits wait for each other. A connection that is lost, or silent in spite of heartbeats, is opened again, and
 * then `Changes.anything` is notified. No listener relies on notifications alone: each one also polls. The usage of rate
 * limits, and what callers have under way, go along in the same messages. A process sends the first one as soon as it is
 * connected, so that the others know of it.
 */
import { randomUUID } from "node:crypto"
import { type Duration, Effect, Latch, Queue, Schema } from "effect"
import { Changes, type RateLimitUsage } from "simplan/ports"
import type { SqlError } from "effect/sql/SqlError"
import type { Row, Sql } from "./Database.ts"
import type * as Session from "../connection/Session.ts"
import * as UsageNotices from "./UsageNotices.ts"

type Listener = (changes: Changes.Changes) => void

export interface Notifications {
  /** Notifies all watchers, in this process and in others. */
  readonly publish: (changes: Changes.Changes) => void
  /**
   * The statement that notifies them when the transaction that it runs in commits; null for a database that only this
   * process uses.
   */
  readonly notice:
    | ((changes: Changes.Changes) => (sql: Sql) => Effect.Effect<ReadonlyArray<Row<string>>, SqlError>)
    | null
  /** What `Storage.watch` is. */
  readonly watch: (listener: Listener) => ReturnType<typeof watching>
  /** Null for a database that only this process uses. */
  readonly usage: RateLimitUsage.RateLimitUsage | null
}

/** For how long changes are merged before they are sent, in milliseconds. */
const GATHERING = 20

/** After how much silence the connection counts as lost, in milliseconds. */
const SILENCE = 30_000

/** The pause before the next attempt to connect, in milliseconds. */
const RECOVERY = 1_000

const Message = Schema.fromJsonString(
  Schema.Struct({
    from: Schema.String,
    jobsDueAt: Schema.NullOr(Schema.Finite),
    deliveriesDueAt: Schema.NullOr(Schema.Finite),
    apiKeys: Schema.Boolean,
    catalogue: Schema.Boolean,
    webhookEndpoints: Schema.Boolean,
    commands: Schema.Union([Schema.Literal("any"), Schema.Array(Schema.String)]),
    usage: UsageNotices.Usages,
    underWay: Schema.optionalKey(UsageNotices.UnderWays)
  })
)

const decode = Schema.decodeUnknownOption(Message)

const watching = (watchers: Set<Listener>, listener: Listener) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => watchers.add(listener)),
      () => Effect.sync(() => watchers.delete(listener))
    )
  )

/** For a database that only this process uses. */
export const alone = (): Notifications => {
  const watchers = new Set<Listener>()
  return {
    publish: (changes) => {
      if (Changes.isNothing(changes)) return
      for (const listener of watchers) listener(changes)
    },
    notice: null,
    watch: (listener) => watching(watchers, listener),
    usage: null
  }
}

/**
 * For all processes that notify each other on this channel, until the scope ends. `heartbeatInterval` is the interval
 * of heartbeats.
 */
export const make = Effect.fnUntraced(function* (
  open: Session.Open,
  channel: string,
  heartbeatInterval: Duration.Input
) {
  const here = alone()
  const from = randomUUID()
  const something = Latch.makeUnsafe(false)
  let unpublished = Changes.nothing
  const usage = UsageNotices.make(() => void something.openUnsafe())

  const send = (session: Session.Session) =>
    Effect.forever(
      Effect.gen(function* () {
        yield* Effect.timeoutOption(something.await, heartbeatInterval)
        something.closeUnsafe()
        const batch = unpublished
        unpublished = Changes.nothing
        const message = JSON.stringify({ from, ...batch, ...usage.take() })
        if (!usage.isEmpty()) something.openUnsafe()
        yield* session.query("select pg_notify($1, $2)", [channel, message]).pipe(
          // The next connection sends it.
          Effect.onError(() =>
            Effect.sync(() => {
              unpublished = Changes.and(batch, unpublished)
              something.openUnsafe()
            })
          )
        )
        yield* Effect.sleep(GATHERING)
      })
    )

  const receive = (received: Queue.Dequeue<{ readonly payload: string }, SqlError>) =>
    Effect.forever(
      Effect.gen(function* () {
        const { payload } = yield* Effect.timeout(Queue.take(received), SILENCE)
        const message = decode(payload)
        if (message._tag === "None") here.publish(Changes.anything)
        else if (message.value.from !== from) {
          here.publish(message.value)
          // A notice of a transaction is from no process.
          if (message.value.from !== "") usage.receive(message.value, message.value.from)
        }
      })
    )

  const session = Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* open
      const received = yield* opened.listen(channel)
      here.publish(Changes.anything)
      something.openUnsafe()
      return yield* Effect.raceFirst(send(opened), receive(received))
    })
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.exit(session), Effect.sleep(RECOVERY))))

  const notifications: Notifications = {
    ...here,
    usage,
    // From no process, so that this one receives it too. A cast to text is what every client can read.
    notice: (changes) => {
      const message = JSON.stringify({ from: "", ...changes, usage: [] })
      return (sql) => sql<Row<string>>`select to_json(pg_notify(${channel}, ${message})::text)::text as value`
    },
    publish: (changes) => {
      if (Changes.isNothing(changes)) return
      here.publish(changes)
      unpublished = Changes.and(unpublished, changes)
      something.openUnsafe()
    }
  }
  return notifications
})
