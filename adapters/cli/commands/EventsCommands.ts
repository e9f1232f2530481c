/**
 * `simplan events send`: sends the telco's reports, from a file or from flags.
 */
import { randomUUID } from "node:crypto"
import { PackageEnd, SmdpHistory } from "simplan/ports"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Files from "../client/Files.ts"
import { impossible, misused } from "../output/CommandFailed.ts"
import * as Connection from "../client/Connection.ts"
import * as Calls from "../client/Calls.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const types = ["usage", "first_use", "package_end", "location", "smdp_state"] as const

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const bytes = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withMetavar("<bytes>"), Flag.withDescription(description), Flag.optional)

// The keys are the names on the wire.
const fields = {
  iccid: text("iccid", "<iccid>", "The SIM that the event is about"),
  id: text("id", "<id>", "Id of the event; one seen before changes nothing (a new one, if left out)"),
  occurred_at: text("occurred-at", "<instant>", "When it happened (now, if left out)"),
  package_id: text(
    "package-id",
    "<id>",
    "usage, first_use: the package (the SIM's active one, if left out); package_end"
  ),
  reason: Flag.Literals("reason", PackageEnd.reasons).pipe(
    Flag.withMetavar("<reason>"),
    Flag.withDescription(`package_end: one of ${PackageEnd.reasons.join(", ")}`),
    Flag.optional
  ),
  total_bytes: bytes("total-bytes", "usage: all that the package has used so far"),
  delta_bytes: bytes("delta-bytes", "usage: what came on top, instead of a total"),
  country_alpha_2: text("country", "<iso2>", "location, usage: the country, such as DE"),
  operator: text("operator", "<name>", "location: name of the operator"),
  rat: text("rat", "<rat>", "location: radio access technology, such as 4G"),
  imei: text("imei", "<imei>", "location: the device"),
  state: Flag.Literals("state", SmdpHistory.states).pipe(
    Flag.withMetavar("<state>"),
    Flag.withDescription(`smdp_state: one of ${SmdpHistory.states.map((state) => `"${state}"`).join(", ")}`),
    Flag.optional
  ),
  modification_result: text("modification-result", "<result>", "smdp_state: how it went (success, if left out)")
}

const Events = Schema.Array(Schema.Record(Schema.String, Schema.Json))
const FileContent = Schema.fromJsonString(Schema.Union([Schema.Struct({ events: Events }), Events]))
const PER_REQUEST = 1_000

const fromFile = (path: string) =>
  Effect.gen(function* () {
    const content = yield* Files.read(path)
    const decoded = yield* Effect.mapError(Schema.decodeUnknownEffect(FileContent)(content), () =>
      misused(`${path} is not JSON of the form {"events": [{"id", "type", "iccid", "occurred_at", …}]}.`)
    )
    return "events" in decoded ? decoded.events : decoded
  })

// The events need the server's time, because its clock may be virtual. Without an answer, this
// machine's time is used.
const serverTime = ({ url }: Connection.Given) =>
  Connection.openAdmin({ url, token: Option.none() }).pipe(
    Effect.flatMap((connection) => Calls.call(connection, (client) => client.clock.read())),
    Effect.map(({ data }) => data.now),
    Effect.catch(() => Effect.sync(() => new Date().toISOString()))
  )

interface Verdicts {
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: ReadonlyArray<{ readonly index: number; readonly id: string | null; readonly message: string }>
}

const show = ({ accepted, duplicates, rejected }: Verdicts): string =>
  [
    `${accepted} accepted, ${duplicates} duplicates, ${rejected.length} rejected`,
    ...rejected.map(({ id, index, message }) => `event ${index + 1} (${id ?? "no id"}): ${message}`)
  ].join("\n")

const send = Command.make(
  "send",
  {
    file: Flags.file('A JSON file of {"events": […]}; leave it out to make one event of the flags').pipe(
      Argument.optional
    ),
    type: Flag.Literals("type", types).pipe(Flag.withDescription(`One of ${types.join(", ")}`), Flag.optional),
    ...fields,
    ...Connection.telcoFlags
  },
  Effect.fnUntraced(function* ({ file, json, token, type, url, ...flags }) {
    const named = Object.entries(flags).flatMap(([name, value]) =>
      value._tag === "Some" ? [[name, value.value] as const] : []
    )
    const hasFlags = Option.isSome(type) || named.length > 0
    if (Option.isSome(file) === hasFlags) {
      return yield* misused("Name a FILE of events, or make one with --type and --iccid.")
    }
    if (hasFlags && (Option.isNone(type) || Option.isNone(flags.iccid))) {
      return yield* misused(`An event needs --type (one of ${types.join(", ")}) and --iccid.`)
    }
    const connection = yield* Connection.openTelco({ url, token })
    const events = Option.isSome(file)
      ? yield* fromFile(file.value)
      : [
          {
            id: randomUUID(),
            type: Option.getOrNull(type),
            occurred_at: yield* serverTime({ url, token }),
            ...Object.fromEntries(named)
          }
        ]

    let sum: Verdicts = { accepted: 0, duplicates: 0, rejected: [] }
    for (let start = 0; start < events.length; start += PER_REQUEST) {
      const payload = { events: events.slice(start, start + PER_REQUEST) }
      const next = yield* Calls.call(connection, (client) => client.reports.take({ payload }))
      sum = {
        accepted: sum.accepted + next.accepted,
        duplicates: sum.duplicates + next.duplicates,
        rejected: [...sum.rejected, ...next.rejected.map((one) => ({ ...one, index: one.index + start }))]
      }
    }
    yield* Output.print(json ? JSON.stringify(sum) : show(sum))
    const { length } = sum.rejected
    if (length > 0) return yield* impossible(`${length} of ${events.length} events were rejected.`)
  })
).pipe(
  Command.withDescription("Send events to the server as the telco would, and print how many it took."),
  Command.withExamples([
    { command: "simplan events send --type usage --iccid 8910300000000000017 --total-bytes 600000000" },
    {
      command:
        "simplan events send --type location --iccid 8910300000000000017 --country DE --operator Telekom --rat 4G --imei 356938035643809"
    },
    { command: 'simplan events send --type smdp_state --iccid 8910300000000000017 --state "Enable"' },
    { command: "simplan events send events.json", description: "Many at once" }
  ])
)

export const command = Command.make("events").pipe(
  Command.withDescription("Reports of the telco: usage, first use, location, SM-DP+ state."),
  Command.withSubcommands([send])
)
