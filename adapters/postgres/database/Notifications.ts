/**
 * Tells other processes what this process's commits have changed, and learns of theirs, by `NOTIFY` and `LISTEN`.
 *
 * Both use one connection of their own. Changes are merged and sent after the commits: a NOTIFY within a commit would
 * make commits wait for each other. A connection that is lost, or silent in spite of heartbeats, is opened again, and
 * then `Changes.anything` is told. No listener relies on notifications alone: each one also polls. The usage of rate
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

type Hear = (changes: Changes.Changes) => void

export interface Notifications {
  /** Tells all watchers, in this process and in others. */
  readonly tell: (changes: Changes.Changes) => void
  /**
   * The statement that tells them when the transaction that it runs in commits; null for a database that only this process
   * uses.
   */
  readonly notice:
    | ((changes: Changes.Changes) => (sql: Sql) => Effect.Effect<ReadonlyArray<Row<string>>, SqlError>)
    | null
  /** What `Storage.watch` is. */
  readonly watch: (hear: Hear) => ReturnType<typeof watching>
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

const watching = (watchers: Set<Hear>, hear: Hear) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => watchers.add(hear)),
      () => Effect.sync(() => watchers.delete(hear))
    )
  )

/** For a database that only this process uses. */
export const alone = (): Notifications => {
  const watchers = new Set<Hear>()
  return {
    tell: (changes) => {
      if (Changes.isNothing(changes)) return
      for (const hear of watchers) hear(changes)
    },
    notice: null,
    watch: (hear) => watching(watchers, hear),
    usage: null
  }
}

/**
 * For all processes that notify each other on this channel, until the scope ends. `signOfLife` is the interval of heartbeats.
 */
export const make = Effect.fnUntraced(function* (open: Session.Open, channel: string, signOfLife: Duration.Input) {
  const here = alone()
  const from = randomUUID()
  const something = Latch.makeUnsafe(false)
  let untold = Changes.nothing
  const usage = UsageNotices.make(() => void something.openUnsafe())

  const send = (session: Session.Session) =>
    Effect.forever(
      Effect.gen(function* () {
        yield* Effect.timeoutOption(something.await, signOfLife)
        something.closeUnsafe()
        const told = untold
        untold = Changes.nothing
        const message = JSON.stringify({ from, ...told, ...usage.take() })
        if (!usage.isEmpty()) something.openUnsafe()
        yield* session.query("select pg_notify($1, $2)", [channel, message]).pipe(
          // The next connection sends it.
          Effect.onError(() =>
            Effect.sync(() => {
              untold = Changes.and(told, untold)
              something.openUnsafe()
            })
          )
        )
        yield* Effect.sleep(GATHERING)
      })
    )

  const receive = (heard: Queue.Dequeue<{ readonly payload: string }, SqlError>) =>
    Effect.forever(
      Effect.gen(function* () {
        const { payload } = yield* Effect.timeout(Queue.take(heard), SILENCE)
        const message = decode(payload)
        if (message._tag === "None") here.tell(Changes.anything)
        else if (message.value.from !== from) {
          here.tell(message.value)
          // A notice of a transaction is from no process.
          if (message.value.from !== "") usage.hear(message.value, message.value.from)
        }
      })
    )

  const session = Effect.scoped(
    Effect.gen(function* () {
      const opened = yield* open
      const heard = yield* opened.listen(channel)
      here.tell(Changes.anything)
      something.openUnsafe()
      return yield* Effect.raceFirst(send(opened), receive(heard))
    })
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.exit(session), Effect.sleep(RECOVERY))))

  const notifications: Notifications = {
    ...here,
    usage,
    // From no process, so that this one hears it too. A cast to text is what every client can read.
    notice: (changes) => {
      const message = JSON.stringify({ from: "", ...changes, usage: [] })
      return (sql) => sql<Row<string>>`select to_json(pg_notify(${channel}, ${message})::text)::text as value`
    },
    tell: (changes) => {
      if (Changes.isNothing(changes)) return
      here.tell(changes)
      untold = Changes.and(untold, changes)
      something.openUnsafe()
    }
  }
  return notifications
})
