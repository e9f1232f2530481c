/**
 * Why an attachment gives no service now (rule L2): what support answers a customer who has no
 * data.
 */
import * as Allowance from "./Allowance.ts"
import * as Attachment from "./Attachment.ts"
import * as Confirmation from "./Confirmation.ts"
import type { Job } from "./Job.ts"
import { idOf, isAtTelco, isRefused, type Package, packageId } from "./Package.ts"
import type { PlanTerms, ThrottlingLimit } from "./Plan.ts"
import * as Recurrence from "./Recurrence.ts"
import { type Instant, toIso } from "./Time.ts"

/** Why. */
export type Reason =
  /** The next package activates then. */
  | { readonly _tag: "WaitsForStart"; readonly at: Instant }
  /**
   * The first use activates the package. `pausedAt`: the SIM has no service for it, since the
   * subscription is paused.
   */
  | { readonly _tag: "WaitsForFirstUse"; readonly pausedAt: Instant | null }
  /** The package is due, and no order of it has failed. */
  | { readonly _tag: "WaitsForOrder" }
  /**
   * The package is due, and the telco has not taken its order: how often, since when, and when it
   * is asked again.
   */
  | {
      readonly _tag: "TelcoUnavailable"
      readonly tries: number
      readonly since: Instant
      readonly nextTryAt: Instant
      readonly said: string
    }
  /** The telco has refused the package. `said` is what it said; null if that was not kept. */
  | { readonly _tag: "TelcoRefused"; readonly packageId: string; readonly said: string | null }
  /**
   * All data of the package is used, and no throttling lets it go on. `nextAt`: when the next
   * package activates; null: none follows.
   */
  | { readonly _tag: "DataUsed"; readonly nextAt: Instant | null }
  /**
   * For good. `by` is the actor of rule W11; null where the entry is gone. `telco`: whether it has
   * stopped the packages.
   */
  | {
      readonly _tag: "Suspended"
      readonly at: Instant
      readonly by: string | null
      readonly telco: Confirmation.Confirmation
    }
  /** It has expired. */
  | { readonly _tag: "Over"; readonly at: Instant }
  /** The subscription is paused (rule S7), and nothing else is in the way. */
  | { readonly _tag: "Paused"; readonly at: Instant }

/** The codes of reasons, for programs. */
export const codes = {
  WaitsForStart: "waits_for_start",
  WaitsForFirstUse: "waits_for_first_use",
  WaitsForOrder: "waits_for_order",
  TelcoUnavailable: "telco_unavailable",
  TelcoRefused: "telco_refused",
  DataUsed: "data_used",
  Suspended: "suspended",
  Over: "over",
  Paused: "paused"
} as const satisfies Readonly<Record<Reason["_tag"], string>>

/** The code of a reason. */
export type Code = (typeof codes)[Reason["_tag"]]

/** What a reason depends on beside the attachment. */
export interface Known {
  /** The job of `orderOf`; null if it is not there. */
  readonly order: Pick<Job, "attempts" | "dueAt" | "waiting"> | null
  /** Who suspended the attachment; null if that is not known. */
  readonly suspendedBy: string | null
  /** The job that suspends the attachment at the telco (rule T7); null: it is done. */
  readonly suspension: Pick<Job, "dueAt" | "endedAt" | "refused" | "waiting"> | null
  /** Since when the subscription is paused; null: it is not. */
  readonly pausedAt: Instant | null
}

/** What an attachment's reason is, and what a reader sees of it. */
export interface Explained extends Attachment.View {
  /** Null: it gives service. */
  readonly reason: Reason | null
  /** What its service is limited to by what was used; null: by nothing, or it gives none. */
  readonly speed: ThrottlingLimit | null
}

/** The package that is to give service: the one of now, or the first one. */
interface Wanted {
  readonly occurrence: number
  /** When it activates. */
  readonly start: Instant
  /** When it ends. */
  readonly end: Instant
  /** When it is ordered. */
  readonly dueAt: Instant
}

