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

export interface Ocs extends Common {
  readonly kind: "ocs"
  readonly url: string
  readonly urlV2: string
  readonly token: Redacted.Redacted
  readonly resellerId: number
  /** Location zones by label and region code. */
  readonly zones: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly mobilePlanId: number | null
  /** Null: it takes no notifications. */
  readonly notificationSecret: Redacted.Redacted | null
  /** The percentages of usage that it notifies; none without notifications. */
  readonly notifiedThresholds: ReadonlyArray<number>
  readonly callsPerSecond: number
  readonly poll: { readonly fastestMillis: number; readonly slowestMillis: number }
}

export interface Es2plus extends Common {
  readonly kind: "es2plus"
  readonly url: string
  /** The client's key and certificate in PEM; null where a proxy adds them. */
  readonly key: Redacted.Redacted | null
  readonly certificate: Redacted.Redacted | null
  /** Null: those that Node knows. */
  readonly ca: Redacted.Redacted | null
  /** Null: the adapter's own. */
  readonly requester: string | null
  readonly version: string | null
  readonly confirmReleases: boolean
  /** Changes to the adapter's table. */
  readonly states: Readonly<Record<string, SmdpHistory.State | null>>
  readonly notificationSecret: Redacted.Redacted | null
}

export interface Smpp extends Common {
  readonly kind: "smpp"
  readonly url: string
  readonly password: Redacted.Redacted
  /** Null: those that Node knows. */
  readonly ca: Redacted.Redacted | null
  readonly systemType: string
  readonly source: { readonly ton?: number; readonly npi?: number }
  /** Null: no limit. */
  readonly messagesPerSecond: number | null
}

export interface Simulator extends Common {
  readonly kind: "simulator"
}

export interface Http extends Common {
  readonly kind: "http"
  readonly url: string
  readonly key: Redacted.Redacted
}

export type Telco = Ocs | Es2plus | Smpp | Simulator | Http

/** A route; null fits every label, or every organization. */
export interface Route {
  readonly label: Label.Label | null
  readonly organizationId: string | null
  /** The names of the telcos by what they are asked for. */
  readonly telcos: Readonly<Record<Shape.Capability, string>>
}

export interface Settings {
  readonly telcos: ReadonlyArray<Telco>
  readonly routes: ReadonlyArray<Route>
}
