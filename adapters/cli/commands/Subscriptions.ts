/**
 * `simplan subscriptions list` and `show ICCID`.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Calls from "../client/Calls.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const list = Command.make(
  "list",
  { ...Lists.flags, ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toCustomers(given)
    yield* Lists.printWhole(
      connection,
      given,
      (client) => client.subscriptions.list(),
      ({ created_at, esim, metadata, subscription_id }) => ({
        iccid: esim.iccid,
        subscription_id,
        label: esim.label,
        created_at,
        metadata
      })
    )
  })
).pipe(Command.withDescription("List an organization's subscriptions: its SIMs in service."))

const show = Command.make(
  "show",
  { iccid: Flags.id("ICCID of the SIM", "ICCID"), ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toCustomers(given)
    const params = { iccid: given.iccid }
    const [{ data: subscription }, { data: plan_attachments }, { last_operator }] = yield* Calls.call(
      connection,
      ({ subscriptions }) =>
        Effect.all(
          [subscriptions.get({ params }), subscriptions.attachments({ params }), subscriptions.location({ params })],
          { concurrency: "unbounded" }
        )
    )
    const { esim, ...others } = subscription
    if (given.json) return yield* Output.print(JSON.stringify({ ...subscription, plan_attachments, last_operator }))
    yield* Output.record({ ...others, ...esim, last_operator }, false)
    yield* Lists.section(
      "Plan attachments:",
      plan_attachments.map(({ activation_at, expiration_at, plan, plan_attachment_id, state, used_allowance }) => ({
        plan_attachment_id,
        state,
        used_MB: Math.floor(used_allowance.dataBytes / 1_048_576),
        of_MB: plan.data_mega_bytes,
        activation_at,
        expiration_at,
        plan: plan.name
      }))
    )
  })
).pipe(Command.withDescription("Show the subscription of a SIM with its plan attachments and its last operator."))

export const command = Command.make("subscriptions").pipe(
  Command.withDescription("SIMs in service, and the plans on them."),
  Command.withSubcommands([list, show])
)
