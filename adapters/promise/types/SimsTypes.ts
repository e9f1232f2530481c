/**
 * The SIM inventory and the mobile plan of eSIMs.
 */
import type { CallOptions, List, PagedList, WriteOptions } from "./Calls.ts"
import type { SimFilter } from "./printed/Bulk.ts"
import type { OfBoughtSim, ReturnedSim } from "./printed/Bundles.ts"
import type { SimMoves } from "./printed/Moves.ts"
import type { OfOrganization } from "./printed/Organizations.ts"
import type { Verdict } from "./printed/Verdicts.ts"
import type { ErrorCode } from "../errors/Errors.ts"
import type { Label } from "./Label.ts"

/** A SIM: a physical card, or a downloadable profile (eSIM). */
export interface Sim extends OfOrganization, SimMoves {
  /** The id, a UUID. */
  readonly simId: string
  /** 18 to 20 digits, unique in the whole service. */
  readonly iccid: string
  /** The network supply tier. */
  readonly label: Label
  /** Whether it is an eSIM. */
  readonly isEsim: boolean
  /**
   * The activation code by which a device downloads the eSIM; null for a physical SIM, and for an
   * eSIM without one.
   */
  readonly lpa: string | null
  /** The IMSI, 6 to 15 digits; null if it is not known (rule I7). */
  readonly imsi: string | null
  /**
   * The phone number with its country code, 1 to 15 digits; null if it has none or that is not
   * known.
   */
  readonly msisdn: string | null
  /** The telco's own id of the SIM; null if it is not known. */
  readonly subscriberId: string | null
  /** Whether a subscription holds it, or is being made or deleted, or it is withdrawn (rule S2). */
  readonly used: boolean
  /** `withdrawn`: no subscription gets it (rule I9). */
  readonly status: "available" | "withdrawn"
  /** Why it is withdrawn; null: it is not. */
  readonly withdrawnReason: "broken" | "lost" | "replaced" | "returned" | null
  /** The words that the organization has for it (rule I14). */
  readonly tags: ReadonlyArray<string>
  /** Whether there is any sign that the profile was downloaded; it stays true (rule S2). */
  readonly downloaded: boolean
  /** Whether the organization's mobile plan is applied to it (rule I6). */
  readonly mobilePlanApplied: boolean
  /** Its place in the order of its organization's imports, from 1. */
  readonly importSequence: number
  /** Rises with each change of the SIM, and of what hangs on it. */
  readonly version: number
  /** When it was imported. */
  readonly createdAt: Date
}

/** Names a SIM of an organization. */
export interface OfSim extends OfOrganization {
  /** The SIM's ICCID. */
  readonly iccid: string
}

/** How a phone installs an eSIM (rule I10). Whoever has any of it can download the profile. */
export interface Installation {
  /** The activation code. */
  readonly lpa: string
  /** A link that installs it on an iPhone or iPad, from iOS 17.4 on. */
  readonly appleLink: string
  /** A link that installs it on an Android phone. */
  readonly androidLink: string
  /** The activation code as a QR code, in SVG. */
  readonly qrCode: string
}

/** How many SIMs of one kind stand where (rule I11). */
export interface StockCounts {
  /** Those that nobody has, and that a creation without an ICCID may get if they are eSIMs. */
  readonly free: number
  /**
   * eSIMs that nobody has, but that were downloaded: only a creation with their ICCID gets them.
   */
  readonly downloaded: number
  /**
   * eSIMs that nobody has, and that nobody is given: they have to be put into use within a day, or
   * had to be (rule I15).
   */
  readonly lapsed: number
  /** Those that a subscription has, or a creation under way. */
  readonly inUse: number
  /** Those on their way back to stock: the telco has not confirmed the release. */
  readonly releasing: number
  /** Those that were withdrawn: nobody gets them (rule I9). */
  readonly withdrawn: number
}

/** The stock of a label (rules I11 and I12). */
export interface StockOfLabel {
  /** The network supply tier. */
  readonly label: Label
  /** The eSIMs. */
  readonly esims: StockCounts
  /** The physical SIMs. */
  readonly physicalSims: StockCounts
  /** `stock.low` is published once fewer eSIMs are free; null if no level is set. */
  readonly level: number | null
}

/** The level of a label (rule I12). */
export interface StockLevel {
  /** The network supply tier. */
  readonly label: Label
  /** `stock.low` is published once fewer eSIMs are free; 1 to 100,000. */
  readonly level: number
}

