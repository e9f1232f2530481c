// npm: the example of the README, on the Node that runs this, and the kit for tests.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Host from "../Host.mjs"

const kit = `
import * as Testing from "simplan/testing"
import * as Modules from "./node_modules/simplan/dist/library/adapters/simulation/index.js"
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

/**
 * The relative links of the documents that lead to no file of the package. Images may be the
 * repository's.
 */
const broken = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) =>
      [...readFileSync(join(folder, name), "utf8").matchAll(/(?<!!\[[^\]]*)\]\((?!https?:|#)([^)#\s]+)/g)]
        .filter(([, path]) => !existsSync(join(folder, dirname(name), path)))
        .map(([, path]) => `${name}: ${path}`)
    )

export const run = (context) => {
  const host = Host.shared(context)
  const installed = join(host.directory, "node_modules", "simplan")
  Host.expect("Links that lead to no file", broken(installed).join(), "")
  for (const name of ["express/app.js", "nextjs/app/esim/[...path]/route.ts", "transaction/clients/prisma.js"]) {
    Host.expect(`The example ${name} is there`, existsSync(join(installed, "examples", name)), true)
  }
  Host.expect("Maps that lead to no source", lost(join(installed, "dist")).join(), "")
  host.embeds()
  host.write("kit.mjs", kit)
  Host.expect("The kit for tests is whole", host.node("kit.mjs").trim(), "true")
}
