/**
 * What is to be done next about an order, as pure functions of what the journal has, of what was seen, and of the time.
 * `Orders` carries it out and asks again, until there is an answer.
 *
 * | `create`: the journal has | seen | next |
 * |---|---|---|
 * | nothing, or an open order | not yet | `Observe` |
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
import type * as Api from "../api/Api.ts"
import type * as Order from "./Order.ts"
import * as Snapshot from "./Snapshot.ts"

export type Create =
  | { readonly next: "Observe" | "GiveUp" }
  /** Until a list that is asked for then shows what there is. */
  | { readonly next: "Wait"; readonly until: number }
  | { readonly next: "Ask"; readonly order: Order.Open }
  | {
      readonly next: "Take"
      readonly id: number
      readonly order: Order.Created
      /** Whether its times prove that the system reads the window as it was written. */
      readonly isProof: boolean
    }
  /** Deletes packages with other times than were asked for. */
  | { readonly next: "Withdraw"; readonly packages: ReadonlyArray<Api.SubscriberPackage>; readonly order: Order.Open }
  | { readonly next: "Answer"; readonly order: Order.Created }
  | { readonly next: "Refuse"; readonly message: string }

/** What a new order asks for. */
export interface Wanted {
  readonly templateId: number
  readonly templateName: string
  readonly window: Api.Window | null
  /** See `Order.Asked`. */
  readonly trialZone: string | null
}

/** What this call for the package knows of the system beside its lists. */
export interface Known {
  /** Whether it has asked already, in vain. */
  readonly hasAsked: boolean
  /** The system's answer to it where the package is still to be seen; null: none. */
  readonly answered: number | null
  /** How much lists are behind at most, in milliseconds. */
  readonly lag: number
  readonly now: number
}

const asking = (asked: Order.Asked, now: number): Order.Open => ({
  _tag: "Open",
  asked: { ...asked, lastAt: now, uncertain: asked.uncertain + 1 }
})

export const create = (
  key: string,
  order: Order.Order | null,
  snapshot: Snapshot.Snapshot | null,
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
  const isBehind = !Snapshot.isUpToDate(snapshot, asked, lag)
  const own = Snapshot.candidates(key, asked, snapshot)
  const isMisread = (one: Api.SubscriberPackage) => asked.window !== null && Snapshot.isMisread(one, asked.window)
  const seen = snapshot.packages.find(({ id }) => id === answered)
  if (answered !== null && seen === undefined) return isBehind ? { next: "Wait", until } : { next: "GiveUp" }
  // What the system has answered is the order's, whatever times it has, unless they come of another zone.
  const found = seen === undefined || isMisread(seen) ? own.find((one) => !isMisread(one)) : seen
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

const taking = (asked: Order.Asked, one: Api.SubscriberPackage): Create => ({
  next: "Take",
  id: one.id,
  order: created(asked, one.id, asked.window ?? { start: one.activationAt, end: one.expirationAt }),
  isProof: asked.window !== null && Snapshot.hasWindow(one, asked.window)
})

const certain = (asked: Order.Asked): Order.Asked => ({ ...asked, uncertain: Math.max(0, asked.uncertain - 1) })

/**
 * Another call may still have made a package with other times: one without an outcome, or an earlier one, which may be done
 * twice, the second time late.
 */
const proved = (asked: Order.Asked): Order.Asked =>
  asked.uncertain > 0 || asked.lastAt > asked.firstAt ? asked : { ...asked, trialZone: null }

/** The order whose package is known. A package with a window has the ordered times, to the millisecond. */
export const created = (
  asked: Order.Asked,
  id: number,
  times: { readonly start: number | null; readonly end: number | null } | null = asked.window
): Order.Created => ({
  _tag: "Created",
  asked: proved(certain(asked)),
  id,
  activationAt: times?.start ?? null,
  expirationAt: times?.end ?? null
})

/** The order after a call that was refused, was not done, or has no known outcome. */
export const failed = (
  { asked }: Order.Open,
  outcome: "Refused" | "NotDone" | "Unknown",
  message: string,
  now: number
): Order.Order => {
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
 * The order of a template that the system has no longer, under another one; null where a call under the old one has no
 * known outcome, because its package would not be recognized any more.
 */
export const under = (templateId: number, { asked }: Order.Open): Order.Open | null => {
  const known = certain(asked)
  return known.uncertain > 0 ? null : { _tag: "Open", asked: { ...known, templateId } }
}

export type Cancel =
  | { readonly next: "Observe" | "Done" }
  /** Until a list that is asked for then shows what there is. */
  | { readonly next: "Wait"; readonly until: number }
  | { readonly next: "Spend"; readonly order: Order.Cancelled }
  | { readonly next: "Delete"; readonly ids: ReadonlyArray<number>; readonly order: Order.Cancelled }

export const cancel = (
  key: string,
  order: Order.Order | null,
  snapshot: Snapshot.Snapshot | null,
  lag: number
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
      if (order.asked !== null && !Snapshot.isUpToDate(snapshot, order.asked, lag)) {
        return { next: "Wait", until: order.asked.lastAt + lag }
      }
      const ids = Snapshot.extras(key, order, snapshot).unused.map(({ id }) => id)
      return { next: "Delete", ids, order: confirmed }
    }
  }
}

/** How soon after a call without an outcome its late effect is first searched; the waits double from there. */
const FIRST_CHECK = 30_000

/**
 * When to search again for packages that calls without an outcome made late; null: never, all calls are over. An order
 * whose calls were all answered is settled at once, at the end of its watch time.
 */
export const nextCheck = (order: Order.Order, now: number, watch: number): number | null => {
  if (order.asked === null) return null
  const { lastAt, uncertain } = order.asked
  const end = lastAt + watch
  if (now >= end) return null
  if (order._tag === "Open" || uncertain === 0) return end
  return Math.min(end, now + Math.max(FIRST_CHECK, now - lastAt))
}

/** An order as it was before a change, and when it was due to be settled. */
export interface Before {
  readonly order: Order.Order | null
  readonly dueAt: number | null
}

/**
 * When to settle an order after a change of it; null: never. One that is overdue, as after a crash, stays due. The
 * settling at the end of the watch time passes an open order over, so one that becomes final only later is due at once.
 */
export const dueAfter = (before: Before, order: Order.Order, now: number, watch: number): number | null =>
  nextCheck(order, now, watch) ?? before.dueAt ?? (before.order?._tag === "Open" ? now : null)
