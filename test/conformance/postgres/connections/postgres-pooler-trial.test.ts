/**
 * The trial that finds a pooler distinguishes a slow database, which it waits for, from one that is
 * silent. Both are made here; what real ones answer is in `postgres-pooler.test.ts`.
 */
import { Duration, Effect, Exit, Fiber, Queue, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { SqlError } from "effect/sql/SqlError"
import { describe, expect, it } from "vitest"
import * as Pooler from "../../../../adapters/postgres/connection/Pooler.ts"
import type * as Session from "../../../../adapters/postgres/connection/Session.ts"

const target = { argument: "url", address: "db:5432" }

/**
 * A database whose sessions are the connections' own. `answer` is what each statement takes, by the
 * number of its connection.
 */
const database = (answer: (connection: number) => Effect.Effect<void>): Session.Open => {
  const listeners: Array<Queue.Queue<{ readonly payload: string }, SqlError>> = []
  let opened = 0
  return Effect.sync(() => {
    const number = opened++
    let mark: unknown = ""
    const query: Session.Session["query"] = (text, parameters = []) =>
      Effect.gen(function* () {
        yield* answer(number)
        if (text.startsWith("select set_config($1, $2")) mark = parameters[1]
        if (text.startsWith("select pg_notify")) for (const each of listeners) yield* Queue.offer(each, { payload: "" })
        return [{ found: mark === parameters[1] }]
      })
    const listen = (): Effect.Effect<Queue.Dequeue<{ readonly payload: string }, SqlError>, SqlError, Scope.Scope> =>
      Effect.gen(function* () {
        yield* answer(number)
        const queue = yield* Queue.unbounded<{ readonly payload: string }, SqlError>()
        listeners.push(queue)
        return queue
      })
    return { query, listen, lost: Effect.never }
  })
}

/** How the trial ends, and after how many seconds. */
const trial = (open: Session.Open) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.exit(Pooler.refuse(open, target)))
    let millis = 0
    while (fiber.pollUnsafe() === undefined && millis < 120_000) {
      yield* TestClock.adjust("100 millis")
      millis += 100
    }
    return { exit: yield* Fiber.join(fiber), seconds: Duration.toSeconds(millis) }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("The trial for a pooler", () => {
  it("waits for a database that answers each statement slowly", async () => {
    const { exit, seconds } = await trial(database(() => Effect.sleep("3 seconds")))
    expect(exit).toEqual(Exit.void)
    expect(seconds).toBeGreaterThan(30)
  })

  it("ends within 5 s where one of two connections gets no answer", async () => {
    const { exit, seconds } = await trial(database((connection) => (connection === 0 ? Effect.void : Effect.never)))
    expect(String(exit)).toContain(
      "url names db:5432, which has not served two connections at once for 4.5 s, but must be"
    )
    expect(seconds).toBeLessThan(5)
  })
})
