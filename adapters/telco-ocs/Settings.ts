/**
 * What the operator says about one online charging system.
 */
import { Context, Duration, Effect, Layer } from "effect"
import type { SimIdentities } from "simplan/ports"

/** The account on one OCS, and what its numbers stand for. */
export interface Options {
  /** The telco's name in the settings. The journal's entries of this system are under it. */
  readonly telco: string
  /** Whose templates and location zones are used. */
  readonly resellerId: number
  /** The location zones of coverage profiles: by label, then by region code. */
  readonly zones: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The mobile plan that the wallet applies; null: the system has none for it. */
  readonly mobilePlanId: number | null
  /** For how long a call without an answer may still take effect; 15 minutes unless given. */
  readonly watch?: Duration.Input
  /** How much lists of packages are behind at most; 10 seconds unless given. */
  readonly listLag?: Duration.Input
  /** The IANA name of the zone in which the OCS reads the periods of orders; UTC unless given. */
  readonly timeZone?: string
  /**
   * What the inventory knows of a SIM, which then need not be asked for. Absent or null: nothing.
   */
  readonly identitiesOf?: (iccid: string) => Effect.Effect<SimIdentities.SimIdentities | null>
}

/** The options with their defaults; spans in milliseconds. */
export interface Resolved extends Required<Omit<Options, "watch" | "listLag">> {
  /** For how long a call without an answer may still take effect. */
  readonly watch: number
  /** How much lists of packages are behind at most. */
  readonly listLag: number
}

/** The options of one OCS, as the parts of the adapter read them. */
export class Settings extends Context.Service<Settings, Resolved>()("simplan/TelcoOcs/Settings") {}

const millis = (span: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(span))

/** The settings of these options. */
export const layer = ({
  identitiesOf = () => Effect.succeed(null),
  listLag = "10 seconds",
  timeZone = "UTC",
  watch = "15 minutes",
  ...options
}: Options): Layer.Layer<Settings> =>
  Layer.succeed(Settings, {
    ...options,
    identitiesOf,
    timeZone,
    watch: millis(watch),
    listLag: millis(listLag)
  })
