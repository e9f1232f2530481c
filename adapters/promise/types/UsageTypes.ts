/**
 * What was used, by day and country (rule U1).
 */
import type { CallOptions, List } from "./Calls.ts"
import type { OfOrganization } from "./printed/Organizations.ts"
import type { OfSim } from "./SimsTypes.ts"

/** UTC days, at most 400; the last 30 unless they are named. */
export interface UsageDays {
  /** The first day, such as `2026-11-01`; 30 days up to `to` if it is absent. */
  readonly from?: string | undefined
  /** The last day, which is included; today if it is absent. */
  readonly to?: string | undefined
}

/** What a SIM used, by what was asked for; the other fields are absent. */
export interface SimUsage {
  /** The UTC day, such as `2026-11-30`; null for what was used before usage was kept by day. */
  readonly day?: string | null
  /** The country by ISO 3166-1 alpha-2 code; null if it is not known. */
  readonly countryIso2?: string | null
  /** The attachment, perhaps of a former subscription. */
  readonly attachmentId?: string
  /** In bytes. */
  readonly usedBytes: number
}

/** What an organization used, by what was asked for; the other fields are absent. */
export interface OrganizationUsage {
  /** The UTC day, such as `2026-11-30`. */
  readonly day?: string
  /** The UTC month, such as `2026-11`. */
  readonly month?: string
  /** The country by ISO 3166-1 alpha-2 code; null if it is not known. */
  readonly countryIso2?: string | null
  /** The plan. */
  readonly planId?: string
  /** The label of SIMs. */
  readonly label?: string
  /** The SIM. */
  readonly iccid?: string
  /** In bytes. */
  readonly usedBytes: number
}

/** What an organization's usage is listed by. */
export type OrganizationUsageGroup = "day" | "month" | "country" | "plan" | "label" | "sim"

/** What was used, by day and country (rule U1). */
export interface Usage {
  /**
   * A SIM's usage, by day unless `by` says otherwise, former subscriptions included. Errors:
   * `InvalidFieldError`, `NotFoundError` if the organization has no such SIM.
   */
  readonly ofSim: (
    of: OfSim & UsageDays & { readonly by?: ReadonlyArray<"day" | "country" | "attachment"> | undefined },
    options?: CallOptions
  ) => List<SimUsage>
  /**
   * An organization's usage, by day unless `by` says otherwise: one thing, or several apart from
   * `sim`, of which a day or a month is one. Errors: `InvalidFieldError`.
   */
  readonly ofOrganization: (
    of: OfOrganization &
      UsageDays & { readonly by?: OrganizationUsageGroup | ReadonlyArray<OrganizationUsageGroup> | undefined },
    options?: CallOptions
  ) => List<OrganizationUsage>
}
