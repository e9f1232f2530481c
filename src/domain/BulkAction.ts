/**
 * What an operator does to many subscriptions or SIMs of an organization at once (rule W15): which
 * ones a filter takes, and what comes of each.
 */
import { Result } from "effect"
import * as Attachment from "./Attachment.ts"
import { InvalidField, type Refusal } from "./Refusal.ts"
import type { Status as SimStatus } from "./Sim.ts"
import type { Asked } from "./SimSearch.ts"
import type { Unchecked } from "./SimCorrection.ts"
import type { ServiceStatus, SubscriptionWithSim } from "./Subscription.ts"
import type { Instant } from "./Time.ts"

/** What can be done. `suspend` suspends the attachments of the plan that the filter names. */
export const actions = ["pause", "resume", "suspend", "delete"] as const

/** What is done to each. */
export type Action = (typeof actions)[number]

/** Which subscriptions are taken, beside what lists filter by (rule L1); null filters nothing. */
export interface Filter extends Asked<ServiceStatus> {
  /** Only those with an attachment of this plan that has neither expired nor been suspended. */
  readonly planId: string | null
  /** Only those that were made at this instant or before it. */
  readonly createdUntil: Instant | null
}

/** What is to be done, to which subscriptions of an organization. */
export interface Request {
  /** The organization that has them. */
  readonly organizationId: string
  /** What is done to each. */
  readonly action: Action
  /** Which ones. */
  readonly filter: Filter
}

/** What can be done to SIMs: a correction of each (rule I9). */
export const simActions = ["withdraw", "restore", "set_label"] as const

/** What is done to each SIM. */
export type SimAction = (typeof simActions)[number]

/** Which SIMs are taken, beside what lists filter by; null filters nothing. */
export interface SimFilter extends Asked<SimStatus>, Pick<Filter, "createdUntil"> {
  /** Only eSIMs, or only physical SIMs. */
  readonly isEsim: boolean | null
}

/** How SIMs are to be corrected, and which ones of an organization. */
export interface SimRequest {
  /** The organization that has them. */
  readonly organizationId: string
  /** What each is to become. */
  readonly correction: Unchecked
  /** Which ones. */
  readonly filter: SimFilter
}

/**
 * The correction that an action is. `reason` goes with a withdrawal, `label` with another label,
 * and both are checked with the correction.
 */
export const correctionOf = (
  action: SimAction,
  { label, reason }: Pick<Unchecked, "label" | "reason">
): Result.Result<Unchecked, InvalidField> => {
  const refused = (field: string, message: string) => Result.fail(new InvalidField({ field, message }))
  if (action !== "withdraw" && reason !== undefined)
    return refused("reason", "must be absent unless SIMs are withdrawn")
  if (action !== "set_label" && label !== undefined) return refused("newLabel", "must be absent unless it is set")
  switch (action) {
    case "withdraw":
      return Result.succeed({ status: "withdrawn", reason })
    case "restore":
      return Result.succeed({ status: "available" })
    case "set_label":
      return label === undefined ? refused("newLabel", "must say the label that is set") : Result.succeed({ label })
  }
}

/** What can come of one. `unchanged`: it was so already. */
export const outcomes = ["changed", "unchanged", "refused"] as const

/** What comes of one. */
export type Outcome = (typeof outcomes)[number]

/** A SIM, and what has come of it, or would. */
export interface ItemResult {
  /** The SIM's, or of that which the subscription is on. */
  readonly iccid: string
  /** What has come of it. */
  readonly outcome: Outcome
  /** Why it is refused, or if it is changed, a part of it; null: nothing is. */
  readonly refusal: Refusal | null
}

/**
 * What comes of one by its parts, of each its refusal or null: it is changed if a part of it is.
 */
export const ofParts = (parts: ReadonlyArray<Refusal | null>): Pick<ItemResult, "outcome" | "refusal"> => {
  const refusal = parts.find((part) => part !== null) ?? null
  if (parts.includes(null)) return { outcome: "changed", refusal }
  return { outcome: refusal === null ? "unchanged" : "refused", refusal }
}

/** A subscription, and what has come of it, or would. */
export interface SubscriptionResult extends ItemResult {
  /** The subscription's id. */
  readonly subscriptionId: string
}

/** How many a filter takes, and what would come of them. */
export interface Counts<Item extends ItemResult = ItemResult> extends Readonly<Record<Outcome, number>> {
  /** The first that would be refused. */
  readonly refusals: ReadonlyArray<Item>
}

/** What would come of all that a filter takes. */
export interface Preview<Item extends ItemResult = ItemResult> extends Counts<Item> {
  /** Whether the filter takes no more than were counted. */
  readonly isWhole: boolean
  /** The filter has taken what was there by then: with it as `createdUntil`, it takes no others. */
  readonly createdUntil: Instant
}

/** How many a preview counts, at most. */
export const MOST_COUNTED = 20_000

/** How many of those that would be refused are shown. */
export const MOST_REFUSALS = 20

/** None. */
export const noCounts: Counts<never> = { changed: 0, unchanged: 0, refused: 0, refusals: [] }

/** The counts with some results more. */
export const counted = <Item extends ItemResult>(before: Counts<Item>, results: ReadonlyArray<Item>): Counts<Item> => {
  const countOf = (outcome: Outcome): number => results.filter((one) => one.outcome === outcome).length
  const refusals = [...before.refusals, ...results.filter(({ outcome }) => outcome === "refused")]
  return {
    changed: before.changed + countOf("changed"),
    unchanged: before.unchanged + countOf("unchanged"),
    refused: before.refused + countOf("refused"),
    refusals: refusals.slice(0, MOST_REFUSALS)
  }
}

/** How many were counted. */
export const total = ({ changed, refused, unchanged }: Counts): number => changed + refused + unchanged

/** Rule W15: a blank search, which finds all in a list, says nothing of which are to be changed. */
export const checkFilter = ({ search }: Pick<Filter, "search">): Result.Result<void, InvalidField> =>
  search?.trim() === ""
    ? Result.fail(new InvalidField({ field: "search", message: "must not be blank" }))
    : Result.succeed(undefined)

/** Rule W15: a suspension has to say of which plan. */
export const check = ({ action, filter }: Request): Result.Result<void, InvalidField> =>
  action === "suspend" && filter.planId === null
    ? Result.fail(new InvalidField({ field: "planId", message: "must say which plan is suspended" }))
    : checkFilter(filter)

/** Whether the filter takes the subscription by when it was made. */
export const takes = (
  { createdUntil }: Pick<Filter, "createdUntil">,
  { subscription }: Pick<SubscriptionWithSim, "subscription">
): boolean => createdUntil === null || subscription.createdAt <= createdUntil

/**
 * The attachments of a subscription and a plan that have neither expired nor been suspended, oldest
 * first.
 */
export const ofPlan = (
  attachments: ReadonlyArray<Attachment.WithPackages>,
  { planId, subscriptionId }: { readonly planId: string; readonly subscriptionId: string },
  now: Instant
): ReadonlyArray<Attachment.WithPackages> =>
  attachments.filter((of) => {
    if (!of.attachment.confirmed || of.attachment.planId !== planId) return false
    if (of.attachment.subscriptionId !== subscriptionId) return false
    const state = Attachment.state(of, now)
    return state !== "EXPIRED" && state !== "SUSPENDED"
  })
