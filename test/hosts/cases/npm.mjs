// npm: the example of the README, on the Node that runs this, and the kit for tests.
import * as Host from "../Host.mjs"

const kit = `
import * as Testing from "simplan/testing"
import * as Modules from "./node_modules/simplan/dist/adapters/simulation/index.js"
import { Effect } from "effect"

const program = Effect.gen(function* () {
  const simulation = yield* Testing.Simulation.make({ seed: 7 })
  yield* simulation.advanceBy("12 hours")
})
await Effect.runPromise(Effect.scoped(program))
console.log(Object.keys(Testing).join() === Object.keys(Modules).join())
`

export const run = (context) => {
  const host = Host.shared(context)
  host.embeds()
  host.write("kit.mjs", kit)
  Host.expect("The kit for tests is whole", host.node("kit.mjs").trim(), "true")
}
