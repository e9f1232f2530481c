/**
 * Handler of the organization's mobile plan.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Wallet } from "simplan"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Security.ts"
import * as WalletApi from "../api/WalletApi.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Shapes from "../shapes/Sims.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as Responses from "../wire/Responses.ts"

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
          Responses.ok<Item>({ error: false, data: Shapes.mobilePlan(status) })
        )
      }, ErrorResponses.handled)
    )
  })
)
