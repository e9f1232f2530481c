/**
 * The settings of telcos: one schema for each kind says what the settings file (`SIMPLAN_TELCO_FILE`) may have, and decodes it to
 * what the program uses: spans in milliseconds, defaults filled in, secrets read. `TelcoFile` reads the file.
 */
import { DateTime, Effect, Option, Result, Schema, SchemaGetter, SchemaIssue, Struct, type Redacted } from "effect"
import { Label } from "simplan/ports"
import { Fields, TimeSpan } from "../fields/index.ts"
import type * as Routing from "./Routing.ts"

/** The kinds of telcos, and what each of them can do. */
export const kinds = {
  ocs: ["packages", "sms", "profiles"],
  es2plus: ["profiles"],
  smpp: ["sms"],
  simulator: ["packages", "sms", "profiles"],
  http: ["packages", "sms", "profiles"]
} as const satisfies Readonly<Record<string, ReadonlyArray<Routing.Capability>>>

/** The name of a kind of telco. */
export type Kind = keyof typeof kinds

/** Whether a value of the file names a kind. */
export const isKind = (text: unknown): text is Kind => typeof text === "string" && Object.hasOwn(kinds, text)

/** A span from `least` to `most`, in milliseconds. */
const span = (least: string, most: string) => {
  const read = TimeSpan.between(least, most)
  const message = `must be a time from ${least} to ${most}, such as "10 seconds"`
  return Schema.String.annotate({ message })
    .check(Schema.makeFilter((text) => read(text) !== undefined, { message }))
    .pipe(
      Schema.decodeTo(Schema.Finite, {
        decode: SchemaGetter.transform((text: string) => read(text) ?? Number.NaN),
        encode: SchemaGetter.transform((millis: number) => `${millis}ms`)
      })
    )
}

/** A field that may be left out; then it has this value. */
const orElse = <S extends Schema.Top>(schema: S, value: S["Type"]) =>
  Schema.withDecodingDefaultTypeKey<S>(Effect.succeed(value))(schema)

/** Where a secret is: never the secret itself. */
const SecretPlace = Schema.Union([
  Schema.Struct({ file: Fields.NonEmpty }),
  Schema.Struct({ env: Fields.NonEmpty })
]).annotate({ message: 'must be {"file": "<path>"} or {"env": "<NAME>"}' })

/** Where a secret is: never the secret itself. */
export type SecretPlace = typeof SecretPlace.Type

/** Reads a secret; the failure ends a sentence that begins with the field. */
export type ReadSecret = (place: SecretPlace) => Result.Result<Redacted.Redacted, string>

/** A secret that is read when the settings are decoded. */
const secretBy = (read: ReadSecret) =>
  SecretPlace.pipe(
    Schema.decodeTo(Schema.Redacted(Schema.String), {
      decode: SchemaGetter.transformEffect((place: SecretPlace) =>
        Effect.mapError(Effect.fromResult(read(place)), (message) => new SchemaIssue.InvalidValue({ message }))
      ),
      encode: SchemaGetter.forbidden(() => "A secret is never written")
    })
  )

const isPlainUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, password, protocol, search, username } = new URL(text)
  return /^https?:$/.test(protocol) && `${hash}${search}${username}${password}` === ""
}

const WEB = "must be an address such as https://telco.example/api, without a password or a query"
/** Without a slash at its end. */
const WebUrl = Schema.String.annotate({ message: WEB })
  .check(Schema.makeFilter(isPlainUrl, { message: WEB }))
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((url: string) => url.replace(/\/+$/, "")),
      encode: SchemaGetter.passthrough()
    })
  )

const isSmppUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, hostname, password, pathname, protocol, search, username } = new URL(text)
  const isBare = `${hash}${search}${password}` === "" && /^\/?$/.test(pathname)
  return /^(smpp|smpps|ssmpp):$/.test(protocol) && isBare && hostname !== "" && username !== ""
}

