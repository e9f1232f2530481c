/**
 * Moving a subscription to another SIM (rule S8), for a customer whose eSIM was deleted from the
 * phone, or whose card is lost.
 *
 * One commit moves it with its attachments and packages: states, times and usage go on. The old SIM
 * is withdrawn, and a job cancels what the telco has on it. For each package that is not over, a
 * job orders what is left of it on the new SIM, under an id of its own: an order on the old SIM
 * that arrives late is not taken for it.
 *
 * Reports may be behind what was used. So before anything is cancelled or ordered, the package is
 * stopped on the old SIM, and the telco is asked how much of it was used there. What is left is
 * ordered by that, and what is reported later counts too.
 *
 * A plan that is a supplier's bundle is bought anew with the new SIM, as a whole. So it moves only
 * while nothing of it is known to be used.
 */
import { Result } from "effect"
import * as Allowance from "./Allowance.ts"
import type * as Attachment from "./Attachment.ts"
import * as Capabilities from "./Capabilities.ts"
import { type Decision, type NewJob, nothing } from "./Decision.ts"
import * as Deletion from "./Deletion.ts"
import type { Work } from "./Job.ts"
import * as Lifecycle from "./Lifecycle.ts"
import * as Moves from "./Moves.ts"
import * as Occurrence from "./Occurrence.ts"
import {
  type Former,
  formerOf,
  idOf,
  isAtTelco,
  type Package,
  packageId,
  uncountedOn,
  usedOnFormer
} from "./Package.ts"
import * as Pause from "./Pause.ts"
import type { PlanTerms } from "./Plan.ts"
import * as Recurrence from "./Recurrence.ts"
import { NotFound, NotSupported, type Refusing, SimBusy } from "./Refusal.ts"
import type { Sim } from "./Sim.ts"
import * as SimAggregate from "./SimAggregate.ts"
import type { SimChange } from "./SimDifference.ts"
import { isLive, type Replaced } from "./Subscription.ts"
import * as TelcoReport from "./TelcoReport.ts"
import { type Instant, toIso } from "./Time.ts"
import type * as UsageBook from "./UsageBook.ts"

/** What a replacement is given beside both SIMs. */
export interface Given {
  /** For the end of a pause on the old SIM (rule S7). */
  readonly pause: Pause.Given
  /** New: the key of the change by which the new SIM is paused. */
  readonly changeId: string
  /**
   * Until when each attachment has been notified, which is when its job is due (rule E1); one
   * without a job is not in it.
   */
  readonly notifiedUntil: ReadonlyMap<string, Instant>
  /** What the telco of the old SIM shows (rule S3); absent: downloads. */
  readonly shown?: Deletion.Shown
}

/** What is left of a package, as it is ordered on the new SIM. */
export interface Left {
  /** As it is after the move. */
  readonly pack: Package
  /** The attachment's terms with the data that is left. */
  readonly terms: PlanTerms
}

/** A subscription that has moved. */
export interface Moved {
  /** Both SIMs, the event and the jobs. */
  readonly decision: Decision
  /** The answer. */
  readonly replaced: Replaced
  /** What is ordered on the new SIM. */
  readonly left: ReadonlyArray<Left>
  /** What is cancelled on the old SIM. */
  readonly cancelled: ReadonlyArray<string>
}

/**
 * The terms of a package of which so much was used: the data that is left, in whole MB, rounded up,
 * and its throttling counted from there. Null if nothing is left; a plan that is throttled goes
 * on at its lowest speed, and one that is a bundle is ordered as a whole.
 */
export const remainder = (terms: PlanTerms, usedBytes: number): PlanTerms | null => {
  // A bundle is whole, or is not there.
  if (usedBytes === 0 || terms.load !== undefined) return terms
  const left = Allowance.left(terms, usedBytes)
  if (left.dataMegaBytes === 0 && terms.throttling.length === 0) return null
  return { ...terms, ...left, dataMegaBytes: Math.max(1, left.dataMegaBytes) }
}

/** What the telco was asked for of a package of an attachment with these terms. */
export const termsOf = (terms: PlanTerms, { replacement }: Pick<Package, "replacement">): PlanTerms =>
  replacement === null ? terms : (remainder(terms, replacement.usedBefore) ?? terms)

interface MovedAttachment {
  readonly of: Attachment.WithPackages
  readonly left: ReadonlyArray<Left>
}

