/**
 * Handler of the organization's mobile plan.
 */
import { Effect } from "effect"
import { Wallet } from "simplan"
import * as WalletApi from "../api/WalletApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Shapes from "../shapes/Sims.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"

const decode = Body.decoder(WalletApi.SetMobilePlan)

export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const once = yield* Idempotency.make
    const wallet = yield* Wallet.Wallet

    return Endpoints.group(WalletApi.WalletApi, guard, {
      setMobilePlan: Effect.fnUntraced(function* (call) {
        const { organizationId } = call.caller
        const { bytes, value } = yield* Body.read(call.request)
        const run = Effect.flatMap(decode(value), ({ apply, iccid, label }) =>
          wallet.setMobilePlan({ organizationId, apply, label, iccid: iccid ?? null })
        )
        return yield* once("MobilePlan", call, bytes, run, (status) => Responses.data(Shapes.mobilePlan(status)))
      })
    })
  })
