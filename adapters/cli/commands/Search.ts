/**
 * `simplan search TEXT`: SIMs of all organizations by what a customer names (rule L4).
 */
import { Effect } from "effect"
import * as Calls from "../client/Calls.ts"
import { impossible } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Operations from "./Operations.ts"

export const command = Operations.make(
  "search",
  "search.find",
  {
    says: "Find SIMs of all organizations by what a customer names, and say whose they are and how they stand; the exit code is 1 if there is none.",
    named: { q: "TEXT" },
    examples: [
      { command: "simplan search 4711", description: "ICCIDs that begin or end so, or metadata with this word" },
      { command: 'simplan search "order 4711"' },
      { command: "simplan search 0612345678", description: "A phone number as one dials it in its country" }
    ]
  },
  {},
  Effect.fnUntraced(function* ({ json, open }) {
    const { call, connection } = yield* open
    const { data, has_more } = yield* Calls.call(connection, call)
    const { width } = yield* Effect.service(Output.Output)
    const first = ["iccid", "organization_name", "matched", "status", "plan_name", "metadata"]
    if (data.length === 0) return yield* impossible("Nothing has this.")
    if (json) yield* Effect.forEach(data, (hit) => Output.print(JSON.stringify(hit)), { discard: true })
    else yield* Output.print(Output.table(data, width, first))
    if (has_more) yield* Output.note("There are more: a longer text finds fewer.")
  })
)
