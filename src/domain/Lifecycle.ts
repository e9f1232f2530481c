/**
 * What happens to subscriptions, attachments and packages, as events (rule E1).
 *
 * A change of a SIM's aggregate causes some of them in its own commit. The others fall due by the
 * clock: an attachment's activation, the notice of its coming end, and its end. Their instants
 * follow from the attachment's times, which change only if the telco ends it before its time (rule
 * R4). One job per attachment notifies them in order. The commit that suspends an attachment, or
 * deletes its subscription, notifies first what is due and that the job has not notified yet; that
 * of an early end notifies what the job would not.
 */
import * as Attachment from "./Attachment.ts"
import type { NewJob } from "./Decision.ts"
import { idOf, type Package } from "./Package.ts"
import * as PackageEnd from "./PackageEnd.ts"
import type { SimAggregate } from "./SimAggregate.ts"
import { isInService, type Sim } from "./Sim.ts"
import { isDeleted, isLive, type Subscription } from "./Subscription.ts"
import type { Named, SimChange } from "./SimDifference.ts"
import { DAY, type Instant, SECOND, toIso } from "./Time.ts"
import type { Data, OptInType, Payload } from "./WebhookEvent.ts"

/** How long before an attachment's end an event notifies its organization of it. */
export const NOTICE = DAY

/** The types that fall due by the clock, in the order in which they are published. */
export const timedTypes = ["attachment.activated", "attachment.expiring", "attachment.expired"] as const

/** Whether one of the types falls due by the clock. */
export const includesTimed = (types: Iterable<string>): boolean =>
  [...types].some((type) => timedTypes.some((timed) => timed === type))

interface Milestone {
  readonly type: (typeof timedTypes)[number]
  readonly at: Instant
}

/**
 * When an attachment activates, is about to expire and expires; those that are not known yet are
 * left out. The notice comes 24 h before the end, or with the activation if that is later. What
 * has ended before it began has only an end.
 */
const milestones = (of: Attachment.Timed): ReadonlyArray<Milestone> => {
  const times = Attachment.times(of)
  const { activationAt, expirationAt } = times
  if (expirationAt !== null && PackageEnd.isUnbegun(times)) return [{ type: "attachment.expired", at: expirationAt }]
  if (activationAt === null) return []
  const activated: Milestone = { type: "attachment.activated", at: activationAt }
  if (expirationAt === null) return [activated]
  const noticeAt = Math.max(activationAt, expirationAt - NOTICE)
  return [
    activated,
    { type: "attachment.expiring", at: noticeAt },
    { type: "attachment.expired", at: Math.max(noticeAt, expirationAt) }
  ]
}

/** What notifies of a change of a SIM. */
type LifecycleType = Extract<
  OptInType,
  | `attachment.${string}`
  | `subscription.${"created" | "deleted" | "paused" | "resumed"}`
  | "esim.ready"
  | `package.${"created" | "refused"}`
>

/** Something to be published: its type, and what of the SIM it is about. */
interface Cause {
  readonly type: LifecycleType
  /** When it was; absent if the type says nothing of it. */
  readonly at?: Instant
  readonly of?: Of
  readonly pack?: Package
}

type Of = NonNullable<SimChange["next"]["attachments"]>[number]

/**
 * The causes in a change of a SIM's aggregate, in the order in which they are published, and the
 * jobs of those to come.
 */
export interface Caused {
  readonly causes: ReadonlyArray<Cause>
  readonly jobs: ReadonlyArray<NewJob>
}

const NONE: ReadonlyArray<never> = []

const isConfirmed = (of: Of | undefined): of is Of => of?.attachment.confirmed === true

const isFollowed = (of: Of): boolean => isConfirmed(of) && of.attachment.suspendedAt === null

const isDeletion = ({ loaded, next }: SimChange): boolean => isDeleted(next.subscription) && isLive(loaded.subscription)

/** What names the job of an attachment. */
export type NotifiedAttachment = Pick<Attachment.Attachment, "organizationId" | "attachmentId" | "replacements">

/**
 * The id of the job that notifies what falls due of an attachment. One that moves with its
 * subscription gets another one.
 */
export const jobIdOf = ({ attachmentId, replacements }: Omit<NotifiedAttachment, "organizationId">): string =>
  replacements === 0 ? `notify:${attachmentId}` : `notify:${attachmentId}:${replacements}`