/** What a package is on the SIM that its subscription leaves. */
const asFormer = (pack: Package, terms: PlanTerms): Former => {
  const { replacement } = pack
  const isExpected =
    replacement === null || !(replacement.isAwaited || remainder(terms, replacement.usedBefore) === null)
  return {
    iccid: pack.iccid,
    number: replacement?.number ?? 0,
    telcoPackageId: pack.telcoPackageId,
    usedBytes: pack.usedBytes - usedOnFormer(pack),
    count: "awaited",
    ...(!isExpected && { isExpected }),
    unreportedBytes: 0
  }
}

/** The attachment on the new SIM. One that is over takes its packages along as they were. */
const movedAttachment = (of: Attachment.WithPackages, iccid: string, now: Instant): MovedAttachment => {
  const attachment = { ...of.attachment, iccid, replacements: of.attachment.replacements + 1 }
  const left: Array<Left> = []
  const packages = of.packages.map((pack): Package => {
    if (attachment.suspendedAt !== null || !isAtTelco(pack, now)) return { ...pack, iccid }
    const terms = remainder(attachment.terms, pack.usedBytes)
    const replacement = {
      number: attachment.replacements,
      usedBefore: pack.usedBytes,
      isAwaited: terms !== null,
      former: [...formerOf(pack), asFormer(pack, attachment.terms)]
    }
    const next: Package = { ...pack, iccid, telcoPackageId: null, refusal: null, replacement }
    if (terms !== null) left.push({ pack: next, terms })
    return next
  })
  return { of: { attachment, packages }, left }
}

/**
 * The jobs of the occurrences that are not recorded yet: those that are due, and the next one
 * (rule T5).
 */
const occurrencesOf = ({ attachment, packages }: Attachment.WithPackages, now: Instant): ReadonlyArray<NewJob> => {
  const { anchor, terms } = attachment
  if (terms.recurrence === null || anchor === null) return []
  const known = new Set(packages.map(({ occurrence }) => occurrence))
  return Array.from({ length: Recurrence.dueCount(terms.recurrence, anchor, now) + 1 }, (_, occurrence) => occurrence)
    .filter((occurrence) => !known.has(occurrence))
    .flatMap((occurrence) => Occurrence.next(attachment, occurrence, true) ?? [])
}

/** What the new SIM has to come with: the bundle of the plan. */
export interface Wanted {
  /** The supplier's code of it. */
  readonly load: string
  /** The plan that the attachment was made of. */
  readonly planId: string
}

/** Whether packages of the attachment are to be ordered on another SIM. */
const isGoingOn = ({ attachment, packages }: Attachment.WithPackages, now: Instant): boolean =>
  attachment.suspendedAt === null && (packages.length === 0 || packages.some((pack) => isAtTelco(pack, now)))

const isUsed = ({ activationAt, usedBytes }: Package, now: Instant): boolean =>
  usedBytes > 0 || (activationAt !== null && activationAt <= now)

/**
 * Rules S8 and I15: the bundle that the SIM has to come with which a subscription moves to: that of
 * the oldest plan that is one; null: none is. `NotSupported` once something of a bundle was used.
 */
export const wanted = (
  { attachments }: SimAggregate.SimAggregate,
  now: Instant
): Result.Result<Wanted | null, NotSupported> => {
  let first: Wanted | null = null
  for (const of of attachments) {
    const { planId, terms } = of.attachment
    if (terms.load === undefined || !isGoingOn(of, now)) continue
    if (of.packages.some((pack) => isAtTelco(pack, now) && isUsed(pack, now))) {
      const message = `The plan ${terms.name} is a bundle of a supplier that is in use, and such a bundle moves to no other eSIM`
      return Result.fail(new NotSupported({ message }))
    }
    first ??= { load: terms.load, planId }
  }
  return Result.succeed(first)
}

const orderJob = ({ pack }: Left, isLoad: boolean, now: Instant): NewJob => ({
  jobId: idOf(pack),
  work: {
    _tag: "ReplacePackage",
    iccid: pack.iccid,
    attachmentId: pack.attachmentId,
    occurrence: pack.occurrence,
    replacement: pack.replacement?.number ?? 0,
    ...(isLoad && { isLoad: true as const })
  },
  dueAt: now
})

