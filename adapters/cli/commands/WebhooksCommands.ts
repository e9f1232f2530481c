/**
 * `simplan webhook add URL`, `list`, `update ID`, `remove ID`, `rotate-key ID` and `test ID`;
 * `simplan deliveries list`, `show ID` and `replay [ID]`.
 */
import { WebhookEvent } from "simplan/ports"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Lists from "../client/Lists.ts"
import * as Output from "../output/Output.ts"
import * as Operations from "./Operations.ts"

const events = (otherwise: string) =>
  Flag.Literals("event", WebhookEvent.types).pipe(
    Flag.withMetavar("<type>"),
    Flag.withDescription(`May be given several times (${otherwise}, if left out)`),
    Flag.atLeast(0),
    Flag.map((types) => (types.length > 0 ? Option.some(types) : Option.none()))
  )

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhook endpoints: where an organization's events go."),
  Command.withSubcommands([
    Operations.record("add", "webhooks.create", {
      says: "Have an organization's events posted to an address, and print the key that signs them.",
      named: { url: "URL" },
      flags: { events: events(`the first ${WebhookEvent.standardTypes.length}`) },
      examples: [
        { command: "simplan webhook add https://hooks.example.com/simplan" },
        {
          command: "simplan webhook add https://hooks.example.com/usage --event attachment.allowanceConsumed",
          description: "Only one type of event"
        }
      ]
    }),
    Operations.list(
      "list",
      "webhooks.list",
      ["webhook_endpoint_id", "enabled", "pending", "failing_since", "last_success_at", "url", "description"],
      { row: ({ pending_deliveries: pending, version: _, ...endpoint }) => ({ ...endpoint, pending }) }
    ),
    Operations.record("update", "webhooks.update", {
      says: "Change a webhook endpoint; what is left out stays.",
      flags: { events: events("as before") },
      examples: [
        { command: "simplan webhook update 0197… --enabled true", description: "One that was disabled after failures" }
      ]
    }),
    Operations.record("remove", "webhooks.remove"),
    Operations.record("rotate-key", "webhooks.rotateKey"),
    Operations.record("test", "webhooks.test", {
      says: "Send an event of the type endpoint.test to a webhook endpoint, whatever its types are.",
      then: ({ id, webhook_endpoint_id }) =>
        `What came of it: simplan deliveries list --org ${id} --endpoint ${webhook_endpoint_id} --limit 1`
    })
  ])
)

export const deliveries = Command.make("deliveries").pipe(
  Command.withDescription("What was sent to webhook endpoints."),
  Command.withSubcommands([
    Operations.list(
      "list",
      "webhooks.deliveries",
      ["delivery_id", "status", "type", "attempts", "response_status", "created_at", "last_error"],
      {
        says: "List what was and is to be sent to an organization's endpoints, newest first.",
        row: ({ event: { type }, ...delivery }) => ({ ...delivery, type }),
        examples: [{ command: "simplan deliveries list --status failed --from 2026-01-31T00:00:00Z" }]
      }
    ),
    Operations.record("show", "webhooks.delivery", {
      says: "Show a delivery: its event, and what the endpoint answered to each attempt.",
      show: ({ data: { attempt_log, ...delivery } }) =>
        Effect.andThen(Output.record(delivery, false), Lists.section("Attempts:", attempt_log))
    }),
    Operations.oneOrAll("replay", "webhooks.replay", "webhooks.replayAll", {
      says: "Send the events of deliveries again, now: of one, or of all that the flags take. Those under way are left alone.",
      counts: "replayed",
      such: "all failures by --status failed",
      examples: [
        { command: "simplan deliveries replay 0197…" },
        { command: "simplan deliveries replay --status failed", description: "All failures" },
        {
          command: "simplan deliveries replay --endpoint 0197… --from 2026-01-31T00:00:00Z --to 2026-01-31T06:00:00Z",
          description: "All of six hours to one endpoint, delivered ones included"
        }
      ]
    })
  ])
)
