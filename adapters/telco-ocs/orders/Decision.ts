/**
 * What is to be done next about an order, and which packages can be its outcome: pure functions of
 * what the journal has, of what was seen, and of the time. `Orders` carries it out and asks again,
 * until there is an answer.
 *
 * | `create`: the journal has | seen | next |
 * |---|---|---|
 * | nothing, or an open order | not yet | `Observe` |
 * | nothing | a package of others on a SIM that was free (`others`) | none: the order is refused |
 * | nothing | packages | `Ask`, with the ids of those packages as `before` |
 * | an open order, answered by this call | no package of the answer's number | `Wait`: lists may be behind |
 * | an open order | a package that may be its own | `Take` |
 * | an open order | one in another zone than the window was written in | `Withdraw` that one |
 * | an open order | none such, and asked already by this call | `GiveUp`: the next call reads again |
 * | an open order, asked a moment ago | none such, and lists may be behind | `Wait` |
 * | an open order | none such | `Ask`, with the first `before` |
 * | a created order | | `Answer` |
 * | a refused or cancelled order | | `Refuse` |
 *
 * | `cancel`: the journal has | seen | next |
 * |---|---|---|
 * | nothing, an open or a created order | | `Spend`: the key is spent from here on |
 * | a cancelled order, not confirmed, whose only call gave its id | | `Delete` that one |
 * | a cancelled order, not confirmed | not yet | `Observe` |
 * | a cancelled order, not confirmed, asked a moment ago | packages, and lists may be behind | `Wait` |
 * | a cancelled order, not confirmed | packages | `Delete` its own and its unused extras |
 * | a cancelled order, confirmed, or a refused one | | `Done` |
 */
import { Package } from "simplan/ports"
import type * as Api from "../api/Api.ts"
import * as Templates from "../Templates.ts"
import * as OrderJournal from "./OrderJournal.ts"

/** The system answers with seconds, or a little more. */
const PRECISION = 1_000

const near = (left: number, right: number): boolean => Math.abs(left - right) <= PRECISION

const isOfTemplate = (one: Api.SubscriberPackage, asked: OrderJournal.Asked): boolean =>
  one.templateId === null ? one.templateName === asked.templateName : one.templateId === asked.templateId

/** Whether the package was not there before the order was first asked for, and has its template. */
const mayComeOf = (one: Api.SubscriberPackage, asked: OrderJournal.Asked): boolean =>
  !asked.before.includes(one.id) && isOfTemplate(one, asked)

/** A time that the system does not return may be any; but it returns one of them at least. */
const hasWindow = (one: Api.SubscriberPackage, { end, start }: Api.Window): boolean =>
  (one.activationAt !== null || one.expirationAt !== null) &&
  (one.activationAt === null || near(one.activationAt, start)) &&
  (one.expirationAt === null || near(one.expirationAt, end))

/**
 * Zones differ by whole quarters of an hour: by 26 hours at most, and in summer by two hours more
 * or less than in winter.
 */
const QUARTER = 15 * 60_000
const FARTHEST = 26 * 4
const SUMMER = 2 * 4

/** How many quarters of an hour a time is off; null: it is off by something else. */
const quartersOff = (listed: number, ordered: number): number | null => {
  const quarters = Math.round((listed - ordered) / QUARTER)
  return near(listed, ordered + quarters * QUARTER) && Math.abs(quarters) <= FARTHEST ? quarters : null
}

/** Whether the times are those of the window, read in another zone than it was written in. */
const isMisread = ({ activationAt, expirationAt }: Api.SubscriberPackage, window: Api.Window): boolean => {
  if (activationAt === null && expirationAt === null) return false
  const start = quartersOff(activationAt ?? window.start, window.start)
  const end = quartersOff(expirationAt ?? window.end, window.end)
  if (start === null || end === null || (start === 0 && end === 0)) return false
  return activationAt === null || expirationAt === null || Math.abs(start - end) <= SUMMER
}

const hasWindowOf = (one: Api.SubscriberPackage, { window }: OrderJournal.Asked): boolean =>
  window !== null && hasWindow(one, window)

/**
 * Whether the package has the order's window, or may have it in another zone and has that of no
 * other.
 */
