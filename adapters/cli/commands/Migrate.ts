/**
 * `simplan migrate`.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { impossible } from "../output/CommandFailed.ts"
import { withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Output from "../output/Output.ts"
import * as Settings from "../settings/Settings.ts"
import * as Stores from "../server/Stores.ts"

export const command = Command.make(
  "migrate",
  {},
  Effect.fnUntraced(function* () {
    const settings = yield* Effect.mapError(Settings.read, (error) => impossible(error.message))
    const { database } = settings
    if (database._tag === "Memory") return yield* Output.print("A store in memory has nothing to migrate.")
    yield* Effect.scoped(Stores.open(settings))
    yield* Output.print(`The database at ${withoutPassword(database.url)} is up to date.`)
  })
).pipe(
  Command.withDescription(
    "Bring the database of SIMPLAN_DATABASE_URL up to date, and exit. `serve` does the same at its start, so this is for those who deploy in two steps."
  ),
  Command.withShortDescription("Bring the database up to date"),
  Command.withExamples([{ command: "SIMPLAN_DATABASE_URL=postgres://me@localhost/simplan simplan migrate" }])
)
