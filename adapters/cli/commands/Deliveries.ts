/**
 * `simplan deliveries list` and `simplan deliveries replay ID`.
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Typed from "../client/Typed.ts"
import * as Organization from "./Organization.ts"

const list = Command.make(
  "list",
  { org: Organization.flag, limit: Typed.limit, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    const fields = ["delivery_id", "status", "attempts", "response_status", "created_at", "last_error"] as const
    yield* Typed.list(connection, { ...given, fields }, (client, page) =>
      client.webhooks.deliveries({ params: { id }, query: page })
    )
  })
).pipe(Command.withDescription("List what was and is to be sent to an organization's endpoints, newest first."))

const replay = Command.make(
  "replay",
  {
    delivery: Argument.String("ID").pipe(Argument.withDescription("Id of the delivery")),
    org: Organization.flag,
    ...Connection.flags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    yield* Typed.record(connection, given.json, (client) =>
      client.webhooks.replay({ params: { id, delivery_id: given.delivery } })
    )
  })
).pipe(Command.withDescription("Send the event of a delivery again, now."))

export const command = Command.make("deliveries").pipe(
  Command.withDescription("What was sent to webhook endpoints."),
  Command.withSubcommands([list, replay])
)
