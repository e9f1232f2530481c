/**
 * Subscriptions, their plan attachments, and SMS to them.
 */
import type { CallOptions, InstantInput, List, PagedList, WriteOptions } from "./Calls.ts"
import type { SubscriptionFilter } from "./printed/Bulk.ts"
import type { OfOrganization } from "./printed/Organizations.ts"
import type { Label, Terms } from "./PlansTypes.ts"
import type { OfSim } from "./SimsTypes.ts"
import type { HistoryDelivery, ShortDeliveryAttempt } from "./printed/Webhooks.ts"

/** The SIM of a subscription. */
export interface SubscribedSim {
  /** The id, a UUID. */
  readonly simId: string
  /** The ICCID. */
  readonly iccid: string
  /** The label. */
  readonly label: Label
  /** Whether it is an eSIM. */
  readonly isEsim: boolean
  /** The activation code by which a device downloads the eSIM; null if there is none. */
  readonly lpa: string | null
}

interface OfSubscription extends OfOrganization {
  /** The id, a UUID. */
  readonly subscriptionId: string
  /** The text that the host gave. */
  readonly metadata: string
  /** When it was created. */
  readonly createdAt: Date
  /** Its SIM. */
  readonly sim: SubscribedSim
}

/** A SIM in service. */
export interface Subscription extends OfSubscription {
  /** Since when it is paused; null if it is not (rule S7). */
  readonly pausedAt: Date | null
}

/**
 * What a creation made: a subscription with its first attachment, or another attachment on a
 * subscription (rule S1).
 */
export interface CreatedSubscription extends OfSubscription {
  /** The id of the new plan attachment, a UUID. */
  readonly attachmentId: string
  /**
   * When the first package is active, as the telco says, else as asked for; null without an active
   * period.
   */
  readonly activationAt: Date | null
  /** When the first package ends; null if that is not known. */
  readonly expirationAt: Date | null
}

/** What a new subscription is to be. */
export interface CreateSubscription extends OfOrganization {
  /** The plan to attach. */
  readonly planId: string
  /** A text of the host's own, at most 4,096 characters; empty by default. */
  readonly metadata?: string | undefined
  /**
   * The SIM. Absent or null: a free eSIM of the plan's label (rule S2). That of a subscription: the
   * plan is added to it.
   */
  readonly iccid?: string | null | undefined
  /**
   * When the plan is active. Absent or null: from its first use on. A plan that does not recur
   * needs an `end`, in the future and after `start` (rule T4); a recurring one begins its first
   * cycle at `start`, at most 24 h in the past (rule T5).
   */
  readonly activePeriod?:
    | { readonly start: InstantInput; readonly end?: InstantInput | null | undefined }
    | null
    | undefined
}

/** A package that a previewed call would order, suspend or cancel. */
export interface PreviewedPackage {
  /**
   * `<attachment id>:<occurrence>`, and how often the attachment has moved if it has (rule S8).
   */
  readonly packageId: string
  /** When it is active; null if that is known at its first use. */
  readonly activationAt: Date | null
  /** When it ends; null if that is known at its first use. */
  readonly expirationAt: Date | null
}

/** What `create` would do (rule S9). */
export interface CreationPreview {
  /**
   * What it would return. New ids are the nil UUID, and a free eSIM that it shows is not reserved.
   */
  readonly created: CreatedSubscription
  /** The packages that the telco would be asked for at once, oldest first. */
  readonly packages: ReadonlyArray<PreviewedPackage>
  /** When the next package would be made; null: none follows, or only from the first use on. */
  readonly nextPackageAt: Date | null
  /**
   * What the eSIM would be bought with, whose ICCID and code are empty yet (rule I15); absent: none
   * would be bought.
   */
  readonly purchase?: {
    /** The supplier's code of the bundle. */
    readonly load: string
    /** The most that it may cost, as a decimal; null: anything. */
    readonly priceLimit: string | null
    /** That of the limit (ISO 4217); null without one. */
    readonly currency: string | null
  }
}

