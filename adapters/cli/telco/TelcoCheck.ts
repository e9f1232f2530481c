/**
 * Calls each telco of a settings file in ways that change nothing, and reports what works. What
 * costs money is done only if it is asked for. It needs no server and no database: what the telcos'
 * adapters keep is kept in memory.
 */
import { Effect, Layer } from "effect"
import { Capabilities, TelcoCapabilities } from "simplan/ports"
import * as Memory from "../../memory/index.ts"
import { Journal } from "../../telco-calls/index.ts"
import type { Connected } from "../../telco-routes/index.ts"
import { Books } from "../../telco-simulator/index.ts"
import { impossible } from "../output/CommandFailed.ts"
import { TELCO_TOKEN } from "../settings/Definitions.ts"
import * as Telcos from "../server/Telcos.ts"
import * as TelcoSpend from "./TelcoSpend.ts"

/** How long the checks of a telco may take together. */
const WAIT_LIMIT = "30 seconds"

/** What a telco that declares what it can do does otherwise than a full one (rule P4). */
const limitsOf = ({ telco }: Connected.Connected) => {
  if (telco.capabilities === undefined) return []
  const differences = Capabilities.differences(TelcoCapabilities.ofPort(telco))
  return differences.length === 0 ? [] : [{ what: "limits", works: true, message: differences.join("; ") }]
}

/**
 * A line for each thing that was tried, in the order of the file; of one telco if it is named.
 * Money is spent only if `spend` says so.
 */
export const run = Effect.fnUntraced(function* (
  path: string,
  { named = null, spend = null }: { readonly named?: string | null; readonly spend?: TelcoSpend.Spend | null } = {}
) {
  const { Routes } = yield* Telcos.module
  const settings = yield* Telcos.settings(path, { _tag: "System" })
  const kept = Layer.mergeAll(Memory.layer, Journal.layerMemory, Books.layerMemory)
  const checked = Effect.gen(function* () {
    const { telcos } = yield* Routes.Routes
    if (named !== null && !telcos.has(named)) return yield* impossible(`The file has no telco ${named}.`)
    const asked = [...telcos.values()].filter(({ name }) => named === null || name === named)
    const found = yield* Effect.forEach(
      asked,
      (telco) =>
        Effect.map(
          Effect.timeoutOrElse(telco.check, {
            duration: WAIT_LIMIT,
            orElse: () => Effect.succeed([{ what: "all", works: false, message: `has not answered in ${WAIT_LIMIT}` }])
          }),
          (findings) =>
            [...findings, ...limitsOf(telco)].map(({ message, what, works }) => ({
              ...{ telco: telco.name, kind: telco.kind },
              ...{ what, works, message }
            }))
        ),
      { concurrency: "unbounded" }
    )
    const spent = yield* Effect.forEach(
      asked.filter(({ name }) => name === spend?.telco),
      (telco) =>
        Effect.map(spend === null ? Effect.succeed([]) : TelcoSpend.run(telco, spend), (findings) =>
          findings.map((one) => ({ telco: telco.name, kind: telco.kind, ...one }))
        )
    )
    const shared = yield* Telcos.sharingOf(settings)
    const ofReports = settings.telcos.flatMap((of) => {
      if (of.kind !== "http" || (named !== null && of.name !== named)) return []
      const isShared = shared?.names.includes(of.name) === true
      const message = of.reportsToken === null ? `come with the token of ${TELCO_TOKEN}` : "have a token of their own"
      const { kind, name: telco } = of
      return [{ telco, kind, what: "reports", works: !isShared, message: isShared ? shared.message : message }]
    })
    return [...found.flat(), ...spent.flat(), ...ofReports]
  })
  return yield* checked.pipe(
    Effect.provide(Layer.provide(Routes.layer(settings), kept)),
    Effect.mapError(({ message }) => impossible(message))
  )
})
