/**
 * Imports the SIMs of an account of an online charging system: reads them from the system that the
 * settings file of telcos (`SIMPLAN_TELCO_FILE`) names, and sends them to the server in pieces.
 * Doing it again is safe: a SIM that is imported already gets the IMSI, the phone number and the
 * system's id that the system reports now, and an activation code if it is an eSIM without one
 * (rule I7). Nothing else changes.
 */
import { Effect } from "effect"
import { Label } from "simplan/ports"
import type { Inventory } from "../../telco-ocs/index.ts"
import type { Routing } from "../../telco-routes/index.ts"
import { impossible, misused } from "../output/CommandFailed.ts"
import * as Telcos from "../server/Telcos.ts"
import * as Progress from "../output/Progress.ts"
import * as Connection from "./Connection.ts"
import * as SimsImport from "./SimsImport.ts"
import * as Calls from "./Calls.ts"

const TELCO_FILE = "SIMPLAN_TELCO_FILE"

/** How many SIMs are sent at once. */
const PIECE = 5_000

type System = Effect.Success<ReturnType<typeof Telcos.systems>>["systems"][number]

export interface Asked {
  readonly account: number
  /**
   * The label that the SIMs get; the only one that the settings have the system for unless given.
   */
  readonly label: Label.Label | undefined
  readonly telco: string | undefined
}

/** The system that is named, or the only one. */
const choose = (systems: ReadonlyArray<System>, name: string | undefined) => {
  const names = systems.map((one) => one.name).join(", ")
  const [first, ...others] = name === undefined ? systems : systems.filter((one) => one.name === name)
  if (first !== undefined && others.length === 0) return Effect.succeed(first)
  if (systems.length === 0) return misused(`${TELCO_FILE} names no telco of kind "ocs".`)
  return name === undefined
    ? misused(`${TELCO_FILE} names several telcos of kind "ocs", so choose one with --telco: ${names}.`)
    : misused(`--telco is ${JSON.stringify(name)}, but ${TELCO_FILE} names only ${names} of kind "ocs".`)
}

/** The label of the SIMs: the one given, or the only one that the settings have this system for. */
const labelOf = (given: Label.Label | undefined, { name, zones }: System, routes: ReadonlyArray<Routing.Route>) => {
  if (given !== undefined) return Effect.succeed(given)
  const routed = routes.flatMap(({ label, telcos }) => (telcos.packages === name && label !== null ? [label] : []))
  const [label, ...others] = new Set([...routed, ...Label.labels.filter((one) => Object.hasOwn(zones, one))])
  return label !== undefined && others.length === 0
    ? Effect.succeed(label)
    : misused(
        `${TELCO_FILE} has ${label === undefined ? "no label" : "several labels"} for ${name}, so choose one with --label: ${Label.labels.join(", ")}.`
      )
}

// Loaded with the command, so that no other command loads it.
const ocs = Effect.promise(() => import("../../telco-ocs/index.ts"))

const open = Effect.fnUntraced(function* ({ label: given, telco: wanted }: Asked) {
  const path = yield* Connection.variable(TELCO_FILE)
  if (path === undefined) return yield* misused(`--from-ocs needs ${TELCO_FILE}, the settings file of telcos.`)
  const { HttpApi } = yield* ocs
  const { routes, systems } = yield* Telcos.systems(path)
  const chosen = yield* choose(systems, wanted)
  const label = yield* labelOf(given, chosen, routes)
  const { callsPerSecond, name: telco, resellerId, timeoutMillis, token, url, urlV2 } = yield* chosen.settings
  return { label, api: HttpApi.layer({ telco, url, urlV2, token, resellerId, callsPerSecond, timeout: timeoutMillis }) }
})

const HEADER = "iccid,label,is_esim,lpa,imsi,msisdn,subscriber_id\n"

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const line = (label: string, { iccid, imsi, isEsim, lpa, msisdn, subscriberId }: Inventory.Row): string =>
  `${[iccid, label, String(isEsim), lpa ?? "", imsi ?? "", msisdn ?? "", subscriberId].map(quoted).join(",")}\n`

/** The rows of the system that cannot be read, as errors of an import. */
const unread = (odd: Inventory.Inventory["odd"]): SimsImport.Report => ({
  ...SimsImport.nothing,
  errors: odd.map(({ iccid, message }, index) => ({
    row: index + 1,
    line: null,
    iccid: iccid ?? "",
    message: `the system's answer cannot be read: ${message}`
  })),
  error_count: odd.length
})

/**
 * Imports into the organization with that id. `missing` says why SIMs of the account are missing;
 * null: none is.
 */
export const run = Effect.fnUntraced(function* (connection: Connection.Connection, id: string, asked: Asked) {
  const { Inventory } = yield* ocs
  const { api, label } = yield* open(asked)
  const { missing, odd, rows } = yield* Inventory.read(asked.account).pipe(
    Effect.provide(api),
    Effect.mapError(({ message }) => impossible(`The SIMs of account ${asked.account} cannot be read: ${message}.`))
  )
  if (rows.length + odd.length === 0) return yield* impossible(`Account ${asked.account} has no SIMs.`)
  const progress = yield* Progress.make
  let report = SimsImport.nothing
  const sendAll = Effect.gen(function* () {
    for (let from = 0; from < rows.length; from += PIECE) {
      const piece = rows.slice(from, from + PIECE)
      const payload = HEADER + piece.map((row) => line(label, row)).join("")
      const { data } = yield* Calls.call(connection, (client) => client.imports.importSims({ params: { id }, payload }))
      report = SimsImport.sum(report, data, null)
      const text = `${SimsImport.rowsIn(report)} SIMs, ${report.imported} imported, ${report.updated} updated, ${report.error_count} errors`
      yield* progress.update((from + piece.length) / rows.length, text)
    }
  })
  yield* Effect.ensuring(sendAll, progress.finish)
  return { report: SimsImport.sum(report, unread(odd), null), missing }
})
