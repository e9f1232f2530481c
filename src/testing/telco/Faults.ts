/**
 * What can go wrong between a telco and its adapter, and how a test makes it go wrong.
 */
import { Effect } from "effect"
import type { Change } from "../../ports/Telco.ts"
import * as Suite from "../Suite.ts"

/** The name of an operation of the port `Telco` that changes something, such as `createPackage`. */
export type Operation = Change

type Hook<R> = Suite.Answer<void, R>

/** Something to wait for: an effect, or a function that gives a promise. */
type Wait<R> = Effect.Effect<void, unknown, R> | (() => PromiseLike<void> | void)

/** Waits for it. */
export const waitFor = <R>(wait: Wait<R>): Effect.Effect<void, unknown, R> =>
  Effect.isEffect(wait) ? wait : Suite.answerOf<void, R>(wait)

/**
 * Makes calls go wrong, behind the port: in the telco's fake, or on the way to it. Each of the first four befalls the
 * next call of that operation, once. Cases whose hook is missing are not defined. Hooks are plain functions, which may be
 * asynchronous, or give effects.
 */
export interface Faults<R> {
  /** The call never reaches the telco, and nobody answers it. */
  readonly loseRequest?: (operation: Operation) => Hook<R>
  /** The telco does the work, and its answer is lost. */
  readonly loseAnswer?: (operation: Operation) => Hook<R>
  /**
   * The telco does the work later than the caller waits, which is 50 ms in this suite. What the hook gives waits until
   * the work is done.
   */
  readonly doLate?: (operation: Operation) => Effect.Effect<Wait<R>, unknown, R> | (() => PromiseLike<void> | void)
  /** The telco refuses for good. */
  readonly refuse?: (operation: Operation) => Hook<R>
  /** The telco learns the times of a package that waits for its first use. */
  readonly reportTimes?: (packageId: string) => Hook<R>
  /** Waits until the adapter has mended what took effect late; nothing to wait for unless given. */
  readonly settle?: Wait<R>
}

/** What the suite cannot observe without each of the hooks. */
const about = {
  loseRequest: "lost requests",
  loseAnswer: "lost answers",
  doLate: "late effects",
  refuse: "refusals",
  reportTimes: "times reported later"
} as const satisfies Partial<Record<keyof Faults<never>, string>>

const names = ["loseRequest", "loseAnswer", "doLate", "refuse", "reportTimes"] as const

/** What is not observed for want of hooks, in words. */
export const missing = <R>(faults: Faults<R>): ReadonlyArray<string> =>
  names.filter((name) => faults[name] === undefined).map((name) => about[name])
