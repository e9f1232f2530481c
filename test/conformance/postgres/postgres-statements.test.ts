/**
 * Each statement as it is sent, in `printed/<operation>.sql`: a claim or a commit is put together
 * from the texts of several modules, and is reviewed here as a whole. `npm run statements` writes
 * the files anew.
 */
import { readdirSync } from "node:fs"
import { Effect } from "effect"
import { Jobs, Outbox, Storage } from "simplan/ports"
import { expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import { connect, sending } from "./PostgresWorld.ts"
import { operations } from "./printed/Operations.ts"
import * as Printed from "./printed/Printed.ts"

const url = Databases.forEachTest()

it("Each operation sends the statement that its file has", async () => {
  const { sent: texts, tracer } = sending()
  const printed = await Effect.gen(function* () {
    const adapter = yield* connect(url(), 1)
    const ports = yield* Effect.provide(
      Effect.all({ storage: Storage.Storage, jobs: Jobs.Jobs, outbox: Outbox.Outbox }),
      adapter
    )
    const found = new Map<string, string>()
    for (const [name, operation] of Object.entries(operations)) {
      texts.length = 0
      yield* Effect.exit(operation(ports))
      const own = texts.filter((text) => text.includes("simplan."))
      found.set(`${name.replaceAll(" ", "-")}.sql`, `${[...new Set(own)].map(Printed.statement).join(";\n\n")};\n`)
    }
    return found
  }).pipe(Effect.scoped, Effect.withTracer(tracer), Effect.runPromise)
  for (const [file, text] of printed) await expect(text).toMatchFileSnapshot(`printed/${file}`)
  const files = readdirSync(new URL("printed/", import.meta.url)).filter((name) => name.endsWith(".sql"))
  expect(files.filter((name) => !printed.has(name))).toEqual([])
})
