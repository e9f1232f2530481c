/**
 * An account at Airalo of the settings file.
 */
import { Airalo } from "../../telco-airalo/index.ts"
import type * as Settings from "../Settings.ts"
import * as Supplier from "./Supplier.ts"

/** Connects. */
export const connect = (of: Settings.Of<"airalo">) => {
  const { callsAtOnce: concurrency, name: telco, timeoutMillis: timeout, ...rest } = of
  const polls = { callsPerSecond: of.callsPerSecond }
  return Supplier.connect(of, Airalo.layer({ ...rest, telco, concurrency, timeout, polls }))
}
