/**
 * What the API serves of the telcos that the service is composed of.
 */
import type { Effect, Redacted } from "effect"
import type { Catalogues, Problems, Refusal, Reports } from "simplan"
import type { Label, Storage } from "simplan/ports"

/** Which location zone of a telco a coverage profile is. */
export interface Zone {
  readonly label: Label.Label
  readonly coverageId: string
  readonly zoneId: number
}

export interface Telco {
  readonly kind: string
  /** Null: it has no location zones. */
  readonly zones: {
    /** Sets it, and runs `record` in the same commit. */
    readonly set: (
      zone: Zone,
      record: Effect.Effect<void, Storage.StorageError>
    ) => Effect.Effect<void, Storage.StorageError | Refusal.InvalidField>
    readonly list: Effect.Effect<ReadonlyArray<Zone>, Storage.StorageError>
  } | null
  /** Null: it takes no notifications. `take` answers with a status and a body, null for an empty one. */
  readonly notifications: {
    readonly secret: Redacted.Redacted
    readonly take: (
      body: unknown
    ) => Effect.Effect<
      { readonly status: number; readonly body: unknown },
      Refusal.InvalidField | Storage.StorageError,
      Reports.Reports | Catalogues.Catalogues | Problems.Problems
    >
  } | null
}
