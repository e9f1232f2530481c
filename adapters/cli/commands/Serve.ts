/**
 * `simplan serve`.
 */
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { impossible } from "../CommandFailed.ts"
import * as Greeting from "../Greeting.ts"
import * as Logs from "../Logs.ts"
import * as Output from "../Output.ts"
import * as Server from "../Server.ts"
import * as Settings from "../Settings.ts"
import * as Signals from "../Signals.ts"
import * as Telemetry from "../Telemetry.ts"

const serve = Effect.fnUntraced(function* (settings: Settings.Settings) {
  const greeting = yield* Server.start(settings)
  yield* Output.print(Greeting.text(greeting))
  return yield* Effect.never
})

export const command = Command.make(
  "serve",
  {},
  Effect.fnUntraced(function* () {
    const settings = yield* Effect.mapError(Settings.read, (error) => impossible(error.message))
    Settings.knowSecrets(settings)
    const stop = Effect.tap(Signals.first, (signal) => Effect.logInfo("stopping", { signal }))
    yield* Effect.raceFirst(Effect.scoped(serve(settings)), stop).pipe(
      Effect.provide(Layer.provideMerge(Telemetry.layer(), Logs.layer))
    )
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
