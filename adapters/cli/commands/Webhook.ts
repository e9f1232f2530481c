/**
 * `simplan webhook add URL`.
 */
import { WebhookEvent } from "simplan/ports"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Management from "../client/Management.ts"
import * as Organization from "./Organization.ts"

const add = Command.make(
  "add",
  {
    address: Argument.String("URL").pipe(Argument.withDescription("Where the events are posted to")),
    org: Organization.flag,
    events: Flag.Literals("event", WebhookEvent.types).pipe(
      Flag.withMetavar("<type>"),
      Flag.withDescription(
        `One of ${WebhookEvent.types.join(", ")}; may be given several times (the first ${WebhookEvent.standardTypes.length}, if left out)`
      ),
      Flag.atLeast(0)
    ),
    description: Flag.String("description").pipe(Flag.withDescription("A note for people"), Flag.withDefault("")),
    ...Connection.flags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const organization = yield* Organization.path(connection, given.org)
    const events = given.events.length === 0 ? {} : { events: given.events }
    const description = given.description === "" ? {} : { description: given.description }
    const body = { url: given.address, ...events, ...description }
    yield* Management.create(connection, given.json, `${organization}/webhook-endpoints`, body)
  })
).pipe(
  Command.withDescription("Have an organization's events posted to an address, and print the key that signs them."),
  Command.withExamples([
    { command: "simplan webhook add https://hooks.example.com/simplan" },
    {
      command: "simplan webhook add https://hooks.example.com/usage --event attachment.allowanceConsumed",
      description: "Only one type of event"
    }
  ])
)

export const command = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints: where an organization's events go."),
  Command.withSubcommands([add])
)
