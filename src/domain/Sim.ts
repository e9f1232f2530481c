/**
 * SIMs of the inventory: eSIMs and physical cards, identified by their ICCID, and their allocation
 * (rules I1, I6, I7, I9, I14, S2, S5 and S7).
 */
import * as ActivationCode from "./ActivationCode.ts"
import type { Amount } from "./Amount.ts"
import type { Label } from "./Label.ts"
import type { LastOperator } from "./Location.ts"
import * as Moves from "./Moves.ts"
import * as SimIdentities from "./SimIdentities.ts"
import type { CurrentStatus } from "./SmdpHistory.ts"
import type { Instant } from "./Time.ts"
import type * as Withdrawal from "./Withdrawal.ts"

/**
 * The SIM's allocation (rule S5). `Free`: no subscription has it. `Provisioning`: a subscription is
 * being created on it and is invisible until the telco's outcome is committed. `InService`: a live
 * subscription has it. `Releasing`: the last subscription is gone, and the telco has not yet
 * confirmed that nothing of it remains; or a creation on it was interrupted, and is resumed or
 * undone. `Withdrawn`: no subscription has it, and none gets it until it is made available again
 * (rule I9). `ending` is the subscription that has moved from it to another SIM (rule S8), while
 * the telco has not yet confirmed that nothing of it remains; then it is null.
 */
export type Allocation =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Provisioning"; readonly subscriptionId: string }
  | { readonly _tag: "InService"; readonly subscriptionId: string }
  | { readonly _tag: "Releasing"; readonly subscriptionId: string }
  | { readonly _tag: "Withdrawn"; readonly reason: Withdrawal.Reason; readonly ending: null }
  | { readonly _tag: "Withdrawn"; readonly reason: "replaced"; readonly ending: string }

/**
 * Why the SIM is withdrawn, whether or not the telco has confirmed the end of what was on it; null:
 * it is not.
 */
export const withdrawnReason = ({ allocation }: Pick<Sim, "allocation">): Withdrawal.Reason | null =>
  allocation._tag === "Withdrawn" ? allocation.reason : null

/**
 * The subscription that has the SIM, or had it until its telco has confirmed its end, as an id;
 * null: none.
 */
export const holder = (allocation: Allocation): string | null => {
  switch (allocation._tag) {
    case "Free":
      return null
    case "Withdrawn":
      return allocation.ending
    case "Provisioning":
    case "InService":
    case "Releasing":
      return allocation.subscriptionId
  }
}

/**
 * The subscription whose history goes over the SIM (rule L3): the one that has it, or that has left
 * it last; null: it was put back into stock since.
 */
export const followed = (sim: Pick<Sim, "allocation"> & Moves.OnSim): string | null =>
  holder(sim.allocation) ?? (sim.movedTo === null ? null : (Moves.away(sim)?.subscriptionId ?? null))

/**
 * Whether the organization's mobile plan is applied to an eSIM (rule I6). `Settled`: the telco has
 * it so. `Changing`: the telco is being asked for `target`; until it has answered, `applied` is
 * what a request is answered.
 */
export type MobilePlan =
  | { readonly _tag: "Settled"; readonly applied: boolean }
  | { readonly _tag: "Changing"; readonly applied: boolean; readonly target: boolean }

/** The change of the mobile plan that is under way; null: none is. */
export const changeOfPlan = (plan: MobilePlan): Extract<MobilePlan, { readonly _tag: "Changing" }> | null =>
  plan._tag === "Changing" ? plan : null

/**
 * Whether the SIM has service (rule S7). `pausedAt` is what was asked for last: since when it is
 * paused, or null. `Settled`: the telco has it so. `Changing`: the telco is being asked for
 * `active`, under the key `changeId`; if something else was asked for meanwhile, another change
 * follows this one.
 */
export type Service =
  | { readonly _tag: "Settled"; readonly pausedAt: Instant | null }
  | {
      readonly _tag: "Changing"
      readonly pausedAt: Instant | null
      readonly changeId: string
      readonly active: boolean
    }

