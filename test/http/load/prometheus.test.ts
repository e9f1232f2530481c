/**
 * The metrics of a process with many series: formatted in pieces, once for all who ask meanwhile
 * (rule W13).
 */
import { Context, Deferred, Effect, Fiber, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { expect, it } from "vitest"
import * as SystemHandlers from "../../../adapters/http/handlers/SystemHandlers.ts"

/** Metrics of the kinds and in the order that a process has them: by route, several of each. */
const registry = (routes: number): Context.Context<never> => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  for (let n = 0; n < routes; n++) {
    const attributes = { route: `/v3/${n}`, status: "200" }
    Metric.counter("requests_total", { description: "Requests", attributes }).updateUnsafe(n, context)
    Metric.histogram("seconds", { description: "Time", attributes, boundaries: [1, 2] }).updateUnsafe(1, context)
    Metric.gauge(`gauge_${n % 7}`, { attributes }).updateUnsafe(n, context)
  }
  return Context.makeUnsafe(context.mapUnsafe)
}

const format = (context: Context.Context<never>): Promise<string> =>
  Effect.runPromise(SystemHandlers.format().pipe(Effect.provideContext(context)))

it.each([0, 1, 23, 100])(
  "of %i routes has the lines of the whole, each name described once, its series together",
  async (routes) => {
    const context = registry(routes)
    const text = await format(context)
    const whole = PrometheusMetrics.formatUnsafe(context)
    expect(text.split("\n").toSorted()).toEqual(whole.split("\n").toSorted())
    const names = text
      .split("\n")
      .flatMap((line) => /^(?:# (?:HELP|TYPE) )?([a-z]+(?:_total|_\d)?)/.exec(line)?.[1] ?? [])
    const runs = names.filter((name, index) => name !== names[index - 1])
    expect(runs).toEqual([...new Set(names)])
  }
)

it("leaves the event loop to others between two pieces", async () => {
  let turns = 0
  const count = (): void => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await format(registry(100))
  clearImmediate(next)
  expect(turns).toBeGreaterThan(10)
})

it("is made once for all who ask while it is made for another, and after they asked", async () => {
  const gates = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  let runs = 0
  const shared = SystemHandlers.shared(
    Effect.suspend(() => {
      const run = runs++
      return Effect.as(Deferred.await(gates[run] ?? Deferred.makeUnsafe<void>()), run)
    })
  )
  const open = (run: number) =>
    Effect.runPromise(Deferred.succeed(gates[run] ?? Deferred.makeUnsafe<void>(), undefined))
  const first = Effect.runPromise(shared)
  const second = [1, 2, 3].map(() => Effect.runPromise(shared))
  expect(runs).toBe(1)
  await open(0)
  expect(await first).toBe(0)
  await expect.poll(() => runs).toBe(2)
  const third = Effect.runPromise(shared)
  await open(1)
  expect(await Promise.all(second)).toEqual([1, 1, 1])
  await open(2)
  expect(await third).toBe(2)
  expect(runs).toBe(3)
})

it("goes on for the others where the client it was made for is gone", async () => {
  let runs = 0
  const gate = Deferred.makeUnsafe<void>()
  const shared = SystemHandlers.shared(
    Effect.suspend(() => (runs++ === 0 ? Effect.never : Effect.as(Deferred.await(gate), runs)))
  )
  const gone = Effect.runFork(shared)
  const other = Effect.runPromise(shared)
  await Effect.runPromise(Fiber.interrupt(gone))
  await Effect.runPromise(Deferred.succeed(gate, undefined))
  expect(await other).toBe(2)
})
