/**
 * An account at eSIM Go of the settings file.
 */
import { Layer } from "effect"
import { CallFailure } from "../../telco-calls/index.ts"
import { AccountApi, EsimGo, HttpApi } from "../../telco-esim-go/index.ts"
import type * as Settings from "../Settings.ts"
import * as Supplier from "./Supplier.ts"

/** Connects. */
export const connect = (of: Settings.Of<"esim-go">) => {
  const { callsAtOnce: concurrency, lateMillis, name: telco, refunds, timeoutMillis: timeout, ...rest } = of
  const calls = HttpApi.layer({ ...rest, telco, concurrency, timeout })
  return Supplier.connect(
    of,
    Layer.provideMerge(
      EsimGo.layer({ telco, refunds, lateMillis, polls: { callsPerSecond: of.callsPerSecond } }),
      calls
    ),
    (bundle) => CallFailure.asPort(AccountApi.AccountApi.use(({ quote }) => quote({ bundle, iccid: null })))
  )
}