/**
 * Rule S8: moves the live subscription to `free`, an eSIM of its label that nobody has. `SimBusy`
 * while a plan is being attached to it.
 */
export const replace = (
  aggregate: SimAggregate.SimAggregate,
  free: Sim,
  { changeId, notifiedUntil, pause, shown = Capabilities.full }: Given,
  now: Instant
): Result.Result<Moved, NotFound | Refusing<"replacement">> => {
  const { sim: old, subscription } = aggregate
  if (!isLive(subscription)) return Result.fail(new NotFound({ resource: "subscription", id: old.iccid }))
  if (SimAggregate.confirmed(aggregate).length < aggregate.attachments.length) {
    return Result.fail(new SimBusy({ iccid: old.iccid }))
  }
  const bundle = wanted(aggregate, now)
  if (Result.isFailure(bundle)) return Result.fail(bundle.failure)
  const { iccid } = free
  const { subscriptionId } = subscription
  const resumed = Pause.asked(old, null, pause, now)
  const move = Moves.made(old, iccid, subscription, now)
  const taken: Sim = {
    ...free,
    allocation: { _tag: "InService", subscriptionId },
    movedTo: null,
    moves: Moves.kept(free.moves, move)
  }
  const paused = Pause.asked(taken, old.service.pausedAt, { changeId, isRefused: false }, now)
  const left: Sim = {
    ...Deletion.left(resumed.sim, shown),
    allocation: { _tag: "Withdrawn", reason: "replaced", ending: subscriptionId },
    recycledAt: now,
    movedTo: iccid,
    moves: Moves.kept(old.moves, move)
  }
  const endJobId = Deletion.releaseJobOf(left)
  const moved = aggregate.attachments.map((of) => movedAttachment(of, iccid, now))
  const attachments = moved.map(({ of }) => of)
  const ordered = moved.flatMap((of) => of.left)
  const { load = null } = free.purchase ?? {}
  const loaded = load === null ? undefined : ordered.find(({ terms }) => terms.load === load)
  const cancelled = aggregate.attachments.flatMap((of) => Deletion.packageIdsAtTelco(of, now))
  const end: ReadonlyArray<NewJob> =
    endJobId === null
      ? []
      : [
          {
            jobId: endJobId,
            work: {
              _tag: "CancelPackages",
              iccid: old.iccid,
              packageIds: cancelled,
              release: "Review",
              onlyAttachments: SimAggregate.attachmentIds(aggregate)
            },
            dueAt: now
          }
        ]
  const next = { ...subscription, iccid }
  const ready = free.lpa === null ? [] : [Lifecycle.codeReady(next, old.iccid)]
  return Result.succeed({
    decision: {
      sim: {
        loaded: { sim: free, subscription: null, attachments: [] },
        next: { sim: paused.sim, subscription: next, attachments }
      },
      movedFrom: { loaded: aggregate, next: { sim: left, subscription: null, attachments: [] } },
      payloads: [
        {
          type: "subscription.replaced",
          data: { esim: iccid, subscriptionId, replacedEsim: old.iccid, replacedAt: toIso(now) }
        },
        ...ready
      ],
      jobs: [
        ...resumed.jobs,
        ...paused.jobs,
        ...end,
        ...ordered.map((of) => orderJob(of, of === loaded, now)),
        ...attachments.flatMap((of) => occurrencesOf(of, now)),
        ...Lifecycle.jobsUntil(attachments, notifiedUntil)
      ]
    },
    replaced: { subscription: next, sim: paused.sim, replacedIccid: old.iccid },
    left: ordered,
    cancelled
  })
}

type Named = Extract<Work, { readonly _tag: "ReplacePackage" }>

/** What the job that orders what is left of a package has to do. */
export type Step =
  | {
      readonly _tag: "Order"
      /** The attachment's terms with the data that is left. */
      readonly terms: PlanTerms
      /** Null: from the first use. */
      readonly window: Recurrence.Window | null
    }
  /** The telco is to be asked first how much was used on SIMs that the subscription has left. */
  | { readonly _tag: "Count"; readonly iccids: ReadonlyArray<string> }
  /** The package is over, or the telco has answered. */
  | { readonly _tag: "Nothing" }
  /**
   * The attachment is suspended, deleted or has moved on: the package is cancelled at the telco,
   * which may have it.
   */
  | { readonly _tag: "Gone" }

