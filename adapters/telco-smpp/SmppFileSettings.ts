/**
 * The settings of an SMSC in the settings file of telcos.
 */
import { Schema, Struct } from "effect"
import { Fields } from "../fields/index.ts"
import { FileSettings } from "../telco-calls/index.ts"
import * as Smpp from "./Smpp.ts"

const url = { message: Smpp.URL_FORM }

/** A message has several segments, each with an answer of its own. */
const schema = ({ secret }: FileSettings.Secrets) =>
  Schema.Struct({
    kind: Schema.Literal("smpp"),
    /** `smpp://` or `smpps://`, with the system id. */
    url: Schema.String.annotate(url).check(Schema.makeFilter((text) => Smpp.accountOf(text) !== undefined, url)),
    /** In the bind, and in no error or log. */
    password: secret,
    /**
     * The root that the SMSC's certificate comes from, for smpps. Absent: those that Node knows.
     */
    ca: Schema.optionalKey(secret),
    /** Absent: the SMSC asks for none. */
    system_type: Schema.optionalKey(Schema.String),
    /** What the SMSC takes data coding 0 for; `gsm` if absent. */
    alphabet: Schema.optionalKey(
      Schema.Literals(["gsm", "latin1", "ascii"]).annotate({ message: "must be gsm, latin1 or ascii" })
    ),
    /** The sender's type of number and numbering plan; by its form if absent. */
    source: Schema.optionalKey(
      Schema.Struct({
        ton: Schema.optionalKey(Fields.integer(0, 6)),
        npi: Schema.optionalKey(Fields.integer(0, 18))
      }).annotate({ message: "must be an object with ton and npi" })
    ),
    /** What SIMs are addressed by. Absent: their phone number if they have one, else their IMSI. */
    address: Schema.optionalKey(Schema.Literals(["msisdn", "imsi"]).annotate({ message: "must be msisdn or imsi" })),
    /** Absent: no limit. */
    messages_per_second: Schema.optionalKey(Fields.integer(1, 10_000)),
    ...FileSettings.common(Smpp.defaults.answerMillis)
  })

const NAMES = {
  ...FileSettings.NAMES,
  system_type: "systemType",
  messages_per_second: "messagesPerSecond"
} as const

/** An SMSC. */
export const kind = FileSettings.kind(["sms"], schema, (of) => Struct.renameKeys(of, NAMES))
