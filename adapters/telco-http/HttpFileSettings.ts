/**
 * The settings of a bridge in the settings file of telcos.
 */
import { Schema, Struct } from "effect"
import { FileSettings } from "../telco-calls/index.ts"

const schema = ({ secret, token }: FileSettings.Secrets) =>
  Schema.Struct({
    kind: Schema.Literal("http"),
    /** What the contract's paths are appended to. */
    url: FileSettings.WebUrl,
    /** Sent as `Authorization: Bearer`. */
    key: secret,
    /** Whether the bridge has the call that pauses SIMs (rule S7). */
    pauses: Schema.optionalKey(Schema.Boolean.annotate({ message: "must be true or false" })),
    /**
     * Its token opens `/telco/v1/events` for SIMs that are routed to it. Absent: it has that of the
     * service's settings.
     */
    reports: Schema.optionalKey(Schema.Struct({ token: token }).annotate({ message: "must be an object with token" })),
    ...FileSettings.common()
  })

/** A bridge. */
export const kind = FileSettings.kind(["packages", "sms", "profiles"], schema, ({ reports, ...of }) => ({
  ...Struct.renameKeys(of, FileSettings.NAMES),
  reportsToken: reports?.token ?? null
}))
