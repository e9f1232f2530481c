/**
 * `simplan problems`, `problems retry ID` and `problems resolve ID` (rule S6).
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Calls from "../client/Calls.ts"
import * as Flags from "./Flags.ts"

const problem = { problem: Flags.id("Id of the problem"), ...Connection.flags }

const retry = Command.make(
  "retry",
  problem,
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const params = { problem_id: given.problem }
    yield* Calls.record(connection, given.json, (client) => client.problems.retry({ params }))
  })
).pipe(
  Command.withDescription("Have the telco asked again, now, and up to three times."),
  Command.withExamples([{ command: "simplan problems retry release:0197…" }])
)

const resolve = Command.make(
  "resolve",
  {
    ...problem,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Do not ask the telco what it lists on a SIM that will be free"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const params = { problem_id: given.problem }
    const query = given.force ? { force: "true" as const } : {}
    yield* Calls.record(connection, given.json, (client) => client.problems.resolve({ params, query }))
  })
).pipe(
  Command.withDescription("Close a problem that was dealt with at the telco by hand."),
  Command.withExamples([{ command: "simplan problems resolve release:0197…" }])
)

export const command = Command.make(
  "problems",
  { ...Lists.flags, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    yield* Lists.print(
      connection,
      given,
      (client, query) => client.problems.list({ query }),
      ({ attempts, iccid, kind, last_message, organization_id, problem_id, since }) => ({
        problem_id,
        iccid,
        last_message,
        kind,
        since,
        attempts,
        organization_id
      })
    )
  })
).pipe(
  Command.withDescription(
    "List what ended because the telco refused it three times, oldest first, of all organizations."
  ),
  Command.withShortDescription("What the telco refuses for good: list, retry, resolve"),
  Command.withSubcommands([retry, resolve])
)
