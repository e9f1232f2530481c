/**
 * The settings of an online charging system in the settings file of telcos.
 */
import { Effect, Schema, Struct } from "effect"
import { Label } from "simplan/ports"
import { Fields } from "../fields/index.ts"
import { FileSettings } from "../telco-calls/index.ts"

const Id = Fields.integer(1, Number.MAX_SAFE_INTEGER)

const Zones = Schema.Record(Schema.String, Schema.Record(Schema.String, Id)).check(
  Schema.makeFilter((zones) => Object.keys(zones).every(Label.isLabel), {
    message: `must have zones by label and region code; the labels are ${Label.labels.join(", ")}`
  })
)

const schema = ({ notificationSecret, secret }: FileSettings.Secrets) =>
  Schema.Struct({
    kind: Schema.Literal("ocs"),
    /** Of version 1 of its API. */
    url: FileSettings.WebUrl,
    /** Of version 2, which lists packages; the same with `/v2` at its end by default. */
    url_v2: Schema.optionalKey(FileSettings.WebUrl),
    /**
     * Of its book of usage; the same with `/as/v1` in place of `/main/v1` by default. Null: none is
     * asked for.
     */
    url_usage: Schema.optionalKey(Schema.NullOr(FileSettings.WebUrl)),
    /** In every call, and in no error or log. */
    token: secret,
    /** Whose templates and zones are used. */
    reseller_id: Id,
    /** Location zones by label and region code. */
    zones: FileSettings.orElse(Zones, {}),
    /** What the wallet applies. Null: requests for it are refused. */
    mobile_plan_id: FileSettings.orElse(Schema.NullOr(Id), null),
    /** Absent: it takes no notifications. */
    notifications: Schema.optionalKey(
      Schema.Struct({
        secret: notificationSecret,
        /** The percentages of usage that it is set to notify. */
        thresholds: FileSettings.orElse(Schema.Array(Fields.integer(1, 100)), [50, 80])
      }).annotate({ message: "must be an object with secret" })
    ),
    /** The IANA name of the zone in which it reads the periods of orders. */
    time_zone: FileSettings.orElse(FileSettings.TimeZone, "UTC"),
    /** At most, over all that this process asks of it. */
    calls_per_second: FileSettings.orElse(Fields.integer(1, 10_000), 20),
    ...FileSettings.common(),
    /** For how long a request without an answer may still take effect, and is settled again. */
    watch: FileSettings.orElse(FileSettings.span("1m", "1d"), 900_000),
    /** How soon and how late a SIM is polled again. */
    poll: Schema.Struct({
      fastest: FileSettings.orElse(FileSettings.span("1s", "1d"), 10_000),
      slowest: FileSettings.orElse(FileSettings.span("1s", "30d"), 21_600_000)
    })
      .annotate({ message: "must be an object with fastest and slowest" })
      .check(
        Schema.makeFilter(({ fastest, slowest }) => slowest >= fastest, {
          message: "must have a slowest that is not below its fastest"
        })
      )
      .pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))
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
  )

const MAIN = /\/main\/v1$/

/** The address of the book of usage, if the settings name none. */
const urlUsageOf = (url: string): string | null => (MAIN.test(url) ? url.replace(MAIN, "/as/v1") : null)

const NAMES = {
  ...FileSettings.NAMES,
  reseller_id: "resellerId",
  mobile_plan_id: "mobilePlanId",
  time_zone: "timeZone",
  calls_per_second: "callsPerSecond",
  watch: "watchMillis"
} as const

/** An online charging system. */
export const kind = FileSettings.kind(
  ["packages", "sms", "profiles"],
  schema,
  ({ notifications, poll, url_usage, url_v2, ...of }) => ({
    ...Struct.renameKeys(of, NAMES),
    urlV2: url_v2 ?? of.url.replace(/1$/, "2"),
    urlUsage: url_usage === undefined ? urlUsageOf(of.url) : url_usage,
    notificationSecret: notifications?.secret ?? null,
    notifiedThresholds: notifications?.thresholds ?? [],
    poll: { fastestMillis: poll.fastest, slowestMillis: poll.slowest }
  })
)