/** What `remove` would do (rule S9). */
export interface DeletionPreview {
  /**
   * The error's code if it would be refused, such as `esim_installed`; null if it would not.
   */
  readonly refusedBy: string | null
  /** Whether there is a sign that the eSIM was downloaded (rule S2). */
  readonly isDownloaded: boolean
  /** Whether a plan on the SIM is or was active. */
  readonly isActivated: boolean
  /** Whether data was used. */
  readonly isUsed: boolean
  /** The packages that would be cancelled at the telco; none if it would be refused. */
  readonly packages: ReadonlyArray<PreviewedPackage>
}

/** A subscription that has moved to another SIM (rule S8). */
export interface ReplacedSubscription extends Subscription {
  /** The ICCID of the SIM that it has left, which is withdrawn. */
  readonly replacedIccid: string
}

/** What `replace` would do (rule S9). */
export interface ReplacementPreview {
  /** What it would return. The eSIM that it shows is not reserved. */
  readonly replaced: ReplacedSubscription
  /**
   * The packages that would be ordered on the new SIM, with the data that is left of each, in MB.
   */
  readonly packages: ReadonlyArray<PreviewedPackage & { readonly dataMegaBytes: number }>
  /** The packages that would be cancelled on the old SIM. */
  readonly cancelledPackages: ReadonlyArray<PreviewedPackage>
}

/** What `suspend` would do (rule S9). */
export interface SuspensionPreview {
  /**
   * The packages that would be stopped at the telco; none if the attachment is suspended
   * already.
   */
  readonly packages: ReadonlyArray<PreviewedPackage>
  /** How many packages of the recurrence would never be made. */
  readonly endedOccurrences: number
}

/** What `pause` or `resume` would do (rule S9). */
export interface PausePreview {
  /** Whether the telco would be asked; false: it is so already. */
  readonly isChanged: boolean
  /** Since when the subscription would be paused; null: it would not be. */
  readonly pausedAt: Date | null
}

/** The network that a SIM was on last. */
export interface LastOperator {
  /** The country's name. */
  readonly country: string
  /** The country by ISO 3166-1 alpha-2 code. */
  readonly countryIso2: string
  /** The operator, as the telco names it. */
  readonly operator: string
  /** The radio access technology. */
  readonly rat: string
  /** The device's IMEI. */
  readonly imei: string
  /** When it was there. */
  readonly at: Date
}

/** Whose history is read. */
export interface OfHistory extends OfSim {
  /** True: of the subscription, over all SIMs that it was on. */
  readonly acrossSims?: boolean | undefined
}

/** Something that has happened to a SIM (rule L3). */
export interface HistoryEntry {
  /** The SIM that it is about. */
  readonly iccid: string
  /** When it happened. */
  readonly at: Date
  /**
   * A change that somebody made, an event to an endpoint, a state of the profile at the SM-DP+,
   * what became of a package, a country that the SIM came to or its last network, what was used on
   * a day, work that waits for its next try, or a problem that an operator has to see to.
   */
  readonly type: "change" | "event" | "profile" | "package" | "network" | "usage" | "job" | "problem"
  /**
   * The action, the type of the event, the state of the profile, `active` or `over`, the country of
   * a network or of usage, or the work that waits or is a problem.
   */
  readonly what: string
  /**
   * The reason of an operator's change, what of an event matters most, and for each of its
   * endpoints the status of the delivery and its last error, the SM-DP+'s result, the network, how
   * much was used, why the work waits and until when, or the telco's words; null if there are none.
   */
  readonly detail: string | null
  /** Who made the change; null for what nobody made. */
  readonly by: string | null
  /**
   * The id of what was changed, of the event, of the package, of the attachment that was used,
   * of the job or of the problem; null for a state of the profile and a network.
   */
  readonly resourceId: string | null
  /** What became of an event at each of its endpoints; absent for all else. */
  readonly deliveries?: ReadonlyArray<HistoryDelivery>
  /** The last attempts at each of them, up to 10, newest first; absent for all else. */
  readonly attempts?: ReadonlyArray<ShortDeliveryAttempt>
}

