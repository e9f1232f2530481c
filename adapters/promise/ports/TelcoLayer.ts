/**
 * Telcos of plain functions as layers of the telco port: one that knows idempotency keys, and one that does not.
 */
import { Layer } from "effect"
import { Telco } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Logs from "../Logs.ts"
import type { Logger, Telco as HostTelco, TelcoLayer } from "../Options.ts"
import type { JournalOptions, TelcoSystem } from "../types/Telcos.ts"
import * as Journaled from "./Journaled.ts"
import * as HostTelcos from "./Telco.ts"

/**
 * The functions as the service calls them: for `TelcoSuite` of `simplan/testing`, and for `createSimplan({ telco })`. What they
 * throw unexpectedly is logged; by default to stderr, with `logger: false` nowhere.
 */
export const telcoLayer = (telco: HostTelco, options: { readonly logger?: Logger | false } = {}): TelcoLayer => {
  if (Layer.isLayer(telco)) throw Arguments.invalid("telcoLayer", "telco", "is a layer already")
  const missing = HostTelcos.missing("telcoLayer", telco, Telco.changes, "telco.")
  if (missing !== undefined) throw missing
  return Object.assign(HostTelcos.layer(telco, Logs.make(options.logger)), { "~simplan/Telco": true as const })
}

/**
 * A telco of plain functions that knows no idempotency keys. A journal in the database of the service, in a table of its own,
 * keeps what was asked for and what came of it, so that no call is made twice, whatever is lost and wherever a process dies.
 *
 *     const simplan = createSimplan({ database: "postgres://…", telco: journaledTelco(system) })
 *     TelcoSuite.run("my telco", journaledTelco(system), { describe, it, afterAll })   // over a journal in memory
 *
 * What the functions throw unexpectedly is logged where the service logs, and in the suite to `logger`.
 */
export const journaledTelco = (system: TelcoSystem, options: JournalOptions = {}): TelcoLayer =>
  Journaled.layer(system, options)
