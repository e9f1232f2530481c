/**
 * Mobile network operators of the catalogue (rule I5).
 */
import { Context, type Effect } from "effect"
import type { Country, Operator } from "../domain/Catalogue.ts"
import type { NotFound } from "../domain/Refusal.ts"
import type { StorageError } from "../ports/Storage.ts"

export interface OperatorWithCountry {
  readonly operator: Operator
  readonly country: Country
}

export class Operators extends Context.Service<
  Operators,
  {
    /** `label` and `country` (ISO 2, any case) narrow the list; an unknown one leaves it empty. */
    readonly list: (of: {
      readonly organizationId: string
      readonly label: string | null
      readonly country: string | null
    }) => Effect.Effect<ReadonlyArray<OperatorWithCountry>, StorageError>
    readonly get: (of: {
      readonly organizationId: string
      readonly operatorId: string
    }) => Effect.Effect<OperatorWithCountry, NotFound | StorageError>
  }
>()("simplan/Operators") {}
