/**
 * `simplan webhook add URL`, `list`, `update ID`, `remove ID`, `rotate-key ID` and `test ID`.
 */
import { WebhookEvent } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Lists from "../client/Lists.ts"
import * as Calls from "../client/Calls.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const standard = WebhookEvent.standardTypes.length

const events = (otherwise: string) =>
  Flag.Literals("event", WebhookEvent.types).pipe(
    Flag.withMetavar("<type>"),
    Flag.withDescription(
      `One of ${WebhookEvent.types.join(", ")}; may be given several times (${otherwise}, if left out)`
    ),
    Flag.atLeast(0)
  )

const add = Command.make(
  "add",
  {
    address: Argument.String("URL").pipe(Argument.withDescription("Where the events are posted to")),
    events: events(`the first ${standard}`),
    description: Flag.String("description").pipe(Flag.withDescription("A note for people"), Flag.withDefault("")),
    ...Flags.organization
  },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    const { address: url, description, events, json } = given
    const payload = { url, ...(events.length > 0 && { events }), ...(description !== "" && { description }) }
    yield* Calls.record(connection, json, (client) => client.webhooks.create({ params: { id }, payload }))
    if (!json) yield* Output.note("The signing key is shown this once: keep it now.")
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
  { ...Lists.flags, ...Flags.organization },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    yield* Lists.print(
      connection,
      given,
      (client, query) => client.webhooks.list({ params: { id }, query }),
      ({ disabled_reason, enabled, url, webhook_endpoint_id, ...one }) => ({
        webhook_endpoint_id,
        enabled,
        pending: one.pending_deliveries,
        failing_since: one.failing_since,
        last_success_at: one.last_success_at,
        url,
        description: one.description,
        disabled_reason
      })
    )
  })
).pipe(Command.withDescription("List an organization's webhook endpoints, oldest first."))

const named = { endpoint: Flags.id("Id of the endpoint"), ...Flags.organization }

const update = Command.make(
  "update",
  {
    ...named,
    address: Flag.String("to").pipe(
      Flag.withMetavar("<address>"),
      Flag.withDescription("Where the events are posted to"),
      Flag.optional
    ),
    events: events("as before"),
    description: Flag.String("description").pipe(Flag.withDescription("A note for people"), Flag.optional),
    enabled: Flag.Literals("enabled", ["true", "false"]).pipe(
      Flag.withDescription("Whether events are posted"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    const { address, description, enabled, events } = given
    const payload = {
      ...(Option.isSome(address) && { url: address.value }),
      ...(events.length > 0 && { events }),
      ...(Option.isSome(description) && { description: description.value }),
      ...(Option.isSome(enabled) && { enabled: enabled.value === "true" })
    }
    yield* Calls.record(connection, given.json, (client) =>
      client.webhooks.update({ params: { id, endpoint_id: given.endpoint }, payload })
    )
  })
).pipe(
  Command.withDescription("Change a webhook endpoint; what is left out stays."),
  Command.withExamples([
    { command: "simplan webhook update 0197… --enabled true", description: "One that was disabled after failures" }
  ])
)

const remove = Command.make(
  "remove",
  named,
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    yield* Calls.record(connection, given.json, (client) =>
      client.webhooks.remove({ params: { id, endpoint_id: given.endpoint } })
    )
  })
).pipe(Command.withDescription("Remove a webhook endpoint."))

const rotateKey = Command.make(
  "rotate-key",
  named,
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    yield* Calls.record(connection, given.json, (client) =>
      client.webhooks.rotateKey({ params: { id, endpoint_id: given.endpoint } })
    )
    if (!given.json) yield* Output.note("The signing key is shown this once: keep it now.")
  })
).pipe(Command.withDescription("Make a new signing key; the one before signs along for 24 h."))

const test = Command.make(
  "test",
  named,
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    yield* Calls.record(connection, given.json, (client) =>
      client.webhooks.test({ params: { id, endpoint_id: given.endpoint } })
    )
    if (!given.json) {
      yield* Output.note(`What came of it: simplan deliveries list --org ${id} --endpoint ${given.endpoint} --limit 1`)
    }
  })
).pipe(
  Command.withDescription("Send an event of the type endpoint.test to a webhook endpoint, whatever its types are.")
)

export const command = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints: where an organization's events go."),
  Command.withSubcommands([add, list, update, remove, rotateKey, test])
)
