/**
 * The storage port's reads of SIMs with all that hangs on them, and of subscriptions.
 */
import type { WithPackages } from "../../domain/Attachment.ts"
import type { ForOccurrence, ForReports, PackagesForReports, SimAggregate } from "../../domain/SimAggregate.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { SubscriptionWithSim } from "../../domain/Subscription.ts"
import type { Instant } from "../../domain/Time.ts"
import type { Filter } from "../../domain/SimSearch.ts"
import type { CreatedCursor, Filtered, FilteredKeyset, OfOrganization, Page, Read } from "./Read.ts"

/** The reports to be decided: each ICCID is named once. */
export interface ReportQuery {
  /** Each with what the reports about it need. */
  readonly iccids: ReadonlyArray<
    PackagesForReports & { readonly iccid: string; readonly reportIds: ReadonlyArray<string> }
  >
  /** Report ids that were received before this instant count as unseen. */
  readonly seenSince: Instant
  /** No report id was received at this instant or later, so that none of then has to be found; any may be where it is absent. */
  readonly seenUntil?: Instant
}

/** What the reports about one ICCID need to be decided. */
export interface Reported {
  /** As reports read and change it. */
  readonly aggregate: ForReports
  /** Which of the asked report ids the SIM's organization has seen. */
  readonly seen: ReadonlyArray<string>
}

/** Each of them can be read, however large its subscription is by `Subscription.sizeOf` (rule W9). */
export interface SimAggregates {
  /** Null: the organization has no such SIM. */
  readonly get: (of: OfOrganization & { readonly iccid: string }) => Read<SimAggregate | null>
  /**
   * `SimAggregate.forAttachment`: without the other attachments, which may be many. Null: the organization has no such SIM.
   */
  readonly forAttachment: (
    of: OfOrganization & { readonly iccid: string; readonly attachmentId: string }
  ) => Read<SimAggregate | null>
  /** `SimAggregate.forOccurrence`; null where the attachment is not there, or its subscription is deleted. */
  readonly forOccurrence: (
    of: OfOrganization & { readonly iccid: string; readonly attachmentId: string; readonly occurrence: number }
  ) => Read<ForOccurrence | null>
  /** `SimAggregate.forReports` of these ICCIDs, of any organization and in any order; unknown ICCIDs are left out. */
  readonly forReports: (query: ReportQuery) => Read<ReadonlyArray<Reported>>
  /** Whose SIM an ICCID is, of whichever organization, and its label; neither ever changes. Null where it is unknown. */
  readonly owner: (iccid: string) => Read<Pick<Sim, "organizationId" | "label"> | null>
}

/** What is attached to a live subscription. */
export interface LiveAttachments {
  /** Since when the subscription is paused (rule S7); null: it is not. */
  readonly pausedAt: Instant | null
  /** Oldest first, unconfirmed ones included. */
  readonly attachments: ReadonlyArray<WithPackages>
}

/** Reads of subscriptions. A commit writes them. */
export interface Subscriptions {
  /** The live subscription of a SIM; null where it has none, or a pending one. */
  readonly get: (of: OfOrganization & { readonly iccid: string }) => Read<SubscriptionWithSim | null>
  /** Live ones, by creation and id, ascending. */
  readonly page: (query: Page<CreatedCursor>) => Read<ReadonlyArray<SubscriptionWithSim>>
  /** Those of `SimSearch.isSubscriptionAsked` (rule L1), in the same order, and read as `Sims.find` does. */
  readonly find: (query: OfOrganization & FilteredKeyset & Filter) => Read<Filtered<SubscriptionWithSim>>
  /**
   * The attachments of a SIM's live subscription; null where it has no live subscription. `id`: those alone that have it as
   * their own id, or as that of their plan.
   */
  readonly attachments: (
    of: OfOrganization & { readonly iccid: string; readonly id?: string | undefined }
  ) => Read<LiveAttachments | null>
}