const mayHaveWindow = (
  one: Api.SubscriberPackage,
  asked: OrderJournal.Asked,
  all: ReadonlyArray<OrderJournal.Asked>
): boolean => {
  if (hasWindowOf(one, asked)) return true
  const { trialZone, window } = asked
  return (
    window !== null && trialZone !== null && isMisread(one, window) && !all.some((other) => hasWindowOf(one, other))
  )
}

/**
 * In milliseconds: how much earlier than it was assigned a package may say that it was first used.
 */
const ASSIGNED = 24 * 3_600_000

/**
 * Whether the package may have come of the order: it was not there before, and has the template and
 * the window. A package from the first use on has no times until then, and afterwards none of
 * another order that it may have come of. If the system returns no times of a package, it is one
 * from the first use on if the SIM has an order of such.
 *
 * No time of the system is compared with our clock, which may be minutes off. A first use comes
 * after the assignment; a whole day is allowed, because a system may write one of both in its own
 * zone. What began earlier was given for a window.
 */
export const fits = (
  one: Api.SubscriberPackage,
  asked: OrderJournal.Asked,
  orders: ReadonlyMap<string, OrderJournal.Order>
): boolean => {
  if (one.isRecurring || !mayComeOf(one, asked)) return false
  const all = [...orders.values()].flatMap((order) => order.asked ?? []).filter((other) => mayComeOf(one, other))
  const isTimeless = one.activationAt === null && one.expirationAt === null
  if (asked.window !== null) {
    return isTimeless ? !all.some((other) => other.window === null) : mayHaveWindow(one, asked, all)
  }
  if (isTimeless) return true
  const { activationAt, assignedAt } = one
  if (activationAt !== null && assignedAt !== null && activationAt < assignedAt - ASSIGNED) return false
  return !all.some((other) => mayHaveWindow(one, other, all))
}

/**
 * Whether a list shows what all calls for the package have done that have ended, if lists are so
 * much behind (in milliseconds).
 */
const isUpToDate = ({ at }: OrderJournal.Snapshot, { lastAt, uncertain }: OrderJournal.Asked, lag: number): boolean =>
  uncertain === 0 || at >= lastAt + lag

/** The packages that may be the order's and that no other order has, the oldest first. */
const candidates = (key: string, asked: OrderJournal.Asked, { claims, orders, packages }: OrderJournal.Snapshot) =>
  packages
    .filter((one) => (claims.get(one.id) ?? key) === key && fits(one, asked, orders))
    .toSorted((left, right) => left.id - right.id)

/** A package that is not deleted without an operator. */
export interface KeptExtra {
  readonly one: Api.SubscriberPackage
  /**
   * Whether a call without an answer may have made it. Else it may be what a customer has paid for
   * after the backup that was restored.
   */
  readonly isExplained: boolean
}

/** What to do with the packages that came of an order although it has another one, or none. */
export interface Extras {
  /** Calls without an answer have made them, and nobody has used them. */
  readonly unused: ReadonlyArray<Api.SubscriberPackage>
  readonly kept: ReadonlyArray<KeptExtra>
  /** Another order may still find that one of them is its own. */
  readonly undecided: boolean
}

/** By how much the clock of the system may be off, in milliseconds. */
const SKEW = 15 * 60_000

/**
 * Whether the package was given later than a call of the order may take effect. After a restore an
 * order may look as if it were watched still, and what was sold meanwhile is none of its extras.
 */
const isLater = ({ assignedAt }: Api.SubscriberPackage, { lastAt }: OrderJournal.Asked, watch: number): boolean =>
  assignedAt !== null && assignedAt > lastAt + watch + SKEW

/**
 * How many packages like this one calls without an answer may have made, beside those that their
 * orders have. What was answered has made one, which is known.
 */
const unanswered = (one: Api.SubscriberPackage, orders: OrderJournal.Snapshot["orders"], watch: number): number =>
  [...orders.values()].reduce((sum, order) => {
    const { asked } = order
    const mayBe = asked !== null && asked.uncertain > 0 && fits(one, asked, orders) && !isLater(one, asked, watch)
    return mayBe ? sum + asked.uncertain : sum
  }, 0)

