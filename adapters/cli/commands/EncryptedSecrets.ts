/**
 * `simplan secrets`.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { impossible } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Definitions from "../settings/Definitions.ts"
import * as Settings from "../settings/Settings.ts"

const reencrypt = Command.make(
  "reencrypt",
  {},
  Effect.fnUntraced(function* () {
    const settings = yield* Effect.mapError(Settings.ofServer, (error) => impossible(error.message))
    if (settings.ignoresDatabaseUrl) yield* Output.note(`${Settings.IGNORED_DATABASE_URL}.`)
    const { database, schema, secretKeys } = settings
    if (database._tag === "Memory") return yield* Output.print("A store in memory has nothing to encrypt.")
    if (secretKeys === null) {
      return yield* impossible(`${Definitions.SECRET_KEY} is not set: it has the key to encrypt with.`)
    }
    const Stores = yield* Effect.promise(() => import("../server/Stores.ts"))
    const changed = yield* Stores.reencrypt(database, schema, secretKeys)
    yield* Output.print(
      `${changed} rows were changed: all secrets are encrypted with the first key of ${Definitions.SECRET_KEY}.`
    )
  })
).pipe(
  Command.withDescription(
    [
      "Encrypt the secrets in the database of SIMPLAN_DATABASE_URL with the first key of SIMPLAN_SECRET_KEY: plain ones, and",
      "those of the old key, which is not needed any more then. Servers may run meanwhile, with the same keys. The command",
      "can be stopped and run again."
    ].join("\n  ")
  ),
  Command.withShortDescription("Encrypt all secrets with the newest key"),
  Command.withExamples([
    {
      command: "SIMPLAN_SECRET_KEY=<new>,<old> simplan secrets reencrypt",
      description: "After all servers have the new key"
    }
  ])
)

export const command = Command.make("secrets").pipe(
  Command.withDescription("The secrets in the database"),
  Command.withSubcommands([reencrypt])
)
