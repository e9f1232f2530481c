/**
 * `simplan events send`: reports as the telco would send them, from a file or made of flags.
 */
import { randomUUID } from "node:crypto"
import { SmdpHistory } from "simplan"
import { Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import * as Connection from "../client/Connection.ts"
import * as Management from "../client/Management.ts"
import * as Output from "../output/Output.ts"

const types = ["usage", "first_use", "location", "smdp_state"] as const

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const bytes = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withMetavar("<bytes>"), Flag.withDescription(description), Flag.optional)

// By the name of the field on the wire.
const fields = {
  iccid: text("iccid", "<iccid>", "The SIM that the event is about"),
  id: text("id", "<id>", "Id of the event; one seen before changes nothing (a new one, if left out)"),
  occurred_at: text("occurred-at", "<instant>", "When it happened (now, if left out)"),
  package_id: text("package-id", "<id>", "usage, first_use: the package (the SIM's active one, if left out)"),
  total_bytes: bytes("total-bytes", "usage: all that the package has used so far"),
  delta_bytes: bytes("delta-bytes", "usage: what came on top, instead of a total"),
  country_alpha_2: text("country", "<iso2>", "location: the country, such as DE"),
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
    const files = yield* FileSystem.FileSystem
    const content = yield* files
      .readFileString(path)
      .pipe(Effect.mapError((error) => impossible(`${path} cannot be read (${error.reason._tag}).`)))
    const decoded = yield* Effect.mapError(Schema.decodeUnknownEffect(FileContent)(content), () =>
      misused(`${path} is not JSON of the form {"events": [{"id", "type", "iccid", "occurred_at", …}]}.`)
    )
    return "events" in decoded ? decoded.events : decoded
  })

// The server's business clock may be a virtual one; where it cannot be asked, this machine's will do.
const serverTime = (given: Connection.Given) =>
  Connection.toAdmin({ url: given.url, token: Option.none() }).pipe(
    Effect.flatMap((connection) =>
      Management.data(connection, Schema.Struct({ now: Schema.String }), { method: "GET", path: "/admin/v1/clock" })
    ),
    Effect.map((clock) => clock.now),
    Effect.catch(() => Effect.sync(() => new Date().toISOString()))
  )

const verdicts = Schema.Struct({
  accepted: Schema.Int,
  duplicates: Schema.Int,
  rejected: Schema.Array(Schema.Struct({ index: Schema.Int, id: Schema.NullOr(Schema.String), message: Schema.String }))
})

const send = Command.make(
  "send",
  {
    file: Argument.String("FILE").pipe(
      Argument.withDescription('A JSON file of {"events": […]}; leave it out to make one event of the flags'),
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
    const isMade = Option.isSome(type) || named.length > 0
    if (Option.isSome(file) === isMade) {
      return yield* misused("Name a FILE of events, or make one with --type and --iccid.")
    }
    if (isMade && (Option.isNone(type) || Option.isNone(flags.iccid))) {
      return yield* misused(`An event needs --type (one of ${types.join(", ")}) and --iccid.`)
    }
    const connection = yield* Connection.toTelco({ url, token })
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

    const sum = { accepted: 0, duplicates: 0, rejected: [] as (typeof verdicts.Type)["rejected"][number][] }
    for (let start = 0; start < events.length; start += PER_REQUEST) {
      const answer = yield* Management.call(connection, verdicts, {
        method: "POST",
        path: "/telco/v1/events",
        body: Management.json({ events: events.slice(start, start + PER_REQUEST) })
      })
      sum.accepted += answer.accepted
      sum.duplicates += answer.duplicates
      sum.rejected.push(...answer.rejected.map((one) => ({ ...one, index: one.index + start })))
    }
    yield* json ? Output.print(JSON.stringify(sum)) : report(sum)
    if (sum.rejected.length > 0) return yield* refused(sum.rejected.length, events.length)
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

const report = (sum: typeof verdicts.Type): Effect.Effect<void> =>
  Output.print(
    [
      `${sum.accepted} accepted, ${sum.duplicates} duplicates, ${sum.rejected.length} rejected`,
      ...sum.rejected.map((one) => `event ${one.index + 1} (${one.id ?? "no id"}): ${one.message}`)
    ].join("\n")
  )

const refused = (count: number, of: number): CommandFailed => impossible(`${count} of ${of} events were rejected.`)

export const command = Command.make("events").pipe(
  Command.withDescription("Reports of the telco: usage, first use, location, SM-DP+ state."),
  Command.withSubcommands([send])
)
