/**
 * Plans of an organization: create, read, archive, delete (rules P1 to P3).
 */
import { Context, type Effect } from "effect"
import type { Label } from "../domain/Label.ts"
import type { Plan, TermsRequest } from "../domain/Plan.ts"
import type { InvalidField, NotFound } from "../domain/Refusal.ts"
import type { CreatedCursor, StorageError } from "../ports/Storage.ts"

interface OfPlan {
  readonly organizationId: string
  readonly planId: string
}

export class Plans extends Context.Service<
  Plans,
  {
    readonly create: (request: {
      readonly organizationId: string
      readonly terms: TermsRequest
    }) => Effect.Effect<Plan, InvalidField | NotFound | StorageError>
    readonly get: (of: OfPlan) => Effect.Effect<Plan, NotFound | StorageError>
    /** A page of plans by creation, oldest first; `countries` (ISO 2): plans that cover all of them. */
    readonly page: (of: {
      readonly organizationId: string
      readonly archived: boolean | null
      readonly label: Label | null
      readonly search: string | null
      readonly countries: ReadonlyArray<string> | null
      readonly limit: number
      readonly after: CreatedCursor | null
    }) => Effect.Effect<{ readonly items: ReadonlyArray<Plan>; readonly next: CreatedCursor | null }, StorageError>
    readonly archive: (of: OfPlan) => Effect.Effect<Plan, NotFound | StorageError>
    readonly unarchive: (of: OfPlan) => Effect.Effect<Plan, NotFound | StorageError>
    readonly remove: (of: OfPlan) => Effect.Effect<void, NotFound | StorageError>
  }
>()("simplan/Plans") {}
