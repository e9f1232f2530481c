/**
 * The settings file of telcos as it is written (`SIMPLAN_TELCO_FILE`): one schema for the file, and one for each kind of
 * telco. `TelcoFile` reads it.
 */
import { DateTime, Option, Schema } from "effect"
import { Label } from "simplan/ports"
import { Fields } from "../../fields/index.ts"

/** The units of spans, in milliseconds: long as in `10 seconds`, or short as in the other settings, `10s`. */
const units: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: 1_000,
  second: 1_000,
  m: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000
}

/** The span in milliseconds; undefined for a text that is no span. */
export const parseSpan = (text: string): number | undefined => {
  const [, count, unit = ""] = /^([1-9]\d{0,8}) ?(ms|[smhd]|(?:millisecond|second|minute|hour|day)s?)$/.exec(text) ?? []
  const millis = Number(count) * (units[unit] ?? units[unit.slice(0, -1)] ?? Number.NaN)
  return Number.isNaN(millis) ? undefined : millis
}

/** A span from `least` to `most`, which are spans too. */
export const spanBetween = (least: string, most: string) => {
  const [from = 0, to = 0] = [parseSpan(least), parseSpan(most)]
  const message = `must be a time from ${least} to ${most}, such as "10 seconds"`
  return Schema.String.annotate({ message }).check(
    Schema.makeFilter(
      (text: string) => {
        const millis = parseSpan(text)
        return millis !== undefined && millis >= from && millis <= to
      },
      { message }
    )
  )
}

/** What a telco can be asked for. The mobile plan goes where packages go. */
export const capabilities = ["packages", "sms", "profiles"] as const
export type Capability = (typeof capabilities)[number]

/** The kinds of telcos, and what each of them can do. */
export const kinds = {
  ocs: ["packages", "sms", "profiles"],
  es2plus: ["profiles"],
  smpp: ["sms"],
  simulator: ["packages", "sms", "profiles"],
  http: ["packages", "sms", "profiles"]
} as const satisfies Readonly<Record<string, ReadonlyArray<Capability>>>

export type Kind = keyof typeof kinds

export const isKind = (text: unknown): text is Kind => typeof text === "string" && Object.hasOwn(kinds, text)

/** A name is part of paths, metrics and the journal's entries. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/
export const NAMES = "must be named by up to 63 small letters, digits, - and _"
export const isName = (text: string): boolean => NAME.test(text)

const SECRET = 'must be {"file": "<path>"} or {"env": "<NAME>"}'
const FileSecret = Schema.Struct({ file: Fields.NonEmpty })
const EnvSecret = Schema.Struct({ env: Fields.NonEmpty })

/** Where a secret is: never the secret itself. */
export const Secret = Schema.Union([FileSecret, EnvSecret]).annotate({ message: SECRET })
export type Secret = typeof Secret.Type

const isPlainUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, password, protocol, search, username } = new URL(text)
  return /^https?:$/.test(protocol) && `${hash}${search}${username}${password}` === ""
}

const WEB = "must be an address such as https://telco.example/api, without a password or a query"
const WebUrl = Schema.String.annotate({ message: WEB }).check(Schema.makeFilter(isPlainUrl, { message: WEB }))

const isSmppUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, hostname, password, pathname, protocol, search, username } = new URL(text)
  const isBare = `${hash}${search}${password}` === "" && /^\/?$/.test(pathname)
  return /^(smpp|smpps|ssmpp):$/.test(protocol) && isBare && hostname !== "" && username !== ""
}

const SMPP = "must be an address such as smpp://user@smsc.example:2775; the password has a field of its own"
const SmppUrl = Schema.String.annotate({ message: SMPP }).check(Schema.makeFilter(isSmppUrl, { message: SMPP }))

const timeout = Schema.optionalKey(spanBetween("100ms", "10m"))
/** No more than a part of what a process has under way, so that one telco that hangs leaves room for the others. */
const calls_at_once = Schema.optionalKey(Fields.integer(1, 32))
const NOTIFICATIONS = { message: "must be an object with secret" }

const ZONE = "must be the IANA name of a time zone, such as Europe/Paris or UTC"
const TimeZone = Schema.String.annotate({ message: ZONE }).check(
  Schema.makeFilter((name) => Option.isSome(DateTime.zoneMakeNamed(name)), { message: ZONE })
)

const zoneId = Fields.integer(1, Number.MAX_SAFE_INTEGER)
const Zones = Schema.Record(Schema.String, Schema.Record(Schema.String, zoneId)).check(
  Schema.makeFilter((zones) => Object.keys(zones).every(Label.isLabel), {
    message: `must have zones by label and region code; the labels are ${Label.labels.join(", ")}`
  })
)

