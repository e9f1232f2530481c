/**
 * Claiming an eSIM for a request that names none (rules S2 and I6). While every eSIM left is under another request's
 * claim, it waits: nobody is told that none is left as long as one may be.
 */
import { Clock as MachineClock, Context, Effect, Layer } from "effect"
import type { Label } from "../domain/Label.ts"
import { NoFreeSim } from "../domain/Refusal.ts"
import type { Sim } from "../domain/Sim.ts"
import { Storage, type StorageError } from "../ports/Storage.ts"
import { Settings } from "./Settings.ts"

/** How long to wait before looking again, in milliseconds. */
const PAUSE = 10

export class SimClaims extends Context.Service<
  SimClaims,
  {
    /** The same token gets its own claim again, so that a conflict costs no second SIM. */
    readonly claim: (of: {
      readonly organizationId: string
      readonly label: Label
      readonly purpose: "subscription" | "mobile plan"
      readonly token: string
    }) => Effect.Effect<Sim, NoFreeSim | StorageError>
  }
>()("simplan/SimClaims") {}

export const layer: Layer.Layer<SimClaims, never, Storage> = Layer.effect(
  SimClaims,
  Effect.gen(function* () {
    const storage = yield* Storage
    const { claimMillis } = yield* Settings
    return SimClaims.of({
      claim: Effect.fnUntraced(function* (of) {
        while (true) {
          const machineNow = yield* MachineClock.currentTimeMillis
          const outcome = yield* storage.claimSim({ ...of, machineNow, until: machineNow + claimMillis })
          switch (outcome._tag) {
            case "Claimed":
              return outcome.sim
            case "None":
              return yield* new NoFreeSim({ label: of.label })
            case "Busy":
              yield* Effect.sleep(PAUSE)
          }
        }
      })
    })
  })
)
