/**
 * What must hold of opt-in events (rule E1): what happens to subscriptions, attachments and
 * packages is notified once each, in order, in time and to the end. They are apart from
 * `Invariants.all`, because only an endpoint that takes them from the beginning receives them.
 */
import type { WithPackages } from "../../domain/Attachment.ts"
import { idOf, type Package } from "../../domain/Package.ts"
import { DAY, type Instant, toIso } from "../../domain/Time.ts"
import { isOptIn, type OptInType, type WebhookEvent } from "../../domain/WebhookEvent.ts"
import { isIdle } from "../History.ts"
import * as TimingModel from "../TimingModel.ts"
import { packageAlertsFireOnce } from "./Events.ts"
import { type Frame, first, type Invariant, make, same, show, visible } from "./Invariant.ts"
import { lowStockIsNotified, lowStockIsNotifiedOnce } from "./Stock.ts"
import { factsOf } from "./Timing.ts"

/**
 * What an event is about: a subscription, an attachment or a package. Those of usage are left to
 * `packageAlertsFireOnce`.
 */
const aboutOf = ({ payload: { data, type } }: WebhookEvent): string | null => {
  if (!isOptIn(type) || beside.some((one) => one === type)) return null
  if ("packageId" in data) return data.packageId
  if ("attachmentId" in data) return data.attachmentId
  return "subscriptionId" in data ? data.subscriptionId : null
}

/** Types that have no place in the order of a life. */
const beside: ReadonlyArray<OptInType> = ["package.allowanceConsumed", "esim.ready", "command.done"]

/** What may be published of a subscription at any time. */
const always = ["subscription.deleted", "subscription.replaced"] as const

/**
 * The types in the order in which they come in a life, each with those that may be notified next;
 * `none` stands for the beginning.
 */
const following = new Map<OptInType | "none", ReadonlyArray<OptInType>>([
  ["none", ["subscription.created", "attachment.created", "package.created", "package.refused"]],
  ["subscription.created", [...always, "subscription.paused"]],
  ["subscription.replaced", [...always, "subscription.paused", "subscription.resumed"]],
  ["subscription.paused", [...always, "subscription.resumed"]],
  ["subscription.resumed", [...always, "subscription.paused"]],
  ["subscription.deleted", []],
  ["attachment.created", ["attachment.activated", "attachment.expired", "attachment.suspended"]],
  ["attachment.activated", ["attachment.expiring", "attachment.suspended"]],
  ["attachment.expiring", ["attachment.expired", "attachment.suspended"]],
  ["attachment.expired", []],
  ["attachment.suspended", []],
  ["package.created", []],
  ["package.refused", []]
])

const inALife = [...following.keys()]

type Notified = Map<string, ReadonlyArray<OptInType>>

/**
 * Keeps what was notified of each thing; the first event that comes twice or out of order is a
 * complaint.
 */
const inOrder = (notified: Notified, { step }: Frame): string | null =>
  first(step.changes.events, (event) => {
    const about = aboutOf(event)
    const { type } = event.payload
    if (about === null || !isOptIn(type)) return null
    const before = notified.get(about) ?? []
    notified.set(about, [...before, type])
    const { data } = event.payload
    const owner = "subscriptionId" in data ? data.subscriptionId : null
    if (owner !== null && about !== owner && notified.get(owner)?.includes("subscription.deleted") === true) {
      return `${about} notified ${type} after ${owner} was deleted`
    }
    return following.get(before.at(-1) ?? "none")?.includes(type) === true
      ? null
      : `${about} notified ${type} after ${show(before)}`
  })

/**
 * Keeps what was notified of each thing, in whatever order: processes with clocks apart date their
 * events differently.
 */
const keep = (notified: Notified, { step }: Frame): void => {
  for (const event of step.changes.events) {
    const about = aboutOf(event)
    const { type } = event.payload
    if (about === null || !isOptIn(type)) continue
    const all = [...(notified.get(about) ?? []), type]
    notified.set(
      about,
      all.sort((left, right) => inALife.indexOf(left) - inALife.indexOf(right))
    )
  }
}

/**
 * The places that events of one millisecond may take: a subscription begins before its attachments
 * and ends after them. A pause and its end have one place.
 */
const placeOf = ({ payload: { type } }: WebhookEvent): number =>
  !isOptIn(type) || type === "subscription.resumed"
    ? inALife.indexOf("subscription.paused")
    : type === "subscription.deleted"
      ? inALife.length
      : inALife.indexOf(type)

