/**
 * The routes of `ControlApi`, over a simulated telco.
 */
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Time } from "simplan"
import { TelcoServer } from "../../telco-http/index.ts"
import { type Faults, TelcoSimulator } from "../../telco-simulator/index.ts"
import * as ControlApi from "./ControlApi.ts"

type Wire = typeof ControlApi.Fault.Type

const faultOf = (wire: Wire): Faults.Fault => {
  const { iccid, on, times } = wire
  const target = {
    ...(on === undefined ? {} : { on }),
    ...(times === undefined ? {} : { times }),
    ...(iccid === undefined ? {} : { when: (call: Faults.Call) => call.iccid === iccid })
  }
  switch (wire.fault) {
    case "refuse":
      return { ...target, fault: wire.fault, ...(wire.message === undefined ? {} : { message: wire.message }) }
    case "unavailable": {
      const { fault, retry_after_seconds: retryAfterSeconds } = wire
      return { ...target, fault, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
    }
    case "answer lost":
      return { ...target, fault: wire.fault }
    case "slow":
      return { ...target, fault: wire.fault, delay: wire.delay_millis }
  }
}

const packageOf = (one: TelcoSimulator.SimulatedPackage) => ({
  package_id: one.packageId,
  telco_package_id: one.telcoPackageId,
  iccid: one.iccid,
  status: one.status,
  window: one.window === null ? null : { start: Time.toIso(one.window.start), end: Time.toIso(one.window.end) },
  label: one.label,
  data_mega_bytes: one.dataMegaBytes,
  period_days: one.periodDays
})

const handlers = HttpApiBuilder.group(
  ControlApi.ControlApi,
  "control",
  Effect.fnUntraced(function* (handle) {
    const simulator = yield* TelcoSimulator.TelcoSimulator
    const books = Effect.gen(function* () {
      const mobilePlans = yield* simulator.mobilePlans
      return {
        packages: (yield* simulator.packages).map(packageOf),
        spent_keys: yield* simulator.spentKeys,
        messages: (yield* simulator.messages).map(({ from, iccid, messageId, text }) => ({
          message_id: messageId,
          iccid,
          from,
          text
        })),
        mobile_plans: Array.from(mobilePlans, ([iccid, applied]) => ({ iccid, applied })),
        released_profiles: yield* simulator.releasedProfiles,
        calls: yield* simulator.calls
      }
    })
    return handle.handleAll({
      books: () => Effect.orDie(books),
      faults: ({ payload: { faults } }) =>
        Effect.as(simulator.setFaults(faults.map(faultOf)), { faults: faults.length })
    })
  })
)

/** Adds the routes to a router. They need the same token as the contract's routes. */
export const layer = (options: TelcoServer.Options) =>
  HttpApiBuilder.layer(ControlApi.ControlApi).pipe(
    Layer.provide(handlers),
    Layer.provide(TelcoServer.guards(options)),
    Layer.provide(HttpServer.layerServices)
  )