/**
 * The extras of an order that is final; a call without an answer may take effect for `watch`
 * milliseconds. Where there are more than such calls have made, nobody can say which are theirs.
 */
export const extras = (
  key: string,
  order: Exclude<OrderJournal.Order, OrderJournal.Open>,
  { claims, orders, packages }: OrderJournal.Snapshot,
  watch: number
): Extras => {
  const others = new Map([...orders].filter(([other]) => other !== key))
  const owned = new Set([...others.values()].map(OrderJournal.idOf))
  const isOpen = (other: string | undefined) => other !== undefined && others.get(other)?._tag === "Open"
  const unused: Array<Api.SubscriberPackage> = []
  const found: Array<Api.SubscriberPackage> = []
  let undecided = false
  for (const one of packages) {
    const isOwn = one.id === OrderJournal.idOf(order)
    // What was listed for an operator as kept stays until the operator has it cancelled.
    if (isOwn && order._tag === "Cancelled" && order.reviewedBytes === undefined) unused.push(one)
    if (isOwn || owned.has(one.id) || order.asked === null || !fits(one, order.asked, orders)) continue
    if (isLater(one, order.asked, watch)) continue
    const claim = claims.get(one.id)
    const mayBeOf = (other: OrderJournal.Order) => other._tag === "Open" && fits(one, other.asked, orders)
    if (isOpen(claim) || (claim === undefined && [...others.values()].some(mayBeOf))) undecided = true
    else found.push(one)
  }
  const kept: Array<KeptExtra> = []
  for (const one of found) {
    const isExplained = claims.get(one.id) === key || found.length <= unanswered(one, orders, watch)
    if (isExplained && one.usedBytes === 0) unused.push(one)
    else kept.push({ one, isExplained })
  }
  return { unused, kept, undecided }
}

/** Whose packages may be on a SIM that nobody has, or that was free until now. */
export interface Owners {
  /** The attachments that may have some. */
  readonly attachments: ReadonlyArray<string>
  /** For how long a call without an answer may still take effect, in milliseconds. */
  readonly watch: number
  readonly now: number
}

/**
 * The packages that somebody else has who is not known here, as after a restore: active ones of
 * simplan's templates, but for what the owners' orders have or may have made by a call without an
 * answer, what an order has that was cancelled, since a list may be behind, and what came unused of
 * a call without an answer in its watch time, since `Settlement` deletes that.
 */
export const others = (
  { orders, packages }: OrderJournal.Snapshot,
  { attachments, now, watch }: Owners
): ReadonlyArray<Api.SubscriberPackage> => {
  const all = [...orders]
  const isTheirs = (key: string) => attachments.includes(Package.attachmentIdOf(key))
  const isExplained = (one: Api.SubscriberPackage) => {
    const owner = all.find(([, order]) => OrderJournal.idOf(order) === one.id)
    if (owner !== undefined) return isTheirs(owner[0]) || owner[1]._tag === "Cancelled"
    return all.some(([key, order]) => {
      const { asked } = order
      if (asked === null || !fits(one, asked, orders)) return false
      if (isTheirs(key)) return order._tag === "Open" || (asked.uncertain > 0 && !isLater(one, asked, watch))
      const isLate = order._tag !== "Open" && asked.uncertain > 0 && one.usedBytes === 0
      return isLate && now < asked.lastAt + watch
    })
  }
  const isOver = ({ expirationAt }: Api.SubscriberPackage) => expirationAt !== null && expirationAt <= now
  return packages.filter((one) => Templates.isOurs(one) && one.isActive && !isOver(one) && !isExplained(one))
}

export type Create =
  | { readonly next: "Observe" | "GiveUp" }
  /** Until a list that is asked for then shows what there is. */
  | { readonly next: "Wait"; readonly until: number }
  | { readonly next: "Ask"; readonly order: OrderJournal.Open }
  | {
      readonly next: "Take"
      readonly id: number
      readonly order: OrderJournal.Created
      /** Whether its times prove that the system reads the window as it was written. */
      readonly isProof: boolean
    }
  /** Deletes packages with other times than were asked for. */
  | {
      readonly next: "Withdraw"
      readonly packages: ReadonlyArray<Api.SubscriberPackage>
      readonly order: OrderJournal.Open
    }
  | { readonly next: "Answer"; readonly order: OrderJournal.Created }
  | { readonly next: "Refuse"; readonly message: string }