/** Whether the telco has a package that is active, used up or not. */
const isActive = (pack: Package, now: Instant): boolean =>
  pack.activationAt !== null && pack.activationAt <= now && isAtTelco(pack, now) && pack.replacement?.isAwaited !== true

/** The packages that give service. */
const serving = ({ attachment: { terms }, packages }: Attachment.WithPackages, now: Instant): ReadonlyArray<Package> =>
  packages.filter((pack) => isActive(pack, now) && !Allowance.isUsedUp(terms, pack))

/**
 * The package of now, or the first one, of which the telco has not taken what is left (rule S8).
 */
const awaited = ({ packages }: Attachment.WithPackages, now: Instant): Package | undefined =>
  packages.find(
    (pack) => pack.replacement?.isAwaited === true && isAtTelco(pack, now) && (pack.activationAt ?? now) <= now
  )

const ofOccurrence = (
  terms: PlanTerms,
  recurrence: Recurrence.Recurrence,
  anchor: Instant,
  occurrence: number
): Wanted => {
  const { end, start } = Recurrence.window(terms, recurrence, anchor, occurrence)
  return { occurrence, start, end, dueAt: Recurrence.dueAt(recurrence, anchor, occurrence) }
}

/** Null for an attachment that does not recur, or whose cycles have not begun. */
const wanted = ({ attachment }: Attachment.WithPackages, now: Instant): Wanted | null => {
  const { anchor, terms } = attachment
  const { recurrence } = terms
  if (recurrence === null || anchor === null) return null
  const windowOf = (occurrence: number): Wanted => ofOccurrence(terms, recurrence, anchor, occurrence)
  // At most one occurrence of those that are due has not begun, unless cycles are shorter than the
  // lead.
  let occurrence = Math.max(0, Recurrence.dueCount(recurrence, anchor, now) - 1)
  while (occurrence > 0 && windowOf(occurrence).start > now) occurrence -= 1
  const current = windowOf(occurrence)
  return current.end <= now && occurrence + 1 < recurrence.occurrences ? windowOf(occurrence + 1) : current
}

const isOver = (state: Attachment.State): boolean => state === "SUSPENDED" || state === "EXPIRED"

/** The id of the job that orders the package that is due and not there; null if none is. */
export const orderOf = (of: Attachment.WithPackages, now: Instant): string | null => {
  const left = awaited(of, now)
  if ((left === undefined && serving(of, now).length > 0) || isOver(Attachment.state(of, now))) return null
  if (left !== undefined) return left.refusal === null ? idOf(left) : null
  const next = wanted(of, now)
  if (next === null || now < next.dueAt || of.packages.some(({ occurrence }) => occurrence === next.occurrence)) {
    return null
  }
  return packageId(of.attachment.attachmentId, next.occurrence, of.attachment.replacements)
}

const refused = (pack: Package): Reason => ({ _tag: "TelcoRefused", packageId: idOf(pack), said: pack.refusal })

const ordering = ({ order }: Known): Reason => {
  if (order?.waiting == null) return { _tag: "WaitsForOrder" }
  const { message: said, since } = order.waiting
  return { _tag: "TelcoUnavailable", tries: order.attempts, since, nextTryAt: order.dueAt, said }
}

/** Why the package that is to give service does not. */
const lacking = (of: Attachment.WithPackages, known: Known, now: Instant): Reason => {
  const left = awaited(of, now)
  if (left !== undefined) return left.refusal === null ? ordering(known) : refused(left)
  const next = wanted(of, now)
  const pack = of.packages.find(({ occurrence }) => occurrence === (next?.occurrence ?? 0))
  const start = pack?.activationAt ?? next?.start ?? null
  if (pack !== undefined && isRefused(pack)) return refused(pack)
  if (start !== null && now < start && (pack !== undefined || next === null || now < next.dueAt)) {
    return { _tag: "WaitsForStart", at: start }
  }
  if (pack !== undefined) {
    const { anchor, terms } = of.attachment
    const following =
      terms.recurrence === null || anchor === null || pack.occurrence + 1 >= terms.recurrence.occurrences
        ? null
        : ofOccurrence(terms, terms.recurrence, anchor, pack.occurrence + 1)
    const nextAt = following !== null && now < following.start ? following.start : null
    if (of.packages.some((one) => isActive(one, now))) return { _tag: "DataUsed", nextAt }
    // It has ended, by the telco's times or because it lapsed, before the next one begins.
    return nextAt !== null
      ? { _tag: "WaitsForStart", at: nextAt }
      : { _tag: "Over", at: Math.min(pack.expirationAt ?? now, now) }
  }
  return ordering(known)
}

