/**
 * Runs a conformance suite: cases that are plain Effects, under whatever test runner is passed in.
 *
 *     Suite.run("my adapter", layer, cases, { describe, it, afterAll })
 *
 * The layer is built once per suite, when its first case runs, and closed after the last one: by the runner's
 * `afterAll` where it has one, else when every case has run. Cases share what the layer gives, so each one must use ids
 * of its own.
 */
import { Data, Effect, Equal, type Layer, ManagedRuntime } from "effect"

/** One test of a suite. */
export interface Case<R> {
  /** Unique in its suite: this is what `skip` names. */
  readonly name: string
  /** Passes if it succeeds. Any failure or defect fails the test. */
  readonly effect: Effect.Effect<void, unknown, R>
}

/** The part of a test runner that a suite needs; those of vitest, jest, mocha and `node:test` all fit. */
export interface Runner {
  /** Groups the tests that `define` defines, under the suite's name. */
  readonly describe: (name: string, define: () => void) => unknown
  /** Defines a test. `skip` lists one that is not run; without it, skipped cases are not listed. */
  readonly it: {
    (name: string, test: () => Promise<void>): unknown
    readonly skip?: (name: string, test: () => Promise<void>) => unknown
  }
  /**
   * Runs `close`, which closes the suite's layer, after the last test. Absent: the layer is closed when every case
   * has run.
   */
  readonly afterAll?: (close: () => Promise<void>) => unknown
}

/** Which cases of a suite are run. */
export interface Options {
  /** The cases to leave out: name to reason. A name that the suite does not have is an error. */
  readonly skip?: Readonly<Record<string, string>>
}

/** Defines the suite's cases with the runner. Throws where `skip` names an unknown case, or two have one name. */
export const run = <R, E>(
  suiteName: string,
  layer: Layer.Layer<R, E>,
  cases: ReadonlyArray<Case<R>>,
  runner: Runner,
  options: Options = {}
): void => {
  const skip = new Map(Object.entries(options.skip ?? {}))
  const names = new Set(cases.map((one) => one.name))
  if (names.size < cases.length) throw new Error(`${suiteName}: two cases have the same name`)
  for (const name of skip.keys()) {
    if (!names.has(name)) throw new Error(`${suiteName}: there is no case "${name}" to skip`)
  }

  runner.describe(suiteName, () => {
    const runtime = ManagedRuntime.make(layer)
    let left = cases.length - skip.size
    for (const one of cases) {
      const reason = skip.get(one.name)
      if (reason !== undefined) {
        runner.it.skip?.(`${one.name} (skipped: ${reason})`, () => Promise.resolve())
        continue
      }
      runner.it(one.name, async () => {
        try {
          await runtime.runPromise(one.effect)
        } finally {
          left -= 1
          if (left === 0 && runner.afterAll === undefined) await runtime.dispose()
        }
      })
    }
    runner.afterAll?.(() => runtime.dispose())
  })
}

/** What a case expected was not so. */
export class CaseFailed extends Data.TaggedError("CaseFailed")<{
  /** What should have been, with the values that were compared. */
  readonly message: string
}> {}

/** Fails the case unless the condition holds; `what` says what should have been. */
export const holds = (what: string, condition: boolean): Effect.Effect<void, CaseFailed> =>
  condition ? Effect.void : Effect.fail(new CaseFailed({ message: what }))

/** Fails the case unless the two are structurally equal. */
export const equals = <A>(what: string, actual: A, expected: A): Effect.Effect<void, CaseFailed> =>
  holds(`${what}\n  expected: ${show(expected)}\n  actual:   ${show(actual)}`, Equal.equals(actual, expected))

/** Fails the case unless the effect fails with an error of that tag; gives the error. */
export const failsWith = <A, E extends { readonly _tag: string }, Tag extends E["_tag"], R>(
  what: string,
  tag: Tag,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Extract<E, { readonly _tag: Tag }>, CaseFailed, R> =>
  Effect.matchEffect(effect, {
    onSuccess: (value) => Effect.fail(new CaseFailed({ message: `${what}: succeeded with ${show(value)}` })),
    onFailure: (error) =>
      hasTag(error, tag)
        ? Effect.succeed(error)
        : Effect.fail(new CaseFailed({ message: `${what}: failed with ${error._tag}, not ${tag}` }))
  })

const hasTag = <E extends { readonly _tag: string }, Tag extends E["_tag"]>(
  error: E,
  tag: Tag
): error is Extract<E, { readonly _tag: Tag }> => error._tag === tag

const show = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value)
