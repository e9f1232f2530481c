/**
 * What must hold of SIMs, of the organizations that own them, and of the telco's books, which equal
 * ours once nothing is under way.
 */
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import * as Pause from "../../domain/Pause.ts"
import * as Sim from "../../domain/Sim.ts"
import * as WebhookEvent from "../../domain/WebhookEvent.ts"
import type { Asked } from "../commands/Command.ts"
import { type Step, isIdle } from "../History.ts"
import * as TimingModel from "../TimingModel.ts"
import { first, type Invariant, isBought, make, movedBy, movedTerms, show, type Frame } from "./Invariant.ts"
import { packages, visible, same } from "./Invariant.ts"
import type { Attachment } from "../../domain/Attachment.ts"
import { idOf, type Package } from "../../domain/Package.ts"
import type { Instant } from "../../domain/Time.ts"
import type { TelcoRecord } from "../Simulated.ts"

const misplaced = ({ attachments, sim, subscription }: SimAggregate): string | null => {
  const { allocation, iccid } = sim
  const holder = Sim.holder(allocation)
  const status = subscription?.status ?? null
  const fits = {
    Free: status === null,
    Withdrawn: status === null,
    Provisioning: status === "Pending",
    InService: status === "Live",
    // A creation that was interrupted may be resumed (rule S5).
    Releasing: status === null || status === "Pending"
  }[allocation._tag]
  if (!fits) {
    return `${iccid} is ${allocation._tag}, and its subscription ${subscription?.status ?? "not there"}`
  }
  if (sim.service.pausedAt !== null && status !== "Live") return `${iccid} is paused, and in no service`
  if (allocation._tag === "Free" && !Pause.isResumed(sim)) return `${iccid} is free before it was resumed`
  if (subscription !== null && (subscription.subscriptionId !== holder || subscription.iccid !== iccid)) {
    return `${iccid} is held by ${holder}, and has the subscription ${show(subscription)}`
  }
  return first(attachments, ({ attachment, packages }) => {
    const { attachmentId, subscriptionId } = attachment
    if (attachment.iccid !== iccid || subscriptionId !== subscription?.subscriptionId) {
      return `${iccid} has the attachment ${attachmentId} of ${attachment.iccid} and ${subscriptionId}`
    }
    return first(packages, (pack) =>
      pack.iccid === iccid && pack.attachmentId === attachmentId
        ? null
        : `${attachmentId} has the package ${show(pack)}`
    )
  })
}

/**
 * Rules S2, S3, S5 and S7. A SIM's allocation and its subscription fit, and no subscription is on
 * two SIMs.
 */
export const simsAreInOnePlace: Invariant = make(
  "a SIM is in exactly one place: free, being put into service, in service, or being released",
  "S2, S3, S5, S7",
  (history) => {
    const iccids = history.inventories.flatMap((inventory) => inventory.iccids)
    return ({ after }) => {
      const subscriptions = new Set<string>()
      return first(new Set([...iccids, ...after.keys()]), (iccid) => {
        const line = after.get(iccid)
        if (line === undefined) return `${iccid} is not in the inventory any more`
        const id = line.subscription?.subscriptionId
        if (id !== undefined && subscriptions.has(id)) return `the subscription ${id} is on two SIMs`
        if (id !== undefined) subscriptions.add(id)
        return misplaced(line)
      })
    }
  }
)

/**
 * Rules S2 and S3. Such an eSIM is not deleted from its subscription, and is not picked for a
 * creation without an ICCID.
 */
export const downloadedSimsStay: Invariant = make(
  "an eSIM that shows a sign of a download is neither given away nor recycled",
  "S2, S3",
  () =>
    ({ after, before, step }) => {
      const { asked, outcome } = step
      if (outcome._tag !== "Answered") return null
      if (asked._tag === "Delete") {
        const sim = before.get(asked.iccid)?.sim
        return sim?.isEsim && sim.downloaded ? `${asked.iccid} was recycled` : null
      }
      const { answer } = outcome
      const isChosen = asked._tag === "Subscribe" && asked.iccid === null && answer.kind === "Created"
      const given = isChosen ? answer.created.sim : answer.kind === "Replaced" ? answer.replaced.sim : null
      if (given === null || isBought({ after, before }, given.iccid)) return null
      const sim = before.get(given.iccid)?.sim
      return sim?.isEsim && !sim.downloaded && sim.allocation._tag === "Free" ? null : `${show(sim)} was given away`
    }
)

/**
 * Rules S2 and S5. A creation without an ICCID, also one that comes again with its key, is refused
 * for want of an eSIM only if none is free, and for good only if no creation that may yet
 * fail has one. A bundle of a supplier moves to no eSIM but one that was bought with it (I15).
 */