/** When an attachment activates and expires. */
interface Times {
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
}

/** When the events of an attachment with these times fall due by the clock. */
const dueAt = ({ activationAt, expirationAt }: Times): ReadonlyArray<readonly [type: OptInType, at: Instant]> => {
  if (expirationAt === null) return []
  // The telco has ended it before it began (rule R4).
  if (activationAt === null || expirationAt < activationAt) return [["attachment.expired", expirationAt]]
  return [
    ["attachment.activated", activationAt],
    ["attachment.expiring", Math.max(activationAt, expirationAt - DAY)],
    ["attachment.expired", expirationAt]
  ]
}

/** When an attachment's events fall due by the clock, by the timing model. */
const dueOf = (of: WithPackages) => dueAt(TimingModel.times(factsOf(of)))

/** What the events of an attachment before its end have said of its times, and whose it is. */
interface Known extends Times {
  readonly subscriptionId: string
}

const instant = (text: string | null): Instant | null => (text === null ? null : Date.parse(text))

/** Keeps the times in events of attachments while they are followed. */
const keepTimes = (known: Map<string, Known>, { payload: { data, type } }: WebhookEvent): void => {
  if (!isOptIn(type) || !("activationAt" in data) || "packageId" in data || type === "attachment.suspended") return
  const { activationAt, attachmentId, expirationAt, subscriptionId } = data
  known.set(attachmentId, { subscriptionId, activationAt: instant(activationAt), expirationAt: instant(expirationAt) })
}

/**
 * The attachments that an event ends: a suspended one, all that are left of a deleted subscription.
 */
const endedBy = ({ payload: { data, type } }: WebhookEvent, notified: Notified, known: ReadonlyMap<string, Known>) => {
  if (type === "attachment.suspended" && "attachmentId" in data) return [data.attachmentId]
  if (type !== "subscription.deleted" || !("subscriptionId" in data)) return []
  return [...known].flatMap(([attachmentId, of]) =>
    of.subscriptionId === data.subscriptionId && notified.get(attachmentId)?.includes("attachment.suspended") !== true
      ? [attachmentId]
      : []
  )
}

/**
 * Rule E1. No event comes twice or out of order, and none follows the deletion of its subscription.
 */
export const lifecycleIsInOrder: Invariant = make(
  "what happens to an attachment is notified once each and in order",
  "E1",
  () => {
    const notified: Notified = new Map()
    return (frame) => inOrder(notified, frame)
  }
)

/**
 * Rule E1 if several processes write. Events have the order of their times and then of their
 * ids, and ids that two processes make in one millisecond have no order. So events of one
 * millisecond may come in any order.
 */
export const lifecycleIsInOrderByMillisecond: Invariant = make(
  "what happens to an attachment is notified once each and in order, those of one millisecond in any",
  "E1",
  () => {
    const notified: Notified = new Map()
    return (frame) => {
      const { changes } = frame.step
      const events = [...changes.events].sort(
        (left, right) => left.createdAt - right.createdAt || placeOf(left) - placeOf(right)
      )
      return inOrder(notified, { ...frame, step: { ...frame.step, changes: { ...changes, events } } })
    }
  }
)

/**
 * Rule E1. An event that is due by the clock is not created before it is due, and has the times of
 * `TimingModel`.
 */
export const lifecycleIsTimely: Invariant = make(
  "what happens to an attachment is notified not before it happens, and with its times",
  "E1",
  () => (frame) =>
    first(visible(frame.after), (of) => {
      const { attachmentId } = of.attachment
      const due = new Map(dueOf(of))
      const { activationAt, expirationAt } = TimingModel.times(factsOf(of))
      return first(frame.step.changes.events, ({ createdAt, payload }) => {
        if (!isOptIn(payload.type) || !("activationAt" in payload.data) || "packageId" in payload.data) return null
        if (payload.data.attachmentId !== attachmentId || !due.has(payload.type)) return null
        if (createdAt < (due.get(payload.type) ?? 0)) {
          return `${attachmentId} notified ${payload.type} at ${toIso(createdAt)}, too early`
        }
        const times = [activationAt, expirationAt].map((at) => (at === null ? null : toIso(at)))
        const shown = [payload.data.activationAt, payload.data.expirationAt]
        return same(times, shown) ? null : `${attachmentId} notified ${show(shown)}, and has ${show(times)}`
      })
    })
)

/**
 * What is to be notified of an attachment at `now`; what is due before a suspension is checked with
 * its event.
 */