/** What a new order asks for. */
export interface Wanted {
  readonly templateId: number
  readonly templateName: string
  readonly thresholds: ReadonlyArray<number>
  readonly window: Api.Window | null
  /** See `OrderJournal.Asked`. */
  readonly trialZone: string | null
}

/** What this call for the package knows of the system beside its lists. */
export interface Known {
  /** Whether it has asked already, in vain. */
  readonly hasAsked: boolean
  /** The system's answer to it if the package is still to be seen; null: none. */
  readonly answered: number | null
  /** How much lists are behind at most, in milliseconds. */
  readonly lag: number
  readonly now: number
}

const asking = (asked: OrderJournal.Asked, now: number): OrderJournal.Open => ({
  _tag: "Open",
  asked: { ...asked, lastAt: now, uncertain: asked.uncertain + 1 }
})

export const create = (
  key: string,
  order: OrderJournal.Order | null,
  snapshot: OrderJournal.Snapshot | null,
  wanted: Wanted,
  { answered, hasAsked, lag, now }: Known
): Create => {
  switch (order?._tag) {
    case "Created":
      return { next: "Answer", order }
    case "Refused":
      return { next: "Refuse", message: order.message }
    case "Cancelled":
      return { next: "Refuse", message: "The package was cancelled" }
  }
  if (snapshot === null) return { next: "Observe" }
  if (order === null) {
    const before = snapshot.packages.map(({ id }) => id)
    return { next: "Ask", order: asking({ ...wanted, before, firstAt: now, lastAt: now, uncertain: 0 }, now) }
  }
  const { asked } = order
  const until = asked.lastAt + lag
  const isBehind = !isUpToDate(snapshot, asked, lag)
  const own = candidates(key, asked, snapshot)
  const isOfOtherZone = (one: Api.SubscriberPackage) => asked.window !== null && isMisread(one, asked.window)
  const seen = snapshot.packages.find(({ id }) => id === answered)
  if (answered !== null && seen === undefined) return isBehind ? { next: "Wait", until } : { next: "GiveUp" }
  // What the system has answered is the order's, whatever times it has, unless they come of another
  // zone.
  const found = seen === undefined || isOfOtherZone(seen) ? own.find((one) => !isOfOtherZone(one)) : seen
  if (found !== undefined) return taking(asked, found)
  // A used one that the system has not answered with is reported once the order is final.
  const packages = own.filter(({ id, usedBytes }) => usedBytes === 0 || snapshot.claims.get(id) === key)
  if (packages.length > 0) {
    return { next: "Withdraw", packages, order: { _tag: "Open", asked: seen === undefined ? asked : certain(asked) } }
  }
  if (hasAsked) return { next: "GiveUp" }
  if (isBehind) return { next: "Wait", until }
  const { trialZone, window } = wanted
  return { next: "Ask", order: asking({ ...asked, window, trialZone: trialZone ?? asked.trialZone }, now) }
}

const taking = (asked: OrderJournal.Asked, one: Api.SubscriberPackage): Create => ({
  next: "Take",
  id: one.id,
  order: created(asked, one.id, asked.window ?? { start: one.activationAt, end: one.expirationAt }),
  isProof: asked.window !== null && hasWindow(one, asked.window)
})

const certain = (asked: OrderJournal.Asked): OrderJournal.Asked => ({
  ...asked,
  uncertain: Math.max(0, asked.uncertain - 1)
})

/**
 * Another call may still have made a package with other times: one without an outcome, or an
 * earlier one, which may be done twice, the second time late.
 */
const proved = (asked: OrderJournal.Asked): OrderJournal.Asked =>
  asked.uncertain > 0 || asked.lastAt > asked.firstAt ? asked : { ...asked, trialZone: null }

/**
 * The order whose package is known. A package with a window has the ordered times, to the
 * millisecond.
 */
