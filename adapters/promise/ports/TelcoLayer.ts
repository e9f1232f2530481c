/**
 * A telco of plain functions as a layer of the telco port.
 */
import * as Logs from "../Logs.ts"
import type { Logger, Telco as HostTelco, TelcoLayer } from "../Options.ts"
import * as Telco from "./Telco.ts"

/**
 * The functions as the service calls them: for `TelcoSuite` of `simplan/testing`, and for `createSimplan({ telco })`. What they
 * throw unexpectedly is logged; by default to stderr, with `logger: false` nowhere.
 */
export const telcoLayer = (telco: HostTelco, options: { readonly logger?: Logger | false } = {}): TelcoLayer =>
  Object.assign(Telco.layer(telco, Logs.make(options.logger)), { "~simplan/Telco": true as const })