/** Whether the telco has ended an attachment before its time (rule R4). */
const isEndedEarly = (known: Of, of: Of): boolean => {
  const [before, after] = [Attachment.times(known).expirationAt, Attachment.times(of).expirationAt]
  return before !== null && before !== after
}

/**
 * The attachments that the change ends, by a suspension, a deletion or an early end, after
 * something of them has fallen due. `caused` needs to know what their jobs have notified.
 */
export const ended = (change: SimChange, now: Instant): ReadonlyArray<NotifiedAttachment> => {
  const { loaded, next } = change
  const after = new Map((next.attachments ?? NONE).map((of) => [of.attachment.attachmentId, of]))
  const isEarly = (of: Of): boolean => {
    const found = after.get(of.attachment.attachmentId)
    return found !== undefined && found !== of && isEndedEarly(of, found)
  }
  const isDeleted = isDeletion(change)
  const suspended = new Set(
    (next.attachments ?? NONE).flatMap(({ attachment: { attachmentId, suspendedAt } }) =>
      suspendedAt === null ? [] : [attachmentId]
    )
  )
  return (loaded.attachments ?? NONE)
    .filter((of) => isFollowed(of) && (isDeleted || isEarly(of) || suspended.has(of.attachment.attachmentId)))
    .filter((of) => isEarly(of) || milestones(of).some(({ at }) => at <= now))
    .map(({ attachment }) => attachment)
}

/** Rule S7: a pause and its end. A deletion ends a pause without a word of its own. */
const pauseCauses = (change: SimChange, now: Instant): ReadonlyArray<Cause> => {
  const { loaded, next } = change
  const [before, after] = [loaded.sim.service?.pausedAt ?? null, next.sim.service?.pausedAt ?? null]
  if ((before === null) === (after === null) || isDeletion(change)) return NONE
  return [after === null ? { type: "subscription.resumed", at: now } : { type: "subscription.paused", at: after }]
}

/** The event of an activation code that a subscription did not have. */
export const codeReady = (
  { iccid: esim, metadata, subscriptionId }: Pick<Subscription, "iccid" | "metadata" | "subscriptionId">,
  replacedEsim: string | null = null
): Payload => ({ type: "esim.ready", data: { esim, subscriptionId, metadata, replacedEsim } })

/** Whether a correction gives the SIM of a live subscription another activation code. */
export const isCodeCorrected = (before: Pick<Sim, "lpa">, next: Pick<Sim, "allocation" | "lpa">): boolean =>
  next.lpa !== null && next.lpa !== before.lpa && isInService(next)

/**
 * Rule E1: what the change causes at `now`. An attachment counts from the commit that confirms it
 * (rule S5). `notifiedUntil` has for each attachment of `ended` the instant until which it has been
 * notified, which is its job's; an attachment without a job is not in it.
 */
export const caused = (
  change: SimChange,
  now: Instant,
  notifiedUntil: ReadonlyMap<string, Instant> = new Map<string, Instant>()
): Caused => {
  const { loaded, next } = change
  const late = (of: Of): ReadonlyArray<Cause> =>
    dueBetween(of, notifiedUntil.get(of.attachment.attachmentId) ?? Number.POSITIVE_INFINITY, now).causes
  const causes: Array<Cause> = []
  const jobs: Array<NewJob> = []
  const [from, to] = [loaded.subscription?.status, next.subscription?.status]
  if (to === "Live" && from !== "Live") {
    causes.push({ type: "subscription.created" })
    if (next.sim.lpa != null) causes.push({ type: "esim.ready" })
  }
  causes.push(...pauseCauses(change, now))
  const before = new Map((loaded.attachments ?? NONE).map((of) => [of.attachment.attachmentId, of]))
  for (const of of next.attachments ?? NONE) {
    const stored = before.get(of.attachment.attachmentId)
    if (stored === of || !isConfirmed(of)) continue
    const known = isConfirmed(stored) ? stored : undefined
    if (known === undefined) causes.push({ type: "attachment.created", of })
    causes.push(...packageCauses(known, of))
    if (of.attachment.suspendedAt !== null) {
      if (known?.attachment.suspendedAt === null) causes.push(...late(of), { type: "attachment.suspended", of })
      continue
    }
    if (known !== undefined && milestones(known).length > 0) {
      if (isEndedEarly(known, of)) {
        const until = notifiedUntil.get(of.attachment.attachmentId) ?? Number.POSITIVE_INFINITY
        causes.push(...unnotified(known, of, until))
      }
      continue
    }
    const { causes: due, nextAt } = dueBetween(of, Number.NEGATIVE_INFINITY, now)
    causes.push(...due)
    if (nextAt !== null) jobs.push(job(next.sim.iccid, of.attachment, nextAt))
  }
  if (isDeletion(change)) {
    causes.push(...(next.attachments ?? NONE).filter(isFollowed).flatMap(late), { type: "subscription.deleted" })
  }
  return { causes, jobs }
}

