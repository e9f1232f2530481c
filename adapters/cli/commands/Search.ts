/**
 * `simplan search TEXT`: SIMs of all organizations by what a customer names (rule L4).
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import * as Output from "../output/Output.ts"

export const command = Command.make(
  "search",
  {
    text: Argument.String("TEXT").pipe(
      Argument.withDescription(
        "First or last digits of an ICCID, an IMSI, a phone number, the id of a subscription, or the beginning of a metadata"
      )
    ),
    ...Connection.flags
  },
  Effect.fnUntraced(function* ({ json, text, ...given }) {
    const connection = yield* Connection.openAdmin(given)
    const found = yield* Calls.call(connection, (client) => client.search.find({ query: { q: text } }))
    if (json) {
      yield* Effect.forEach(found.data, (hit) => Output.print(JSON.stringify(hit)), { discard: true })
    } else if (found.data.length === 0) {
      yield* Output.note("Nothing has this.")
    } else {
      const { width } = yield* Effect.service(Output.Output)
      const first = ["iccid", "organization_name", "matched", "label", "subscription_id"]
      yield* Output.print(Output.table(found.data, width, first))
    }
    if (found.has_more) yield* Output.note("There are more: a longer text finds fewer.")
  })
).pipe(
  Command.withDescription("Find SIMs of all organizations by what a customer names, and say whose they are."),
  Command.withExamples([
    { command: "simplan search 4711", description: "ICCIDs that begin or end so, a phone number, or a metadata" },
    { command: 'simplan search "order 4711"' }
  ])
)