/**
 * Subscriptions: putting SIMs into service and taking them out (rules S1 to S5), pausing them
 * (rule S7), moving them (rule S8).
 */
export interface Subscriptions {
  /**
   * Puts a SIM into service with a plan, and returns when the telco has every package that is due
   * (rule S5). If it fails, nothing remains of it.
   *
   * Errors: `InvalidFieldError`, `NotFoundError` (organization, plan, SIM), `NoFreeSimError`,
   * `SimsReleasingError`, `EsimsIssuingError`, `SoldOutError`, `NoBalanceError`,
   * `SpendingLimitedError`, `PlanArchivedError`, `LabelMismatchError`, `SimBusyError`,
   * `SimWithdrawnError`, `PackagesListedError`, `SubscriptionFullError`, `NotSupportedError` if the
   * telco cannot carry the plan, `TelcoRefusedError`, `TelcoUnavailableError`.
   */
  readonly create: (request: CreateSubscription, options?: WriteOptions) => Promise<CreatedSubscription>
  /**
   * What `create` would do now: nothing is written, reserved or ordered (rule S9). Errors: those of
   * `create`.
   */
  readonly previewCreate: (request: CreateSubscription, options?: CallOptions) => Promise<CreationPreview>
  /**
   * Waits until a creation that was submitted inside a transaction of the host has been carried
   * out, and returns what was created. It may wait for long while the telco is unavailable:
   * `signal` and `timeout` end the wait, and not the command (rule H1).
   *
   * Errors: `InvalidFieldError`, `NotFoundError` if no such command has committed, and those of
   * `create` except `TelcoUnavailableError` and `SimBusyError`.
   */
  readonly settled: (id: string, options?: CallOptions) => Promise<CreatedSubscription>
  /**
   * Reads the subscription of a SIM, or that of an id, whichever SIM it is on now. Errors:
   * `NotFoundError`.
   */
  readonly get: (of: OfSim | OfSubscriptionId, options?: CallOptions) => Promise<Subscription>
  /** All subscriptions of an organization that the filter takes, by creation (rule W4). */
  readonly list: (of: SubscriptionFilter, options?: CallOptions) => List<Subscription>
  /**
   * Deletes the subscription of a SIM and cancels its packages at the telco; then the SIM is free
   * again (rule S3).
   *
   * Errors: `NotFoundError`, `SimBusyError`, `EsimInstalledError`.
   */
  readonly remove: (of: OfSim, options?: WriteOptions) => Promise<void>
  /**
   * What `remove` would do now: nothing is written or cancelled (rule S9). Errors: `NotFoundError`.
   */
  readonly previewRemove: (of: OfSim, options?: CallOptions) => Promise<DeletionPreview>
  /**
   * Moves the subscription to a free eSIM of the SIM's label, with its id, metadata and
   * attachments; the old SIM is withdrawn (rule S8). It returns before the telco has taken it.
   *
   * Errors: `NotFoundError`, `NoFreeSimError`, `SimsReleasingError`, `SimBusyError`; of a plan that
   * is a supplier's bundle also `NotSupportedError` once it was used, `EsimsIssuingError`,
   * `SoldOutError`, `NoBalanceError`, `SpendingLimitedError`, `TelcoRefusedError` (rule I15).
   */
  readonly replace: (of: OfSim, options?: WriteOptions) => Promise<ReplacedSubscription>
  /**
   * What `replace` would do now: nothing is written, reserved or ordered (rule S9). Errors: those
   * of `replace`.
   */
  readonly previewReplace: (of: OfSim, options?: CallOptions) => Promise<ReplacementPreview>
  /**
   * What has happened to a SIM, newest first: changes, events, states of the profile, packages and
   * problems (rule L3). With `acrossSims` what has happened to the subscription that it has, or
   * that has left it last, on all SIMs that it was on: SIM by SIM, the last one first.
   *
   * Errors: `NotFoundError`.
   */
  readonly history: (of: OfHistory, options?: CallOptions) => PagedList<HistoryEntry>
  /**
   * Pauses the subscription: its SIM has no service until it is resumed, and its plans go on
   * (rule S7). The SIM is paused as a whole: what the telco has on it of somebody else, as after
   * the restore of a backup, has no service either. Again, it changes nothing. It returns before
   * the telco has taken it.
   *
   * Errors: `NotFoundError`, `NotSupportedError` if the telco of the SIM cannot do it.
   */
  readonly pause: (of: OfSim, options?: WriteOptions) => Promise<void>
  /** Ends a pause (rule S7). Again, it changes nothing. Errors: `NotFoundError`. */
  readonly resume: (of: OfSim, options?: WriteOptions) => Promise<void>
  /**
   * What `pause` would do now: nothing is written or asked for (rule S9). Errors: those of `pause`.
   */
  readonly previewPause: (of: OfSim, options?: CallOptions) => Promise<PausePreview>
  /**
   * What `resume` would do now: nothing is written or asked for (rule S9). Errors: those of
   * `resume`.
   */
  readonly previewResume: (of: OfSim, options?: CallOptions) => Promise<PausePreview>
  /**
   * The network that the SIM was on last; null without activity in the last 7 days (rule R3).
   * Errors: `NotFoundError`.
   */
  readonly lastOperator: (of: OfSim, options?: CallOptions) => Promise<LastOperator | null>
}

