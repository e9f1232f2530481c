/**
 * The storage port's reads of audit entries (rule W11).
 */
import type { AuditEntry, Filter } from "../../domain/AuditEntry.ts"
import type { Filtered, FilteredKeyset, OfOrganization, Read } from "./Read.ts"

/** A page of an organization's entries, newest first, as far as the filter takes them. */
export interface AuditQuery extends FilteredKeyset, OfOrganization, Filter {}

/** Reads of the audit log. A commit writes it. */
export interface AuditEntries {
  /** Those of `AuditEntry.isAsked`, by creation and id, descending: newest first. */
  readonly page: (query: AuditQuery) => Read<Filtered<AuditEntry>>
}
