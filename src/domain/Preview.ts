/**
 * Previews of creations, deletions, replacements, suspensions and pauses (rule S9): what a request
 * would do at an instant, worked out by the same decisions that carry it out. Nothing is written,
 * reserved or ordered.
 *
 * A preview assumes that the telco takes every package, and names no times of its own for it.
 */
import { Result } from "effect"
import * as Deletion from "./Deletion.ts"
import * as Pause from "./Pause.ts"
import type { Package } from "./Package.ts"
import { idOf, isAtTelco, isTaken, packageId } from "./Package.ts"
import type { Bundle, Plan } from "./Plan.ts"
import * as Provisioning from "./Provisioning.ts"
import type { InvalidField, NotFound, Refusing } from "./Refusal.ts"
import * as SimAggregate from "./SimAggregate.ts"
import * as Replacement from "./Replacement.ts"
import type { Sim } from "./Sim.ts"
import type { Created, Replaced } from "./Subscription.ts"
import * as Suspension from "./Suspension.ts"
import type { Instant } from "./Time.ts"

/** The id of whatever the request would make: the nil UUID of RFC 9562, section 5.9. */
export const NIL = "00000000-0000-0000-0000-000000000000"

/** What a decision about a pause is given (rule S7): no change has an id yet. */
const unasked: Pause.Given = { changeId: NIL, isRefused: false }

/** A package that the request would order, suspend or cancel. */
export interface PackageTimes {
  /** `<attachment id>:<occurrence>`. */
  readonly packageId: string
  /** Null: it is known at the first use. */
  readonly activationAt: Instant | null
  /** Null: it is known at the first use. */
  readonly expirationAt: Instant | null
}

/** What a creation would do. */
export interface OfCreation {
  /** Its answer. New ids are `NIL`. */
  readonly created: Created
  /** The packages that the telco would be asked for before the answer, oldest first. */
  readonly ordered: ReadonlyArray<PackageTimes>
  /**
   * When the next package would be made; null: none would follow, or only from the first use on.
   */
  readonly nextPackageAt: Instant | null
  /** What the eSIM would be bought with (rule I15). Absent: none would be bought. */
  readonly purchase?: Pick<Bundle, "load" | "limit">
}

/** What a deletion would do. */
export interface OfDeletion {
  /** Why it would be refused; null: it would not. */
  readonly refusal: Refusing<"deletion"> | null
  /** Whether there is any sign that the profile was downloaded (rule S2). */
  readonly isDownloaded: boolean
  /** Whether a plan on the SIM was active. */
  readonly isActivated: boolean
  /** Whether data was used. */
  readonly isUsed: boolean
  /** The packages that would be cancelled at the telco; none if it would be refused. */
  readonly cancelled: ReadonlyArray<PackageTimes>
}

/** What a replacement would do. */
export interface OfReplacement {
  /** The subscription on the eSIM that would be picked, which is not reserved. */
  readonly replaced: Replaced
  /** The packages that would be ordered on the new SIM, with the data that is left. */
  readonly ordered: ReadonlyArray<PackageTimes & { readonly dataMegaBytes: number }>
  /** The packages that would be cancelled on the old SIM. */
  readonly cancelled: ReadonlyArray<PackageTimes>
}

/** What a suspension would do. */
export interface OfSuspension {
  /**
   * The packages that would be stopped at the telco; none if the attachment is suspended
   * already.
   */
  readonly suspended: ReadonlyArray<PackageTimes>
  /** How many packages of the recurrence would never be made. */
  readonly endedOccurrences: number
}

/** What a pause or a resumption would do. */
export interface OfPause {
  /** False: it is so already, and the telco is not asked. */
  readonly isChanged: boolean
  /** Since when the subscription would be paused; null: it would not be. */
  readonly pausedAt: Instant | null
}

const timesOf = (pack: Package): PackageTimes => ({
  packageId: idOf(pack),
  activationAt: pack.activationAt,
  expirationAt: pack.expirationAt
})

/** The packages of these ids, of which some may not be known yet. */
const timesOfAll = (
  { attachments }: SimAggregate.SimAggregate,
  packageIds: ReadonlyArray<string>
): ReadonlyArray<PackageTimes> => {
  const known = new Map(attachments.flatMap(({ packages }) => packages.map((pack) => [idOf(pack), timesOf(pack)])))
  return packageIds.map((id) => known.get(id) ?? { packageId: id, activationAt: null, expirationAt: null })
}