/** The change of the service that is under way; null: none is. */
export const changeOfService = (service: Service): Extract<Service, { readonly _tag: "Changing" }> | null =>
  service._tag === "Changing" ? service : null

/** A SIM has service until a subscription of it is paused. */
export const inService: Service = { _tag: "Settled", pausedAt: null }

/**
 * Whether money comes back for a SIM that was returned. `credit`: it was credited at once. `asked`:
 * people at the supplier decide. `none`: no.
 */
export type Refund = "credit" | "asked" | "none"

/**
 * Where the return of a SIM to its supplier stands. `pending`: the supplier is being asked.
 * `refused`: it takes it back no more. Else it was returned.
 */
export const returns = ["pending", "refused", "credit", "asked", "none"] as const

/** Where the return of a SIM stands. */
export type Returned = (typeof returns)[number]

/** What a supplier has sold an eSIM as (rule I15). */
export interface Purchase {
  /** What it was bought by, once in the whole service. */
  readonly purchaseId: string
  /** The supplier's code of the bundle that it came with. */
  readonly load: string
  /** Until when the bundle has to be put into use; null: the supplier does not say. */
  readonly sellBy: Instant | null
  /** What it was charged at; null: the supplier does not say. */
  readonly cost: Amount | null
  /** When it came into the stock: a supplier may sell an ICCID again that a customer had before. */
  readonly boughtAt: Instant
  /** The supplier's name among the telcos. Absent: there is one only, or it is not known. */
  readonly telco?: string
  /** The region code of the plan that it was bought for. Absent: it is not known. */
  readonly regionCode?: string
  /** Where its return stands. Absent: nobody has asked for it. */
  readonly returned?: Returned
}

/** Whether its supplier has the SIM back, or is being asked for that: nobody else gets it. */
export const isGivenBack = ({ purchase }: Pick<Sim, "purchase">): boolean =>
  purchase?.returned !== undefined && purchase.returned !== "refused"

/** A card or a downloadable profile of the inventory (rules I1, I2 and S2). */
export interface Sim extends SimIdentities.SimIdentities {
  /** The organization that owns it. */
  readonly organizationId: string
  /** An id that never changes, beside the ICCID. */
  readonly simId: string
  /** 18 to 20 digits, unique in the whole service. */
  readonly iccid: string
  /**
   * The import sequence: the SIM's place in its organization's order of import, from 1. The storage
   * assigns it.
   */
  readonly importSequence: number
  /** The label of the plans that it takes. */
  readonly label: Label
  /** False: a physical SIM, which has no SM-DP+ history and can always be taken out of service. */
  readonly isEsim: boolean
  /**
   * The activation code of SGP.22 section 4.1; null for a physical SIM, and for an eSIM imported
   * without one.
   */
  readonly lpa: string | null
  /** When it was imported, in business time. */
  readonly createdAt: Instant
  /**
   * Who has it: nobody, a creation under way, a subscription, or a deletion under way; or that it
   * is withdrawn.
   */
  readonly allocation: Allocation
  /** When its last subscription was deleted; null if none was. */
  readonly recycledAt: Instant | null
  /**
   * The SIM that its last subscription has moved to (rule S8), while it is withdrawn for that; else
   * null.
   */
  readonly movedTo: string | null
  /**
   * The moves of subscriptions from it and to it, oldest first, which it keeps for good (rule S8).
   */
  readonly moves: ReadonlyArray<Moves.Move>
  /** The purchase that it came by; null: it was imported. */
  readonly purchase: Purchase | null
  /** The words that its organization has for it, in the order of rule I14. */
  readonly tags: ReadonlyArray<string>
  /**
   * Whether there is any sign that the profile was downloaded (rule S2). Once true, it stays true.
   */
  readonly downloaded: boolean
  /** The last successful report's (rule R3). Null: there is none. */
  readonly smdp: CurrentStatus | null
  /** Where it was last seen (rule R3). Null: nowhere yet. */
  readonly location: LastOperator | null
  /** The latest instant of a usage, first-use or location report (rule R3). */
  readonly lastActivityAt: Instant | null
  /** Whether it is applied, and which change is under way (rule I6). */
  readonly mobilePlan: MobilePlan
  /** Whether its subscription is paused, and which change is under way (rule S7). */
  readonly service: Service
  /** Guards the SIM's aggregate: the SIM, its subscription, attachments and packages. */
  readonly version: number
}

