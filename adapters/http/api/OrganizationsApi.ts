/**
 * The management API's organizations, their API keys, and the audit log of what was changed in
 * each.
 */
import { AuditLogOperations, OrganizationsOperations } from "../../operations/index.ts"
import * as Schemas from "./Schemas.ts"
import * as Rows from "./Rows.ts"

export class OrganizationsApi extends Rows.group("organizations", OrganizationsOperations.rows)
  .annotateMerge(
    Schemas.group("Management: organizations", "Tenants and their API keys, for the operator of the service.")
  )
  .prefix("/admin/v1") {}

export class AuditApi extends Rows.group("audit", AuditLogOperations.auditLog)
  .annotateMerge(Schemas.group("Management: audit", "Who changed what."))
  .prefix("/admin/v1") {}
