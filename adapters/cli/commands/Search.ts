/**
 * `simplan search TEXT`: SIMs of all organizations by what a customer names (rule L4).
 */
import { Effect } from "effect"
import * as Calls from "../client/Calls.ts"
import * as Output from "../output/Output.ts"
import * as Operations from "./Operations.ts"

export const command = Operations.make(
  "search",
  "search.find",
  {
    says: "Find SIMs of all organizations by what a customer names, and say whose they are.",
    named: { q: "TEXT" },
    examples: [
      { command: "simplan search 4711", description: "ICCIDs that begin or end so, a phone number, or a metadata" },
      { command: 'simplan search "order 4711"' }
    ]
  },
  {},
  Effect.fnUntraced(function* ({ json, open }) {
    const { call, connection } = yield* open
    const { data, has_more } = yield* Calls.call(connection, call)
    const { width } = yield* Effect.service(Output.Output)
    const first = ["iccid", "organization_name", "matched", "label", "subscription_id"]
    if (json) yield* Effect.forEach(data, (hit) => Output.print(JSON.stringify(hit)), { discard: true })
    else yield* data.length === 0 ? Output.note("Nothing has this.") : Output.print(Output.table(data, width, first))
    if (has_more) yield* Output.note("There are more: a longer text finds fewer.")
  })
)
