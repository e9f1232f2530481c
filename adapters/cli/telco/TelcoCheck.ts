/**
 * Calls each telco of a settings file in ways that change nothing, and reports what works. It needs no server and no
 * database: what the telcos' adapters keep is kept in memory.
 */
import { Effect, Layer } from "effect"
import * as Memory from "../../memory/index.ts"
import { Journal } from "../../telco-calls/index.ts"
import { Books } from "../../telco-simulator/index.ts"
import { impossible } from "../output/CommandFailed.ts"
import * as Telcos from "../server/Telcos.ts"

/** How long the checks of a telco may take together. */
const WAIT_LIMIT = "30 seconds"

/** A line for each thing that was tried, in the order of the file. */
export const run = Effect.fnUntraced(function* (path: string) {
  const { Routes } = yield* Telcos.module
  const settings = yield* Telcos.settings(path, { _tag: "System" })
  const kept = Layer.mergeAll(Memory.layer, Journal.layerMemory, Books.layerMemory)
  const checked = Effect.gen(function* () {
    const { telcos } = yield* Routes.Routes
    const found = yield* Effect.forEach(
      telcos.values(),
      ({ check, kind, name }) =>
        Effect.map(
          Effect.timeoutOrElse(check, {
            duration: WAIT_LIMIT,
            orElse: () => Effect.succeed([{ what: "all", works: false, message: `has not answered in ${WAIT_LIMIT}` }])
          }),
          (findings) => findings.map(({ message, what, works }) => ({ telco: name, kind, what, works, message }))
        ),
      { concurrency: "unbounded" }
    )
    return found.flat()
  })
  return yield* checked.pipe(
    Effect.provide(Layer.provide(Routes.layer(settings), kept)),
    Effect.mapError(({ message }) => impossible(message))
  )
})
