/**
 * Runs a conformance suite: cases that are plain Effects, under whatever test runner is passed in.
 *
 *     Suite.run("my adapter", layer, cases, { describe, it, afterAll })
 *
 * The layer is built once per suite, when its first case runs, and closed after the last one: by
 * the runner's `afterAll` if it has one, else when every case has run. Cases share what the
 * layer gives, so each one must use ids of its own.
 */
import { Data, Effect, Equal, type Layer, ManagedRuntime } from "effect"

/** One test of a suite. */
export interface Case<R> {
  /** Unique in its suite: this is what `skip` names. */
  readonly name: string
  /** Passes if it succeeds. Any failure or defect fails the test. */
  readonly effect: Effect.Effect<void, unknown, R>
}

/**
 * The part of a test runner that a suite needs; those of vitest, jest, mocha and `node:test` all
 * fit.
 */
export interface Runner {
  /** Groups the tests that `define` defines, under the suite's name. */
  readonly describe: (name: string, define: () => void) => unknown
  /** Defines a test. `skip` lists one that is not run; without it, skipped cases are not listed. */
  readonly it: {
    (name: string, test: () => Promise<void>): unknown
    readonly skip?: (name: string, test: () => Promise<void>) => unknown
  }
  /**
   * Runs `close`, which closes the suite's layer, after the last test. Absent: the layer is closed
   * when every case has run.
   */
  readonly afterAll?: (close: () => Promise<void>) => unknown
}

/**
 * What a host's hook gives: an effect, or for an author without Effect a value or a promise. A hook
 * that throws has failed.
 */
export type Answer<A, R> = Effect.Effect<A, unknown, R> | PromiseLike<A> | A

/** Calls a hook, and waits for what it gives. */
export const answerOf = <A, R>(hook: () => Answer<A, R>): Effect.Effect<A, unknown, R> =>
  Effect.flatMap(Effect.try({ try: hook, catch: (cause) => cause }), (given) =>
    Effect.isEffect(given)
      ? given
      : Effect.tryPromise({ try: () => new Promise<A>((resolve) => resolve(given)), catch: (cause) => cause })
  )

/** Which cases of a suite are run. */
export interface Options {
  /** The cases to leave out: name to reason. A name that the suite does not have is an error. */
  readonly skip?: Readonly<Record<string, string>>
}

/**
 * Defines the suite's cases with the runner. Throws if `skip` names an unknown case, or two have
 * one name.
 */
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

/**
 * Fails the case unless the two are structurally equal; the message has each path at which they
 * differ.
 */
export const equals = <A>(what: string, actual: A, expected: A): Effect.Effect<void, CaseFailed> =>
  Equal.equals(actual, expected) ? Effect.void : holds(`${what}\n${listing(actual, expected)}`, false)

/** How many differences a message has, and how many characters of a value. */
const MOST = 10
const LONGEST = 120

const listing = (actual: unknown, expected: unknown): string => {
  const all = differences(actual, expected)
  const lines = all.slice(0, MOST).map(({ actual, expected, path }) => {
    const values = `expected ${shortly(expected)}, actual ${shortly(actual)}`
    return path === "" ? `  ${values}` : `  at ${path}: ${values}`
  })
  return [...lines, ...(all.length > MOST ? [`  and ${all.length - MOST} more`] : [])].join("\n")
}

/** What is at a path where nothing is. */
const nothing = Symbol("nothing")

/** Where two values differ. */
interface Difference {
  /** Such as `sims[2].version`; empty for the values themselves. */
  readonly path: string
  readonly actual: unknown
  readonly expected: unknown
}

/** All paths at which two values differ. */
const differences = (actual: unknown, expected: unknown, path = ""): ReadonlyArray<Difference> => {
  if (Equal.equals(actual, expected)) return []
  const here = [{ path, actual, expected }]
  if (Array.isArray(actual) && Array.isArray(expected)) return inArrays(actual, expected, path)
  if (!isRecord(actual) || !isRecord(expected)) return here
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
  const found = keys.flatMap((key) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? `${path === "" ? "" : "."}${key}` : `[${JSON.stringify(key)}]`
    return differences(valueAt(actual, key), valueAt(expected, key), `${path}${name}`)
  })
  // What differs in nothing that is enumerable.
  return found.length === 0 ? here : found
}

/** Of lists of different lengths, what is the same at both ends is left out. */
const inArrays = (
  actual: ReadonlyArray<unknown>,
  expected: ReadonlyArray<unknown>,
  path: string
): ReadonlyArray<Difference> => {
  const least = Math.min(actual.length, expected.length)
  let begin = 0
  while (begin < least && Equal.equals(actual[begin], expected[begin])) begin++
  let end = 0
  if (actual.length !== expected.length) {
    while (end < least - begin && Equal.equals(actual.at(-1 - end), expected.at(-1 - end))) end++
  }
  const [left, right] = [actual.slice(begin, actual.length - end), expected.slice(begin, expected.length - end)]
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => index).flatMap((index) =>
    differences(
      index < left.length ? left[index] : nothing,
      index < right.length ? right[index] : nothing,
      `${path}[${begin + index}]`
    )
  )
}

const isRecord = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date || value instanceof Map || value instanceof Set)

const valueAt = (of: object, key: string): unknown => (Object.hasOwn(of, key) ? Reflect.get(of, key) : nothing)

const shortly = (value: unknown): string => {
  if (value === nothing) return "nothing"
  const text = show(value)
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`
}

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

/** A value of JSON, or what JSON has no form for. */
const plain = (_: string, part: unknown): unknown => {
  if (typeof part === "bigint") return `${part}n`
  return part instanceof Map || part instanceof Set ? [...part] : part
}

const show = (value: unknown): string => JSON.stringify(value, plain) ?? String(value)