export const stockIsGiven: Invariant = make(
  "no request is refused for want of an eSIM while one is left",
  "S2, S5, W2",
  () =>
    ({ after, before, step: { asked, outcome } }) => {
      // What was bought is given by its load.
      const request = asked._tag === "Repeat" ? asked.request : asked
      if ((request._tag !== "Subscribe" && request._tag !== "Replace") || outcome._tag !== "Refused") return null
      const { refusal } = outcome
      if (refusal._tag !== "NoFreeSim" && refusal._tag !== "SimsReleasing") return null
      const left = request._tag === "Replace" ? before.get(request.iccid)?.attachments : undefined
      if (left?.some(({ attachment }) => attachment.terms.load !== undefined)) return null
      const mayBeHad = (sim: Sim.Sim | undefined): boolean =>
        sim !== undefined && (Sim.isFree(sim) || (refusal._tag === "NoFreeSim" && Sim.isUndecided(sim)))
      return first(before.values(), ({ sim }) => {
        if (sim.organizationId !== request.organizationId || sim.label !== refusal.label) return null
        if (sim.purchase !== null) return null
        if (Sim.isFree(sim)) return `a request was refused with ${refusal._tag}, and ${sim.iccid} was free`
        return mayBeHad(sim) && mayBeHad(after.get(sim.iccid)?.sim)
          ? `a request was refused with ${refusal._tag}, and the creation that has ${sim.iccid} is not decided`
          : null
      })
    }
)

type ByOrganization = Extract<Asked, { readonly foreign: boolean }>

const requestOf = (asked: Asked): ByOrganization | null =>
  asked._tag === "Repeat" ? asked.request : "foreign" in asked ? asked : null

const trespassed = ({ changes, outcome }: Step, { foreign, organizationId }: ByOrganization): string | null => {
  if (foreign && outcome._tag === "Answered") return "what is another organization's was found"
  const known = outcome._tag === "Refused" ? outcome.refusal._tag : null
  // What is wrong with the request itself is answered first (rule W8).
  if (foreign && known !== null && known !== "NotFound" && known !== "InvalidField") {
    return `what is another organization's was answered with ${known}`
  }
  const touched = changes.lines.find(({ sim }) => sim.organizationId !== organizationId)
  return touched === undefined ? null : `a request of ${organizationId} changed ${touched.sim.iccid}`
}

/**
 * Rule W1. A request for what another organization owns is `NotFound`, unless its own fields are
 * wrong. Changes, rows and events stay with the SIM's owner.
 */
export const nothingCrossesOrganizations: Invariant = make(
  "nothing crosses organizations",
  "W1, section 1",
  (history) => {
    const owners = new Map(
      history.inventories.flatMap(({ iccids, organizationId }) =>
        iccids.map((iccid) => [iccid, organizationId] as const)
      )
    )
    return ({ after, step }) => {
      for (const one of step.changes.records) if (one.kind === "sale") owners.set(one.iccid, one.organizationId)
      const request = requestOf(step.asked)
      const complaint = request === null ? null : trespassed(step, request)
      if (complaint !== null) return complaint
      return (
        first(step.changes.lines, ({ attachments, sim, subscription }) => {
          const all = [sim, ...(subscription === null ? [] : [subscription])]
          const rows = [...all, ...attachments.flatMap(({ attachment, packages }) => [attachment, ...packages])]
          const strange = rows.find(({ organizationId }) => organizationId !== owners.get(sim.iccid))
          return strange === undefined ? null : `${sim.iccid} has a row of ${strange.organizationId}`
        }) ??
        first(step.changes.events, ({ organizationId, payload }) => {
          const iccid = WebhookEvent.iccid(payload)
          return iccid === null || owners.get(iccid) === organizationId
            ? null
            : `${organizationId} was notified of ${iccid}`
        }) ??
        first(step.changes.records, (record) =>
          "iccid" in record && record.kind !== "sale" && !after.has(record.iccid)
            ? `the telco has ${record.iccid}, which nobody has`
            : null
        )
      )
    }
  }
)

type Ordered = Extract<TelcoRecord, { readonly kind: "package" }>

/** The telco's side, as far as a history has got. */
interface Books {
  readonly ordered: Map<string, Ordered>
  readonly suspended: Set<string>
  readonly cancelled: Set<string>
  readonly applied: Map<string, boolean>
  readonly active: Map<string, boolean>
}

const enter = (books: Books, record: TelcoRecord): void => {
  if (record.kind === "package") books.ordered.set(record.key, record)
  if (record.refusal !== null) return
  if (record.kind === "suspension") books.suspended.add(record.key)
  if (record.kind === "cancellation") books.cancelled.add(record.key)
  if (record.kind === "mobile plan change") books.applied.set(record.iccid, record.applied)
  if (record.kind === "service change") books.active.set(record.iccid, record.active)
}

