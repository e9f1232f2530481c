/**
 * The control API of the simulated telco: reads its books and sets faults. It is for tests and demonstrations; a real
 * telco does not have it.
 */
import { Effect, Layer, Schema } from "effect"
import { HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Time } from "simplan"
import { Contract, TelcoServer } from "../../telco-http/index.ts"
import { Faults, TelcoSimulator } from "../../telco-simulator/index.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** Which calls fail: of one kind, of one SIM, and how many; all calls without these fields. */
const target = {
  on: Schema.optionalKey(Schema.Literals(Faults.kinds)),
  iccid: Schema.optionalKey(Schema.String),
  times: Schema.optionalKey(Count)
}

const Fault = Schema.Union([
  Schema.Struct({ fault: Schema.Literal("refuse"), message: Schema.optionalKey(Schema.String), ...target }),
  Schema.Struct({ fault: Schema.Literal("unavailable"), retry_after_seconds: Schema.optionalKey(Count), ...target }),
  Schema.Struct({ fault: Schema.Literal("answer lost"), ...target }),
  Schema.Struct({ fault: Schema.Literal("slow"), delay_millis: Count, ...target })
])

const Package = Schema.Struct({
  package_id: Schema.String,
  telco_package_id: Schema.String,
  iccid: Schema.String,
  status: Schema.Literals(["active", "suspended", "cancelled"]),
  window: Schema.NullOr(Schema.Struct({ start: Schema.String, end: Schema.String })),
  label: Schema.String,
  data_mega_bytes: Schema.Finite,
  period_days: Schema.Finite
})

const Message = Schema.Struct({
  message_id: Schema.String,
  iccid: Schema.String,
  from: Schema.String,
  text: Schema.String
})

/** What the telco has done, in order. Refused calls are not included. */
const Books = Schema.Struct({
  packages: Schema.Array(Package),
  /** Ids of packages that were cancelled before they were created. */
  spent_keys: Schema.Array(Schema.String),
  messages: Schema.Array(Message),
  mobile_plans: Schema.Array(Schema.Struct({ iccid: Schema.String, applied: Schema.Boolean })),
  /** Those SIMs that were ever paused. */
  services: Schema.Array(Schema.Struct({ iccid: Schema.String, active: Schema.Boolean })),
  /** The ICCID of each release of a profile. */
  released_profiles: Schema.Array(Schema.String),
  /** Calls since the start of the process, by kind. */
  calls: Schema.Record(Schema.String, Schema.Int)
})

class Control extends HttpApiGroup.make("control")
  .add(HttpApiEndpoint.get("books", "/books", { success: Books }))
  .add(
    HttpApiEndpoint.put("faults", "/faults", {
      payload: Schema.Struct({ faults: Schema.Array(Fault) }),
      success: Schema.Struct({ faults: Schema.Int })
    })
  )
  .middleware(Contract.Form)
  .middleware(Contract.Token)
  .prefix("/simulator") {}

class ControlApi extends HttpApi.make("simplan-telco-control").add(Control) {}

type Wire = typeof Fault.Type

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
  ControlApi,
  "control",
  Effect.fnUntraced(function* (handle) {
    const simulator = yield* TelcoSimulator.TelcoSimulator
    const books = Effect.gen(function* () {
      const mobilePlans = yield* simulator.mobilePlans
      const services = yield* simulator.services
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
        services: Array.from(services, ([iccid, active]) => ({ iccid, active })),
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
  HttpApiBuilder.layer(ControlApi).pipe(
    Layer.provide(handlers),
    Layer.provide(TelcoServer.guards(options)),
    Layer.provide(HttpServer.layerServices)
  )