/** Where a SIM stands, as lists are filtered by (rule L1). */
export const statuses = ["free", "in_use", "releasing", "withdrawn"] as const

/**
 * `free`: nobody has it. `in_use`: a subscription, or a creation under way. `releasing`: it is on
 * its way back to stock. `withdrawn`: nobody gets it (rule I9).
 */
export type Status = (typeof statuses)[number]

/** Where a SIM stands. */
export const status = ({ allocation }: Pick<Sim, "allocation">): Status => {
  switch (allocation._tag) {
    case "Free":
      return "free"
    case "Provisioning":
    case "InService":
      return "in_use"
    case "Releasing":
      return "releasing"
    case "Withdrawn":
      return "withdrawn"
  }
}

/** Whether it is withdrawn, and nothing of it is still to be cancelled. */
export const isOut = ({ allocation }: Pick<Sim, "allocation">): boolean =>
  allocation._tag === "Withdrawn" && allocation.ending === null

/** Whether a creation that is not decided has the SIM (rule S5). */
export const isProvisioning = ({ allocation }: Pick<Sim, "allocation">): boolean => allocation._tag === "Provisioning"

/** Whether a live subscription has the SIM (rule S1). */
export const isInService = ({ allocation }: Pick<Sim, "allocation">): boolean => allocation._tag === "InService"

/** Rule S2: `used` is true while the SIM is not free. */
export const isUsed = ({ allocation }: Pick<Sim, "allocation">): boolean => allocation._tag !== "Free"

/**
 * Rule S2: whether a request without an ICCID may get the SIM: a free eSIM that shows no sign of a
 * download.
 */
export const isFree = (sim: Sim): boolean => sim.isEsim && sim.allocation._tag === "Free" && !sim.downloaded

/**
 * Rule S5: whether the SIM is on its way back to stock: it will be free when the telco has
 * confirmed its release.
 */
export const isReturning = (sim: Sim): boolean => sim.isEsim && sim.allocation._tag === "Releasing" && !sim.downloaded

/**
 * Rule S5: whether a creation has the SIM that is not decided: it will be free again if the
 * creation fails.
 */
export const isUndecided = (sim: Sim): boolean => sim.isEsim && isProvisioning(sim) && !sim.downloaded

/** How many free eSIMs of a label an organization has (rule S2). */
export interface Stock {
  /** Whose they are. */
  readonly organizationId: string
  /** The label of the plans that they take. */
  readonly label: Label
  /** Those that `isFree` and can be sold, reserved ones included, counted up to 1,000. */
  readonly free: number
}

/** What an eSIM is reserved for. */
export type Purpose = "subscription" | "mobile plan"

/** The load that a plan takes eSIMs with (rule S2). */
export interface WantedLoad {
  /** The supplier's code of the bundle. */
  readonly load: string
  /** One that has to be put into use by then is not given to anybody any more. */
  readonly sellAfter: Instant
}

/**
 * Rule S2: whether what the SIM was bought with can be sold still: it has to be put into use later
 * than that, or need not be.
 */
export const isSellable = ({ purchase }: Pick<Sim, "purchase">, sellAfter: Instant): boolean =>
  (purchase?.sellBy ?? Number.POSITIVE_INFINITY) > sellAfter

/**
 * Rule S2: whether the SIM came with the wanted load, which can be sold still; null: whether it
 * came with none.
 */
