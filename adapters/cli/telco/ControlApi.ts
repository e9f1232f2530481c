/**
 * The control API of the simulated telco: reads its books and sets faults. It is for tests and demonstrations; a real
 * telco does not have it.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Contract } from "../../telco-http/index.ts"
import { Faults } from "../../telco-simulator/index.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** Which calls fail: of one kind, of one SIM, and how many; all calls without these fields. */
const target = {
  on: Schema.optionalKey(Schema.Literals(Faults.kinds)),
  iccid: Schema.optionalKey(Schema.String),
  times: Schema.optionalKey(Count)
}

export const Fault = Schema.Union([
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
export const Books = Schema.Struct({
  packages: Schema.Array(Package),
  /** Ids of packages that were cancelled before they were created. */
  spent_keys: Schema.Array(Schema.String),
  messages: Schema.Array(Message),
  mobile_plans: Schema.Array(Schema.Struct({ iccid: Schema.String, applied: Schema.Boolean })),
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

export class ControlApi extends HttpApi.make("simplan-telco-control").add(Control) {}