export const created = (
  asked: OrderJournal.Asked,
  id: number,
  times: { readonly start: number | null; readonly end: number | null } | null = asked.window
): OrderJournal.Created => ({
  _tag: "Created",
  asked: proved(certain(asked)),
  id,
  activationAt: times?.start ?? null,
  expirationAt: times?.end ?? null
})

/** The order after a call that was refused, was not done, or has no known outcome. */
export const failed = (
  { asked }: OrderJournal.Open,
  outcome: "Refused" | "NotDone" | "Unknown",
  message: string,
  now: number
): OrderJournal.Order => {
  switch (outcome) {
    case "Refused":
      return { _tag: "Refused", asked: certain(asked), message }
    case "NotDone":
      return { _tag: "Open", asked: certain(asked) }
    case "Unknown":
      return { _tag: "Open", asked: { ...asked, lastAt: now } }
  }
}

/**
 * The order of a template that the system has no longer, under another one; null if a call under
 * the old one has no known outcome, because its package would not be recognized any more.
 */
export const under = (templateId: number, { asked }: OrderJournal.Open): OrderJournal.Open | null => {
  const known = certain(asked)
  return known.uncertain > 0 ? null : { _tag: "Open", asked: { ...known, templateId } }
}

export type Cancel =
  | { readonly next: "Observe" | "Done" }
  /** Until a list that is asked for then shows what there is. */
  | { readonly next: "Wait"; readonly until: number }
  | { readonly next: "Spend"; readonly order: OrderJournal.Cancelled }
  | { readonly next: "Delete"; readonly ids: ReadonlyArray<number>; readonly order: OrderJournal.Cancelled }

export const cancel = (
  key: string,
  order: OrderJournal.Order | null,
  snapshot: OrderJournal.Snapshot | null,
  lag: number,
  watch: number
): Cancel => {
  if (order === null) {
    return { next: "Spend", order: { _tag: "Cancelled", asked: null, id: null, confirmed: true } }
  }
  switch (order._tag) {
    case "Open":
      return { next: "Spend", order: { _tag: "Cancelled", asked: order.asked, id: null, confirmed: false } }
    case "Created":
      return { next: "Spend", order: { _tag: "Cancelled", asked: order.asked, id: order.id, confirmed: false } }
    case "Refused":
      return { next: "Done" }
    case "Cancelled": {
      if (order.confirmed) return { next: "Done" }
      const confirmed = { ...order, confirmed: true }
      if (order.id !== null && order.asked?.uncertain === 0) {
        return { next: "Delete", ids: [order.id], order: confirmed }
      }
      if (snapshot === null) return { next: "Observe" }
      if (order.asked !== null && !isUpToDate(snapshot, order.asked, lag)) {
        return { next: "Wait", until: order.asked.lastAt + lag }
      }
      const ids = extras(key, order, snapshot, watch).unused.map(({ id }) => id)
      return { next: "Delete", ids, order: confirmed }
    }
  }
}

/**
 * How soon after a call without an outcome its late effect is first searched; the waits double from
 * there.
 */
const FIRST_CHECK = 30_000

/**
 * When to search again for packages that calls without an outcome made late; null: never, all calls
 * are over. An order whose calls were all answered is settled at once, at the end of its watch
 * time.
 */
export const nextCheck = (order: OrderJournal.Order, now: number, watch: number): number | null => {
  if (order.asked === null) return null
  const { lastAt, uncertain } = order.asked
  const end = lastAt + watch
  if (now >= end) return null
  if (order._tag === "Open" || uncertain === 0) return end
  return Math.min(end, now + Math.max(FIRST_CHECK, now - lastAt))
}

/** An order as it was before a change, and when it was due to be settled. */
export interface Before {
  readonly order: OrderJournal.Order | null
  readonly dueAt: number | null
}

/**
 * When to settle an order after a change of it; null: never. One that is overdue, as after a crash,
 * stays due. The settling at the end of the watch time passes an open order over, so one that
 * becomes final only later is due at once.
 */
export const dueAfter = (before: Before, order: OrderJournal.Order, now: number, watch: number): number | null =>
  nextCheck(order, now, watch) ?? before.dueAt ?? (before.order?._tag === "Open" ? now : null)
