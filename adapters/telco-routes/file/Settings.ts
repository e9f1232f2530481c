/**
 * The settings of telcos as the program uses them: names in camel case, spans in milliseconds, defaults filled in, secrets
 * read.
 */
import type { Redacted } from "effect"
import type { Label, SmdpHistory } from "simplan/ports"
import type * as Shape from "./Shape.ts"

interface Common {
  /** The telco's name in the file. */
  readonly name: string
  /** How long one call may take. */
  readonly timeoutMillis: number
  /** How many calls are under way at once at most. */
  readonly callsAtOnce: number
}

/** An online charging system: `simplan/telco-ocs`. */
export interface Ocs extends Common {
  /** `ocs` in the file. */
  readonly kind: "ocs"
  /** Of version 1 of its API, without a slash at its end. */
  readonly url: string
  /** Of version 2, which lists packages. */
  readonly urlV2: string
  /** In every call, and in no error or log. */
  readonly token: Redacted.Redacted
  /** Whose templates and zones are used. */
  readonly resellerId: number
  /** Location zones by label and region code. */
  readonly zones: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** What the wallet applies. Null: requests for it are refused. */
  readonly mobilePlanId: number | null
  /** The IANA name of the zone in which it reads the periods of orders. */
  readonly timeZone: string
  /** Null: it takes no notifications. */
  readonly notificationSecret: Redacted.Redacted | null
  /** The percentages of usage that it notifies; none without notifications. */
  readonly notifiedThresholds: ReadonlyArray<number>
  /** At most, over all that this process asks of it. */
  readonly callsPerSecond: number
  /** For how long a request without an answer may still take effect. */
  readonly watchMillis: number
  /** How soon and how late a SIM is polled again. */
  readonly poll: { readonly fastestMillis: number; readonly slowestMillis: number }
}

/** An SM-DP+: `simplan/telco-es2plus`. */
export interface Es2plus extends Common {
  /** `es2plus` in the file. */
  readonly kind: "es2plus"
  /** What the functions' names are appended to. */
  readonly url: string
  /** The client's key and certificate in PEM; null where a proxy adds them. */
  readonly key: Redacted.Redacted | null
  /** In PEM; null where a proxy adds it. */
  readonly certificate: Redacted.Redacted | null
  /** Null: those that Node knows. */
  readonly ca: Redacted.Redacted | null
  /** Null: the adapter's own. */
  readonly requester: string | null
  /** Of SGP.22. Null: the adapter's own. */
  readonly version: string | null
  /** False: `releaseProfile` is called after `confirmOrder`. */
  readonly confirmReleases: boolean
  /** Changes to the adapter's table. */
  readonly states: Readonly<Record<string, SmdpHistory.State | null>>
  /** The IANA name of the zone of times in notifications that have none. */
  readonly timeZone: string
  /** Null: it takes no notifications. */
  readonly notificationSecret: Redacted.Redacted | null
}

/** An SMSC: `simplan/telco-smpp`. */
export interface Smpp extends Common {
  /** `smpp` in the file. */
  readonly kind: "smpp"
  /** `smpp://` or `smpps://`, with the system id. */
  readonly url: string
  /** In the bind, and in no error or log. */
  readonly password: Redacted.Redacted
  /** Null: those that Node knows. */
  readonly ca: Redacted.Redacted | null
  /** Empty: the SMSC asks for none. */
  readonly systemType: string
  /** What it takes data coding 0 for. */
  readonly alphabet: "gsm" | "latin1" | "ascii"
  /** The sender's type of number and numbering plan; by its form where absent. */
  readonly source: { readonly ton?: number; readonly npi?: number }
  /** What SIMs are addressed by. Null: their phone number if they have one, else their IMSI. */
  readonly address: "msisdn" | "imsi" | null
  /** Null: no limit. */
  readonly messagesPerSecond: number | null
}

/** The simulated telco: `simplan/telco-simulator`. */
export interface Simulator extends Common {
  /** `simulator` in the file. */
  readonly kind: "simulator"
}

/** A bridge: `simplan/telco-http`. */
export interface Http extends Common {
  /** `http` in the file. */
  readonly kind: "http"
  /** What the contract's paths are appended to. */
  readonly url: string
  /** Sent as `Authorization: Bearer`. */
  readonly key: Redacted.Redacted
}

/** One telco of the file, by its kind. */
export type Telco = Ocs | Es2plus | Smpp | Simulator | Http

/** A route; null fits every label, or every organization. */
export interface Route {
  /** Null: any. */
  readonly label: Label.Label | null
  /** Null: any. */
  readonly organizationId: string | null
  /** The names of the telcos by what they are asked for. */
  readonly telcos: Readonly<Record<Shape.Capability, string>>
}

/** A file of telcos, checked. */
export interface Settings {
  /** Each name once. */
  readonly telcos: ReadonlyArray<Telco>
  /** In the order in which they are tried. */
  readonly routes: ReadonlyArray<Route>
}
