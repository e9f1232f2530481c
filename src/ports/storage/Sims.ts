/**
 * The storage port's SIM inventory: import, pages, and reservations of eSIMs.
 *
 * A reservation keeps an eSIM for one request until machine time `until`; at that instant it is
 * over. A SIM has at most one reservation, whatever its purpose. A commit that writes the SIM ends
 * its reservation.
 */
import type { Effect } from "effect"
import type { AuditEntry } from "../../domain/AuditEntry.ts"
import type { Label } from "../../domain/Label.ts"
import type { Kept, Purpose, Sim, Stock, WantedLoad } from "../../domain/Sim.ts"
import type { SimIdentities } from "../../domain/SimIdentities.ts"
import type { Entry } from "../../domain/SmdpHistory.ts"
import type { Count, Level } from "../../domain/Stock.ts"
import type { Instant } from "../../domain/Time.ts"
import type { StorageError, Filtered, FilteredKeyset, OfOrganization, Page, Read } from "./Read.ts"
import type { Hit, Search, SimFilter } from "../../domain/SimSearch.ts"

/**
 * A SIM to be imported. The storage gives it version 1 and an import sequence, which rises in the
 * order given, perhaps with gaps. Each organization's sequence begins at 1 and depends on its own
 * imports alone.
 */
export type NewSim = Omit<Sim, "importSequence" | "version">

/** What became of the SIMs of one call. */
export interface ImportOutcome {
  /** The ICCIDs that are new, in the order given. */
  readonly imported: ReadonlyArray<string>
  /**
   * The ICCIDs that the organization had already, and that the import has changed (rule I7), in the
   * order given.
   */
  readonly updated: ReadonlyArray<string>
  /**
   * The other ICCIDs that were stored before, each with the organization that has it, in the order
   * given. If one call names an ICCID twice, the first row counts, and the second one is taken.
   */
  readonly taken: ReadonlyArray<{ readonly iccid: string; readonly organizationId: string }>
  /**
   * What is stored of those that the organization had already and from which the first row of the
   * ICCID differs (`Sim.difference`), in the order given. They are among the `updated` or the
   * `taken` ones too.
   */
  readonly differing: ReadonlyArray<{ readonly iccid: string } & Kept>
}

/** Asks for reservations under one token, which was never used before. */
export interface ReservationRequest {
  /** The organization that owns it. */
  readonly organizationId: string
  /** The label of the SIMs that are wanted. */
  readonly label: Label
  /** Decides which SIMs are suitable. */
  readonly purpose: Purpose
  /** The load that a subscription takes SIMs with; null: those without one. */
  readonly load: WantedLoad | null
  /** What the reservations are released by. */
  readonly token: string
  /** How many are wanted, at least one. */
  readonly count: number
  /** Machine time: reservations that ended by then count as none. */
  readonly machineNow: Instant
  /** Machine time at which the reservations end. */
  readonly until: Instant
}

/** A reserved SIM, and the token of its reservation. */
export interface SimReservation {
  /** The ICCID of the reserved eSIM. */
  readonly iccid: string
  /** The token of the request that reserved it. */
  readonly token: string
}

/** What a request for reservations got. */
export interface ReservedSims {
  /** In the order in which they are to be used. Their versions count the reservation. */
  readonly sims: ReadonlyArray<Sim>
  /**
   * Null: as many as were wanted. `Busy`: no more now, but some are reserved, perhaps by this call,
   * and may come free again. `Releasing`: there is no suitable SIM, but one will be when the telco
   * has confirmed its release (`Sim.isReturning`), or may be if the creation that has it fails: one
   * that is undecided (`Sim.isUndecided`) and has a `Provision` job that has not ended. One whose
   * release has ended in refusals (rule S6) does not count. `None`: there is none at all.
   */
  readonly shortage: "Busy" | "Releasing" | "None" | null
}

/** The eSIM that is free for a request, or why there is none. */
export type FreeSim =
  | { readonly sim: Sim; readonly shortage: null }
  | { readonly sim: null; readonly shortage: "Releasing" | "None" }

/** What a SIM can be sold still by (rule S2). */
export interface Selling {
  /** What has to be put into use by then is sold no more (`Sim.isSellable`). */
  readonly sellAfter: Instant
}

