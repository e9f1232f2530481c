/**
 * Plan attachments: one plan instance on a subscription, with its own copy of the plan's terms.
 *
 * The state is never stored: it is a pure function of facts and the clock (rule T2), and so is all else that is told of
 * an attachment (rule T6).
 */
import type { Package } from "./Package.ts"
import type { PlanTerms } from "./Plan.ts"
import * as Recurrence from "./Recurrence.ts"
import type { Instant } from "./Time.ts"

/** The active period as it was asked for; `end` is kept for the creation's answer even where it is ignored. */
export interface ActivePeriod {
  readonly start: Instant
  readonly end: Instant | null
}

export interface Attachment {
  readonly organizationId: string
  readonly iccid: string
  readonly subscriptionId: string
  readonly attachmentId: string
  readonly planId: string
  readonly terms: PlanTerms
  readonly activePeriod: ActivePeriod | null
  readonly metadata: string
  readonly createdAt: Instant
  /** False until the telco's outcome is committed; invisible until then (rule S5). */
  readonly confirmed: boolean
  /** Where the cycles of a recurring attachment are counted from; null until the first use, and where none recurs. */
  readonly anchor: Instant | null
  readonly suspendedAt: Instant | null
  /** The highest allowance threshold that was told, in percent; 0 while none was (rule R2). */
  readonly thresholdTold: number
}

/** An attachment with its packages by occurrence, ascending. */
export interface WithPackages {
  readonly attachment: Attachment
  readonly packages: ReadonlyArray<Package>
}

export type State = "PENDING_FOR_FIRST_USE" | "CREATED" | "ACTIVE" | "SUSPENDED" | "EXPIRED"

/** An attachment as it is at one instant. */
export interface View {
  readonly attachment: Attachment
  readonly state: State
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
  readonly usedBytes: number
  /** Those that were not refused, oldest first. */
  readonly packages: ReadonlyArray<Package>
}

interface Times {
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
}

/**
 * Rule T6. A recurring attachment's times are its anchor and its last occurrence's end, known before any package
 * exists; another's are those of its one package.
 */
export const times = ({ attachment, packages }: WithPackages): Times => {
  const { anchor, terms } = attachment
  if (terms.recurrence !== null) {
    return {
      activationAt: anchor,
      expirationAt: anchor === null ? null : Recurrence.expiration(terms, terms.recurrence, anchor)
    }
  }
  const only = packages[0]
  return { activationAt: only?.activationAt ?? null, expirationAt: only?.expirationAt ?? null }
}

/** Rule T2, in its order. */
export const state = (of: WithPackages, now: Instant): State => {
  if (of.attachment.suspendedAt !== null) return "SUSPENDED"
  const { activationAt, expirationAt } = times(of)
  if (activationAt === null) return of.packages.length > 0 ? "PENDING_FOR_FIRST_USE" : "CREATED"
  if (now < activationAt) return "CREATED"
  if (expirationAt !== null && expirationAt <= now) return "EXPIRED"
  return "ACTIVE"
}

/** Rule T6: a recurring attachment tells what was used of the last package that began, another that of its one. */
const usedBytes = ({ attachment, packages }: WithPackages, now: Instant): number => {
  const told =
    attachment.terms.recurrence === null
      ? packages[0]
      : packages.findLast(
          ({ activationAt, status }) => status !== "Refused" && activationAt !== null && activationAt <= now
        )
  return told?.usedBytes ?? 0
}

/** All that is told of an attachment at `now`. */
export const view = (of: WithPackages, now: Instant): View => ({
  attachment: of.attachment,
  state: state(of, now),
  ...times(of),
  usedBytes: usedBytes(of, now),
  packages: of.packages.filter((pack) => pack.status !== "Refused")
})

/**
 * Rule S4: the attachment with that id, else one with that plan: the active one (the newest of several), else the
 * newest. `attachments` are oldest first.
 */
export const find = (attachments: ReadonlyArray<WithPackages>, id: string, now: Instant): WithPackages | undefined => {
  const byId = attachments.find(({ attachment }) => attachment.attachmentId === id)
  if (byId !== undefined) return byId
  const ofPlan = attachments.filter(({ attachment }) => attachment.planId === id)
  return ofPlan.findLast((candidate) => state(candidate, now) === "ACTIVE") ?? ofPlan.at(-1)
}