const SMPP = "must be an address such as smpp://user@smsc.example:2775; the password has a field of its own"
const SmppUrl = Schema.String.annotate({ message: SMPP }).check(Schema.makeFilter(isSmppUrl, { message: SMPP }))

const ZONE = "must be the IANA name of a time zone, such as Europe/Paris or UTC"
const TimeZone = Schema.String.annotate({ message: ZONE }).check(
  Schema.makeFilter((name) => Option.isSome(DateTime.zoneMakeNamed(name)), { message: ZONE })
)

const Id = Fields.integer(1, Number.MAX_SAFE_INTEGER)

const Zones = Schema.Record(Schema.String, Schema.Record(Schema.String, Id)).check(
  Schema.makeFilter((zones) => Object.keys(zones).every(Label.isLabel), {
    message: `must have zones by label and region code; the labels are ${Label.labels.join(", ")}`
  })
)

const TIMEOUT = 10_000
const CALLS_AT_ONCE = 16
const FASTEST = 10_000
const SLOWEST = 21_600_000

/** What every telco has that is called over a network. */
const common = (timeout = TIMEOUT) => ({
  /** How long one call may take. */
  timeout: orElse(span("100ms", "10m"), timeout),
  /**
   * How many calls are under way at once at most. No more than a part of what a process has under way, so that one telco that
   * hangs leaves room for the others.
   */
  calls_at_once: orElse(Fields.integer(1, 32), CALLS_AT_ONCE)
})

const NOTIFICATIONS = { message: "must be an object with secret" }

/** The names that the program has for fields of the file. */
const NAMES = {
  reseller_id: "resellerId",
  mobile_plan_id: "mobilePlanId",
  time_zone: "timeZone",
  calls_per_second: "callsPerSecond",
  calls_at_once: "callsAtOnce",
  timeout: "timeoutMillis",
  watch: "watchMillis",
  confirm_releases: "confirmReleases",
  system_type: "systemType",
  messages_per_second: "messagesPerSecond"
} as const

/** How the secrets of the file are read. */
export interface Secrets {
  /** Reads one that is sent to the telco. */
  readonly read: ReadSecret
  /** Reads one that opens the API to the telco's notifications. */
  readonly readNotification: ReadSecret
  /** Reads one that opens the API to the telco's reports. */
  readonly readReports: ReadSecret
}

