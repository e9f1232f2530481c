/**
 * What an organization sells, and what is in service: `simplan plans create NAME`,
 * `from-bundle BUNDLE` and `list`;
 * `simplan subscriptions list`, `show ICCID` and `usage ICCID`; `create PLAN`, `delete ICCID`,
 * `replace ICCID` and `suspend ICCID ATTACHMENT`, each of which `--dry-run` previews (rule S9);
 * `pause ICCID` and `resume ICCID` (rule S7); and `send-sms ICCID`. `BulkCommands` has what is done
 * to many.
 */
import { Effect, Option, Stream } from "effect"
import { Command } from "effect/cli"
import { Client } from "../../client/index.ts"
import * as Calls from "../client/Calls.ts"
import type { Connection } from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import { impossible } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as BulkCommands from "./BulkCommands.ts"
import * as Operations from "./Operations.ts"
import * as UsageCommands from "./UsageCommands.ts"

export const plans = Command.make("plans").pipe(
  Command.withDescription("The plans that an organization sells."),
  Command.withSubcommands([
    Operations.record("create", "plans.create", {
      says: "Create a plan and print its id.",
      named: { name: "NAME" },
      presets: { recurring: false, throttling: false },
      row: ({ plan_id }) => ({ plan_id }),
      examples: [
        { command: "simplan plans create 'Sweden 5 GB' --coverage 0197… --MB 5120 --days 30" },
        {
          command:
            "simplan plans create Monthly --coverage 0197… --MB 5120 --days 30 --recurring true --nb-occurrence 12 --recurring-periodicity-type 2 --recurring-periodicity-frequency 1",
          description: "12 packages, one a month"
        }
      ]
    }),
    Operations.record("from-bundle", "bundles.createFromBundle", {
      named: { bundle: "BUNDLE" },
      examples: [
        {
          command:
            "simplan plans from-bundle sim_1GB_7D_FR --telco simulator --label Green --price-limit 2.00 --currency USD --dry-run",
          description: "Show what it would make; `simplan telco bundles` lists what a telco sells"
        }
      ]
    }),
    Operations.list(
      "list",
      "plans.list",
      ["plan_id", "plan_name", "label", "MB", "days", "recurring", "price", "region_code", "archived_at", "metadata"],
      {
        row: ({ currency, data_mega_bytes: MB, metadata = "", period_days: days, price, ...plan }) => ({
          ...plan,
          ...{ MB, days, metadata, price: price === undefined ? "" : `${price} ${currency}` }
        }),
        longestPage: 25,
        examples: [{ command: "simplan plans list --archived false --country DE" }]
      }
    )
  ])
)

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The id of a plan that is named by its id, or by its name: the newest that can be sold. */
const planOf = Effect.fnUntraced(function* (connection: Connection, named: string) {
  if (ID.test(named)) return named
  const query = { search_query: named, archived: "false" as const }
  const pages = (client: Client.Client) => Client.stream((page) => client.plans.list({ query: { ...query, ...page } }))
  const found = yield* Calls.call(connection, (client) =>
    Stream.runLast(Stream.filter(pages(client), (plan) => plan.plan_name === named))
  )
  if (Option.isSome(found)) return found.value.plan_id
  return yield* impossible(
    `No plan has the id or the name ${JSON.stringify(named)}: \`simplan plans list\` lists them.`
  )
})

const list = Operations.list(
  "list",
  "subscriptions.list",
  ["iccid", "subscription_id", "label", "created_at", "paused_at", "metadata"],
  {
    says: "List an organization's subscriptions: its SIMs in service.",
    row: ({ esim: { iccid, label }, ...subscription }) => ({ ...subscription, iccid, label }),
    examples: [
      { command: "simplan subscriptions list --search 'order 4711'" },
      { command: "simplan subscriptions list --search +46701234567", description: "The one of a phone number" }
    ]
  }
)

/** The fields of an eSIM, and beside them the links that install it. */
const esimOf = <Esim extends { readonly install?: Output.Row | null }>({ install, ...esim }: Esim) => ({
  ...esim,
  ...install
})

/** How much of it was assumed to be used on SIMs before (rule S8), if it was. */
const assumedOf = (packages: ReadonlyArray<{ readonly assumed_used_allowance?: { readonly dataBytes: number } }>) => {
  const assumed = packages.findLast((one) => one.assumed_used_allowance !== undefined)?.assumed_used_allowance
  return assumed && { assumed_used_MB: Math.floor(assumed.dataBytes / 1_048_576) }
}

/** Until when the telco has counted what was used of the last package, if it is asked for that. */
const freshnessOf = (packages: ReadonlyArray<{ readonly usage_as_of?: string }>) => {
  const usage_as_of = packages.findLast((one) => one.usage_as_of !== undefined)?.usage_as_of
  return usage_as_of === undefined ? {} : { usage_as_of }
}