/** Names a subscription by its id. */
export interface OfSubscriptionId extends OfOrganization {
  /** The subscription's id. */
  readonly subscriptionId: string
}

/** The state of an attachment (rule T2). */
export type AttachmentState = "PENDING_FOR_FIRST_USE" | "CREATED" | "ACTIVE" | "SUSPENDED" | "EXPIRED"

/** Why an attachment gives no service (rule L2). A field is there if the reason has it. */
export interface Reason {
  /** The kind of reason. */
  readonly code:
    | "waits_for_start"
    | "waits_for_first_use"
    | "waits_for_order"
    | "telco_unavailable"
    | "telco_refused"
    | "data_used"
    | "suspended"
    | "over"
    | "paused"
  /** The reason in a sentence, for people. */
  readonly message: string
  /**
   * When it starts, was suspended or paused, or ended, or when the next package starts after all
   * data was used.
   */
  readonly at?: Date
  /** How often the telco was asked for the package. */
  readonly tries?: number
  /** Since when the telco has not taken the order. */
  readonly since?: Date
  /** When the telco is asked again. */
  readonly nextTryAt?: Date
  /** What the telco said. */
  readonly telcoMessage?: string
  /**
   * Since when the SIM that waits for its first use has no service, because its subscription is
   * paused.
   */
  readonly pausedAt?: Date
  /**
   * Who suspended it: the id of an API key, the name of an operator, or `host` for the program that
   * embeds the service.
   */
  readonly by?: string
}

/** One allowance period at the telco. */
export interface Package {
  /**
   * `<attachment id>:<occurrence>`, and how often the attachment had moved if it had (rule S8);
   * also the key at the telco.
   */
  readonly packageId: string
  /** When it is active; null before its first use. */
  readonly activationAt: Date | null
  /** When it ends; null before its first use. */
  readonly expirationAt: Date | null
  /** How much of it is used, in bytes. */
  readonly usedBytes: number
  /**
   * Until when the telco has counted what was used, if it is asked for that: it may count hours
   * late, and more may be used by now. Absent: it reports usage by itself, or was not asked yet.
   */
  readonly usageAsOf?: Date
  /**
   * What was assumed to be used on the SIM before, in bytes, if the subscription has moved and
   * the telco could not say it: the last report. What is left was ordered by that (rule S8).
   * Absent: the telco has said it, or there was no move.
   */
  readonly assumedUsedBytes?: number
}