/** The schemas of the kinds, with the names of the file. */
const schemas = ({ read, readNotification, readReports }: Secrets) => {
  const secret = secretBy(read)
  const notificationSecret = secretBy(readNotification)
  return {
    /** An online charging system: `simplan/telco-ocs`. */
    ocs: Schema.Struct({
      kind: Schema.Literal("ocs"),
      /** Of version 1 of its API. */
      url: WebUrl,
      /** Of version 2, which lists packages; the same with `/v2` at its end by default. */
      url_v2: Schema.optionalKey(WebUrl),
      /** Of its book of usage; the same with `/as/v1` in place of `/main/v1` by default. Null: none is asked for. */
      url_usage: Schema.optionalKey(Schema.NullOr(WebUrl)),
      /** In every call, and in no error or log. */
      token: secret,
      /** Whose templates and zones are used. */
      reseller_id: Id,
      /** Location zones by label and region code. */
      zones: orElse(Zones, {}),
      /** What the wallet applies. Null: requests for it are refused. */
      mobile_plan_id: orElse(Schema.NullOr(Id), null),
      /** Absent: it takes no notifications. */
      notifications: Schema.optionalKey(
        Schema.Struct({
          secret: notificationSecret,
          /** The percentages of usage that it is set to notify. */
          thresholds: orElse(Schema.Array(Fields.integer(1, 100)), [50, 80])
        }).annotate(NOTIFICATIONS)
      ),
      /** The IANA name of the zone in which it reads the periods of orders. */
      time_zone: orElse(TimeZone, "UTC"),
      /** At most, over all that this process asks of it. */
      calls_per_second: orElse(Fields.integer(1, 10_000), 20),
      ...common(),
      /** For how long a request without an answer may still take effect, and is settled again. */
      watch: orElse(span("1m", "1d"), 900_000),
      /** How soon and how late a SIM is polled again. */
      poll: orElse(
        Schema.Struct({
          fastest: orElse(span("1s", "1d"), FASTEST),
          slowest: orElse(span("1s", "30d"), SLOWEST)
        })
          .annotate({ message: "must be an object with fastest and slowest" })
          .check(
            Schema.makeFilter(({ fastest, slowest }) => slowest >= fastest, {
              message: "must have a slowest that is not below its fastest"
            })
          ),
        { fastest: FASTEST, slowest: SLOWEST }
      )
    }).check(
      Schema.makeFilter(({ timeout, watch }) =>
        watch > timeout
          ? undefined
          : { path: ["watch"], issue: "must be longer than timeout, in which a call is waited for" }
      ),
      Schema.makeFilter(({ url, url_v2 }) =>
        url_v2 !== undefined || /\/v1$/.test(url)
          ? undefined
          : { path: ["url_v2"], issue: "is required, because url does not end with /v1" }
      )
    ),
    /** An SM-DP+: `simplan/telco-es2plus`. */
    es2plus: Schema.Struct({
      kind: Schema.Literal("es2plus"),
      /** What the functions' names are appended to. */
      url: WebUrl,
      /** The client's key in PEM; absent where a proxy adds it. */
      key: Schema.optionalKey(secret),
      /** In PEM; it goes with the key. */
      certificate: Schema.optionalKey(secret),
      /** The root that the SM-DP+'s certificate comes from. Absent: those that Node knows. */
      ca: Schema.optionalKey(secret),
      /** The `functionRequesterIdentifier` of calls. Absent: the adapter's own. */
      requester: Schema.optionalKey(Fields.NonEmpty),
      /** The version of SGP.22 that calls name. Absent: the adapter's own. */
      version: Schema.optionalKey(Fields.NonEmpty),
      /** False: `releaseProfile` is called after `confirmOrder`. */
      confirm_releases: orElse(Schema.Boolean, true),
      /** Changes to the adapter's table: the state that `/v3` shows for each notification point or event; null for none. */
      states: orElse(Schema.Record(Schema.String, Schema.NullOr(Fields.SmdpState)), {}),
      /** Absent: it takes no notifications. */
      notifications: Schema.optionalKey(Schema.Struct({ secret: notificationSecret }).annotate(NOTIFICATIONS)),
      /** The IANA name of the zone of times in notifications that have none. */
      time_zone: orElse(TimeZone, "UTC"),
      ...common()
    }).check(
      Schema.makeFilter(({ certificate, key }) => (key === undefined) === (certificate === undefined), {
        message: "must have both key and certificate, or none of them"
      })
    ),
    /** An SMSC: `simplan/telco-smpp`. A message has several segments, each with an answer of its own. */
    smpp: Schema.Struct({
      kind: Schema.Literal("smpp"),
      /** `smpp://` or `smpps://`, with the system id. */
      url: SmppUrl,
      /** In the bind, and in no error or log. */
      password: secret,
      /** The root that the SMSC's certificate comes from, for smpps. Absent: those that Node knows. */
      ca: Schema.optionalKey(secret),
      /** Empty: the SMSC asks for none. */
      system_type: orElse(Schema.String, ""),
      /** What the SMSC takes data coding 0 for. */
      alphabet: orElse(
        Schema.Literals(["gsm", "latin1", "ascii"]).annotate({ message: "must be gsm, latin1 or ascii" }),
        "gsm"
      ),
      /** The sender's type of number and numbering plan; by its form where absent. */
      source: orElse(
        Schema.Struct({
          ton: Schema.optionalKey(Fields.integer(0, 6)),
          npi: Schema.optionalKey(Fields.integer(0, 18))
        }).annotate({ message: "must be an object with ton and npi" }),
        {}
      ),
      /** What SIMs are addressed by. Absent: their phone number if they have one, else their IMSI. */
      address: Schema.optionalKey(Schema.Literals(["msisdn", "imsi"]).annotate({ message: "must be msisdn or imsi" })),
      /** Absent: no limit. */
      messages_per_second: Schema.optionalKey(Fields.integer(1, 10_000)),
      ...common(5_000)
    }),
    /** The simulated telco: `simplan/telco-simulator`. */
    simulator: Schema.Struct({ kind: Schema.Literal("simulator") }),
    /** A bridge: `simplan/telco-http`. */
    http: Schema.Struct({
      kind: Schema.Literal("http"),
      /** What the contract's paths are appended to. */
      url: WebUrl,
      /** Sent as `Authorization: Bearer`. */
      key: secret,
      /** Whether the bridge has the call that pauses SIMs (rule S7). */
      pauses: orElse(Schema.Boolean.annotate({ message: "must be true or false" }), false),
      /** Its token opens `/telco/v1/events` for SIMs that are routed to it. Absent: it has that of the service's settings. */
      reports: Schema.optionalKey(
        Schema.Struct({ token: secretBy(readReports) }).annotate({ message: "must be an object with token" })
      ),
      ...common()
    })
  }
}

