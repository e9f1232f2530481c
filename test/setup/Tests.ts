/**
 * Tests whose bodies are generators of effects: `Tests.scoped("…", function* () { … })`.
 */
import { Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { it } from "vitest"

/** What a test does with what is opened for it. */
export type Body<R, Opened extends ReadonlyArray<unknown> = []> = (
  ...opened: Opened
) => Generator<Effect.Effect<unknown, unknown, R>, unknown, never>

type Run<R> = (effect: Effect.Effect<unknown, unknown, R>) => Promise<unknown>

/** Tests that are run so. */
export const by =
  <R>(run: Run<R>) =>
  (name: string, body: Body<R>, timeoutMillis?: number): void =>
    it(name, () => run(Effect.gen(body)), timeoutMillis)

/** Tests that are given what is opened first, and run so. */
export const given =
  <A, R>(open: Effect.Effect<A, unknown, R>, run: Run<R>) =>
  (name: string, body: Body<R, [opened: A]>, timeoutMillis?: number): void =>
    it(name, () => run(Effect.flatMap(open, (opened) => Effect.gen(() => body(opened)))), timeoutMillis)

/** In a scope that is closed after the test. */
export const scoped = by<Scope.Scope>((effect) => Effect.runPromise(Effect.scoped(effect)))

/** In a scope, on a clock that stands still until the test moves it. */
export const onTestClock = by<Scope.Scope>((effect) =>
  effect.pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
)
