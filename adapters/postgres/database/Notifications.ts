/**
 * Notifies other processes of what this process's commits have changed, and listens to theirs, by
 * `NOTIFY` and `LISTEN`.
 *
 * Both use one connection of their own. Changes are merged and sent after the commits: a NOTIFY
 * within a commit would make commits wait for each other. A connection that is lost, or silent in
 * spite of heartbeats, is opened again, and then `Changes.anything` is notified. No listener relies
 * on notifications alone: each one also polls. The usage of rate limits, and what callers have
 * under way, go along in the same messages. A process sends the first one as soon as it is
 * connected, so that the others know of it.
 */
import { randomUUID } from "node:crypto"
import { type Duration, Effect, Latch, Queue, Schema, type Scope } from "effect"
import { Changes, type RateLimitUsage } from "simplan/ports"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "./Database.ts"
import * as SessionSettings from "../connection/SessionSettings.ts"
import type * as Session from "../connection/Session.ts"

type Listener = (changes: Changes.Changes) => void

export interface Notifications {
  /** Notifies all watchers, in this process and in others. */
  readonly publish: (changes: Changes.Changes) => void
  /**
   * What a statement calls to notify them when the transaction that it runs in commits; null for a
   * database that only this process uses.
   */
  readonly notice: ((changes: Changes.Changes) => (sql: Sql) => Fragment) | null
  /** What `Storage.watch` is. */
  readonly watch: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
  /** Null for a database that only this process uses. */
  readonly usage: RateLimitUsage.RateLimitUsage | null
}

const watching = <Listener>(watchers: Set<Listener>, listener: Listener): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => watchers.add(listener)),
      () => Effect.sync(() => watchers.delete(listener))
    )
  )

/** Usage as it is sent. */
const Usages = Schema.Array(Schema.Struct({ limit: Schema.String, caller: Schema.String, cost: Schema.Finite }))

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What is under way as it is sent. */
const UnderWays = Schema.Array(Schema.Struct({ caller: Schema.String, requests: Count, streams: Count }))

/** What goes along in one message. */
interface Notice {
  readonly usage: typeof Usages.Type
  /** Absent from processes of older versions, which do not publish it. */
  readonly underWay?: typeof UnderWays.Type
}

interface UsageNotices extends RateLimitUsage.RateLimitUsage {
  /** Some of what is not sent yet, which then counts as sent. */
  readonly take: () => Required<Notice>
  readonly isEmpty: () => boolean
  /** Passes on what another process has published. */
  readonly receive: (notice: Notice, from: string) => void
}

/** The callers in one message: PostgreSQL takes up to 8,000 bytes. */
const IN_A_MESSAGE = 50

/** How many of them may be for what callers have under way; the others are for usage. */
const UNDER_WAY_IN_A_MESSAGE = 25

/** The callers that wait to be published. Beyond, usage is not published. */
const WAITING = 10_000

/**
 * A process that has received nothing from another one for so long is alone, in milliseconds. It is
 * longer than between heartbeats.
 */
const ALONE = 30_000

/** Takes up to `count` values out of a map. */
const taken = <A>(from: Map<string, A>, count: number): ReadonlyArray<A> => {
  const values: Array<A> = []
  for (const [key, value] of from) {
    if (values.length >= count) break
    from.delete(key)
    values.push(value)
  }
  return values
}

/**
 * The usage of rate limits and what is under way (rule W10): what this process publishes, merged by
 * caller until it is sent, and who listens to other processes. Usage that is published while there
 * is no connection is kept, up to a bound. What is under way is not published by a process that has
 * received nothing from another one lately. `onPending` is called when there is something to send.
 */
const usageNotices = (onPending: () => void): UsageNotices => {
  const watchers = new Set<(usage: RateLimitUsage.Usage) => void>()
  const watchersOfInFlight = new Set<(underWay: RateLimitUsage.UnderWay, from: string) => void>()
  const unpublished = new Map<string, RateLimitUsage.Usage>()
  const unpublishedInFlight = new Map<string, RateLimitUsage.UnderWay>()
  let receivedAt = Number.NEGATIVE_INFINITY
  return {
    publish: (usage) => {
      const key = `${usage.limit} ${usage.caller}`
      const before = unpublished.get(key)
      if (before === undefined && unpublished.size >= WAITING) return
      unpublished.set(key, before === undefined ? usage : { ...usage, cost: before.cost + usage.cost })
      onPending()
    },
    watch: (listener) => watching(watchers, listener),
    publishInFlight: (underWay) => {
      if (performance.now() - receivedAt > ALONE) return
      if (!unpublishedInFlight.has(underWay.caller) && unpublishedInFlight.size >= WAITING) return
      unpublishedInFlight.set(underWay.caller, underWay)
      onPending()
    },
    watchInFlight: (listener) => watching(watchersOfInFlight, listener),
    take: () => {
      const underWay = taken(unpublishedInFlight, UNDER_WAY_IN_A_MESSAGE)
      const usage = taken(unpublished, IN_A_MESSAGE - underWay.length)
      return { underWay, usage: usage.map((one) => ({ ...one, cost: Math.round(one.cost * 100) / 100 })) }
    },
    isEmpty: () => unpublished.size === 0 && unpublishedInFlight.size === 0,
    receive: ({ underWay = [], usage }, from) => {
      receivedAt = performance.now()
      for (const one of usage) for (const listener of watchers) listener(one)
      for (const one of underWay) for (const listener of watchersOfInFlight) listener(one, from)
    }
  }
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
    usage: Usages,
    underWay: Schema.optionalKey(UnderWays)
  })
)

const decode = Schema.decodeUnknownOption(Message)

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
 * For all processes that notify each other on this channel, until the scope ends.
 * `heartbeatInterval` is the interval of heartbeats.
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
  const usage = usageNotices(() => void something.openUnsafe())

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
      yield* opened.query(SessionSettings.KEPT)
      const received = yield* opened.listen(channel)
      here.publish(Changes.anything)
      something.openUnsafe()
      return yield* Effect.raceFirst(send(opened), receive(received))
    })
  )
  // Failure: the next session, which begins by having everything read again.
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.exit(session), Effect.sleep(RECOVERY))))

  const notifications: Notifications = {
    ...here,
    usage,
    // From no process, so that this one receives it too. A cast to text is what every client can
    // read.
    notice: (changes) => {
      const message = JSON.stringify({ from: "", ...changes, usage: [] })
      return (sql) => sql`pg_notify(${channel}, ${message})::text`
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
