/**
 * The settings of an SM-DP+ in the settings file of telcos.
 */
import { Schema, Struct } from "effect"
import { Fields } from "../fields/index.ts"
import { FileSettings } from "../telco-calls/index.ts"

const schema = ({ notificationSecret, secret }: FileSettings.Secrets) =>
  Schema.Struct({
    kind: Schema.Literal("es2plus"),
    /** What the functions' names are appended to. */
    url: FileSettings.WebUrl,
    /** The client's key in PEM; absent if a proxy adds it. */
    key: Schema.optionalKey(secret),
    /** In PEM; it goes with the key. */
    certificate: Schema.optionalKey(secret),
    /** The root that the SM-DP+'s certificate comes from. Absent: those that Node knows. */
    ca: Schema.optionalKey(secret),
    /** The `functionRequesterIdentifier` of calls. Absent: the adapter's own. */
    requester: Schema.optionalKey(Fields.NonEmpty),
    /** The version of SGP.22 that calls name. Absent: the adapter's own. */
    version: Schema.optionalKey(Fields.NonEmpty),
    /** False, but not if absent: `releaseProfile` is called after `confirmOrder`. */
    confirm_releases: Schema.optionalKey(Schema.Boolean),
    /**
     * Changes to the adapter's table: the state that `/v3` shows for each notification point or
     * event; null for none.
     */
    states: FileSettings.orElse(Schema.Record(Schema.String, Schema.NullOr(Fields.SmdpState)), {}),
    /** Absent: it takes no notifications. */
    notifications: Schema.optionalKey(
      Schema.Struct({ secret: notificationSecret }).annotate({ message: "must be an object with secret" })
    ),
    /** The IANA name of the zone of times in notifications that have none. */
    time_zone: FileSettings.orElse(FileSettings.TimeZone, "UTC"),
    ...FileSettings.common()
  }).check(
    Schema.makeFilter(({ certificate, key }) => (key === undefined) === (certificate === undefined), {
      message: "must have both key and certificate, or none of them"
    })
  )

const NAMES = { ...FileSettings.NAMES, time_zone: "timeZone", confirm_releases: "confirmReleases" } as const

/** An SM-DP+. */
export const kind = FileSettings.kind(["profiles"], schema, ({ notifications, ...of }) => ({
  ...Struct.renameKeys(of, NAMES),
  notificationSecret: notifications?.secret ?? null
}))
