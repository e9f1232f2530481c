/**
 * The business clock of a server. A virtual clock continues at its stored time, or at the later instant of the setting;
 * its start is stored before anything uses it.
 */
import { Clock, Effect, type Layer } from "effect"
import { Time } from "simplan"
import { type BusinessClock, Storage } from "simplan/ports"
import * as VirtualClock from "../../virtual-clock/index.ts"
import * as ClockSetting from "../settings/ClockSetting.ts"

export const open = (
  setting: ClockSetting.ClockSetting
): Effect.Effect<
  Layer.Layer<BusinessClock.BusinessClock, never, Storage.Storage>,
  Storage.StorageError | Storage.Conflict,
  Storage.Storage
> =>
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const stored = yield* storage.virtualClock
    const machineNow = yield* Clock.currentTimeMillis
    if (setting._tag === "System") {
      if (stored !== null && stored > machineNow) {
        yield* Effect.logWarning("the data have been on a virtual clock that is ahead of this machine", {
          stood: Time.toIso(stored)
        })
      }
      return VirtualClock.system
    }
    const start = ClockSetting.start(setting, stored, machineNow)
    if (start !== stored) yield* storage.commit({ clock: start })
    return VirtualClock.virtual(start)
  })