const awaitedOf = (present: SimAggregate.ForOccurrence, { replacement }: Named): Package | undefined =>
  present.attachments[0].packages.find(
    (pack) => pack.replacement?.isAwaited === true && pack.replacement.number === replacement && pack.refusal === null
  )

/**
 * Rule S8: what is to be done for what is left of a package. `present` is `Occurrence.stillOf` the
 * job. `isCounted`: the telco was asked for each SIM that `Count` has named.
 */
export const step = (
  present: SimAggregate.ForOccurrence | null,
  work: Named,
  now: Instant,
  isCounted = false
): Step => {
  if (present === null) return { _tag: "Gone" }
  const [{ attachment }] = present.attachments
  const pack = awaitedOf(present, work)
  if (pack === undefined || !isAtTelco(pack, now)) return { _tag: "Nothing" }
  if (attachment.suspendedAt !== null) return { _tag: "Gone" }
  const iccids = isCounted ? [] : uncountedOn(pack)
  if (iccids.length > 0) return { _tag: "Count", iccids }
  const { activationAt: start, expirationAt: end } = pack
  const terms = remainder(attachment.terms, pack.replacement?.usedBefore ?? 0)
  if (terms === null) return { _tag: "Nothing" }
  return { _tag: "Order", terms, window: start === null || end === null ? null : { start, end } }
}

/** What the telco has counted of a package on the SIM that its subscription has left. */
export interface Counted {
  /** The `packageId` of its order. */
  readonly packageId: string
  /** Its total there. */
  readonly usedBytes: number
  /** When it was first used. Absent or null: it was not, or the telco does not say. */
  readonly activationAt?: Instant | null
}

/**
 * The packages on a SIM that was left of which the telco is still to be asked how much was used
 * there.
 */
export const uncounted = (present: SimAggregate.SimAggregate, iccid: string): ReadonlyArray<string> =>
  present.attachments.flatMap(({ packages }) =>
    packages.flatMap((pack) =>
      formerOf(pack)
        .filter((former) => former.iccid === iccid && former.count === "awaited")
        .map(({ number }) => packageId(pack.attachmentId, pack.occurrence, number))
    )
  )

/** Whether the telco has counted packages on a SIM that was left. */
export const isCounted = (present: SimAggregate.SimAggregate, iccid: string): boolean =>
  present.attachments.some(({ packages }) =>
    packages.some((pack) => formerOf(pack).some((former) => former.iccid === iccid && former.count === "counted"))
  )

const reportsOf = ({ activationAt = null, packageId, usedBytes }: Counted, iccid: string, now: Instant) => {
  const about = { reportId: packageId, iccid }
  const first: ReadonlyArray<TelcoReport.Report> =
    activationAt === null
      ? []
      : [{ ...about, occurredAt: Math.min(activationAt, now), fact: { _tag: "FirstUse", packageId } }]
  const usage = { _tag: "Total", bytes: usedBytes } as const
  return usedBytes === 0
    ? first
    : [...first, { ...about, occurredAt: now, fact: { _tag: "Usage", packageId, usage } as const }]
}

/**
 * A package of which the telco was asked how much was used on a SIM. `before`: as it was known
 * then.
 */
const settled = (pack: Package, before: Package | undefined, terms: PlanTerms, of: Settled): Package => {
  const { replacement } = pack
  if (replacement === null || !formerOf(pack).some(({ iccid }) => iccid === of.iccid)) return pack
  const known = new Map(before === undefined ? [] : formerOf(before).map((one) => [one.number, one.usedBytes]))
  const former = formerOf(pack).map((one) => {
    if (one.iccid !== of.iccid) return one
    const risen = one.usedBytes - (known.get(one.number) ?? one.usedBytes)
    const count = one.count === "awaited" ? countOf(pack, one, of.found) : one.count
    return { ...one, count, unreportedBytes: one.unreportedBytes + risen }
  })
  const next = { ...pack, replacement: { ...replacement, former } }
  const isFirst = uncountedOn(pack).length > 0 && uncountedOn(next).length === 0
  if (!isFirst || !replacement.isAwaited) return next
  const usedBefore = usedOnFormer(next)
  return { ...next, replacement: { ...next.replacement, usedBefore, isAwaited: remainder(terms, usedBefore) !== null } }
}

interface Settled {
  readonly iccid: string
  /** The ids of the packages that the telco has; null: it cannot say. */
  readonly found: ReadonlySet<string> | null
}

