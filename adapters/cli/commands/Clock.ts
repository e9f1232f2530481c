/**
 * `simplan clock advance`, for a server on a virtual clock.
 */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Calls from "../client/Calls.ts"
import * as Flags from "./Flags.ts"
import { misused } from "../output/CommandFailed.ts"

const advance = Command.make(
  "advance",
  {
    to: Flags.instant("to", "The instant to stop at, such as 2026-02-01T00:00:00Z"),
    by: Flag.String("by").pipe(
      Flag.withMetavar("<duration>"),
      Flag.withDescription('How far to go, such as "12 hours", "30 days" or "90 seconds"'),
      Flag.optional
    ),
    ...Connection.flags
  },
  Effect.fnUntraced(function* ({ by, json, to, ...given }) {
    if (Option.isSome(to) === Option.isSome(by)) {
      return yield* misused("Say how far with either --to <instant> or --by <duration>.")
    }
    const connection = yield* Connection.openAdmin(given)
    const payload = { ...(Option.isSome(to) && { to: to.value }), ...(Option.isSome(by) && { by: by.value }) }
    yield* Calls.record(connection, json, (client) => client.clock.advance({ payload }))
  })
).pipe(
  Command.withDescription("Move a virtual clock on; returns when all work that is due by then is done."),
  Command.withExamples([
    { command: 'simplan clock advance --by "12 hours"' },
    { command: "simplan clock advance --to 2026-02-01T00:00:00Z" }
  ])
)

export const command = Command.make("clock").pipe(
  Command.withDescription("The clock of a server that runs with SIMPLAN_CLOCK=virtual."),
  Command.withSubcommands([advance])
)
