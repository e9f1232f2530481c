/**
 * Custom regions: an organization's own coverage profiles (rule I4).
 */
import type { Label } from "./Label.ts"
import type { Instant } from "./Time.ts"

/** A custom region profile: immutable, never deleted. */
export interface Region {
  readonly organizationId: string
  readonly coverageId: string
  readonly regionCode: string
  /** Trimmed; unique in the organization. */
  readonly regionName: string
  readonly label: Label
  readonly iso2List: ReadonlyArray<string>
  readonly createdAt: Instant
}
