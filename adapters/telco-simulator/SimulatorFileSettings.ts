/**
 * The settings of a simulated telco in the settings file of telcos.
 */
import { Schema } from "effect"
import { FileSettings } from "../telco-calls/index.ts"

/** A simulated telco. */
export const kind = FileSettings.kind(
  ["packages", "sms", "profiles"],
  () => Schema.Struct({ kind: Schema.Literal("simulator") }),
  (of) => ({ ...of, timeoutMillis: FileSettings.defaults.timeout, callsAtOnce: FileSettings.defaults.callsAtOnce })
)