const isOver = (end: Instant | null | undefined, now: Instant): boolean =>
  end !== null && end !== undefined && end <= now

/** Whether anything is ordered of a package after a move (rule S8). */
const isLeft = ({ terms }: Attachment, usedBytes: number): boolean => TimingModel.left(movedTerms(terms), usedBytes) > 0

/** What is wrong with a package of ours, as the telco has it. */
const ourPackage = (
  books: Books,
  { attachment, id, pack }: { readonly id: string; readonly pack: Package; readonly attachment: Attachment },
  now: Instant
): string | null => {
  const record = books.ordered.get(id)
  const { suspendedAt } = attachment
  switch (pack.status) {
    case "Created":
      // What is over or suspended when its subscription moves ends on the old SIM, and is not had
      // on the new one.
      if (attachment.replacements > 0 && (suspendedAt !== null || isOver(pack.expirationAt, now))) return null
      if (pack.refusal !== null)
        return record?.refusal === null ? `the telco has ${id}, which is shown as refused` : null
      if (pack.replacement !== null && !isLeft(attachment, pack.replacement.usedBefore)) return null
      if (record === undefined || record.refusal !== null) return `the telco does not have ${id}`
      if (books.cancelled.has(id)) return `the telco has cancelled ${id}, which is there`
      if (suspendedAt === null) return books.suspended.has(id) ? `the telco has suspended ${id}, which is not` : null
      return books.suspended.has(id) || isOver(pack.expirationAt, now)
        ? null
        : `${id} goes on at the telco, and is suspended`
    case "Refused":
      return record?.refusal === null ? `the telco has ${id}, which is shown as refused` : null
    case "Lapsed":
      return null
  }
}

/** What goes on at the telco is a package of ours that goes on; what is over needs no end there. */
const theirPackage = (
  { ended }: Frame["step"],
  active: ReadonlySet<string>,
  lastKnown: ReadonlyMap<string, Package>,
  books: Books,
  { key, refusal, window }: Ordered
): string | null => {
  if (refusal !== null || books.cancelled.has(key) || books.suspended.has(key) || active.has(key)) return null
  const over = isOver(window?.end, ended) || isOver(lastKnown.get(key)?.expirationAt, ended)
  return over ? null : `${key} goes on at the telco, and is not there`
}

/**
 * Rules S3, S5, S6, S7, T5 and T7. Compares packages, suspensions, mobile plans and pauses with the
 * telco's books after each `Quiet` that leaves no work.
 */
export const booksAreEqual: Invariant = make(
  "the telco's books equal ours once nothing is under way",
  "S3, S5, S6, S7, T5, T7",
  () => {
    const books: Books = {
      ordered: new Map(),
      suspended: new Set(),
      cancelled: new Set(),
      applied: new Map(),
      active: new Map()
    }
    const lastKnown = new Map<string, Package>()
    return ({ after, step }) => {
      for (const record of step.changes.records) enter(books, record)
      for (const { id, pack } of packages(after)) lastKnown.set(id, pack)
      if (step.asked._tag !== "Quiet" || step.outcome._tag !== "Answered" || !isIdle(step)) return null
      const ours = packages(new Map([...after])).filter(({ attachment }) => attachment.confirmed)
      const active = new Set(
        ours.flatMap(({ attachment, id, pack }) =>
          attachment.suspendedAt === null && pack.status === "Created" ? [id] : []
        )
      )
      return (
        first(ours, (of) => ourPackage(books, of, step.ended)) ??
        first(books.ordered.values(), (record) => theirPackage(step, active, lastKnown, books, record)) ??
        first(after.values(), ({ sim: { iccid, mobilePlan } }) =>
          mobilePlan._tag === "Settled" && mobilePlan.applied === (books.applied.get(iccid) ?? false)
            ? null
            : `the mobile plan of ${iccid} is ${show(mobilePlan)}, and at the telco ${show(books.applied.get(iccid))}`
        ) ??
        first(after.values(), ({ sim: { iccid, service } }) =>
          service._tag === "Settled" && (service.pausedAt === null) === (books.active.get(iccid) ?? true)
            ? null
            : `the service of ${iccid} is ${show(service)}, and at the telco ${show(books.active.get(iccid))}`
        )
      )
    }
  }
)

/**
 * Rules S5 and S6. After a `Quiet` no SIM is being put into service or released, and every
 * attachment is confirmed.
 */
export const nothingIsUnderWay: Invariant = make(
  "once the telco is well again and all is done, nothing is half way",
  "S5, S6",
  () =>
    ({ after, step }) => {
      if (step.asked._tag !== "Quiet" || step.outcome._tag !== "Answered") return null
      return first(after.values(), ({ attachments, sim: { allocation, iccid } }) => {
        if (allocation._tag !== "InService" && Sim.holder(allocation) !== null)
          return `${iccid} is still ${show(allocation)}`
        const unconfirmed = attachments.find(({ attachment }) => !attachment.confirmed)
        return unconfirmed === undefined ? null : `${unconfirmed.attachment.attachmentId} is still not confirmed`
      })
    }
)

