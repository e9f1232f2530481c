/**
 * What the operator says about one online charging system.
 */
import { Context, Duration, type Effect } from "effect"
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
  /** What the inventory knows of a SIM, which then need not be asked for. Absent or null: nothing. */
  readonly identitiesOf?: (iccid: string) => Effect.Effect<SimIdentities.SimIdentities | null>
}

/** The options of one OCS, as the parts of the adapter read them. */
export class Settings extends Context.Service<Settings, Options>()("simplan/TelcoOcs/Settings") {}

/** In milliseconds. */
export const watchOf = ({ watch = "15 minutes" }: Options): number => Duration.toMillis(Duration.fromInputUnsafe(watch))

/** In milliseconds. */
export const listLagOf = ({ listLag = "10 seconds" }: Options): number =>
  Duration.toMillis(Duration.fromInputUnsafe(listLag))

/** The zone's name. */
export const timeZoneOf = ({ timeZone = "UTC" }: Options): string => timeZone