/** Lapsed packages were never at the telco: no event notifies of them. */
const packageTypes = { Created: "package.created", Refused: "package.refused", Lapsed: null } as const

/**
 * What became of a package at the telco; of what is left of it, if its subscription has moved
 * (rule S8).
 */
const packageType = ({ refusal, replacement, status }: Package): LifecycleType | null => {
  if (replacement?.isAwaited !== true) return packageTypes[status]
  return refusal === null ? null : "package.refused"
}

const packageCauses = (known: Of | undefined, of: Of): ReadonlyArray<Cause> => {
  if (known?.packages === of.packages) return NONE
  const stored = new Map(known?.packages.map((pack) => [pack.occurrence, packageType(pack)]))
  return of.packages.flatMap((pack): ReadonlyArray<Cause> => {
    const type = packageType(pack)
    return type === null || type === stored.get(pack.occurrence) ? NONE : [{ type, of, pack }]
  })
}

/**
 * What the job of an attachment that has ended early, and is due at `until`, would notify no more:
 * what it had not notified before that. It goes on only if it is due at an instant of the
 * attachment's own (`notifications`), and then from there.
 */
const unnotified = (known: Of, of: Of, until: Instant): ReadonlyArray<Cause> => {
  const left = new Set(milestones(known).flatMap(({ at, type }) => (until <= at ? [type] : [])))
  const all = milestones(of)
  const isGoingOn = all.some(({ at }) => at === until)
  return all
    .filter(({ at, type }) => left.has(type) && !(isGoingOn && until <= at))
    .map(({ type }): Cause => ({ type, of }))
}

const dueBetween = (of: Of, from: Instant, now: Instant) => {
  const all = milestones(of)
  return {
    causes: all.filter(({ at }) => from <= at && at <= now).map(({ type }): Cause => ({ type, of })),
    nextAt: all.find(({ at }) => at > now)?.at ?? null
  }
}

/** The job that notifies what is due of an attachment from `dueAt` on. */
const job = (iccid: string, of: NotifiedAttachment, dueAt: Instant): NewJob => ({
  jobId: jobIdOf(of),
  work: { _tag: "NotifyAttachment", iccid, attachmentId: of.attachmentId },
  dueAt
})

/** What the job of an attachment notifies, and when it is due again; null if that was all. */
export interface Notifications {
  readonly payloads: ReadonlyArray<Payload>
  readonly nextAt: Instant | null
}

const nothing: Notifications = { payloads: NONE, nextAt: null }

const followed = (aggregate: SimAggregate | null, attachmentId: string): Attachment.WithPackages | undefined =>
  aggregate !== null && isLive(aggregate.subscription)
    ? aggregate.attachments.find(
        ({ attachment }) =>
          attachment.attachmentId === attachmentId && attachment.confirmed && attachment.suspendedAt === null
      )
    : undefined

/**
 * Rule E1: what falls due of an attachment from `from` to `now`, both included. After a suspension
 * or a deletion nothing is left to be notified: its own commit has notified what was due by then.
 * So has that of an early end, if the job was due at an instant that is the attachment's no more.
 */
export const notifications = (
  aggregate: SimAggregate | null,
  attachmentId: string,
  from: Instant,
  now: Instant
): Notifications => {
  const own = followed(aggregate, attachmentId)
  if (aggregate === null || own === undefined || !milestones(own).some(({ at }) => at === from)) return nothing
  const { causes, nextAt } = dueBetween(own, from, now)
  return { payloads: payloads(causes, aggregate), nextAt }
}

/**
 * The jobs that notify what falls due of these attachments after `now`, for an endpoint that asks
 * for it from now on.
 */
