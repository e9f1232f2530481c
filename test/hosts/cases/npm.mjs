// npm: the example of the README, on the Node that runs this, and the kit for tests.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
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

/** The maps of declarations that lead to no source, by which an editor goes to a definition. */
const lost = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".d.ts.map"))
    .filter((name) => {
      const { sources } = JSON.parse(readFileSync(join(folder, name), "utf8"))
      return !sources.every((source) => existsSync(join(folder, dirname(name), source)))
    })

export const run = (context) => {
  const host = Host.shared(context)
  Host.expect("Maps that lead to no source", lost(join(host.directory, "node_modules", "simplan", "dist")).join(), "")
  host.embeds()
  host.write("kit.mjs", kit)
  Host.expect("The kit for tests is whole", host.node("kit.mjs").trim(), "true")
}