/** The inventory. Every operation may fail with `StorageError`. */
export interface Sims {
  /**
   * Stores those whose ICCID is new, and `Sim.importedAgain` of those that the organization has
   * already (rule I7). The audit entry is stored with the first that makes a difference; one that
   * is there already, from an earlier part of the same import, stays as it is. No decision depends
   * on identities, and a commit writes them, or an activation code, only if it changes them (rules
   * I9 and I15). So an import's change of them leaves the SIM's version and its reservation as they
   * are.
   */
  readonly import: (sims: ReadonlyArray<NewSim>, auditEntry?: AuditEntry) => Effect.Effect<ImportOutcome, StorageError>
  /**
   * A SIM by itself, without what hangs on it; null if the organization has none of that ICCID.
   */
  readonly get: (of: OfOrganization & { readonly iccid: string }) => Read<Sim | null>
  /** By import sequence, ascending; the cursor is an import sequence. Null filters nothing. */
  readonly page: (
    query: Page<number> & { readonly isEsim: boolean | null; readonly label: Label | null }
  ) => Read<ReadonlyArray<Sim>>
  /**
   * Those of `SimSearch.isAsked` (rule L1), in the same order. What a search finds among fewer rows
   * than are scanned at most is read as a whole, whatever the length of the list, if the storage
   * has indexes for it.
   */
  readonly find: (query: OfOrganization & FilteredKeyset<number> & SimFilter) => Read<Filtered<Sim, number>>
  /**
   * SIMs of all organizations, or of one (rule L4): those that the search finds, each once, in the
   * order of `SimSearch.compareHits`, at most `limit`. Of more, those of the first places are
   * taken; which ones of a place, is open. A storage with indexes may look only at the first
   * `SCAN_LIMIT` attachments whose metadata begin so. `hasMore`: it finds more, or may.
   */
  readonly search: (query: {
    readonly search: Search
    readonly organizationId: string | null
    readonly limit: number
  }) => Read<{ readonly hits: ReadonlyArray<Hit>; readonly hasMore: boolean }>
  /**
   * Reserves eSIMs of the label that are suitable (`Sim.isSuitable`) and not reserved. For a
   * `subscription` without a load: free ones (rule S2), never used ones first, by import sequence;
   * then those recycled longest ago, by import sequence if equal. With a load: those that have to
   * be sold first, by import sequence if equal, and those that need not be last. For a `mobile
   * plan`: those whose mobile plan is settled and not applied, by import sequence, free or not.
   * Each reservation raises the SIM's version. Rows that another statement has locked are skipped,
   * and count as `Busy`.
   */
  readonly reserve: (claim: ReservationRequest) => Effect.Effect<ReservedSims, StorageError>
  /**
   * The eSIM that `reserve` would give first for a `subscription` if none were reserved, or the
   * shortage that it would report then. It stays as it is, and another request may get it.
   */
  readonly free: (of: OfOrganization & { readonly label: Label; readonly load: WantedLoad | null }) => Read<FreeSim>
  /**
   * Ends reservations. A SIM that is not, or no longer, reserved with the token stays as it is.
   * Versions stay.
   */
  readonly release: (
    of: OfOrganization & { readonly reservations: ReadonlyArray<SimReservation> }
  ) => Effect.Effect<void, StorageError>
  /**
   * The free eSIMs of organizations that can be sold, by label, in any order. A label of which an
   * organization has eSIMs, but no free one, is reported with 0; that it has some is searched among
   * the first 1,000 of its SIMs, or more. For watching: the cost does not grow with the inventory.
   */
  readonly stock: (of: Selling & { readonly organizationIds: ReadonlyArray<string> }) => Read<ReadonlyArray<Stock>>
  /**
   * How many SIMs an organization has, by label, kind and where they stand (rule I11); in any
   * order. It reads them all.
   */
  readonly counts: (of: OfOrganization & Selling) => Read<ReadonlyArray<Count>>
  /**
   * How many eSIMs of the label are free (`Sim.isFree`) and can be sold, reserved ones included,
   * counted up to `atMost`. With `load` only those that a subscription takes for it
   * (`Sim.hasLoad`) count.
   */
  readonly countFree: (
    of: OfOrganization & Selling & { readonly label: Label; readonly atMost: number; readonly load?: string }
  ) => Read<number>
  /**
   * The levels of organizations, by organization and label, those that have ended included
   * (rule I12).
   */
  readonly levels: (of: { readonly organizationIds: ReadonlyArray<string> }) => Read<ReadonlyArray<Level>>
  /** By what its telco knows a SIM; null if the organization has no such SIM. */
  readonly identities: (of: OfOrganization & { readonly iccid: string }) => Read<SimIdentities | null>
  /** The SM-DP+ entries of a SIM, by `modifiedAt`, then as stored. */
  readonly smdpHistory: (of: OfOrganization & { readonly iccid: string }) => Read<ReadonlyArray<Entry>>
}
