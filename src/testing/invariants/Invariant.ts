/**
 * What an invariant is: a named predicate over a whole history, which is seen step by step, each
 * with all that there is after it.
 */
import { Equal } from "effect"
import type { History, Changes, Step, AttachmentView, StockOf, UsageOfSim } from "../History.ts"
import type { Attachment, WithPackages } from "../../domain/Attachment.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import { idOf, type Package } from "../../domain/Package.ts"
import type { TelcoCall } from "../Simulated.ts"

/** The first place in a history at which an invariant does not hold. */
export interface Violation {
  /** The invariant's `name`. */
  readonly invariant: string
  /** The step after which it does not hold, from 0. */
  readonly step: number
  /** What was found in place of what must be, with the ids. */
  readonly message: string
}

/** A rule that every history must obey, as a named check. */
export interface Invariant {
  readonly name: string
  /** The rules that it stands for. */
  readonly rule: string
  /** The first violation; null: the invariant holds after every step. */
  readonly check: (history: History) => Violation | null
}

/**
 * An invariant that checks each step with all that was before it; `check` says what is wrong. What
 * it has to remember of a history it keeps in variables of its own, made anew for each history.
 */
export const make = (
  name: string,
  rule: string,
  begin: (history: History) => (frame: Frame) => string | null
): Invariant => ({
  name,
  rule,
  check: (history) => {
    const checkFrame = begin(history)
    for (const frame of framesOf(history)) {
      const message = checkFrame(frame)
      if (message !== null) return { invariant: name, step: frame.index, message }
    }
    return null
  }
})

/** The first complaint about any of these things. */
export const first = <A>(all: Iterable<A>, complaint: (one: A) => string | null): string | null => {
  for (const one of all) {
    const found = complaint(one)
    if (found !== null) return found
  }
  return null
}

/** Whether two values are the same in all their parts. */
export const same = (left: unknown, right: unknown): boolean => left === right || Equal.equals(left, right)

export const show = (value: unknown): string => JSON.stringify(value) ?? String(value)

/** The lines as they are, by ICCID. */
export type Lines = ReadonlyMap<string, SimAggregate>

/** What the book of usage has, by ICCID. */
export type Usage = ReadonlyMap<string, UsageOfSim>

/** The stock of each organization, by its id. */
export type Stocks = ReadonlyMap<string, StockOf["labels"]>

/** One step of a history with all that there is before and after it, not only what has changed. */
export interface Frame {
  /** The step's place in the history, from 0. */
  readonly index: number
  /** The request, its outcome and what changed. */
  readonly step: Step
  /** All SIMs with their attachments and packages, at the beginning of the step. */
  readonly before: Lines
  /** All SIMs with their attachments and packages, at the end of the step. */
  readonly after: Lines
  /** What the book of usage has of each SIM, by ICCID, at the beginning of the step. */
  readonly usedBefore: Usage
  /** What the book of usage has of each SIM, by ICCID, at the end of the step. */
  readonly used: Usage
  /** The stock of each organization, by its id, at the beginning of the step. */
  readonly stockBefore: Stocks
  /** The stock of each organization, by its id, at the end of the step. */
  readonly stock: Stocks
  /** The view of each attachment that was ever seen, as last seen. */
  readonly views: ReadonlyMap<string, AttachmentView>
  /** How the last call to create a package ended, by package id. */
  readonly asked: ReadonlyMap<string, TelcoCall["outcome"]>
}

const withLines = (lines: Lines, changes: Changes): Lines =>
  changes.lines.length === 0
    ? lines
    : new Map([...lines, ...changes.lines.map((line) => [line.sim.iccid, line] as const)])

const withUsage = (used: Usage, changes: Changes): Usage =>
  changes.usage.length === 0 ? used : new Map([...used, ...changes.usage.map((one) => [one.iccid, one] as const)])

const withStock = (stock: Stocks, changes: Changes): Stocks =>
  changes.stock.length === 0
    ? stock
    : new Map([...stock, ...changes.stock.map((one) => [one.organizationId, one.labels] as const)])