/** The levels of an organization, in place of all levels before. */
export interface SetStockLevels extends OfOrganization {
  /** Of each label at most one. A label that is not named has none from then on. */
  readonly levels: ReadonlyArray<StockLevel>
}

/** A state of a profile, as the SM-DP+ server names it. */
export type SmdpState = "BPP Installation" | "Enable" | "Disable" | "Delete"

/** What the SM-DP+ server reported of an eSIM's profile (rule I2). */
export interface SmdpInfo {
  /** The state of the latest successful report; null while there is none. */
  readonly current: { readonly state: SmdpState; readonly modifiedAt: Date } | null
  /** All reports, oldest first. */
  readonly history: ReadonlyArray<{
    readonly state: SmdpState
    readonly modificationResult: string
    readonly modifiedAt: Date
  }>
}

/** A SIM that a search has found (rule L4). */
export interface SearchHit extends OfOrganization {
  /** The organization's name. */
  readonly organizationName: string
  /** The SIM's ICCID. */
  readonly iccid: string
  /** The SIM's label. */
  readonly label: Label
  /** The subscription that has the SIM; null: none. */
  readonly subscriptionId: string | null
  /** By what it was found; if that is more than one thing, the first of these. */
  readonly matched: "subscriptionId" | "imsi" | "phoneNumber" | "iccid" | "metadata"
  /**
   * Whether nobody has it, somebody has, it is on its way back to stock, or it is withdrawn.
   */
  readonly status: "free" | "in_use" | "releasing" | "withdrawn"
  /** Whether its subscription is paused (rule S7). */
  readonly isPaused: boolean
  /** The plan of its newest attachment; null: none. */
  readonly planName: string | null
  /**
   * The first 256 characters of the metadata that it was found by, that of its subscription or of
   * its newest attachment; else of its subscription's. Null: nobody has it.
   */
  readonly metadata: string | null
}

/** What a search has found. */
export interface SearchHits {
  /** At most 20, those first that the text names alone. */
  readonly hits: ReadonlyArray<SearchHit>
  /** Whether it finds more: a longer text finds fewer. */
  readonly hasMore: boolean
}

/** A SIM to import (rules I1, I7 and W9). Space around the texts is ignored. */
export interface ImportRow {
  /** 18 to 20 digits; a trailing `F` is dropped. */
  readonly iccid: string
  /** The network supply tier. */
  readonly label: string
  /** Whether it is an eSIM. */
  readonly isEsim: boolean
  /** The activation code of an eSIM (rule I8), at most 255 characters. */
  readonly lpa?: string | null | undefined
  /** The IMSI, 6 to 15 digits. */
  readonly imsi?: string | null | undefined
  /** The phone number with its country code, 1 to 15 digits; a leading plus sign is dropped. */
  readonly msisdn?: string | null | undefined
  /** The telco's own id of the SIM, at most 64 characters. */
  readonly subscriberId?: string | null | undefined
}

/** What is wrong with a row of an import, or remarkable about it. */
export interface RowMessage {
  /** The row, from 1. */
  readonly row: number
  /** The ICCID as it was sent, at most 40 characters. */
  readonly iccid: string
  /** What is wrong, for people. */
  readonly message: string
}

/** What an import leaves of a SIM that is there already, as far as a row differs from it. */
export interface KeptFields {
  /** The label. */
  readonly label?: Label
  /** The kind. */
  readonly isEsim?: boolean
  /** The activation code, shortened to its host and its last four characters. */
  readonly lpa?: string
}

/** A row whose SIM has another label, kind or activation code. */
export interface RowDifference {
  /** The row, from 1. */
  readonly row: number
  /** The SIM. */
  readonly iccid: string
  /** What the SIM has, and keeps. */
  readonly stored: KeptFields
  /** What the row has in its place. */
  readonly given: KeptFields
}

/** What came of an import. */
export interface ImportReport {
  /** How many SIMs were imported. */
  readonly imported: number
  /**
   * How many SIMs were there already, and got an `imsi`, `msisdn`, `subscriberId` or missing `lpa`
   * (rule I7).
   */
  readonly updated: number
  /**
   * How many other rows have an ICCID that the organization has already, or that an earlier row
   * has.
   */
  readonly duplicates: number
  /**
   * The first 1,000 updated rows and duplicates whose SIM has another label, kind or activation
   * code (rule I7).
   */
  readonly differing: ReadonlyArray<RowDifference>
  /** How many such rows there are. */
  readonly differingCount: number
  /** The first 1,000 errors, by row. */
  readonly errors: ReadonlyArray<RowMessage>
  /** How many errors there are. */
  readonly errorCount: number
  /** The first 1,000 warnings, by row. */
  readonly warnings: ReadonlyArray<RowMessage>
  /** How many warnings there are. */
  readonly warningCount: number
}