/** What becomes of a creation of which the telco takes all that is ordered. */
const confirmed = (subscribed: Provisioning.Subscribed, now: Instant): Provisioning.Confirmed => {
  if (subscribed._tag === "Complete") return subscribed
  const { aggregate, attachment } = subscribed
  const outcomes = Provisioning.orderable(attachment).map((occurrence) => ({
    occurrence,
    telcoPackageId: packageId(NIL, occurrence),
    activationAt: null,
    expirationAt: null
  }))
  return Provisioning.confirm(aggregate, attachment, outcomes, now)
}

/**
 * Rule S9: what a creation on the SIM would do. It is refused as `Provisioning.subscribe` would
 * refuse it.
 */
export const creation = (
  plan: Plan,
  aggregate: SimAggregate.SimAggregate,
  request: Provisioning.Request,
  now: Instant
): Result.Result<OfCreation, InvalidField | Refusing<"creation">> =>
  Result.map(
    Provisioning.subscribe(plan, aggregate, request, { subscriptionId: NIL, attachmentId: NIL }, now),
    (subscribed) => {
      const { created, decision, packages } = confirmed(subscribed, now)
      return {
        created,
        ordered: packages.filter(isTaken).map(timesOf),
        nextPackageAt: decision.jobs?.[0]?.dueAt ?? null
      }
    }
  )

/**
 * Rule S9: what a deletion would do. One that would be refused says so, and what the SIM shows of
 * its use.
 */
export const deletion = (aggregate: SimAggregate.SimAggregate, now: Instant): Result.Result<OfDeletion, NotFound> => {
  const removed = Deletion.remove(aggregate, now, unasked)
  const refusal = Result.isFailure(removed) ? removed.failure : null
  if (refusal?._tag === "NotFound") return Result.fail(refusal)
  const packages = aggregate.attachments.flatMap((of) => of.packages)
  const jobs = Result.isSuccess(removed) ? (removed.success.jobs ?? []) : []
  return Result.succeed({
    refusal,
    isDownloaded: aggregate.sim.downloaded,
    isActivated: packages.some(({ activationAt }) => activationAt !== null && activationAt <= now),
    isUsed: packages.some(({ usedBytes }) => usedBytes > 0),
    cancelled: timesOfAll(
      aggregate,
      jobs.flatMap(({ work }) => (work._tag === "CancelPackages" ? work.packageIds : []))
    )
  })
}

/**
 * Rule S9: what a replacement by `free` would do. It is refused as `Replacement.replace` would
 * refuse it.
 */
export const replacement = (
  aggregate: SimAggregate.SimAggregate,
  free: Sim,
  now: Instant
): Result.Result<OfReplacement, NotFound | Refusing<"replacement">> => {
  const given = { pause: unasked, changeId: NIL, notifiedUntil: new Map() }
  return Result.map(Replacement.replace(aggregate, free, given, now), ({ cancelled, left, replaced }) => ({
    replaced,
    ordered: left.map(({ pack, terms }) => ({ ...timesOf(pack), dataMegaBytes: terms.dataMegaBytes })),
    cancelled: timesOfAll(aggregate, cancelled)
  }))
}

/** Rule S9: what a suspension would do. It is refused as `Suspension.suspend` would refuse it. */
export const suspension = (
  aggregate: SimAggregate.SimAggregate,
  attachmentId: string,
  now: Instant
): Result.Result<OfSuspension, NotFound | Refusing<"suspension">> =>
  Result.map(Suspension.suspend(aggregate, attachmentId, now), (decision) => {
    const own = decision.sim === undefined ? undefined : SimAggregate.attachment(aggregate, attachmentId)
    if (own === undefined) return { suspended: [], endedOccurrences: 0 }
    const { recurrence } = own.attachment.terms
    return {
      suspended: own.packages.filter((pack) => isAtTelco(pack, now)).map(timesOf),
      endedOccurrences: recurrence === null ? 0 : recurrence.occurrences - own.packages.length
    }
  })

/** Rule S9: what a pause or a resumption would do. */
export const pause = (
  aggregate: SimAggregate.SimAggregate,
  wanted: { readonly paused: boolean },
  now: Instant
): OfPause => {
  const { sim: change } = Pause.request(aggregate, wanted, unasked, now)
  return {
    isChanged: change !== undefined,
    pausedAt: (change?.next.sim.service ?? aggregate.sim.service).pausedAt
  }
}
