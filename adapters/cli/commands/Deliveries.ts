/**
 * `simplan deliveries list`, `show ID` and `replay [ID]`.
 */
import { WebhookEvent } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Connection } from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Calls from "../client/Calls.ts"
import { impossible, misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const types = [...WebhookEvent.types, WebhookEvent.TEST] as const

const filters = {
  status: Flag.Literals("status", ["pending", "delivered", "failed"]).pipe(
    Flag.withDescription("Only deliveries that are pending, delivered or failed"),
    Flag.optional
  ),
  type: Flag.Literals("type", types).pipe(
    Flag.withMetavar("<type>"),
    Flag.withDescription("Only events of this type"),
    Flag.optional
  ),
  endpoint: Flags.optionalId("endpoint", "Only deliveries to this endpoint"),
  iccid: Flags.optionalId("iccid", "Only events about this SIM"),
  from: Flags.instant("from", "Only deliveries from this instant on"),
  to: Flags.instant("to", "Only deliveries before this instant")
}

interface Filters {
  readonly status: Option.Option<"pending" | "delivered" | "failed">
  readonly type: Option.Option<(typeof types)[number]>
  readonly endpoint: Option.Option<string>
  readonly iccid: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
}

const filterOf = ({ endpoint, from, iccid, status, to, type }: Filters) => ({
  ...(Option.isSome(status) && { status: status.value }),
  ...(Option.isSome(type) && { type: type.value }),
  ...(Option.isSome(endpoint) && { webhook_endpoint_id: endpoint.value }),
  ...(Option.isSome(iccid) && { iccid: iccid.value }),
  ...(Option.isSome(from) && { from: from.value }),
  ...(Option.isSome(to) && { to: to.value })
})

const list = Command.make(
  "list",
  { ...filters, ...Lists.flags, ...Flags.organization },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Flags.openOrganization(given)
    const filter = filterOf(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.webhooks.deliveries({ params: { id }, query: { ...page, ...filter } }),
      ({ attempts, created_at, delivery_id, event, last_error, response_status, status }) => ({
        delivery_id,
        status,
        type: event.type,
        attempts,
        response_status,
        created_at,
        last_error
      })
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
    const { connection, id } = yield* Flags.openOrganization(given)
    const { data } = yield* Calls.call(connection, (client) =>
      client.webhooks.delivery({ params: { id, delivery_id: given.delivery } })
    )
    if (given.json) return yield* Output.print(JSON.stringify(data))
    const { attempt_log, ...delivery } = data
    yield* Output.record(delivery, false)
    yield* Lists.section("Attempts:", attempt_log)
  })
).pipe(Command.withDescription("Show a delivery: its event, and what the endpoint answered to each attempt."))

/** Replays all that the filter takes, request by request. */
const replayAll = Effect.fnUntraced(function* (
  connection: Connection,
  id: string,
  filter: ReturnType<typeof filterOf>
) {
  let replayed = 0
  let after: string | null = null
  do {
    const payload: typeof filter & { readonly after?: string } = after === null ? filter : { ...filter, after }
    const done = replayed
    const { data } = yield* Effect.mapError(
      Calls.call(connection, (client) => client.webhooks.replayAll({ params: { id }, payload })),
      (error) => (done === 0 ? error : impossible(`${error.message} ${done} deliveries were replayed before.`))
    )
    replayed += data.replayed
    after = data.next
  } while (after !== null)
  return replayed
})

const replay = Command.make(
  "replay",
  {
    delivery: Flags.id("Id of the delivery; leave it out to replay all that the flags take").pipe(Argument.optional),
    ...filters,
    ...Flags.organization
  },
  Effect.fnUntraced(function* (given) {
    const { delivery, json } = given
    const filter = filterOf(given)
    const hasFilter = Object.keys(filter).length > 0
    if (Option.isSome(delivery) === hasFilter) {
      return yield* misused(
        "Name the ID of a delivery, or say which to replay, such as all failures by --status failed."
      )
    }
    const { connection, id } = yield* Flags.openOrganization(given)
    if (Option.isSome(delivery)) {
      const params = { id, delivery_id: delivery.value }
      return yield* Calls.record(connection, json, (client) => client.webhooks.replay({ params }))
    }
    yield* Output.record({ replayed: yield* replayAll(connection, id, filter) }, json)
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

export const command = Command.make("deliveries").pipe(
  Command.withDescription("What was sent to webhook endpoints."),
  Command.withSubcommands([list, show, replay])
)
