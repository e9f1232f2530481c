/**
 * The business clock of a server, as its setting asks for it. A virtual one stands where it stood, or later where the
 * setting says so; where it starts is stored before anything goes by it.
 */
import { Clock, Effect, type Layer } from "effect"
import { type BusinessClock, Storage, Time } from "simplan"
import * as VirtualClock from "../../virtual-clock/index.ts"
import * as ClockSetting from "../settings/ClockSetting.ts"

/** The clock to go by. */
export const open = (
  setting: ClockSetting.ClockSetting
): Effect.Effect<
  Layer.Layer<BusinessClock.BusinessClock, never, Storage.Storage>,
  Storage.StorageError | Storage.Conflict,
  Storage.Storage
> =>
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const stood = yield* storage.virtualClock
    const machineNow = yield* Clock.currentTimeMillis
    if (setting._tag === "System") {
      if (stood !== null && stood > machineNow) {
        yield* Effect.logWarning("the data have been on a virtual clock that is ahead of this machine", {
          stood: Time.toIso(stood)
        })
      }
      return VirtualClock.system
    }
    const start = ClockSetting.start(setting, stood, machineNow)
    if (start !== stood) yield* storage.commit({ clock: start })
    return VirtualClock.virtual(start)
  })
