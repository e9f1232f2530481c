/**
 * What was used, by day and country: `simplan usage`, and `simplan subscriptions usage ICCID`.
 */
import { Effect } from "effect"
import { Flag } from "effect/cli"
import { Csv } from "../../fields/index.ts"
import * as Calls from "../client/Calls.ts"
import * as Lists from "../client/Lists.ts"
import * as Output from "../output/Output.ts"
import * as Operations from "./Operations.ts"

const columns = ["day", "month", "country_alpha_2", "plan_attachment_id", "plan_id", "label", "iccid", "used_bytes"]

type Row = Readonly<Record<string, unknown>>

const flags = {
  csv: Flag.Boolean("csv").pipe(
    Flag.withDescription("Print all of it as a table in CSV, for a spreadsheet"),
    Flag.withDefault(false)
  ),
  ...Lists.flags
}

/** A command that prints the list as CSV, as lines of JSON, or as a table. */
export const listing = (
  name: string,
  operation: "costs.ofOrganization" | "usage.ofOrganization" | "usage.ofSim",
  columns: ReadonlyArray<string>,
  options: Operations.Options
) =>
  Operations.make(
    name,
    operation,
    options,
    flags,
    Effect.fnUntraced(function* ({ json, open }, { csv, ...bounds }) {
      const { call, connection } = yield* open
      if (!csv)
        return yield* Lists.printWhole<Row, Output.Row>(
          connection,
          { ...bounds, json },
          call,
          (item) => ({ ...item }),
          []
        )
      const { data }: { readonly data: ReadonlyArray<Row> } = yield* Calls.call(connection, call)
      const [first] = data
      if (first === undefined) return yield* Output.note("There is none.")
      const named = columns.filter((name) => name in first)
      yield* Output.print([named.join(","), ...data.map((item) => Csv.line<Row>(named, item))].join(Csv.END))
    })
  )

export const command = listing("usage", "usage.ofOrganization", columns, {
  says: "List what an organization used, by day or month, country, plan, label or several of them, or by SIM. Days are UTC.",
  examples: [
    { command: "simplan usage --from 2026-11-01 --to 2026-11-30 --by day,country" },
    { command: "simplan usage --from 2026-10-01 --to 2026-11-30 --by month,country", description: "Month by month" },
    { command: "simplan usage --from 2026-11-01 --to 2026-11-30 --by sim --csv > november.csv" }
  ]
})

/** `simplan subscriptions usage ICCID`. */
export const ofSubscription = listing("usage", "usage.ofSim", columns, {
  says: "List what a SIM used, by day, country, attachment or several of them. Days are UTC.",
  examples: [{ command: "simplan subscriptions usage 8944500000000000014 --from 2026-11-01 --by day,country" }]
})
