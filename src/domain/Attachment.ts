/**
 * Plan attachments: one plan instance on a subscription, with its own copy of the plan's terms
 * (rules T2, T6 and S4).
 *
 * The state is never stored. State, times and used allowance are pure functions of the stored facts
 * and the clock, so they are right after any downtime.
 */
import { isRefused, type Package } from "./Package.ts"
import type { PlanTerms } from "./Plan.ts"
import * as Recurrence from "./Recurrence.ts"
import type { Instant } from "./Time.ts"

/**
 * The active period as requested. A recurring plan ignores `end`, but the creation's answer repeats
 * it.
 */
export interface ActivePeriod {
  /** Inclusive. */
  readonly start: Instant
  /** Exclusive. Null: not sent, which only a recurring plan allows. */
  readonly end: Instant | null
}

/** One plan on a subscription, as it is stored. What a reader sees of it is a `View`. */
export interface Attachment {
  /** The organization that owns it. */
  readonly organizationId: string
  /** 18 to 20 digits (rule I1). */
  readonly iccid: string
  /**
   * The subscription that it is on, for good; the subscription may move to another SIM (rule S8).
   */
  readonly subscriptionId: string
  /** An id that never changes; packages and jobs are named after it. */
  readonly attachmentId: string
  /** The plan that it was made from. The plan may be archived or deleted meanwhile (rule P2). */
  readonly planId: string
  /** A copy of the plan's terms at the creation; later changes of the plan do not reach it. */
  readonly terms: PlanTerms
  /** Null: none was asked for, so it starts at the first use (rule T3). */
  readonly activePeriod: ActivePeriod | null
  /** The caller's text, up to 4,096 characters (rule W9). */
  readonly metadata: string
  /** Business time. */
  readonly createdAt: Instant
  /**
   * False until the telco's outcome is committed. An unconfirmed attachment is invisible (rule S5).
   */
  readonly confirmed: boolean
  /**
   * The instant from which a recurring attachment counts its cycles. Null before the first use, and
   * if it does not recur.
   */
  readonly anchor: Instant | null
  /** Null while it is not suspended. A suspension is final (rule T7). */
  readonly suspendedAt: Instant | null
  /** The last allowance threshold notified, in percent; 0 if none was (rule R2). */
  readonly lastThresholdNotified: number
  /** How many times it has moved to another SIM with its subscription (rule S8). */
  readonly replacements: number
}

/** An attachment with its packages by occurrence, ascending. */
export interface WithPackages {
  /** The stored facts. State and times follow from them and the packages. */
  readonly attachment: Attachment
  /** One for each occurrence so far, refused ones included. */
  readonly packages: ReadonlyArray<Package>
}

/** Rule T2. `SUSPENDED` and `EXPIRED` are final. */
export const states = ["PENDING_FOR_FIRST_USE", "CREATED", "ACTIVE", "SUSPENDED", "EXPIRED"] as const

/** One of the states. */
export type State = (typeof states)[number]

/** An attachment as it is at one instant. */
export interface View {
  /** The stored facts that all the rest follows from. */
  readonly attachment: Attachment
  /** At that instant (rule T2). */
  readonly state: State
  /** Rule T6. Null before the first use of one that starts there. */
  readonly activationAt: Instant | null
  /** Of the last occurrence if it recurs (rule T6). Null while the activation is not known. */
  readonly expirationAt: Instant | null
  /** Of the last package that has begun; 0 if none has. */
  readonly usedBytes: number
  /** Those that were not refused, oldest first. */
  readonly packages: ReadonlyArray<Package>
}

interface Times {
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
}

/** What the times of an attachment follow from. */
export interface Timed {
  /** The anchor and the terms that the times are counted by. */
  readonly attachment: Pick<Attachment, "anchor"> & { readonly terms: Pick<PlanTerms, "periodDays" | "recurrence"> }
  /** By occurrence, ascending. */
  readonly packages: ReadonlyArray<Package>
}

/**
 * Rule T6. A recurring attachment activates at its anchor and expires with its last occurrence;
 * both are known before any package exists. A non-recurring attachment has the times of its only
 * package; so has one whose cycles have not begun.
 */
export const times = ({ attachment, packages }: Timed): Times => {
  const { anchor, terms } = attachment
  // Without an anchor the first package is the only one, which the telco may have ended.
  if (terms.recurrence !== null && anchor !== null) {
    return {
      activationAt: anchor,
      expirationAt: Recurrence.expiration(terms, terms.recurrence, anchor)
    }
  }
  const only = packages[0]
  return { activationAt: only?.activationAt ?? null, expirationAt: only?.expirationAt ?? null }
}

const stateBy = ({ activationAt, expirationAt }: Times, of: WithPackages, now: Instant): State => {
  if (of.attachment.suspendedAt !== null) return "SUSPENDED"
  if (expirationAt !== null && expirationAt <= now) return "EXPIRED"
  if (activationAt === null) return of.packages.length > 0 ? "PENDING_FOR_FIRST_USE" : "CREATED"
  if (now < activationAt) return "CREATED"
  return "ACTIVE"
}

/** Rule T2: the conditions are checked in the rule's order. */
export const state = (of: WithPackages, now: Instant): State => stateBy(times(of), of, now)

/**
 * Rule T6: the usage of a recurring attachment's last package that began, or of a non-recurring
 * one's only package.
 */
const usedBytes = ({ attachment, packages }: WithPackages, now: Instant): number => {
  const counted =
    attachment.terms.recurrence === null
      ? packages[0]
      : packages.findLast((pack) => !isRefused(pack) && pack.activationAt !== null && pack.activationAt <= now)
  return counted?.usedBytes ?? 0
}

/** Rules T2 and T6: the attachment as a reader sees it at `now`. */
export const view = (of: WithPackages, now: Instant): View => {
  const known = times(of)
  return {
    attachment: of.attachment,
    state: stateBy(known, of, now),
    activationAt: known.activationAt,
    expirationAt: known.expirationAt,
    usedBytes: usedBytes(of, now),
    packages: of.packages.filter((pack) => !isRefused(pack))
  }
}

/** Whether an attachment is one of those that `find` goes by. */
export const isNamed = ({ attachmentId, planId }: Pick<Attachment, "attachmentId" | "planId">, id: string): boolean =>
  attachmentId === id || planId === id

/**
 * Rule S4: the attachment with this attachment id. If there is none, the newest active attachment
 * of the plan with this id; if none is active, the newest of that plan. `attachments` are oldest
 * first.
 */
export const find = (attachments: ReadonlyArray<WithPackages>, id: string, now: Instant): WithPackages | undefined => {
  const byId = attachments.find(({ attachment }) => attachment.attachmentId === id)
  if (byId !== undefined) return byId
  const ofPlan = attachments.filter(({ attachment }) => attachment.planId === id)
  return ofPlan.findLast((candidate) => state(candidate, now) === "ACTIVE") ?? ofPlan.at(-1)
}
