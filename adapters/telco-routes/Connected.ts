/**
 * One telco of the settings file, connected: what the port asks of it, what an operator may ask about it, and the error
 * where it cannot be connected.
 */
import { Data, type Effect, type Redacted } from "effect"
import type { Catalogues, Organizations, Problems, Refusal, Reports, Sims } from "simplan"
import type { Label, Storage, Telco } from "simplan/ports"
import type * as Shape from "./file/Shape.ts"

/** A telco cannot be used as the settings say. */
export class CannotConnect extends Data.TaggedError("TelcoRoutes.CannotConnect")<{
  /** A line for each thing that is wrong; no secret. */
  readonly message: string
}> {}

/** What of the service a telco reports to. */
export type Informed = Reports.Reports | Catalogues.Catalogues | Problems.Problems

/** What of the service a telco's background needs: its SIMs in stock are compared too. */
export type Services = Informed | Organizations.Organizations | Sims.Sims

/** What came of trying one thing of a telco. */
export interface Finding {
  /** What was tried, such as `packages` or `location zones`. */
  readonly what: string
  /** False: the operator has to see to it. */
  readonly works: boolean
  /** A sentence; it has no secret. */
  readonly message: string
}

/** A location zone of a coverage profile, of a label. */
export interface Zone {
  /** The label of the SIMs that the profile is for. */
  readonly label: Label.Label
  /** The id of the custom region. */
  readonly coverageId: string
  /** The telco's own number of the zone. */
  readonly zoneId: number
}

/** The zones of custom regions, which are set while the service runs. */
export interface Zones {
  /**
   * Refuses a zone that the telco says it has not. Where it cannot be asked, the zone is set. `record` writes what else
   * belongs to the change: both are written or none, where the journal is in the storage's database or in memory.
   */
  readonly set: (
    zone: Zone,
    record: Effect.Effect<void, Storage.StorageError>
  ) => Effect.Effect<void, Storage.StorageError | Refusal.InvalidField>
  /** By label and coverage id. */
  readonly list: Effect.Effect<ReadonlyArray<Zone>, Storage.StorageError>
}

/** What a telco notifies by itself, over HTTP. */
export interface Notifications {
  /** Who sends a notification has to know it. */
  readonly secret: Redacted.Redacted
  /** The answer to a body that is JSON. One that is no notification is refused, if the telco expects that. */
  readonly take: (body: unknown) => Effect.Effect<Answer, Refusal.InvalidField | Storage.StorageError, Informed>
}

/** The answer to a notification; a body that is null is empty. */
export interface Answer {
  /** The status of HTTP. */
  readonly status: number
  /** Sent as JSON; null: no body. */
  readonly body: unknown
}

/** What a telco needs to be done beside calls. */
export interface Background {
  /** Does it until it is interrupted. */
  readonly forever: Effect.Effect<never, never, Services>
  /** Does a bounded share of what is due now. */
  readonly drain: Effect.Effect<void, never, Services>
}

/** A telco under the name that the settings give it. */
export interface Connected {
  /** What routes, metrics and the journal call it by. */
  readonly name: string
  /** The adapter that reaches it, such as `ocs`. */
  readonly kind: Shape.Kind
  /** Refuses what the kind cannot do. */
  readonly telco: Telco.Telco["Service"]
  /** Refuses terms for which the telco has no settings. */
  readonly checkTerms: Telco.TelcoTerms["check"]
  /** Null: it has no location zones. */
  readonly zones: Zones | null
  /** Null: it sends no notifications. */
  readonly notifications: Notifications | null
  /**
   * Asks for the IMSI of a SIM of which the inventory has none, by which an SMSC may find it. The answer is null where
   * the telco does not know it. Null: the telco knows no IMSIs.
   */
  readonly imsiOf: ((iccid: string) => Effect.Effect<string | null, Telco.Refused | Telco.Unavailable>) | null
  /** Calls it in ways that change nothing. */
  readonly check: Effect.Effect<ReadonlyArray<Finding>>
  /** What the settings name and the telco does not have, a sentence each. Fails where the telco cannot be asked. */
  readonly missing: Effect.Effect<ReadonlyArray<string>, Telco.Unavailable>
  /** Null: it needs nothing to be done. */
  readonly background: Background | null
}
