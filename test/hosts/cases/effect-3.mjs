// A host on Effect 3: simplan has its own copy of Effect 4 beside it.
import * as Host from "../Host.mjs"

const both = `
import { Effect } from "effect"
import { createSimplan } from "simplan/promise"

const simplan = createSimplan({ database: "memory", telco: "simulator" })
const name = Effect.tryPromise(() => simplan.organizations.create({ name: "Acme" })).pipe(
  Effect.map(({ organizationId }) => typeof organizationId)
)
console.log(await Effect.runPromise(name))
await simplan.close()
`

export const run = (context) => {
  const host = Host.make(context, "effect-3", { dependencies: { effect: "3.21.0" }, files: { "both.mjs": both } })
  Host.install(host, "--omit=optional")
  Host.expect("A host on Effect 3 prints", host.node("both.mjs").trim(), "string")
  host.embeds()
}
