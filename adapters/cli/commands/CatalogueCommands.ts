/**
 * `simplan catalogue`: the countries, operators and standard coverage profiles of the service.
 */
import { Effect } from "effect"
import * as Calls from "../client/Calls.ts"
import * as Output from "../output/Output.ts"
import * as Operations from "./Operations.ts"

export const command = Operations.make(
  "catalogue",
  "imports.catalogue",
  {
    says: "Show how much the catalogue has of each label; with --json the whole of it, in the form that replaces it.",
    examples: [{ command: "simplan catalogue" }, { command: "simplan catalogue --json > catalogue.json" }]
  },
  {},
  Effect.fnUntraced(function* ({ json, open }) {
    const { call, connection } = yield* open
    const { data } = yield* Calls.call(connection, call)
    const { countries = [], operators, profiles } = data
    if (json) return yield* Output.print(JSON.stringify(data))
    const { width } = yield* Effect.service(Output.Output)
    const labels = [...new Set(profiles.map(({ label }) => label))]
    const rows = labels.map((label) => ({
      label,
      coverage_profiles: profiles.filter((profile) => profile.label === label).length,
      operators: operators.filter((operator) => operator.labels.some((one) => one === label)).length
    }))
    yield* Output.record({ countries: countries.length, operators: operators.length }, false)
    yield* Output.print(`\n${Output.table(rows, width)}`)
  })
)
