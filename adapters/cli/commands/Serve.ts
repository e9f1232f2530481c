/**
 * `simplan serve`.
 */
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { impossible } from "../output/CommandFailed.ts"
import * as Greeting from "../server/Greeting.ts"
import * as Logs from "../server/Logs.ts"
import * as Output from "../output/Output.ts"
import * as Server from "../server/Server.ts"
import * as Settings from "../settings/Settings.ts"
import * as Signals from "../server/Signals.ts"
import * as Telemetry from "../server/Telemetry.ts"

export const command = Command.make(
  "serve",
  {},
  Effect.fnUntraced(function* () {
    const settings = yield* Effect.mapError(Settings.read, (error) => impossible(error.message))
    Settings.registerSecrets(settings)
    const start = Effect.flatMap(Server.start(settings), (greeting) =>
      Output.print(Greeting.text(greeting, process.stdout.isTTY === true))
    )
    yield* Effect.provide(Signals.serve(start), Layer.provideMerge(Telemetry.layer(), Logs.layer))
  })
).pipe(
  Command.withDescription(
    [
      "Start a server and serve until it is told to stop (SIGINT, SIGTERM).",
      "",
      "  Its settings are environment variables:",
      "",
      ...Settings.table.map(({ meaning, name, shown }) => `    ${name.padEnd(31)} ${meaning} (${shown})`)
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
