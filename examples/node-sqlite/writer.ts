// For crash.test.ts: commits 50 organizations at a time, named alike, and prints the name when the commit is answered.
import { Effect } from "effect"
import { Storage } from "simplan/ports"
import { layer } from "./Storage.ts"

const [file = "", round = ""] = process.argv.slice(2)

const write = Effect.gen(function* () {
  const storage = yield* Storage.Storage
  for (let number = 0; ; number++) {
    const name = `${round}:${number}`
    const parts = Array.from({ length: 50 }, (_, part) => `${name}:${part}`)
    yield* storage.commit({
      organizations: parts.map((organizationId) => ({ organizationId, name, createdAt: number }))
    })
    console.log(name)
  }
})

await Effect.runPromise(Effect.provide(write, layer({ file })))
