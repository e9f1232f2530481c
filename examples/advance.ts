import { Effect } from "effect"
import { Simulation } from "simplan/testing"

const program = Effect.gen(function* () {
  const simulation = yield* Simulation.make({ seed: 7 })
  yield* simulation.advanceBy("12 hours")
  return yield* simulation.now
})
console.log(await Effect.runPromise(Effect.scoped(program)))