/** One plan on a subscription, as it is now. */
export interface Attachment extends OfSim {
  /** The id, a UUID. */
  readonly attachmentId: string
  /** The subscription. */
  readonly subscriptionId: string
  /** The plan that it was made of. */
  readonly planId: string
  /** Its own copy of the plan's terms. */
  readonly terms: Terms
  /** The text that its creation gave. */
  readonly metadata: string
  /** When it was created. */
  readonly createdAt: Date
  /** Its state (rule T2). */
  readonly state: AttachmentState
  /** Why it gives no service now; null while it gives service (rule L2). */
  readonly reason: Reason | null
  /** When it is active, or its first cycle begins; null before the first use (rule T6). */
  readonly activationAt: Date | null
  /** When it ends, with its last package; null before the first use (rule T6). */
  readonly expirationAt: Date | null
  /** When it was suspended; null if it was not. */
  readonly suspendedAt: Date | null
  /** How much of the last package that began is used, in bytes (rule T6). */
  readonly usedBytes: number
  /** Its packages, oldest first, without those that the telco refused. */
  readonly packages: ReadonlyArray<Package>
}

/** Plan attachments of a subscription (rules T2, T6, T7 and S4). */
export interface Attachments {
  /** The attachments of a SIM's subscription, oldest first. Errors: `NotFoundError`. */
  readonly list: (of: OfSim, options?: CallOptions) => List<Attachment>
  /**
   * Reads one, by its own id or its plan's; of several with the plan the active one, else the
   * newest (rule S4).
   *
   * Errors: `NotFoundError`.
   */
  readonly get: (of: OfSim & { readonly id: string }, options?: CallOptions) => Promise<Attachment>
  /**
   * Suspends one for good: its packages at the telco stop, and its recurrence ends. Again, it
   * changes nothing (rule T7).
   *
   * Errors: `NotFoundError`, `AttachmentExpiredError`, `NotSupportedError` if the telco suspends no
   * package.
   */
  readonly suspend: (of: OfSim & { readonly attachmentId: string }, options?: WriteOptions) => Promise<void>
  /**
   * What `suspend` would do now: nothing is written or stopped (rule S9). Errors: those of
   * `suspend`.
   */
  readonly previewSuspend: (
    of: OfSim & { readonly attachmentId: string },
    options?: CallOptions
  ) => Promise<SuspensionPreview>
}

/** An SMS. */
export interface SendSms extends OfSim {
  /** The sender: 1 to 11 characters of the GSM alphabet, or 1 to 15 digits. */
  readonly from: string
  /** The text: not empty, and at most 10 segments. */
  readonly text: string
}

/** SMS to SIMs in service. */
export interface Messages {
  /**
   * Sends an SMS, and returns in how many segments when the telco has taken it.
   *
   * Errors: `InvalidFieldError`, `NotFoundError`, `NotSupportedError` if the telco does not send
   * it, `SmsLimitedError`, `TelcoRefusedError`, `TelcoUnavailableError`.
   */
  readonly send: (request: SendSms, options?: WriteOptions) => Promise<{ readonly segments: number }>
  /**
   * Waits until an SMS that was submitted inside a transaction of the host has been carried out,
   * and returns in how many segments. It may wait for long while the telco is unavailable: `signal`
   * and `timeout` end the wait, and not the command (rule H1).
   *
   * Errors: `InvalidFieldError`, `NotFoundError` if no such command has committed, and those of
   * `send` except `SmsLimitedError` and `TelcoUnavailableError`.
   */
  readonly settled: (id: string, options?: CallOptions) => Promise<{ readonly segments: number }>
}