const isComplete = (of: WithPackages, notified: ReadonlyArray<OptInType>, now: Instant): boolean => {
  if (of.attachment.suspendedAt !== null) {
    const isOnceEach = new Set(notified).size === notified.length
    return isOnceEach && notified[0] === "attachment.created" && notified.at(-1) === "attachment.suspended"
  }
  const due = dueOf(of).flatMap(([type, at]) => (at <= now ? [type] : []))
  return same(notified, ["attachment.created", ...due])
}

/**
 * Rule E1. When an attachment is suspended, or its subscription deleted, all that was due before
 * has been notified.
 */
export const lifecycleIsNotifiedToTheEnd: Invariant = make(
  "what falls due of an attachment before its suspension, or its subscription's deletion, is notified by then",
  "E1",
  () => {
    const notified: Notified = new Map()
    const known = new Map<string, Known>()
    return (frame) => {
      keep(notified, frame)
      const { events } = frame.step.changes
      for (const event of events) keepTimes(known, event)
      return first(events, (event) =>
        first(endedBy(event, notified, known), (attachmentId) => {
          const times = known.get(attachmentId)
          const due = times === undefined ? [] : dueAt(times).filter(([, at]) => at <= event.createdAt)
          const missing = due.filter(([type]) => notified.get(attachmentId)?.includes(type) !== true)
          return missing.length === 0
            ? null
            : `${attachmentId} ended at ${toIso(event.createdAt)}, and has never notified ${show(missing)}`
        })
      )
    }
  }
)

/**
 * What is notified of a package under its present id; if its subscription has moved, of what is
 * left (rule S8).
 */
const notifiedOf = ({ refusal, replacement, status, telcoPackageId }: Package): ReadonlyArray<OptInType> => {
  if (status === "Created" && replacement !== null && telcoPackageId === null) {
    return refusal === null ? [] : ["package.refused"]
  }
  return status === "Lapsed" ? [] : [status === "Created" ? "package.created" : "package.refused"]
}

/**
 * Rule E1. Checks whenever no work is due: exactly the events of all that has happened by then are
 * there.
 */
export const lifecycleIsComplete: Invariant = make(
  "whenever no job is due, everything that has happened to subscriptions, attachments and packages is notified",
  "E1",
  () => {
    const notified: Notified = new Map()
    return (frame) => {
      keep(notified, frame)
      const { after, step } = frame
      if (!isIdle(step)) return null
      const live = new Set([...after.values()].flatMap(({ subscription }) => subscription?.subscriptionId ?? []))
      return (
        first(visible(after), (of) => {
          const { attachmentId, subscriptionId } = of.attachment
          const ofSubscription = notified.get(subscriptionId) ?? []
          const paused = ofSubscription.filter((type) => type === "subscription.paused").length
          const resumed = ofSubscription.filter((type) => type === "subscription.resumed").length
          const isPaused = after.get(of.attachment.iccid)?.sim.service.pausedAt !== null
          const moved = ofSubscription.filter((type) => type === "subscription.replaced").length
          const others = ofSubscription.length - paused - resumed - moved
          if (moved < of.attachment.replacements) return `${attachmentId} has moved, and that was not notified`
          if (ofSubscription[0] !== "subscription.created" || others > 1 || paused - resumed !== (isPaused ? 1 : 0)) {
            return `${subscriptionId} is there, and notified ${show(notified.get(subscriptionId))}`
          }
          const known = notified.get(attachmentId) ?? []
          if (!isComplete(of, known, step.ended)) {
            return `${attachmentId} has notified ${show(known)}, and due are ${show(dueOf(of))} at ${step.ended}`
          }
          return first(of.packages, (pack) => {
            const id = idOf(pack)
            return same(notified.get(id) ?? [], notifiedOf(pack))
              ? null
              : `${id} is ${show(pack)}, and notified ${show(notified.get(id))}`
          })
        }) ??
        first(notified, ([id, types]) =>
          types[0] === "subscription.created" && types.at(-1) !== "subscription.deleted" && !live.has(id)
            ? `${id} is gone, and that was not notified`
            : null
        )
      )
    }
  }
)

/** All of them. */
export const lifecycle: ReadonlyArray<Invariant> = [
  lifecycleIsInOrder,
  lifecycleIsTimely,
  lifecycleIsComplete,
  lifecycleIsNotifiedToTheEnd,
  packageAlertsFireOnce,
  lowStockIsNotified,
  lowStockIsNotifiedOnce
]
