/**
 * `simplan serve`.
 */
import { Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import * as Greeting from "../server/Greeting.ts"
import * as Process from "../server/Process.ts"
import * as Output from "../output/Output.ts"
import * as Definitions from "../settings/Definitions.ts"
import * as Settings from "../settings/Settings.ts"
import { withoutPassword } from "../settings/DatabaseUrl.ts"

// The other commands do not load the server.
const loaded = Effect.promise(async () => ({
  DiskWatch: await import("../server/DiskWatch.ts"),
  Server: await import("../server/Server.ts"),
  Telemetry: await import("../server/Telemetry.ts")
}))

export const command = Command.make(
  "serve",
  {
    production: Flag.Boolean("production").pipe(
      Flag.withDescription("Do not start with settings that are for trying out; the start prints them else"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ production }) {
    const settings = yield* Settings.ofServer
    const { DiskWatch, Server, Telemetry } = yield* loaded
    const start = Effect.gen(function* () {
      if (settings.ignoresDatabaseUrl) {
        yield* Effect.logWarning(Settings.IGNORED_DATABASE_URL, { database: withoutPassword(settings.database.url) })
      }
      if (settings.database._tag === "Pglite") yield* DiskWatch.watch(settings.database.directory)
      const greeting = yield* Server.start(settings, production)
      yield* Output.print(Greeting.text(greeting, process.stdout.isTTY === true))
    })
    yield* Effect.provide(Process.serve(start), Layer.provideMerge(Telemetry.layer(), Process.logs))
  })
).pipe(
  Command.withDescription(
    [
      "Start a server and serve until it is told to stop (SIGINT, SIGTERM).",
      "",
      "  Its settings are environment variables:",
      "",
      ...Definitions.table.map(({ meaning, name, shown }) => `    ${name.padEnd(31)} ${meaning} (${shown})`)
    ].join("\n")
  ),
  Command.withShortDescription("Start a server"),
  Command.withExamples([
    { command: "simplan serve", description: "Embedded, with its data in .simplan/data and a demonstration to try" },
    { command: "SIMPLAN_DATABASE_URL=memory: SIMPLAN_CLOCK=virtual simplan serve", description: "For trying out time" },
    {
      command: "SIMPLAN_DATABASE_URL=postgres://me@localhost/simplan SIMPLAN_HOST=0.0.0.0 simplan serve",
      description: "On a database server, for others to reach"
    }
  ])
)