const withViews = (views: Frame["views"], changes: Changes): Frame["views"] =>
  changes.views.length === 0
    ? views
    : new Map([...views, ...changes.views.map((one) => [one.attachmentId, one] as const)])

const withAsked = (asked: Frame["asked"], changes: Changes): Frame["asked"] => {
  const calls = changes.calls.filter(({ kind }) => kind === "createPackage")
  return calls.length === 0 ? asked : new Map([...asked, ...calls.map(({ key, outcome }) => [key, outcome] as const)])
}

const build = (history: History): ReadonlyArray<Frame> => {
  let before = withLines(new Map(), history.before)
  let usedBefore = withUsage(new Map(), history.before)
  let stockBefore = withStock(new Map(), history.before)
  let views = withViews(new Map(), history.before)
  let asked = withAsked(new Map(), history.before)
  return history.steps.map((step, index) => {
    const after = withLines(before, step.changes)
    views = withViews(views, step.changes)
    asked = withAsked(asked, step.changes)
    const used = withUsage(usedBefore, step.changes)
    const stock = withStock(stockBefore, step.changes)
    const frame = { index, step, before, after, usedBefore, used, stockBefore, stock, views, asked }
    before = after
    usedBefore = used
    stockBefore = stock
    return frame
  })
}

const built = new WeakMap<History, ReadonlyArray<Frame>>()

/** The history's steps; worked out once for all invariants. */
export const framesOf = (history: History): ReadonlyArray<Frame> => {
  const known = built.get(history)
  if (known !== undefined) return known
  const frames = build(history)
  built.set(history, frames)
  return frames
}

/** Where a step has moved a subscription from, and to (rule S8). */
export interface Moved {
  readonly from: SimAggregate
  readonly to: SimAggregate
}

/**
 * The move that a step was asked for and has made, whatever came of the request; null if it has
 * made none.
 */
export const movedBy = ({ after, before, step: { asked } }: Frame): Moved | null => {
  const from = asked._tag === "Replace" ? before.get(asked.iccid) : undefined
  const id = from?.subscription?.subscriptionId
  if (from === undefined || id === undefined) return null
  const to = [...after.values()].find(({ subscription }) => subscription?.subscriptionId === id)
  return to === undefined || to.sim.iccid === from.sim.iccid ? null : { from, to }
}

/**
 * Whether a step has brought the SIM into the stock by a purchase (rule I15): a new one, or one
 * that its supplier has sold again.
 */
export const isBought = ({ after, before }: Pick<Frame, "after" | "before">, iccid: string): boolean => {
  const purchase = after.get(iccid)?.sim.purchase ?? null
  return purchase !== null && purchase.purchaseId !== before.get(iccid)?.sim.purchase?.purchaseId
}

/** What a package of the terms grants after a move, as the model is asked for it. */
export const movedTerms = ({ dataMegaBytes, load, throttling }: Attachment["terms"]) => ({
  dataMegaBytes,
  isThrottled: throttling.length > 0,
  isBundle: load !== undefined
})

/** A package by what no move changes of it. */
export const periodOf = ({ attachmentId, occurrence }: Pick<Package, "attachmentId" | "occurrence">): string =>
  `${attachmentId}:${occurrence}`

/** The confirmed attachments of subscriptions that can be seen. */
export const visible = (lines: Lines): ReadonlyArray<WithPackages> =>
  [...lines.values()].flatMap((line) =>
    line.subscription?.status === "Live" ? line.attachments.filter(({ attachment }) => attachment.confirmed) : []
  )

/** All attachments that there are, those that are not confirmed yet included. */
export const attachments = (lines: Lines): ReadonlyArray<WithPackages> =>
  [...lines.values()].flatMap((line) => line.attachments)

/** All packages that there are, with their attachments. */
export const packages = (
  lines: Lines
): ReadonlyArray<{
  readonly id: string
  readonly attachment: Attachment
  readonly pack: Package
}> =>
  attachments(lines).flatMap(({ attachment, packages }) =>
    packages.map((pack) => ({ id: idOf(pack), attachment, pack }))
  )
