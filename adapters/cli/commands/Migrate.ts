/**
 * `simplan migrate`.
 */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Postgres from "../../postgres/index.ts"
import { impossible } from "../output/CommandFailed.ts"
import { withoutPassword } from "../settings/DatabaseUrl.ts"
import * as Output from "../output/Output.ts"
import * as Settings from "../settings/Settings.ts"

const schemaNamed = (name: string) =>
  Effect.mapError(Effect.fromResult(Postgres.DatabaseSchema.parse(name)), (message) => impossible(`--${message}.`))

export const command = Command.make(
  "migrate",
  {
    print: Flag.Boolean("print").pipe(
      Flag.withDescription("Print the migrations as SQL for a tool of your own, and touch no database"),
      Flag.withDefault(false)
    ),
    schema: Flag.String("schema").pipe(
      Flag.withMetavar("<name>"),
      Flag.withDescription("The schema that the tables are in, instead of that of SIMPLAN_DATABASE_SCHEMA"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ print, schema }) {
    const named = Option.isSome(schema) ? yield* schemaNamed(schema.value) : undefined
    if (print) {
      const set = named ?? (yield* Effect.mapError(Settings.schema, (error) => impossible(error.message)))
      return yield* Output.print(Postgres.migrations({ schema: set }).trimEnd())
    }
    const settings = yield* Effect.mapError(Settings.ofServer, (error) => impossible(error.message))
    if (settings.ignoresDatabaseUrl) yield* Output.note(`${Settings.IGNORED_DATABASE_URL}.`)
    const { database } = settings
    if (database._tag === "Memory") return yield* Output.print("A store in memory has nothing to migrate.")
    const Stores = yield* Effect.promise(() => import("../server/Stores.ts"))
    yield* Effect.scoped(Stores.open({ ...settings, schema: named ?? settings.schema }))
    yield* Output.print(`The database at ${withoutPassword(database.url)} is up to date.`)
  })
).pipe(
  Command.withDescription(
    "Bring the database of SIMPLAN_DATABASE_URL up to date, and exit. `serve` does the same at its start, so this is for those who deploy in two steps. With --print it prints what it would run on an empty database, for a migration tool of your own."
  ),
  Command.withShortDescription("Bring the database up to date"),
  Command.withExamples([
    { command: "SIMPLAN_DATABASE_URL=postgres://me@localhost/simplan simplan migrate" },
    { command: "simplan migrate --print --schema esim > 0001_simplan.sql" }
  ])
)
