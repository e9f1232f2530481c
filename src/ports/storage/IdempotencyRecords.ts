/**
 * The storage port's reads of idempotency records.
 */
import type { IdempotencyRecord } from "../../domain/Idempotency.ts"
import type { OfOrganization, Read } from "./Read.ts"

export interface IdempotencyRecords {
  readonly get: (of: OfOrganization & { readonly key: string }) => Read<IdempotencyRecord | null>
}