/** An import of SIMs. */
export interface ImportSims extends OfOrganization {
  /** The rows: an array, or any iterable or async iterable, which is read during the import. */
  readonly rows: Iterable<ImportRow> | AsyncIterable<ImportRow>
}

/** A correction of a SIM. What is absent stays. */
export interface UpdateSim extends OfSim {
  /** The label; only while no subscription holds the SIM. */
  readonly label?: Label | undefined
  /** The activation code of an eSIM (rule I8); null: it has none. */
  readonly lpa?: string | null | undefined
  /**
   * `withdrawn` takes the SIM out of the stock, only while no subscription holds it; `available`
   * puts it back.
   */
  readonly status?: "available" | "withdrawn" | undefined
  /** Why it is withdrawn; only with that status. */
  readonly reason?: "broken" | "lost" | null | undefined
  /** The words that the organization has for it, in place of those before (rule I14). */
  readonly tags?: ReadonlyArray<string> | undefined
  /**
   * The version that it is of (rule W16): if another one is there, it is refused. Absent: of
   * whichever is there.
   */
  readonly ifVersion?: number | undefined
}

/** A row of many corrections. */
export type UpdateRow = Omit<UpdateSim, "organizationId" | "ifVersion">

/** Corrections of many SIMs. */
export interface UpdateSims extends OfOrganization {
  /** The rows: an array, or any iterable or async iterable, which is read while the results are. */
  readonly rows: Iterable<UpdateRow> | AsyncIterable<UpdateRow>
  /** True: nothing is changed. */
  readonly dryRun?: boolean | undefined
}

/** What came of a row. */
export interface UpdateResult {
  /** The row, from 1. */
  readonly row: number
  /** The ICCID as it was sent, at most 40 characters. */
  readonly iccid: string
  /** `unchanged`: the SIM was so already. */
  readonly result: "corrected" | "unchanged" | "refused"
  /**
   * Why it is refused; null: it is not. The code is null if the reason was not kept: under an
   * idempotency key those of the first 1,000 refused rows are.
   */
  readonly refusal: { readonly code: ErrorCode | null; readonly message: string } | null
}

