/**
 * The storage port's reads of SIMs with all that hangs on them, of subscriptions, and of the book
 * of usage (rule U1). A commit adds to the book, and it is kept when the SIM's subscription is
 * deleted.
 */
import type { WithPackages } from "../../domain/Attachment.ts"
import type { ForOccurrence, ForReports, PackagesForReports, SimAggregate } from "../../domain/SimAggregate.ts"
import type { Sim } from "../../domain/Sim.ts"
import type { SubscriptionWithSim } from "../../domain/Subscription.ts"
import type { Instant } from "../../domain/Time.ts"
import type { SubscriptionFilter } from "../../domain/SimSearch.ts"
import type { CreatedCursor, Filtered, FilteredKeyset, OfOrganization, Page, Read } from "./Read.ts"
import type { Booking, Days, SimEntry, Total, TotalGroup } from "../../domain/UsageBook.ts"

/** Reads of the book of usage. */
export interface UsageBooks {
  /**
   * A SIM's entries of these days, and those from before the book, in the order of
   * `UsageBook.compare`: after an entry, up to `limit`. None if there is no such SIM.
   */
  readonly entries: (
    query: OfOrganization &
      Days & {
        readonly iccid: string
        readonly after: Omit<SimEntry, "bytes"> | null
        readonly limit: number
      }
  ) => Read<ReadonlyArray<SimEntry>>
  /**
   * A SIM's entries that have a day, in the opposite of that order: before an entry, up to `limit`.
   */
  readonly latest: (
    query: OfOrganization & {
      readonly iccid: string
      readonly before: Omit<SimEntry, "bytes"> | null
      readonly limit: number
    }
  ) => Read<ReadonlyArray<SimEntry>>
  /**
   * What the usage of these attachments is booked under, whichever SIM they have moved to
   * (rule S8), in any order. Those that are not there, or whose subscription is deleted, are left
   * out. It is asked seldom, and may read all SIMs.
   */
  readonly bookings: (
    of: OfOrganization & { readonly attachmentIds: ReadonlyArray<string> }
  ) => Read<ReadonlyArray<Booking>>
  /**
   * What an organization used on these days, summed by at least one group (`UsageBook.totals`) and
   * in the order of `UsageBook.compareTotals`: after a total of the same groups, up to `limit`.
   * Day and month are never asked for together. It costs as little with many SIMs as with few.
   */
  readonly totals: (
    query: OfOrganization &
      Days & { readonly by: ReadonlyArray<TotalGroup>; readonly after: Total | null; readonly limit: number }
  ) => Read<ReadonlyArray<Total>>
  /** What each SIM used on these days, by ICCID, ascending: after an ICCID, up to `limit`. */
  readonly sims: (
    query: OfOrganization & Days & { readonly after: string | null; readonly limit: number }
  ) => Read<ReadonlyArray<{ readonly iccid: string; readonly bytes: number }>>
}

/** The reports to be decided: each ICCID is named once. */
export interface ReportQuery {
  /** Each with what the reports about it need. */
  readonly iccids: ReadonlyArray<
    PackagesForReports & { readonly iccid: string; readonly reportIds: ReadonlyArray<string> }
  >
  /** Report ids that were received before this instant count as unseen. */
  readonly seenSince: Instant
  /**
   * No report id was received at this instant or later, so that none of then has to be found; any
   * may be if it is absent.
   */
  readonly seenUntil?: Instant
}

/** What the reports about one ICCID need to be decided. */
export interface Reported {
  /** As reports read and change it. */
  readonly aggregate: ForReports
  /** Which of the asked report ids the SIM's organization has seen. */
  readonly seen: ReadonlyArray<string>
}

/**
 * Each of them can be read, however large its subscription is by `Subscription.sizeOf` (rule W9).
 */
export interface SimAggregates {
  /** Null: the organization has no such SIM. */
  readonly get: (of: OfOrganization & { readonly iccid: string }) => Read<SimAggregate | null>
  /**
   * `SimAggregate.forAttachment`: without the other attachments, which may be many. Null: the
   * organization has no such SIM.
   */
  readonly forAttachment: (
    of: OfOrganization & { readonly iccid: string; readonly attachmentId: string }
  ) => Read<SimAggregate | null>
  /**
   * `SimAggregate.forOccurrence`; null if the attachment is not there, or its subscription is
   * deleted.
   */
  readonly forOccurrence: (
    of: OfOrganization & { readonly iccid: string; readonly attachmentId: string; readonly occurrence: number }
  ) => Read<ForOccurrence | null>
  /**
   * `SimAggregate.forReports` of these ICCIDs, of any organization and in any order; unknown ICCIDs
   * are left out.
   */
  readonly forReports: (query: ReportQuery) => Read<ReadonlyArray<Reported>>
  /**
   * Whose SIM an ICCID is, of whichever organization, and its label; neither ever changes. Null
   * if it is unknown.
   */
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
  /** The live subscription of a SIM; null if it has none, or a pending one. */
  readonly get: (of: OfOrganization & { readonly iccid: string }) => Read<SubscriptionWithSim | null>
  /** Live ones, by creation and id, ascending. */
  readonly page: (query: Page<CreatedCursor>) => Read<ReadonlyArray<SubscriptionWithSim>>
  /**
   * Those of `SimSearch.isSubscriptionAsked` (rule L1), in the same order, and read as `Sims.find`
   * does.
   */
  readonly find: (query: OfOrganization & FilteredKeyset & SubscriptionFilter) => Read<Filtered<SubscriptionWithSim>>
  /**
   * The attachments of a SIM's live subscription; null if it has no live subscription. `id`:
   * those alone that have it as their own id, or as that of their plan.
   */
  readonly attachments: (
    of: OfOrganization & { readonly iccid: string; readonly id?: string | undefined }
  ) => Read<LiveAttachments | null>
}
