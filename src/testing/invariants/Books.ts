/**
 * What must hold of the telco's books: they equal ours once nothing is under way.
 */
import type { Package } from "../../domain/Package.ts"
import type { Instant } from "../../domain/Time.ts"
import { isIdle } from "../History.ts"
import type { TelcoRecord } from "../Simulated.ts"
import { type Frame, packages, visible } from "./Frames.ts"
import { first, type Invariant, make, same, show } from "./Invariant.ts"

type Ordered = Extract<TelcoRecord, { readonly kind: "package" }>

/** The telco's side, as far as a history has got. */
interface Books {
  readonly ordered: Map<string, Ordered>
  readonly suspended: Set<string>
  readonly cancelled: Set<string>
  readonly applied: Map<string, boolean>
}

const enter = (books: Books, record: TelcoRecord): void => {
  if (record.kind === "package") books.ordered.set(record.key, record)
  if (record.refusal !== null) return
  if (record.kind === "suspension") books.suspended.add(record.key)
  if (record.kind === "cancellation") books.cancelled.add(record.key)
  if (record.kind === "mobile plan change") books.applied.set(record.iccid, record.applied)
}

const isOver = (end: Instant | null | undefined, now: Instant): boolean =>
  end !== null && end !== undefined && end <= now

/** What is wrong with a package of ours, as the telco has it. */
const ourPackage = (
  books: Books,
  { id, pack, suspendedAt }: { readonly id: string; readonly pack: Package; readonly suspendedAt: Instant | null },
  now: Instant
): string | null => {
  const record = books.ordered.get(id)
  switch (pack.status) {
    case "Created":
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
 * Rules S3, S5, S6, T5 and T7. Compares packages, suspensions and mobile plans with the telco's books after each
 * `Quiet` that leaves no work.
 */
export const booksAreEqual: Invariant = make(
  "the telco's books equal ours once nothing is under way",
  "S3, S5, S6, T5, T7",
  () => {
    const books: Books = {
      ordered: new Map(),
      suspended: new Set(),
      cancelled: new Set(),
      applied: new Map()
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
        first(ours, ({ attachment, id, pack }) =>
          ourPackage(books, { id, pack, suspendedAt: attachment.suspendedAt }, step.ended)
        ) ??
        first(books.ordered.values(), (record) => theirPackage(step, active, lastKnown, books, record)) ??
        first(after.values(), ({ sim: { iccid, mobilePlan } }) =>
          mobilePlan._tag === "Settled" && mobilePlan.applied === (books.applied.get(iccid) ?? false)
            ? null
            : `the mobile plan of ${iccid} is ${show(mobilePlan)}, and at the telco ${show(books.applied.get(iccid))}`
        )
      )
    }
  }
)

/** Rules S5 and S6. After a `Quiet` no SIM is being put into service or released, and every attachment is confirmed. */
export const nothingIsUnderWay: Invariant = make(
  "once the telco is well again and all is done, nothing is half way",
  "S5, S6",
  () =>
    ({ after, step }) => {
      if (step.asked._tag !== "Quiet" || step.outcome._tag !== "Answered") return null
      return first(after.values(), ({ attachments, sim: { allocation, iccid } }) => {
        if (allocation._tag === "Provisioning" || allocation._tag === "Releasing")
          return `${iccid} is still ${allocation._tag}`
        const unconfirmed = attachments.find(({ attachment }) => !attachment.confirmed)
        return unconfirmed === undefined ? null : `${unconfirmed.attachment.attachmentId} is still not confirmed`
      })
    }
)

/**
 * Rules T4 and T5. Compares the window of each order with the package's times. A package that starts at its first use
 * is ordered without a window.
 */
export const packagesAreAsOrdered: Invariant = make(
  "a package is ordered for the time that it is shown for",
  "T4, T5",
  () => {
    const windows = new Map<string, Ordered["window"]>()
    return ({ after, step }) => {
      for (const record of step.changes.records) if (record.kind === "package") windows.set(record.key, record.window)
      return first(visible(after), ({ attachment, packages }) =>
        first(packages, ({ activationAt, attachmentId, expirationAt, occurrence, status }) => {
          const ordered = windows.get(`${attachmentId}:${occurrence}`)
          if (status !== "Created" || ordered === undefined) return null
          const isFirstUse =
            attachment.activePeriod === null && (attachment.terms.recurrence === null || occurrence === 0)
          const expected = isFirstUse ? null : { start: activationAt, end: expirationAt }
          return same(ordered, expected)
            ? null
            : `${attachmentId}:${occurrence} was ordered for ${show(ordered)}, and is shown for ${show(expected)}`
        })
      )
    }
  }
)
