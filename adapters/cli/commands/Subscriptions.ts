/**
 * What an organization sells, and what is in service: `simplan plans list`, `simplan subscriptions list` and `show ICCID`.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Api } from "simplan/http-api"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Output from "../output/Output.ts"
import * as Filters from "./Filters.ts"
import * as Flags from "./Flags.ts"

/** The longest page of plans (rule P3). */
const PLANS_PAGE = 25

const plansOf = Filters.of(Api.groups.plans.endpoints.list)

const listPlans = Command.make(
  "list",
  { ...plansOf.flags, ...Lists.flags, ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
    const filter = yield* plansOf.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.plans.list({ query: { ...filter, ...page } }),
      ({ data_mega_bytes: MB, period_days: days, ...plan }) => ({ ...plan, MB, days }),
      ["plan_id", "plan_name", "label", "MB", "days", "recurring", "region_code", "archived_at"],
      PLANS_PAGE
    )
  })
).pipe(
  Command.withDescription("List an organization's plans, oldest first."),
  Command.withExamples([{ command: "simplan plans list --archived false --country DE" }])
)

export const plans = Command.make("plans").pipe(
  Command.withDescription("The plans that an organization sells."),
  Command.withSubcommands([listPlans])
)

const list = Command.make(
  "list",
  { ...Lists.flags, ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
    yield* Lists.printWhole(
      connection,
      given,
      (client) => client.subscriptions.list(),
      ({ esim: { iccid, label }, ...subscription }) => ({ ...subscription, iccid, label }),
      ["iccid", "subscription_id", "label", "created_at", "metadata"]
    )
  })
).pipe(Command.withDescription("List an organization's subscriptions: its SIMs in service."))

const show = Command.make(
  "show",
  { iccid: Flags.id("ICCID of the SIM", "ICCID"), ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
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
      plan_attachments.map(({ packages: _, plan, used_allowance, ...attachment }) => ({
        ...attachment,
        used_MB: Math.floor(used_allowance.dataBytes / 1_048_576),
        of_MB: plan.data_mega_bytes,
        plan: plan.name
      })),
      ["plan_attachment_id", "state", "used_MB", "of_MB", "activation_at", "expiration_at", "plan"]
    )
  })
).pipe(Command.withDescription("Show the subscription of a SIM with its plan attachments and its last operator."))

export const subscriptions = Command.make("subscriptions").pipe(
  Command.withDescription("SIMs in service, and the plans on them."),
  Command.withSubcommands([list, show])
)