/** Of a package that the telco had and has no longer, nobody can say what was used. */
const countOf = (
  { attachmentId, occurrence }: Package,
  { isExpected, number }: Former,
  found: Settled["found"]
): Former["count"] => {
  if (found === null) return "assumed"
  const isMissing = isExpected !== false && !found.has(packageId(attachmentId, occurrence, number))
  return isMissing ? "assumed" : "counted"
}

/** What comes of the telco's count. */
export interface Recorded {
  /** The SIM that has the subscription, the events and the jobs. */
  readonly decision: Decision
  /** The SIM that was left. */
  readonly left: SimChange
  /** What it adds to the book of usage. */
  readonly usage: ReadonlyArray<UsageBook.Entry>
}

/**
 * Rule S8: records what the telco has counted of the packages on `left`, as reports of it would, in
 * the SIM that the subscription is on now. Null: the telco cannot be asked, and the last reports
 * are taken for right; so is that of a package which the telco does not have any more.
 */
export const counted = (
  left: Sim,
  present: SimAggregate.SimAggregate,
  found: ReadonlyArray<Counted> | null,
  now: Instant
): Recorded => {
  const usage: Array<UsageBook.Entry> = []
  const payloads: Array<NonNullable<Decision["payloads"]>[number]> = []
  const jobs: Array<NewJob> = []
  let from: SimAggregate.ForReports = { sim: left, attachments: [] }
  let to: SimAggregate.ForReports = present
  for (const report of (found ?? []).flatMap((one) => reportsOf(one, left.iccid, now))) {
    // What the telco has counted of another package is none of this.
    const late = Result.getOrNull(TelcoReport.applyLate(from, to, report, now))
    if (late === null) continue
    from = late.left
    to = late.applied.aggregate
    usage.push(...late.applied.usage)
    payloads.push(...late.applied.payloads)
    jobs.push(...late.applied.jobs)
  }
  const of = { iccid: left.iccid, found: found && new Set(found.map((one) => one.packageId)) }
  const attachments = to.attachments.map((one) => {
    const before = SimAggregate.attachment(present, one.attachment.attachmentId)
    if (before === undefined) return one
    const packages = one.packages.map((pack) => {
      const known = before.packages.find(({ occurrence }) => occurrence === pack.occurrence)
      return settled(pack, known, before.attachment.terms, of)
    })
    return { ...one, packages }
  })
  return {
    decision: {
      sim: { loaded: { sim: present.sim, attachments: present.attachments }, next: { sim: to.sim, attachments } },
      payloads,
      jobs
    },
    left: { loaded: { sim: left }, next: { sim: from.sim } },
    usage
  }
}

/** What the telco has answered. */
export type Outcome =
  | { readonly _tag: "Created"; readonly telcoPackageId: string | null }
  /** `message`: what the telco said. */
  | { readonly _tag: "Refused"; readonly message: string }

/**
 * Rule S8: records what the telco has answered. The package keeps its times. If the attachment was
 * suspended meanwhile, a job suspends the package at the telco; if it is gone, a job cancels it
 * there.
 */
export const record = (
  present: SimAggregate.ForOccurrence | null,
  work: Named,
  outcome: Outcome,
  now: Instant
): Decision => {
  const { attachmentId, iccid, occurrence, replacement } = work
  const id = packageId(attachmentId, occurrence, replacement)
  if (present === null) {
    return outcome._tag === "Created" ? { jobs: [Occurrence.cancellation(iccid, id, now)] } : nothing
  }
  const [of] = present.attachments
  const pack = awaitedOf(present, work)
  if (pack?.replacement == null) return nothing
  const next: Package =
    outcome._tag === "Refused"
      ? { ...pack, refusal: outcome.message }
      : { ...pack, telcoPackageId: outcome.telcoPackageId, replacement: { ...pack.replacement, isAwaited: false } }
  const isSuspended = outcome._tag === "Created" && of.attachment.suspendedAt !== null
  return {
    sim: {
      loaded: present,
      next: { ...present, attachments: [{ ...of, packages: SimAggregate.withPackage(of.packages, next) }] }
    },
    jobs: isSuspended
      ? [{ jobId: `suspend:${id}`, work: { _tag: "SuspendPackages", iccid, attachmentId }, dueAt: now }]
      : []
  }
}