/** The SIM inventory of an organization (rules I1, I2, I7 and I9). */
export interface Sims {
  /**
   * Imports SIMs row by row, 1,000 at once. A bad row stops no other. Memory does not grow with
   * their number. A SIM that the organization has already gets the identities of its row, and the
   * activation code if it is an eSIM without one (rule I7); nothing else changes. With an
   * idempotency key the rows of an iterable that is no array are not compared.
   *
   * Errors: `NotFoundError`, and whatever `rows` throws.
   */
  readonly import: (request: ImportSims, options?: WriteOptions) => Promise<ImportReport>
  /**
   * What `import` would come to now (rule S9); nothing is written. A row does not see those that
   * are a thousand before it.
   *
   * Errors: `NotFoundError`, and whatever `rows` throws.
   */
  readonly previewImport: (request: ImportSims, options?: CallOptions) => Promise<ImportReport>
  /** SIMs in the order of their import. */
  readonly list: (of: SimFilter, options?: CallOptions) => PagedList<Sim>
  /**
   * Finds SIMs of all organizations, or of one, by what a customer names, as `search` of `list`
   * does (rule L4). A blank text finds none.
   */
  readonly search: (
    of: { readonly text: string; readonly organizationId?: string | undefined },
    options?: CallOptions
  ) => Promise<SearchHits>
  /** Reads a SIM. Errors: `NotFoundError`. */
  readonly get: (of: OfSim, options?: CallOptions) => Promise<Sim>
  /**
   * Whether a phone with the SIM has data now, why it has or has not, and what to do next
   * (rule L5). Errors: `NotFoundError`.
   */
  readonly verdict: (of: OfSim, options?: CallOptions) => Promise<Verdict>
  /**
   * How a phone installs an eSIM (rule I10). Errors: `NotFoundError`, also for a SIM without an
   * activation code.
   */
  readonly installation: (of: OfSim, options?: CallOptions) => Promise<Installation>
  /**
   * Corrects a SIM (rules I9 and I14): its label, activation code, status and tags.
   *
   * Errors: `InvalidFieldError`, `NotFoundError`, `SimInUseError`, `SimBusyError`,
   * `SimWithdrawnError` (one that was returned), `ChangedMeanwhileError`.
   */
  readonly update: (request: UpdateSim, options?: WriteOptions) => Promise<Sim>
  /** What `update` would do now: nothing is written (rule S9). Errors: those of `update`. */
  readonly previewUpdate: (request: UpdateSim, options?: CallOptions) => Promise<UpdatePreview>
  /**
   * Corrects SIMs row by row (rule I9), 500 in a commit, as its results are read. A refused row
   * stops no other, and memory does not grow with their number. The same rows again change nothing
   * more. With an idempotency key all rows, 25,000 at most, are read and corrected before the first
   * result, and the same call after a crash goes on behind those that are done; the rows of an
   * iterable that is no array are not compared. With `dryRun` no key counts.
   *
   * Errors: `NotFoundError`, with a key `InvalidFieldError`, `IdempotencyKeyReusedError` and
   * `RequestInProgressError`, and whatever `rows` throws.
   */
  readonly updateMany: (request: UpdateSims, options?: WriteOptions) => List<UpdateResult>
  /**
   * The stock by label (rule I11), of labels that have SIMs or a level. Of a large inventory it may
   * be some seconds old.
   */
  readonly stock: (of: OfOrganization, options?: CallOptions) => Promise<ReadonlyArray<StockOfLabel>>
  /**
   * Sets the levels below which `stock.low` is published (rule I12), and returns them. It is
   * notified once each time the number of free eSIMs falls below, within about a second; also if
   * it is below already.
   *
   * Errors: `InvalidFieldError`.
   */
  readonly setStockLevels: (request: SetStockLevels, options?: WriteOptions) => Promise<ReadonlyArray<StockLevel>>
  /**
   * Returns an eSIM that was bought to its supplier, if nobody has used it (rule I15): it is
   * withdrawn, and its supplier is asked to take it back. Again, it says how far that is.
   *
   * Errors: `NotFoundError`, `SimInUseError`, `SimBusyError`, `NotSupportedError`.
   */
  readonly giveBack: (of: OfBoughtSim, options?: WriteOptions) => Promise<ReturnedSim>
  /** The history of an eSIM's profile. Errors: `NotFoundError`, also for a physical SIM. */
  readonly smdpInfo: (of: OfSim, options?: CallOptions) => Promise<SmdpInfo>
}

/** What `update` would do (rule S9). */
export interface UpdatePreview {
  /** The SIM as it would be. */
  readonly sim: Sim
  /** What would change of it; nothing if it is so already. */
  readonly changed: ReadonlyArray<"label" | "lpa" | "status" | "tags">
}

/** A change of the mobile plan. */
export interface SetMobilePlan extends OfOrganization {
  /** Whether it is to be applied, or removed. */
  readonly apply: boolean
  /** The label of the eSIM. */
  readonly label: Label
  /**
   * The eSIM. Absent or null, if `apply` is true: any one of the label that has no mobile plan.
   */
  readonly iccid?: string | null | undefined
}

/** The mobile plan of an eSIM. */
export interface MobilePlan {
  /** The eSIM. */
  readonly iccid: string
  /** Whether the mobile plan is applied. */
  readonly applied: boolean
  /** The eSIM's import sequence. */
  readonly id: number
}

/** The organization's mobile plan on its eSIMs (rule I6). */
export interface Wallet {
  /**
   * Applies or removes the mobile plan, and returns when the telco has done so. With an ICCID a
   * repetition changes nothing.
   *
   * Errors: `InvalidFieldError`, `NotFoundError`, `NoFreeSimError`, `SimsReleasingError`,
   * `LabelMismatchError`, `SimBusyError`, `SimWithdrawnError`, `NotSupportedError` if the telco has
   * no mobile plans, `TelcoRefusedError`, `TelcoUnavailableError`.
   */
  readonly setMobilePlan: (request: SetMobilePlan, options?: WriteOptions) => Promise<MobilePlan>
  /**
   * Waits until a change that was submitted inside a transaction of the host has been carried out,
   * and returns it. It may wait for long while the telco is unavailable: `signal` and `timeout` end
   * the wait, and not the command (rule H1).
   *
   * Errors: `InvalidFieldError`, `NotFoundError` if no such command has committed, and those of
   * `setMobilePlan` except `TelcoUnavailableError` and `SimBusyError`.
   */
  readonly settled: (id: string, options?: CallOptions) => Promise<MobilePlan>
}
