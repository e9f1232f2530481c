/**
 * `simplan clock show`, and `advance` for a server on a virtual clock.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Calls from "../client/Calls.ts"
import { misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Operations from "./Operations.ts"

const advance = Operations.make(
  "advance",
  "clock.advance",
  {
    says: "Move a virtual clock on; returns when all work that is due by then is done.",
    examples: [
      { command: 'simplan clock advance --by "12 hours"' },
      { command: "simplan clock advance --to 2026-02-01T00:00:00Z" }
    ]
  },
  {},
  Effect.fnUntraced(function* ({ json, open, sent }) {
    if (Object.keys(sent.payload ?? {}).length !== 1) {
      return yield* misused("Say how far with either --to <instant> or --by <duration>.")
    }
    const { call, connection } = yield* open
    const { data } = yield* Calls.call(connection, call)
    yield* Output.record(data, json)
  })
)

export const command = Command.make("clock").pipe(
  Command.withDescription("The clock that a server goes by, which may be virtual."),
  Command.withSubcommands([
    Operations.record("show", "clock.read", { says: "Show the clock, and whether it is virtual." }),
    advance
  ])
)