export const Ocs = Schema.Struct({
  kind: Schema.Literal("ocs"),
  url: WebUrl,
  /** Where version 2 is; the same with `/v2` at its end by default. */
  url_v2: Schema.optionalKey(WebUrl),
  token: Secret,
  reseller_id: Fields.integer(1, Number.MAX_SAFE_INTEGER),
  zones: Schema.optionalKey(Zones),
  mobile_plan_id: Schema.optionalKey(Schema.NullOr(Fields.integer(1, Number.MAX_SAFE_INTEGER))),
  notifications: Schema.optionalKey(
    Schema.Struct({
      secret: Secret,
      /** The thresholds in percent that it is set to notify. */
      thresholds: Schema.optionalKey(Schema.Array(Fields.integer(1, 100)))
    }).annotate(NOTIFICATIONS)
  ),
  /** In which it reads the periods of orders. */
  time_zone: Schema.optionalKey(TimeZone),
  calls_per_second: Schema.optionalKey(Fields.integer(1, 10_000)),
  calls_at_once,
  timeout,
  /** How long an order without a known outcome is settled again. */
  watch: Schema.optionalKey(spanBetween("1m", "1d")),
  poll: Schema.optionalKey(
    Schema.Struct({
      fastest: Schema.optionalKey(spanBetween("1s", "1d")),
      slowest: Schema.optionalKey(spanBetween("1s", "30d"))
    }).annotate({ message: "must be an object with fastest and slowest" })
  )
})

export const Es2plus = Schema.Struct({
  kind: Schema.Literal("es2plus"),
  url: WebUrl,
  key: Schema.optionalKey(Secret),
  certificate: Schema.optionalKey(Secret),
  /** The root that the SM-DP+'s certificate comes from. */
  ca: Schema.optionalKey(Secret),
  /** The `functionRequesterIdentifier` of calls. */
  requester: Schema.optionalKey(Fields.NonEmpty),
  /** The version of SGP.22 that calls name. */
  version: Schema.optionalKey(Fields.NonEmpty),
  /** False: `releaseProfile` is called after `confirmOrder`. */
  confirm_releases: Schema.optionalKey(Schema.Boolean),
  /** The state that `/v3` shows for each notification point or event; null for none. */
  states: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Fields.SmdpState))),
  notifications: Schema.optionalKey(Schema.Struct({ secret: Secret }).annotate(NOTIFICATIONS)),
  /** Of times in notifications that have none. */
  time_zone: Schema.optionalKey(TimeZone),
  calls_at_once,
  timeout
})

export const Smpp = Schema.Struct({
  kind: Schema.Literal("smpp"),
  url: SmppUrl,
  password: Secret,
  /** The root that the SMSC's certificate comes from, for smpps. */
  ca: Schema.optionalKey(Secret),
  system_type: Schema.optionalKey(Schema.String),
  /** What the SMSC takes data coding 0 for. */
  alphabet: Schema.optionalKey(
    Schema.Literals(["gsm", "latin1", "ascii"]).annotate({ message: "must be gsm, latin1 or ascii" })
  ),
  /** The sender's type of number and numbering plan, where not by its form. */
  source: Schema.optionalKey(
    Schema.Struct({
      ton: Schema.optionalKey(Fields.integer(0, 6)),
      npi: Schema.optionalKey(Fields.integer(0, 18))
    }).annotate({ message: "must be an object with ton and npi" })
  ),
  /** What SIMs are addressed by; where absent, their phone number if they have one, else their IMSI. */
  address: Schema.optionalKey(Schema.Literals(["msisdn", "imsi"]).annotate({ message: "must be msisdn or imsi" })),
  messages_per_second: Schema.optionalKey(Fields.integer(1, 10_000)),
  calls_at_once,
  timeout
})

export const Simulator = Schema.Struct({ kind: Schema.Literal("simulator") })

export const Http = Schema.Struct({
  kind: Schema.Literal("http"),
  url: WebUrl,
  key: Secret,
  calls_at_once,
  timeout
})

/** A rule of which SIMs go where: all of them, those of a label, those of an organization, or those of both. */
export const Route = Schema.Struct({
  label: Schema.optionalKey(Fields.Label),
  organization_id: Schema.optionalKey(Fields.NonEmpty),
  packages: Schema.String,
  sms: Schema.optionalKey(Schema.String),
  profiles: Schema.optionalKey(Schema.String)
}).annotate({
  message: "must be an object with packages, and with label, organization_id, sms and profiles where needed"
})
export type Route = typeof Route.Type

/** The file; the settings of its telcos are decoded by kind. */
export const File = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  telcos: Schema.Record(Schema.String, Schema.Unknown).annotate({ message: "must be an object of telcos by name" }),
  routes: Schema.Array(Route).annotate({ message: "must be an array of routes" })
}).annotate({ message: "must be an object with telcos and routes" })