export const jobsFrom = (attachments: ReadonlyArray<Attachment.WithPackages>, now: Instant): ReadonlyArray<NewJob> =>
  attachments.flatMap((of) => {
    const { confirmed, iccid, suspendedAt } = of.attachment
    const { nextAt } = dueBetween(of, now, now)
    return confirmed && suspendedAt === null && nextAt !== null ? [job(iccid, of.attachment, nextAt)] : []
  })

/** The attachments that may have a job which goes on after a move (rule S8). */
export const followedOf = (attachments: ReadonlyArray<Attachment.WithPackages>): ReadonlyArray<NotifiedAttachment> =>
  attachments.filter((of) => isFollowed(of) && milestones(of).length > 0).map(({ attachment }) => attachment)

/**
 * Rule S8: the jobs that go on for attachments which have moved, each from the instant until which
 * it has been notified.
 */
export const jobsUntil = (
  attachments: ReadonlyArray<Attachment.WithPackages>,
  notifiedUntil: ReadonlyMap<string, Instant>
): ReadonlyArray<NewJob> =>
  attachments.flatMap(({ attachment }) => {
    const dueAt = notifiedUntil.get(attachment.attachmentId)
    return dueAt === undefined ? [] : [job(attachment.iccid, attachment, dueAt)]
  })

/** After how long all processes know of a new endpoint. */
const PROPAGATION = 10 * SECOND

/**
 * The jobs that leave those of an organization's attachments, after an endpoint has asked for what
 * falls due. The second one is for attachments of processes that did not know the endpoint yet.
 */
export const jobsOfAll = (requestId: string, now: Instant): ReadonlyArray<NewJob> => [
  nextOfAll(requestId, null, now),
  nextOfAll(`${requestId}:again`, null, now + PROPAGATION)
]

/** The job that goes on after a subscription. */
export const nextOfAll = (
  requestId: string,
  after: { readonly createdAt: Instant; readonly id: string } | null,
  dueAt: Instant
): NewJob => ({
  jobId: `notify:${requestId}:${after?.id ?? "first"}`,
  work: { _tag: "NotifyAttachments", requestId, after },
  dueAt
})

/** The causes as payloads. The aggregate names the subscription and the plans. */
export const payloads = (
  causes: ReadonlyArray<Cause>,
  { attachments, sim, subscription }: Named
): ReadonlyArray<Payload> => {
  if (subscription === null) return NONE
  const { metadata, subscriptionId } = subscription
  const esim = sim.iccid
  return causes.flatMap(({ at, of, pack, type }): ReadonlyArray<Payload> => {
    if (type === "subscription.created") return [{ type, data: { esim, subscriptionId, metadata } }]
    if (type === "subscription.deleted") return [{ type, data: { esim, subscriptionId } }]
    if (type === "esim.ready") return [codeReady({ iccid: esim, subscriptionId, metadata })]
    if (type === "subscription.paused" || type === "subscription.resumed") {
      if (at === undefined) return NONE
      return type === "subscription.paused"
        ? [{ type, data: { esim, subscriptionId, pausedAt: toIso(at) } }]
        : [{ type, data: { esim, subscriptionId, resumedAt: toIso(at) } }]
    }
    const attachmentId = of?.attachment.attachmentId
    const stored = attachments.find(({ attachment }) => attachment.attachmentId === attachmentId)
    if (of === undefined || stored === undefined) return NONE
    const { attachment } = stored
    const times = Attachment.times(of)
    const data = (period: ReturnType<typeof shown>): Data<"attachment.created"> => ({
      esim,
      subscriptionId,
      attachmentId: attachment.attachmentId,
      planId: attachment.planId,
      ...period
    })
    switch (type) {
      case "package.created":
      case "package.refused":
        return pack === undefined ? NONE : [{ type, data: { ...data(shown(pack)), packageId: idOf(pack) } }]
      case "attachment.suspended": {
        const { suspendedAt } = of.attachment
        return suspendedAt === null
          ? NONE
          : [{ type, data: { ...data(shown(times)), suspendedAt: toIso(suspendedAt) } }]
      }
      default:
        return [{ type, data: data(shown(times)) }]
    }
  })
}

const iso = (at: Instant | null): string | null => (at === null ? null : toIso(at))

const shown = ({ activationAt, expirationAt }: Pick<Package, "activationAt" | "expirationAt">) => ({
  activationAt: iso(activationAt),
  expirationAt: iso(expirationAt)
})
