/**
 * The storage port's reads of audit entries (rule W11).
 */
import type { AuditEntry, Filter } from "../../domain/AuditEntry.ts"
import type { CreatedCursor, Page, Read } from "./Read.ts"

export interface AuditQuery extends Page<CreatedCursor>, Filter {}

export interface AuditEntries {
  /** Those of `AuditEntry.isAsked`, by creation and id, descending: newest first. */
  readonly page: (query: AuditQuery) => Read<ReadonlyArray<AuditEntry>>
}
