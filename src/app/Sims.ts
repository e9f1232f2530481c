/**
 * The SIM inventory of an organization: import, lists, SM-DP+ history (rules I1 and I2).
 */
import { Context, type Effect, type Stream } from "effect"
import type { NotFound } from "../domain/Refusal.ts"
import type { Sim } from "../domain/Sim.ts"
import type { CurrentStatus, Entry } from "../domain/SmdpHistory.ts"
import type { Row } from "../domain/SimImport.ts"
import type { StorageError } from "../ports/Storage.ts"

/** What to say of a row; `row` counts from 1, the header of a file not included. */
export interface RowMessage {
  readonly row: number
  readonly iccid: string
  readonly message: string
}

export interface ImportReport {
  readonly imported: number
  /** Rows whose ICCID the organization had already, or that stood earlier in the same import. */
  readonly duplicates: number
  readonly errors: ReadonlyArray<RowMessage>
  readonly warnings: ReadonlyArray<RowMessage>
}

export class Sims extends Context.Service<
  Sims,
  {
    /** By order of import; the cursor is a serial. */
    readonly page: (of: {
      readonly organizationId: string
      readonly isEsim: boolean | null
      readonly label: string | null
      readonly limit: number
      readonly after: number | null
    }) => Effect.Effect<{ readonly items: ReadonlyArray<Sim>; readonly next: number | null }, StorageError>
    readonly get: (of: {
      readonly organizationId: string
      readonly iccid: string
    }) => Effect.Effect<Sim, NotFound | StorageError>
    /** The history of an eSIM's profile; a physical SIM is `NotFound`. */
    readonly smdpInfo: (of: {
      readonly organizationId: string
      readonly iccid: string
    }) => Effect.Effect<
      { readonly history: ReadonlyArray<Entry>; readonly current: CurrentStatus | null },
      NotFound | StorageError
    >
    /** Imports row by row; a bad row stops no other, and memory does not grow with the good ones. */
    readonly importRows: <E>(request: {
      readonly organizationId: string
      readonly rows: Stream.Stream<Row, E>
    }) => Effect.Effect<ImportReport, E | NotFound | StorageError>
  }
>()("simplan/Sims") {}
