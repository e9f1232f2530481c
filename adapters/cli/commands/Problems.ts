/**
 * `simplan problems`.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"

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
  Command.withDescription("List what the telco has refused three times or more, oldest first, of all organizations."),
  Command.withShortDescription("List what the telco refuses again and again")
)
