/**
 * Organizations: the tenants. Everything else belongs to exactly one.
 */
import type { Instant } from "./Time.ts"

export interface Organization {
  readonly organizationId: string
  readonly name: string
  readonly createdAt: Instant
}