export const hasLoad = ({ purchase }: Pick<Sim, "purchase">, wanted: WantedLoad | null): boolean =>
  wanted === null ? purchase === null : purchase?.load === wanted.load && isSellable({ purchase }, wanted.sellAfter)

/**
 * Whether a SIM can be reserved for the purpose, if nobody else has it reserved: rules S2, I6 and
 * I9. The load matters to a subscription alone.
 */
export const isSuitable = (sim: Sim, purpose: Purpose, wanted: WantedLoad | null): boolean =>
  purpose === "subscription"
    ? isFree(sim) && hasLoad(sim, wanted)
    : sim.isEsim && withdrawnReason(sim) === null && sim.mobilePlan._tag === "Settled" && !sim.mobilePlan.applied

/** What an import may leave out of a SIM: all of it. */
export const leftOut = { lpa: null, purchase: null, ...SimIdentities.none }

/** Rule I1: a SIM as it is imported: free, never used, never seen in a device. */
export const imported = (
  sim: Pick<Sim, "organizationId" | "simId" | "iccid" | "label" | "isEsim" | "createdAt" | keyof typeof leftOut>
): Omit<Sim, "importSequence" | "version"> => ({
  ...sim,
  allocation: { _tag: "Free" },
  recycledAt: null,
  movedTo: null,
  moves: [],
  tags: [],
  downloaded: false,
  smdp: null,
  location: null,
  lastActivityAt: null,
  mobilePlan: { _tag: "Settled", applied: false },
  service: inService
})

/** What a repeated import may bring of a SIM (rule I7). */
export type Importable = Pick<Sim, "isEsim" | "lpa" | keyof SimIdentities.SimIdentities>

/**
 * Rule I7: what a repeated import makes of a SIM. Identities that are given replace stored ones.
 * Only an eSIM that has no activation code takes the one that is given: a subscriber may have got
 * the stored one already.
 */
export const importedAgain = <Of extends Importable>(stored: Of, given: Importable): Of => ({
  ...stored,
  ...SimIdentities.merged(stored, given),
  lpa: stored.lpa ?? (stored.isEsim ? given.lpa : null)
})

/**
 * What no import changes of a SIM that is there, but for an activation code that is missing
 * (rule I7).
 */
export type Kept = Pick<Sim, "label" | "isEsim" | "lpa">

/** Some of what stays. */
export interface KeptFields {
  /** The label. */
  readonly label?: Label
  /** The kind. */
  readonly isEsim?: boolean
  /** The activation code, which opens a profile: it stands in no log. */
  readonly lpa?: string
}

/**
 * The fields in which a row of an import differs from the SIM that is there: what is stored, and
 * what the row has.
 */
export interface Difference {
  /** What stays. */
  readonly stored: KeptFields
  /** What the row has of the same fields. */
  readonly given: KeptFields
}

/**
 * Rule I7: how a row differs from the stored SIM in what stays; null if it does not. A row
 * without an `lpa` has no other one.
 */
export const difference = (stored: Kept, given: Kept): Difference | null => {
  const isRelabelled = stored.label !== given.label
  const isOtherKind = stored.isEsim !== given.isEsim
  const isOtherCode = stored.lpa !== null && given.lpa !== null && ActivationCode.canonical(stored.lpa) !== given.lpa
  const keptOf = ({ isEsim, label, lpa }: Kept): KeptFields => ({
    ...(isRelabelled ? { label } : {}),
    ...(isOtherKind ? { isEsim } : {}),
    ...(isOtherCode && lpa !== null ? { lpa } : {})
  })
  return isRelabelled || isOtherKind || isOtherCode ? { stored: keptOf(stored), given: keptOf(given) } : null
}

/** Whether a repeated import has changed nothing. */
export const isUnchangedByImport = (stored: Importable, next: Importable): boolean =>
  stored.lpa === next.lpa && SimIdentities.isSame(stored, next)
