/** Printed from the views by `npm run print`: what hosts see and send. */
import type { Label } from "../Label.ts"

/** How far a comparison of all SIMs with what a telco has is. */
export interface TelcoComparison {
  /** The telco's name in the settings file. */
  readonly telco: string
  /** When it was asked for; null: never. */
  readonly requestedAt: Date | null
  /** How many SIMs were compared since. */
  readonly compared: number
  /** Of how many SIMs the telco has not answered. */
  readonly unanswered: number
  /** When it ended; null: it is under way, or was never asked for. */
  readonly doneAt: Date | null
}

/** Which location zone of a telco a coverage profile is. */
export interface TelcoZone {
  /** The network supply tier of the SIM and of the plans that it can carry. */
  readonly label: Label
  /** The coverage profile's id. */
  readonly coverageId: string
  /** The number of the telco's location zone. */
  readonly zoneId: number
}

/** Names a telco of the settings file. */
export interface OfTelco {
  /** The telco's name in the settings file. */
  readonly telco: string
}

/** Which location zone of a telco a coverage profile is to be, for plans of the label. */
export interface SetTelcoZone extends OfTelco {
  /** The network supply tier of the SIM and of the plans that it can carry. */
  readonly label: Label
  /** The coverage profile's id. */
  readonly coverageId: string
  /** The number of the telco's location zone. */
  readonly zoneId: number
}
