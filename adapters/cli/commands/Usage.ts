/**
 * What was used, by day and country: `simplan usage`, and `simplan subscriptions usage ICCID`.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { UsageBook } from "simplan/ports"
import { Api } from "simplan/http-api"
import type { Client } from "../../client/index.ts"
import { Csv } from "../../fields/index.ts"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const flags = {
  csv: Flag.Boolean("csv").pipe(
    Flag.withDescription("Print all of it as a table in CSV, for a spreadsheet"),
    Flag.withDefault(false)
  ),
  ...Lists.flags,
  ...Connection.keyFlags
}

interface Given extends Lists.Given {
  readonly csv: boolean
}

const columns = ["day", "country_alpha_2", "plan_attachment_id", "plan_id", "label", "iccid", "used_bytes"] as const

type Row = { readonly [Name in (typeof columns)[number]]?: unknown }

/** Prints the list: as CSV, as lines of JSON, or as a table. */
const print = Effect.fnUntraced(function* <Item extends Row>(
  connection: Connection.Connection,
  given: Given,
  read: (client: Client.Client) => Effect.Effect<{ readonly data: ReadonlyArray<Item> } | string, unknown>
) {
  const items = (client: Client.Client) =>
    Effect.flatMap(read(client), (answer) =>
      typeof answer === "string" ? Effect.fail("a text instead of a list") : Effect.succeed(answer)
    )
  if (!given.csv)
    return yield* Lists.printWhole<Item, Output.Row>(connection, given, items, (item) => ({ ...item }), [])
  const { data } = yield* Calls.call(connection, items)
  const [first] = data
  if (first === undefined) return yield* Output.note("There is none.")
  const named = columns.filter((name) => name in first)
  yield* Output.print([named.join(","), ...data.map((item) => Csv.line<Row>(named, item))].join(Csv.END))
})

const usage = Flags.of(Api.groups.usage.endpoints.ofOrganization)

export const command = Command.make(
  "usage",
  { ...usage.flags, ...flags },
  Effect.fnUntraced(function* (given) {
    const query = yield* usage.read(given)
    const connection = yield* Connection.openCustomers(given)
    yield* print(connection, given, (client) => client.usage.ofOrganization({ query }))
  })
).pipe(
  Command.withDescription("List what an organization used, by day, country, plan, label or SIM. Days are UTC."),
  Command.withExamples([
    { command: "simplan usage --from 2026-11-01 --to 2026-11-30 --by country" },
    { command: "simplan usage --from 2026-11-01 --to 2026-11-30 --by sim --csv > november.csv" }
  ])
)

const ofSim = Flags.of(Api.groups.usage.endpoints.ofSim)

/** `simplan subscriptions usage ICCID`. */
export const ofSubscription = Command.make(
  "usage",
  { iccid: Flags.id("ICCID of the SIM", "ICCID"), ...ofSim.flags, ...flags },
  Effect.fnUntraced(function* (given) {
    const query = yield* ofSim.read(given)
    const connection = yield* Connection.openCustomers(given)
    yield* print(connection, given, (client) => client.usage.ofSim({ params: { iccid: given.iccid }, query }))
  })
).pipe(
  Command.withDescription(
    `List what a SIM used, by ${UsageBook.simGroups.join(", ")} or several of them. Days are UTC.`
  ),
  Command.withExamples([
    { command: "simplan subscriptions usage 8944500000000000014 --from 2026-11-01 --by day,country" }
  ])
)
