/**
 * Lets the pipeline of a connection run empty now and then. The client keeps the results of a pipeline until the pipeline
 * was empty once, which under load would be never. After `limit` statements the next ones wait until none is under way.
 */
import { Effect } from "effect"

export type PipelineDrain = <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = (limit: number): PipelineDrain => {
  let waiting: Array<() => void> = []
  let underWay = 0
  let sinceEmpty = 0

  const turn = Effect.callback<void>((resume) => {
    const go = (): void => resume(Effect.void)
    waiting.push(go)
    return Effect.sync(() => {
      waiting = waiting.filter((other) => other !== go)
    })
  })

  const leave = (): undefined => {
    underWay--
    if (underWay > 0) return
    sinceEmpty = 0
    const next = waiting
    waiting = []
    for (const go of next) go()
  }

  return (statement) => {
    const run = Effect.suspend(() => {
      underWay++
      sinceEmpty++
      return Effect.onExitPrimitive(statement, leave)
    })
    return Effect.suspend(() => (sinceEmpty < limit ? run : Effect.andThen(turn, run)))
  }
}