/** The reason, by how a reader sees the attachment and by which of its packages give service. */
const reasonOf = (
  attached: Attachment.WithPackages,
  seen: Attachment.View,
  served: ReadonlyArray<Package>,
  known: Known,
  now: Instant
): Reason | null => {
  const { attachment, packages } = attached
  const { pausedAt } = known
  switch (seen.state) {
    case "SUSPENDED":
      return {
        ...{ _tag: "Suspended", at: attachment.suspendedAt ?? now, by: known.suspendedBy },
        telco: Confirmation.of(known.suspension)
      }
    case "EXPIRED":
      return { _tag: "Over", at: seen.expirationAt ?? now }
    case "PENDING_FOR_FIRST_USE": {
      if (awaited(attached, now) !== undefined) return lacking(attached, known, now)
      const [first] = packages
      return first !== undefined && isRefused(first) ? refused(first) : { _tag: "WaitsForFirstUse", pausedAt }
    }
    case "CREATED":
      return lacking(attached, known, now)
    case "ACTIVE":
      if (served.length === 0) return lacking(attached, known, now)
      return pausedAt === null ? null : { _tag: "Paused", at: pausedAt }
  }
}

/** How fast packages that serve are: null if one of them is not slowed down. */
const speedOf = (terms: PlanTerms, served: ReadonlyArray<Package>) => {
  const speeds = served.map((pack) => Allowance.speedOf(terms, pack))
  return speeds.includes(null) ? null : (speeds[0] ?? null)
}

/** Rule L2: the attachment as a reader sees it at `now`, with why it gives no service. */
export const explained = (attached: Attachment.WithPackages, known: Known, now: Instant): Explained => {
  const seen = Attachment.view(attached, now)
  const served = serving(attached, now)
  const reason = reasonOf(attached, seen, served, known, now)
  const { terms } = attached.attachment
  return { ...seen, reason, speed: reason === null && terms.throttling.length > 0 ? speedOf(terms, served) : null }
}

const stopped = (telco: Confirmation.Confirmation): string => {
  switch (telco._tag) {
    case "Confirmed":
      return ""
    case "Asked":
    case "Waits":
      return ", which the telco has not confirmed yet,"
    case "Refused":
      return `, which the telco refuses (${telco.said}),`
  }
}

const paused = (at: Instant): string => `The SIM has no service: the subscription has been paused since ${toIso(at)}`

/** The reason in a sentence, for people. */
export const message = (reason: Reason): string => {
  switch (reason._tag) {
    case "WaitsForStart":
      return `The package activates at ${toIso(reason.at)}`
    case "WaitsForFirstUse":
      return `The package activates at the first use of the SIM${reason.pausedAt === null ? "" : `. ${paused(reason.pausedAt)}`}`
    case "WaitsForOrder":
      return "The package is due, and is being ordered at the telco"
    case "TelcoUnavailable":
      return `The telco has not taken the order of the package since ${toIso(reason.since)}, in ${reason.tries} tries: ${reason.said}`
    case "TelcoRefused":
      return `The telco has refused the package${reason.said === null ? "" : `: ${reason.said}`}`
    case "DataUsed": {
      const next = reason.nextAt === null ? "" : `. The next package activates at ${toIso(reason.nextAt)}`
      return `All data of the package is used${next}`
    }
    case "Suspended":
      return `It was suspended at ${toIso(reason.at)}${stopped(reason.telco)}${reason.by === null ? "" : ` by ${reason.by}`}`
    case "Over":
      return `It ended at ${toIso(reason.at)}`
    case "Paused":
      return paused(reason.at)
  }
}
