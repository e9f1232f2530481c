/**
 * Statements that go together: what is asked in one turn of the event loop goes as one, and while as many groups are
 * under way as may be, what is asked meanwhile. Nobody waits for company, and under load a statement serves many.
 *
 * In a group no two share a key, and those that share one go in the order in which they came.
 */
import { type Context, Effect, Exit } from "effect"

export interface Options<Asked, Answer, E> {
  /** How many groups may be under way at once. */
  readonly parallel: number
  /** The size of the largest group. */
  readonly limit: number
  /** How many may be under way where one that is full by itself is next, which need not wait for company. */
  readonly parallelFull?: number
  readonly size?: (asked: Asked) => number
  /** Null: goes with no other. Nothing has a key where this is absent. */
  readonly keys?: (asked: Asked) => ReadonlyArray<string> | null
  /** Where groups run, which are nobody's in particular. */
  readonly context: Context.Context<never>
  /** What became of each, in the order given. */
  readonly run: (group: ReadonlyArray<Asked>) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>>
}

interface Waiting<Asked, Answer, E> {
  readonly asked: Asked
  readonly size: number
  /** Once it was asked for them. */
  keys?: ReadonlyArray<string> | null
  readonly resume: (effect: Effect.Effect<Answer, E>) => void
}

/** What becomes of each where one statement answers all, or fails for all. */
export const exits = <Answer, E>(
  asked: ReadonlyArray<unknown>,
  answers: Effect.Effect<ReadonlyArray<Answer>, E>
): Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>> =>
  Effect.match(answers, {
    onSuccess: (all) => all.map(Exit.succeed),
    onFailure: (error) => asked.map(() => Exit.fail(error))
  })

const unanswered = Exit.die(new Error("a group has fewer answers than members"))

/** Asks on behalf of one; who is interrupted before its group went takes back what it asked. */
export type Ask<Asked, Answer, E> = (asked: Asked) => Effect.Effect<Answer, E>

export const make = <Asked, Answer, E>(options: Options<Asked, Answer, E>): Ask<Asked, Answer, E> => {
  const { context, keys = () => [], limit, parallel, parallelFull = parallel, run, size = () => 1 } = options
  type One = Waiting<Asked, Answer, E>
  const fork = Effect.runForkWith(context)
  let waiting: Array<One> = []
  let underWay = 0
  let isComing = false

  const keysOf = (one: One): ReadonlyArray<string> | null => {
    if (one.keys === undefined) one.keys = keys(one.asked)
    return one.keys
  }

  // From the front, passing over what cannot go along, and over what has to come after that.
  const take = (): ReadonlyArray<One> => {
    const [first] = waiting
    if (first === undefined) return []
    // Who goes alone anyway is not asked for its keys, which are many where it is large.
    if (waiting.length === 1 || first.size >= limit || keysOf(first) === null) return waiting.splice(0, 1)
    const group: Array<One> = []
    const left: Array<One> = []
    const taken = new Set<string>()
    let total = 0
    for (const [index, one] of waiting.entries()) {
      const found = total + one.size > limit ? null : keysOf(one)
      if (found === null) {
        left.push(...waiting.slice(index))
        break
      }
      const isApart = found.every((key) => !taken.has(key))
      if (isApart) total += one.size
      for (const key of found) taken.add(key)
      ;(isApart ? group : left).push(one)
    }
    waiting = left
    return group
  }

  const serve = (group: ReadonlyArray<One>): Effect.Effect<void> =>
    Effect.map(Effect.exit(run(group.map(({ asked }) => asked))), (exit) => {
      underWay--
      comeBack()
      for (const [index, { resume }] of group.entries()) {
        resume(exit._tag === "Failure" ? Exit.failCause(exit.cause) : (exit.value[index] ?? unanswered))
      }
    })

  const mayGo = (): boolean => {
    const [first] = waiting
    return first !== undefined && underWay < (first.size >= limit ? parallelFull : parallel)
  }

  const send = (): void => {
    isComing = false
    while (mayGo()) {
      const group = take()
      underWay++
      fork(serve(group))
    }
  }

  // After this turn: what led to one question commonly leads to others.
  const comeBack = (): void => {
    if (isComing || !mayGo()) return
    isComing = true
    fork(Effect.andThen(Effect.yieldNow, Effect.sync(send)))
  }

  return (asked) =>
    Effect.callback((resume) => {
      const one: One = { asked, size: size(asked), resume }
      waiting.push(one)
      comeBack()
      return Effect.sync(() => {
        waiting = waiting.filter((other) => other !== one)
      })
    })
}
