/**
 * An account at eSIM Access of the settings file.
 */
import { Layer } from "effect"
import { EsimAccess, HttpApi } from "../../telco-esim-access/index.ts"
import type * as Settings from "../Settings.ts"
import * as Supplier from "./Supplier.ts"

/** Connects. */
export const connect = (of: Settings.Of<"esim-access">) => {
  const { callsAtOnce: concurrency, name: telco, timeoutMillis: timeout, ...rest } = of
  const calls = HttpApi.layer({ ...rest, telco, concurrency, timeout })
  return Supplier.connect(
    of,
    Layer.provideMerge(EsimAccess.layer({ telco, polls: { callsPerSecond: of.callsPerSecond } }), calls)
  )
}
