/**
 * The storage port's reads of the book of usage (rule U1). A commit adds to it, and it is kept when the SIM's subscription is
 * deleted.
 */
import type { Booking, Days, SimEntry, Total, TotalGroup } from "../../domain/UsageBook.ts"
import type { OfOrganization, Read } from "./Read.ts"

/** Reads of the book of usage. */
export interface UsageBooks {
  /**
   * A SIM's entries of these days, and those from before the book, in the order of `UsageBook.compare`: after an entry, up to
   * `limit`. None where there is no such SIM.
   */
  readonly entries: (
    query: OfOrganization &
      Days & {
        readonly iccid: string
        readonly after: Omit<SimEntry, "bytes"> | null
        readonly limit: number
      }
  ) => Read<ReadonlyArray<SimEntry>>
  /** A SIM's entries that have a day, in the opposite of that order: before an entry, up to `limit`. */
  readonly latest: (
    query: OfOrganization & {
      readonly iccid: string
      readonly before: Omit<SimEntry, "bytes"> | null
      readonly limit: number
    }
  ) => Read<ReadonlyArray<SimEntry>>
  /**
   * What the usage of these attachments is booked under, whichever SIM they have moved to (rule S8), in any order. Those that are
   * not there, or whose subscription is deleted, are left out. It is asked seldom, and may read all SIMs.
   */
  readonly bookings: (
    of: OfOrganization & { readonly attachmentIds: ReadonlyArray<string> }
  ) => Read<ReadonlyArray<Booking>>
  /**
   * What an organization used on these days, summed by `UsageBook.totalKey`; by key, ascending, a country that is not known
   * first. It costs as little with many SIMs as with few.
   */
  readonly totals: (query: OfOrganization & Days & { readonly by: TotalGroup }) => Read<ReadonlyArray<Total>>
  /** What each SIM used on these days, by ICCID, ascending: after an ICCID, up to `limit`. */
  readonly sims: (
    query: OfOrganization & Days & { readonly after: string | null; readonly limit: number }
  ) => Read<ReadonlyArray<{ readonly iccid: string; readonly bytes: number }>>
}
