/**
 * What of a server's settings is for trying out, and not for customers: it is printed at the start, and with `--production`
 * the server does not start.
 */
import type { Settings } from "./Settings.ts"

type Judged = Pick<
  Settings,
  | "adminPort"
  | "allowPrivateWebhooks"
  | "clock"
  | "database"
  | "ignoresDatabaseUrl"
  | "secretKeys"
  | "telco"
  | "telcoFile"
>

/** A sentence for each; `simulators` are the simulated telcos of the settings file. */
export const unfit = (settings: Judged, simulators: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { adminPort, allowPrivateWebhooks, clock, database, ignoresDatabaseUrl, secretKeys, telco, telcoFile } =
    settings
  const found: ReadonlyArray<readonly [isUnfit: boolean, sentence: string]> = [
    [
      telco === null && telcoFile === null,
      "the telco is simulated: no SIM has service (SIMPLAN_TELCO_FILE, SIMPLAN_TELCO_URL)"
    ],
    [simulators.length > 0, `telcos of the settings file are simulated: ${simulators.join(", ")}`],
    [secretKeys === null, "signing keys, webhook URLs and activation codes are stored plain (SIMPLAN_SECRET_KEY)"],
    [adminPort === null, "/admin and /metrics answer beside /v3 (SIMPLAN_ADMIN_PORT)"],
    [allowPrivateWebhooks, "webhooks may go to private addresses (SIMPLAN_ALLOW_PRIVATE_WEBHOOKS)"],
    [clock._tag === "Virtual", "the clock is virtual (SIMPLAN_CLOCK)"],
    [database._tag === "Memory", "the data are lost when the process ends (SIMPLAN_DATABASE_URL)"],
    [ignoresDatabaseUrl, "DATABASE_URL is not read, and SIMPLAN_DATABASE_URL is not set"]
  ]
  return found.flatMap(([isUnfit, sentence]) => (isUnfit ? [sentence] : []))
}
