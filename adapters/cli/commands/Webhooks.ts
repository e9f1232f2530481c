/**
 * `simplan webhook add URL`, `list`, `update ID`, `remove ID`, `rotate-key ID` and `test ID`;
 * `simplan deliveries list`, `show ID` and `replay [ID]`.
 */
import { WebhookEvent } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Api } from "simplan/http-api"
import type { Client } from "../../client/index.ts"
import * as Calls from "../client/Calls.ts"
import * as Lists from "../client/Lists.ts"
import { misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const keyShownOnce = Output.note("The signing key is shown this once: keep it now.")

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
    const { connection, id } = yield* Calls.openOrganization(given)
    const { address: url, description, events, json } = given
    const payload = { url, ...(events.length > 0 && { events }), ...(description !== "" && { description }) }
    yield* Calls.record(connection, json, (client) => client.webhooks.create({ params: { id }, payload }))
    if (!json) yield* keyShownOnce
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

const endpoints = Flags.of(Api.groups.webhooks.endpoints.list)

const list = Command.make(
  "list",
  { ...endpoints.flags, ...Lists.flags, ...Flags.organization },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Calls.openOrganization(given)
    const filter = yield* endpoints.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.webhooks.list({ params: { id }, query: { ...filter, ...page } }),
      ({ pending_deliveries: pending, version: _, ...endpoint }) => ({ ...endpoint, pending }),
      ["webhook_endpoint_id", "enabled", "pending", "failing_since", "last_success_at", "url", "description"]
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
    const { connection, id } = yield* Calls.openOrganization(given)
    const { address, description, enabled, events } = given
    const payload = {
      ...(Option.isSome(address) && { url: address.value }),
      ...(events.length > 0 && { events }),
      ...(Option.isSome(description) && { description: description.value }),
      ...(Option.isSome(enabled) && { enabled: enabled.value === "true" })
    }
    yield* Calls.record(connection, given.json, (client) =>
      client.webhooks.update({ params: { id, webhook_endpoint_id: given.endpoint }, payload })
    )
  })
).pipe(
  Command.withDescription("Change a webhook endpoint; what is left out stays."),
  Command.withExamples([
    { command: "simplan webhook update 0197… --enabled true", description: "One that was disabled after failures" }
  ])
)

interface EndpointParams {
  readonly id: string
  readonly webhook_endpoint_id: string
}

/** A command that does something to an endpoint and prints the record; to a person, `said` too. */
const ofEndpoint = (
  name: string,
  description: string,
  call: (client: Client.Client, params: EndpointParams) => Effect.Effect<{ readonly data: Output.Row }, unknown>,
  said: (params: EndpointParams) => Effect.Effect<void> = () => Effect.void
) =>
  Command.make(
    name,
    named,
    Effect.fnUntraced(function* (given) {
      const { connection, id } = yield* Calls.openOrganization(given)
      const params = { id, webhook_endpoint_id: given.endpoint }
      yield* Calls.record(connection, given.json, (client) => call(client, params))
      if (!given.json) yield* said(params)
    })
  ).pipe(Command.withDescription(description))

const remove = ofEndpoint("remove", "Remove a webhook endpoint.", ({ webhooks }, params) => webhooks.remove({ params }))

const rotateKey = ofEndpoint(
  "rotate-key",
  "Make a new signing key; the one before signs along for 24 h.",
  ({ webhooks }, params) => webhooks.rotateKey({ params }),
  () => keyShownOnce
)

const test = ofEndpoint(
  "test",
  "Send an event of the type endpoint.test to a webhook endpoint, whatever its types are.",
  ({ webhooks }, params) => webhooks.test({ params }),
  ({ webhook_endpoint_id, id }) =>
    Output.note(`What came of it: simplan deliveries list --org ${id} --endpoint ${webhook_endpoint_id} --limit 1`)
)

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints: where an organization's events go."),
  Command.withSubcommands([add, list, update, remove, rotateKey, test])
)

const deliveriesOf = Flags.of(Api.groups.webhooks.endpoints.deliveries)

const listDeliveries = Command.make(
  "list",
  { ...deliveriesOf.flags, ...Lists.flags, ...Flags.organization },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Calls.openOrganization(given)
    const filter = yield* deliveriesOf.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.webhooks.deliveries({ params: { id }, query: { ...filter, ...page } }),
      ({ event: { type }, ...delivery }) => ({ ...delivery, type }),
      ["delivery_id", "status", "type", "attempts", "response_status", "created_at", "last_error"]
    )
  })
).pipe(
  Command.withDescription("List what was and is to be sent to an organization's endpoints, newest first."),
  Command.withExamples([{ command: "simplan deliveries list --status failed --from 2026-01-31T00:00:00Z" }])
)

const show = Command.make(
  "show",
  { delivery: Flags.id("Id of the delivery"), ...Flags.organization },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Calls.openOrganization(given)
    const { data } = yield* Calls.call(connection, (client) =>
      client.webhooks.delivery({ params: { id, delivery_id: given.delivery } })
    )
    if (given.json) return yield* Output.print(JSON.stringify(data))
    const { attempt_log, ...delivery } = data
    yield* Output.record(delivery, false)
    yield* Lists.section("Attempts:", attempt_log)
  })
).pipe(Command.withDescription("Show a delivery: its event, and what the endpoint answered to each attempt."))

const replay = Command.make(
  "replay",
  {
    delivery: Flags.id("Id of the delivery; leave it out to replay all that the flags take").pipe(Argument.optional),
    ...deliveriesOf.flags,
    ...Flags.organization
  },
  Effect.fnUntraced(function* (given) {
    const { delivery, json } = given
    const filter = yield* deliveriesOf.read(given)
    if (Option.isSome(delivery) === Object.keys(filter).length > 0) {
      return yield* misused(
        "Name the ID of a delivery, or say which to replay, such as all failures by --status failed."
      )
    }
    const { connection, id } = yield* Calls.openOrganization(given)
    if (Option.isSome(delivery)) {
      const params = { id, delivery_id: delivery.value }
      return yield* Calls.record(connection, json, (client) => client.webhooks.replay({ params }))
    }
    const replayed = yield* Calls.inParts(connection, "deliveries were replayed", ({ webhooks }, after) =>
      Effect.map(webhooks.replayAll({ params: { id }, payload: { ...filter, ...after } }), ({ data }) => ({
        done: data.replayed,
        next: data.next
      }))
    )
    yield* Output.record({ replayed }, json)
  })
).pipe(
  Command.withDescription(
    "Send the events of deliveries again, now: of one, or of all that the flags take. Those under way are left alone."
  ),
  Command.withExamples([
    { command: "simplan deliveries replay 0197…" },
    { command: "simplan deliveries replay --status failed", description: "All failures" },
    {
      command: "simplan deliveries replay --endpoint 0197… --from 2026-01-31T00:00:00Z --to 2026-01-31T06:00:00Z",
      description: "All of six hours to one endpoint, delivered ones included"
    }
  ])
)

export const deliveries = Command.make("deliveries").pipe(
  Command.withDescription("What was sent to webhook endpoints."),
  Command.withSubcommands([listDeliveries, show, replay])
)
