/**
 * The storage port's reads of SIMs with all that hangs on them, and of subscriptions.
 */
import type { WithPackages } from "../../domain/Attachment.ts"
import type { Present } from "../../domain/Occurrence.ts"
import type { ReportedLine } from "../../domain/ReportedLine.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { SubscriptionWithSim } from "../../domain/Subscription.ts"
import type { Instant } from "../../domain/Time.ts"
import type { CreatedCursor, OfOrganization, Page, Read } from "./Read.ts"

/** The reports to be decided: each ICCID is named once. */
export interface ReportQuery {
  readonly iccids: ReadonlyArray<{
    readonly iccid: string
    /** Packages that expired at or before this instant are left out, unless they are named. */
    readonly since: Instant
    /** Our ids of packages, or the telco's. */
    readonly packageIds: ReadonlyArray<string>
    readonly reportIds: ReadonlyArray<string>
  }>
  /** Report ids that were received before this instant count as unseen. */
  readonly seenSince: Instant
}

/** What the reports about one ICCID need to be decided. */
export interface Reported {
  readonly line: ReportedLine
  /** Which of the asked report ids the SIM's organization has seen. */
  readonly seen: ReadonlyArray<string>
}

export interface SimAggregates {
  readonly get: (of: OfOrganization & { readonly iccid: string }) => Read<SimAggregate | null>
  /** The occurrence of an attachment of this ICCID; null where there is none, or its subscription is deleted. */
  readonly forOccurrence: (
    of: OfOrganization & { readonly iccid: string; readonly attachmentId: string; readonly occurrence: number }
  ) => Read<Present | null>
  /**
   * What the reports about these ICCIDs can change, of any organization and in any order; unknown ICCIDs are left out.
   * For a SIM in service: the confirmed attachments of its subscription, oldest first, each with its `Created` packages
   * that have no expiry, expire after `since`, or are named.
   */
  readonly forReports: (query: ReportQuery) => Read<ReadonlyArray<Reported>>
}

export interface Subscriptions {
  /** The live subscription of a SIM; null where it has none, or a pending one. */
  readonly get: (of: OfOrganization & { readonly iccid: string }) => Read<SubscriptionWithSim | null>
  /** Live ones, by creation and id, ascending. */
  readonly page: (query: Page<CreatedCursor>) => Read<ReadonlyArray<SubscriptionWithSim>>
  /**
   * The attachments of a SIM's live subscription, oldest first, unconfirmed ones included; null where it has no live
   * subscription.
   */
  readonly attachments: (of: OfOrganization & { readonly iccid: string }) => Read<ReadonlyArray<WithPackages> | null>
}