type Schemas = ReturnType<typeof schemas>

const MAIN = /\/main\/v1$/

/** The address of an OCS's book of usage, where its settings name none. */
const urlUsageOf = (url: string): string | null => (MAIN.test(url) ? url.replace(MAIN, "/as/v1") : null)

const ocsOf = ({ notifications, poll, url_usage, url_v2, ...of }: Schemas["ocs"]["Type"]) => ({
  ...Struct.renameKeys(of, NAMES),
  urlV2: url_v2 ?? of.url.replace(/1$/, "2"),
  urlUsage: url_usage === undefined ? urlUsageOf(of.url) : url_usage,
  notificationSecret: notifications?.secret ?? null,
  notifiedThresholds: notifications?.thresholds ?? [],
  poll: { fastestMillis: poll.fastest, slowestMillis: poll.slowest }
})

const es2plusOf = ({ notifications, ...of }: Schemas["es2plus"]["Type"]) => ({
  ...Struct.renameKeys(of, NAMES),
  notificationSecret: notifications?.secret ?? null
})

const httpOf = ({ reports, ...of }: Schemas["http"]["Type"]) => ({
  ...Struct.renameKeys(of, NAMES),
  reportsToken: reports?.token ?? null
})

const decoder = <A, B>(schema: Schema.Decoder<A>, map: (decoded: A) => B) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (value: unknown): Result.Result<B, Schema.SchemaError> => Result.map(decode(value), map)
}

/** Decodes the settings of a telco of each kind; all mistakes are found at once, and unknown fields are mistakes. */
export const decoders = (secrets: Secrets) => {
  const { es2plus, http, ocs, simulator, smpp } = schemas(secrets)
  return {
    ocs: decoder(ocs, ocsOf),
    es2plus: decoder(es2plus, es2plusOf),
    smpp: decoder(smpp, (of) => Struct.renameKeys(of, NAMES)),
    simulator: decoder(simulator, (of) => ({ ...of, timeoutMillis: TIMEOUT, callsAtOnce: CALLS_AT_ONCE })),
    http: decoder(http, httpOf)
  }
}

type Decoders = ReturnType<typeof decoders>

/** The settings of one telco without its name. */
export type Unnamed = Result.Result.Success<ReturnType<Decoders[Kind]>>

/** One telco of the file, by its kind. */
export type Telco = Unnamed & {
  /** The telco's name in the file. */
  readonly name: string
}

/** A telco of one kind. */
export type Of<K extends Kind> = Extract<Telco, { readonly kind: K }>

/** A file of telcos, checked. */
export interface Settings {
  /** Each name once. */
  readonly telcos: ReadonlyArray<Telco>
  /** In the order in which they are tried. */
  readonly routes: ReadonlyArray<Routing.Route>
}
