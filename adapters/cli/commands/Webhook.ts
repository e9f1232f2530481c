/**
 * `simplan webhook add URL`, `list`, `update ID`, `remove ID` and `rotate-key ID`.
 */
import { WebhookEvent } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Management from "../client/Management.ts"
import * as Typed from "../client/Typed.ts"
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

const list = Command.make(
  "list",
  { org: Organization.flag, limit: Typed.limit, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    const fields = ["webhook_endpoint_id", "enabled", "url", "description"] as const
    yield* Typed.list(connection, { ...given, fields }, (client, page) =>
      client.webhooks.list({ params: { id }, query: page })
    )
  })
).pipe(Command.withDescription("List an organization's webhook endpoints."))

const named = {
  endpoint: Argument.String("ID").pipe(Argument.withDescription("Id of the endpoint")),
  org: Organization.flag,
  ...Connection.flags
}

const update = Command.make(
  "update",
  {
    ...named,
    address: Flag.String("to").pipe(
      Flag.withMetavar("<address>"),
      Flag.withDescription("Where the events are posted to"),
      Flag.optional
    ),
    description: Flag.String("description").pipe(Flag.withDescription("A note for people"), Flag.optional),
    enabled: Flag.Literals("enabled", ["true", "false"]).pipe(
      Flag.withDescription("Whether events are posted"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    const payload = {
      ...(Option.isSome(given.address) ? { url: given.address.value } : {}),
      ...(Option.isSome(given.description) ? { description: given.description.value } : {}),
      ...(Option.isSome(given.enabled) ? { enabled: given.enabled.value === "true" } : {})
    }
    yield* Typed.record(connection, given.json, (client) =>
      client.webhooks.update({ params: { id, endpoint_id: given.endpoint }, payload })
    )
  })
).pipe(Command.withDescription("Change a webhook endpoint; what is left out stays."))

const remove = Command.make(
  "remove",
  named,
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    yield* Typed.record(connection, given.json, (client) =>
      client.webhooks.remove({ params: { id, endpoint_id: given.endpoint } })
    )
  })
).pipe(Command.withDescription("Remove a webhook endpoint."))

const rotateKey = Command.make(
  "rotate-key",
  named,
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const id = yield* Organization.id(connection, given.org)
    yield* Typed.record(connection, given.json, (client) =>
      client.webhooks.rotateKey({ params: { id, endpoint_id: given.endpoint } })
    )
  })
).pipe(Command.withDescription("Make a new signing key; the one before signs along for 24 h."))

export const command = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints: where an organization's events go."),
  Command.withSubcommands([add, list, update, remove, rotateKey])
)
