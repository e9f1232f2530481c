/**
 * Handler of the organization's mobile plan.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Wallet } from "simplan"
import * as Answer from "../Answer.ts"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Security.ts"
import * as WalletApi from "../api/WalletApi.ts"
import * as Idempotency from "../Idempotency.ts"
import * as JsonBody from "../JsonBody.ts"
import * as Shapes from "../shapes/Sims.ts"

type Item = typeof WalletApi.MobilePlanItem.Type

const decode = JsonBody.decoder(WalletApi.SetMobilePlan)

export const layer = HttpApiBuilder.group(
  Api,
  "wallet",
  Effect.fnUntraced(function* (handlers) {
    const once = yield* Idempotency.make
    const wallet = yield* Wallet.Wallet

    return handlers.handleRaw(
      "setMobilePlan",
      Effect.fnUntraced(function* ({ request }) {
        const { organizationId } = yield* Caller
        const { bytes, value } = yield* JsonBody.read(request)
        const run = Effect.flatMap(decode(value), ({ apply, iccid, label }) =>
          wallet.setMobilePlan({ organizationId, apply, label, iccid: iccid ?? null })
        )
        return yield* once("MobilePlan", bytes, run, (status) =>
          Answer.ok<Item>({ error: false, data: Shapes.mobilePlan(status) })
        )
      }, Answer.orError)
    )
  })
)
