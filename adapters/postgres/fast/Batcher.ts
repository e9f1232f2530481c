/**
 * Groups the questions of several callers into one statement. Questions of one turn of the event loop form a group, and
 * so do questions that come while as many groups as allowed are under way. No question waits for others to come.
 *
 * No two questions of a group share a key. Questions that share a key are sent in the order in which they came.
 */
import { type Context, Effect, Exit } from "effect"

export interface Options<Asked, Answer, E> {
  /** How many groups may be under way at once. */
  readonly parallel: number
  /** The size of the largest group. */
  readonly limit: number
  /** How many groups may be under way while the next question fills a group by itself. */
  readonly parallelFull?: number
  readonly size?: (asked: Asked) => number
  /** Null: the question goes alone. Absent: no question has a key. */
  readonly keys?: (asked: Asked) => ReadonlyArray<string> | null
  /** Where groups run: no caller's context. */
  readonly context: Context.Context<never>
  /** The outcome of each question, in the order of the group. */
  readonly run: (group: ReadonlyArray<Asked>) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>>
}

interface Waiting<Asked, Answer, E> {
  readonly asked: Asked
  readonly size: number
  /** Absent until they are needed. */
  keys?: ReadonlyArray<string> | null
  readonly resume: (effect: Effect.Effect<Answer, E>) => void
}

/** The outcome of each question if one statement answers all of them, or fails for all. */
export const exits = <Answer, E>(
  asked: ReadonlyArray<unknown>,
  answers: Effect.Effect<ReadonlyArray<Answer>, E>
): Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>> =>
  Effect.match(answers, {
    onSuccess: (all) => all.map(Exit.succeed),
    onFailure: (error) => asked.map(() => Exit.fail(error))
  })

const unanswered = Exit.die(new Error("a group has fewer answers than members"))

/** Asks one question. A caller that is interrupted before its group was sent withdraws the question. */
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

  // From the front, without the questions that share a key with one that is before them.
  const take = (): ReadonlyArray<One> => {
    const [first] = waiting
    if (first === undefined) return []
    // A question that goes alone needs no keys, and a large one has many.
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

  // After this turn: one cause commonly leads to several questions.
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