/**
 * Rules T4 and T5. Compares the window of each order with the package's times. A package that
 * starts at its first use is ordered without a window.
 */
export const packagesAreAsOrdered: Invariant = make(
  "a package is ordered for the time that it is shown for",
  "T4, T5",
  () => {
    const windows = new Map<string, Ordered["window"]>()
    return ({ after, step }) => {
      for (const record of step.changes.records) if (record.kind === "package") windows.set(record.key, record.window)
      return first(visible(after), ({ attachment, packages }) =>
        first(packages, (pack) => {
          const { activationAt, expirationAt, occurrence, replacement, status } = pack
          const id = idOf(pack)
          const ordered = windows.get(id)
          if (status !== "Created" || ordered === undefined) return null
          const isFirstUse =
            attachment.activePeriod === null && (attachment.terms.recurrence === null || occurrence === 0)
          // What is left of a package that was in use is ordered for what is left of its time
          // (rule S8).
          const isKnown = !isFirstUse || (replacement !== null && ordered !== null)
          const expected = isKnown ? { start: activationAt, end: expirationAt } : null
          // The telco may have ended it sooner (rule R4).
          const isEnded =
            ordered !== null && ordered.start === activationAt && (expirationAt ?? ordered.end) < ordered.end
          return isEnded || same(ordered, expected)
            ? null
            : `${id} was ordered for ${show(ordered)}, and is shown for ${show(expected)}`
        })
      )
    }
  }
)

/**
 * Rule S8. The id, the texts and the attachments of a subscription move with it, and what is
 * ordered is what is left.
 */
export const movesTakeEverything: Invariant = make(
  "a subscription that moves takes everything along, and what was used is not had again",
  "S8",
  () => {
    const moved = new Map<string, number>()
    return (frame) => {
      const move = movedBy(frame)
      const { asked, changes, outcome } = frame.step
      if (asked._tag === "Replace" && outcome._tag === "Answered" && move === null)
        return `${asked.iccid} has not moved`
      const wrong = move === null ? null : incomplete(frame, move)
      if (wrong !== null) return wrong
      for (const { attachment, id, pack } of packages(frame.after)) {
        if (pack.replacement === null) continue
        moved.set(id, TimingModel.left(movedTerms(attachment.terms), pack.replacement.usedBefore))
      }
      return first(changes.records, (record) => {
        const expected = record.kind === "package" ? moved.get(record.key) : undefined
        if (record.kind !== "package" || expected === undefined || record.dataMegaBytes === expected) return null
        return `${record.key} was ordered with ${record.dataMegaBytes} MB, and ${expected} MB are left`
      })
    }
  }
)

/** What a move has left behind, or has changed. */
const incomplete = (
  { after, before, step: { ended } }: Frame,
  { from, to }: NonNullable<ReturnType<typeof movedBy>>
): string | null => {
  const { iccid } = to.sim
  const old = after.get(from.sim.iccid)
  if (old === undefined || Sim.withdrawnReason(old.sim) !== "replaced") {
    return `${from.sim.iccid} has been left, and is ${show(old?.sim.allocation)}`
  }
  const free = before.get(iccid)?.sim
  const isHad = free !== undefined && Sim.isFree(free) && TimingModel.isSold(free.purchase?.sellBy ?? null, ended)
  if (!isBought({ after, before }, iccid) && !isHad) return `${iccid} was not to be had`
  if (to.sim.label !== from.sim.label) return `${iccid} is of the label ${to.sim.label}`
  if (!same(to.subscription, { ...from.subscription, iccid }))
    return `${show(from.subscription)} has become another one`
  if (to.sim.service.pausedAt !== from.sim.service.pausedAt)
    return `${iccid} is paused otherwise than ${from.sim.iccid}`
  return first(from.attachments, (of) => {
    const { attachmentId } = of.attachment
    const next = to.attachments.find(({ attachment }) => attachment.attachmentId === attachmentId)
    const expected = { ...of.attachment, iccid, replacements: of.attachment.replacements + 1 }
    if (!same(next?.attachment, expected)) return `${attachmentId} was ${show(of.attachment)}, and is ${show(next)}`
    return first(of.packages, ({ activationAt, expirationAt, occurrence, status, usedBytes }) => {
      const pack = next?.packages.find((one) => one.occurrence === occurrence)
      const kept = { activationAt, expirationAt, status, usedBytes }
      return pack !== undefined && same(pack, { ...pack, ...kept })
        ? null
        : `occurrence ${occurrence} of ${attachmentId} had ${show(kept)}, and is ${show(pack)}`
    })
  })
}
