/**
 * What processes publish to each other of rate limits by notifications (rule W10), over a channel
 * that is no database.
 */
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import type { SqlError } from "effect/sql/SqlError"
import { Changes, type RateLimitUsage } from "simplan/ports"
import { expect } from "vitest"
import * as Notifications from "../../../adapters/postgres/database/Notifications.ts"
import type * as Session from "../../../adapters/postgres/connection/Session.ts"
import * as Tests from "../../setup/Tests.ts"

/** A process that is connected to a channel, with what it sends and a way to be sent something. */
const connected = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<{ readonly payload: string }, SqlError>()
  const sent: Array<string> = []
  const open: Session.Open = Effect.succeed({
    query: (_, parameters = []) =>
      Effect.sync(() => {
        const [, message] = parameters
        if (message !== undefined) sent.push(String(message))
        return []
      }),
    listen: () => Effect.succeed(queue),
    lost: Effect.never
  })
  const { usage } = yield* Notifications.make(open, "channel", "10 seconds")
  if (usage === null) throw new Error("shares no usage")
  yield* TestClock.adjust("1 second")
  const receive = (message: object) =>
    Effect.andThen(Queue.offer(queue, { payload: JSON.stringify(message) }), TestClock.adjust("1 second"))
  return { usage, sent, receive }
})

const older = { from: "older", ...Changes.nothing, usage: [{ limit: "requests", caller: "key", cost: 2 }] }
const streams: RateLimitUsage.UnderWay = { caller: "key", requests: 0, streams: 8 }

Tests.onTestClock(
  "what is under way is published once a message of another process has come, which may be of an older version",
  function* () {
    const { receive, sent, usage } = yield* connected
    const costs: Array<number> = []
    yield* usage.watch(({ cost }) => void costs.push(cost))
    // The first message lets the others know of this process.
    expect(sent).toHaveLength(1)
    usage.publishInFlight(streams)
    yield* TestClock.adjust("1 second")
    expect(sent).toHaveLength(1)
    yield* receive(older)
    expect(costs).toEqual([2])
    for (const requests of [1, 2]) usage.publishInFlight({ ...streams, requests })
    yield* TestClock.adjust("1 second")
    expect(JSON.parse(sent.at(-1) ?? "").underWay).toEqual([{ ...streams, requests: 2 }])
  }
)

Tests.onTestClock(
  "what is under way is received with the name of its process, and a transaction's notice is from none",
  function* () {
    const { receive, sent, usage } = yield* connected
    const received: Array<unknown> = []
    yield* usage.watchInFlight((underWay, from) => void received.push([underWay, from]))
    yield* receive({ ...older, from: "" })
    usage.publishInFlight(streams)
    yield* TestClock.adjust("1 second")
    expect(sent).toHaveLength(1)
    yield* receive({ ...older, from: "newer", underWay: [streams], later: true })
    expect(received).toEqual([[streams, "newer"]])
  }
)

Tests.onTestClock("a message names as many callers as PostgreSQL takes", function* () {
  const { receive, sent, usage } = yield* connected
  yield* receive(older)
  for (let n = 0; n < 60; n++) {
    const caller = `organization ${String(n).padStart(36, "0")}`
    usage.publish({ limit: "failed authentication", caller, cost: 100.25 })
    usage.publishInFlight({ caller, requests: 1_000, streams: 8 })
  }
  yield* TestClock.adjust("1 second")
  const messages = sent.map((message): { usage: Array<unknown>; underWay: Array<unknown> } => JSON.parse(message))
  expect(messages.reduce((sum, one) => sum + one.usage.length, 0)).toBe(60)
  expect(messages.reduce((sum, one) => sum + one.underWay.length, 0)).toBe(60)
  // The ids of 50 commands go along.
  expect(Math.max(...sent.map(({ length }) => length)) + 50 * 39).toBeLessThan(8_000)
})