const show = Operations.make(
  "show",
  "subscriptions.get",
  {
    says: "Show the subscription of a SIM: why it works or does not, its plan attachments, its last operator and the last that has happened, on the SIMs before too.",
    examples: [{ command: "simplan subscriptions show 8988000000000000001 --all" }]
  },
  Lists.flagsOf("How much of the history is listed at most", "List the whole history", 25),
  Effect.fnUntraced(function* ({ json, open }, bounds) {
    const { call, connection, params } = yield* open
    const [
      { data: subscription },
      { data: sim },
      { data: plan_attachments },
      { last_operator },
      { isCut, items: history }
    ] = yield* Calls.call(connection, (client) =>
      Effect.all(
        [
          call(client),
          Operations.send(client, "sims.get", { params, query: {} }),
          Operations.send(client, "subscriptions.attachments", { params }),
          Operations.send(client, "subscriptions.location", { params }),
          Lists.first(bounds, (page) =>
            Operations.send(client, "subscriptions.history", { params, query: { ...page, across_sims: "true" } })
          )
        ],
        { concurrency: "unbounded" }
      )
    )
    const { esim, ...others } = subscription
    const { reason, works } = sim
    if (json) {
      const whole = { ...subscription, works, reason, plan_attachments, last_operator, history }
      return yield* Output.print(JSON.stringify(whole))
    }
    yield* Output.record({ ...others, ...esimOf(esim), works, reason: reason.message, last_operator }, false)
    yield* Lists.section(
      "Plan attachments:",
      plan_attachments.map(({ packages, plan, reason, used_allowance, ...attachment }) => ({
        ...attachment,
        ...assumedOf(packages),
        ...freshnessOf(packages),
        reason: reason?.message ?? null,
        used_MB: Math.floor(used_allowance.dataBytes / 1_048_576),
        of_MB: plan.data_mega_bytes,
        plan: plan.name
      })),
      ["plan_attachment_id", "state", "used_MB", "of_MB", "activation_at", "expiration_at", "plan", "reason"]
    )
    yield* Lists.section("History, newest first:", history, [
      "at",
      "type",
      "what",
      "detail",
      "by",
      "resource_id",
      "iccid"
    ])
    if (isCut) yield* Lists.hint(bounds, " of the history")
  })
)

interface Previewed {
  readonly packages: ReadonlyArray<Output.Row>
}

/** Prints a record with what its preview says, and below it the packages of that. */
const shown = (row: Output.Row, { packages = [], ...preview }: Partial<Previewed> = {}) =>
  Effect.andThen(Output.record({ ...row, ...preview }, false), Lists.section("Packages:", packages))

/** Prints what is said of what is done, or would be. */
const said = ({ message, preview }: { readonly message: string; readonly preview?: Previewed }) =>
  shown({ message }, preview)

const create = Operations.make(
  "create",
  "subscriptions.create",
  {
    says: "Put a SIM into service with a plan, or add a plan to a SIM in service. The plan may be given by its name: of several, the newest is taken.",
    named: { plan_id: "PLAN" },
    presets: { metadata: "" },
    examples: [
      { command: "simplan subscriptions create 'Sweden 5 GB' --metadata 'order 4711' --dry-run" },
      {
        command: "simplan subscriptions create 0197… --iccid 8988000000000000001",
        description: "With a SIM of your choice"
      }
    ]
  },
  {},
  Effect.fnUntraced(function* ({ json, open, sent }) {
    const { call, connection } = yield* open
    const plan_id = yield* planOf(connection, String(sent.payload?.["plan_id"]))
    const answer = yield* Calls.call(connection, (client) => call(client, { plan_id }))
    if (json) return yield* Output.print(JSON.stringify(answer))
    const { esimdata, preview, ...subscription } = answer
    yield* shown({ ...subscription, ...esimOf(esimdata) }, preview)
  })
)

export const subscriptions = Command.make("subscriptions").pipe(
  Command.withDescription("SIMs in service, and the plans on them."),
  Command.withSubcommands([
    list,
    show,
    UsageCommands.ofSubscription,
    create,
    Operations.record("delete", "subscriptions.remove", {
      says: "Delete the subscription of a SIM, whose packages are cancelled.",
      show: said
    }),
    Operations.record("replace", "subscriptions.replace", {
      says: "Move a subscription to a free eSIM, with its plans and the data that is left. The old SIM is withdrawn.",
      show: Effect.fnUntraced(function* ({ data: { esim, ...subscription }, preview, replaced_iccid }) {
        const { cancelled_packages = [], packages = [] } = preview ?? {}
        yield* Output.record({ ...subscription, ...esimOf(esim), replaced_iccid }, false)
        yield* Lists.section("Packages on the new SIM:", packages, ["package_id", "data_mega_bytes"])
        yield* Lists.section("Packages that end on the old SIM:", cancelled_packages)
      }),
      examples: [{ command: "simplan subscriptions replace 8988000000000000001 --dry-run" }]
    }),
    Operations.record("suspend", "subscriptions.suspend", { named: { id: "ATTACHMENT" }, show: said }),
    Operations.record("pause", "subscriptions.pause", {
      says: "Pause a subscription: its SIM has no service until it is resumed. Its plans go on.",
      row: ({ message, preview }, ids) => ({ ...ids, message, ...preview }),
      examples: [{ command: "simplan subscriptions pause 8988000000000000001" }]
    }),
    Operations.record("resume", "subscriptions.resume", {
      says: "Resume a subscription that is paused: its SIM has service again.",
      row: ({ message, preview }, ids) => ({ ...ids, message, ...preview })
    }),
    Operations.record("send-sms", "subscriptions.sendSms", {
      says: "Send an SMS to the SIM of a subscription.",
      row: ({ message, segments }, ids) => ({ ...ids, message, segments }),
      examples: [{ command: "simplan subscriptions send-sms 8988000000000000001 --from Acme --message 'Welcome'" }]
    }),
    BulkCommands.subscriptions
  ])
)
