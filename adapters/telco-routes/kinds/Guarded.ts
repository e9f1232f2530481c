/**
 * A telco with slots and a circuit breaker, of which its adapter has neither.
 */
import { Effect } from "effect"
import type { Telco } from "simplan/ports"
import { CallControl } from "../../telco-calls/index.ts"
import * as Breaker from "../Breaker.ts"
import * as Slots from "../Slots.ts"
import * as Slotted from "./Slotted.ts"

/** The slots limit the calls; the breaker's own limits are out of the way. */
const UNLIMITED = 10_000

export const telco = (
  { callsAtOnce, name }: { readonly name: string; readonly callsAtOnce: number },
  of: Telco.Telco["Service"]
) =>
  Effect.gen(function* () {
    const control = yield* CallControl.make({ telco: name, callsPerSecond: UNLIMITED, concurrency: callsAtOnce })
    return Slotted.telco(yield* Slots.make({ name, callsAtOnce }), Breaker.telco(control, of))
  })
