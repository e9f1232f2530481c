/**
 * What is there of a SIM at one moment, and which packages can be the outcome of which order.
 *
 * The packages are listed before the orders and claims are read. So the order of any package that the adapter has asked
 * for is among those that were read, whoever asks at the same moment.
 */
import type * as Api from "../api/Api.ts"
import * as Order from "./Order.ts"

export interface Snapshot {
  /** Machine time at which the packages were asked for. */
  readonly at: number
  readonly packages: ReadonlyArray<Api.SubscriberPackage>
  /** The orders of the SIM, by their keys. */
  readonly orders: ReadonlyMap<string, Order.Order>
  /** Who has claimed a package: the key of its order, by the package's id. */
  readonly claims: ReadonlyMap<number, string>
}

/** The system answers with seconds, or a little more. */
const PRECISION = 1_000

const near = (left: number, right: number): boolean => Math.abs(left - right) <= PRECISION

const isOfTemplate = (one: Api.SubscriberPackage, asked: Order.Asked): boolean =>
  one.templateId === null ? one.templateName === asked.templateName : one.templateId === asked.templateId

/** Whether the package was not there before the order was first asked for, and has its template. */
const mayComeOf = (one: Api.SubscriberPackage, asked: Order.Asked): boolean =>
  !asked.before.includes(one.id) && isOfTemplate(one, asked)

/** A time that the system does not return may be any; but it returns one of them at least. */
export const hasWindow = (one: Api.SubscriberPackage, { end, start }: Api.Window): boolean =>
  (one.activationAt !== null || one.expirationAt !== null) &&
  (one.activationAt === null || near(one.activationAt, start)) &&
  (one.expirationAt === null || near(one.expirationAt, end))

/** Zones differ by whole quarters of an hour: by 26 hours at most, and in summer by two hours more or less than in winter. */
const QUARTER = 15 * 60_000
const FARTHEST = 26 * 4
const SUMMER = 2 * 4

/** How many quarters of an hour a time is off; null: it is off by something else. */
const quartersOff = (listed: number, ordered: number): number | null => {
  const quarters = Math.round((listed - ordered) / QUARTER)
  return near(listed, ordered + quarters * QUARTER) && Math.abs(quarters) <= FARTHEST ? quarters : null
}

/** Whether the times are those of the window, read in another zone than it was written in. */
export const isMisread = ({ activationAt, expirationAt }: Api.SubscriberPackage, window: Api.Window): boolean => {
  if (activationAt === null && expirationAt === null) return false
  const start = quartersOff(activationAt ?? window.start, window.start)
  const end = quartersOff(expirationAt ?? window.end, window.end)
  if (start === null || end === null || (start === 0 && end === 0)) return false
  return activationAt === null || expirationAt === null || Math.abs(start - end) <= SUMMER
}

const hasWindowOf = (one: Api.SubscriberPackage, { window }: Order.Asked): boolean =>
  window !== null && hasWindow(one, window)

/** Whether the package has the order's window, or may have it in another zone and has that of no other. */
const mayHaveWindow = (one: Api.SubscriberPackage, asked: Order.Asked, all: ReadonlyArray<Order.Asked>): boolean => {
  if (hasWindowOf(one, asked)) return true
  const { trialZone, window } = asked
  return (
    window !== null && trialZone !== null && isMisread(one, window) && !all.some((other) => hasWindowOf(one, other))
  )
}

/** In milliseconds: how much earlier than it was assigned a package may say that it was first used. */
const ASSIGNED = 24 * 3_600_000

/**
 * Whether the package may have come of the order: it was not there before, and has the template and the window. A package
 * from the first use on has no times until then, and afterwards none of another order that it may have come of. Where the
 * system returns no times of a package, it is one from the first use on if the SIM has an order of such.
 *
 * No time of the system is compared with our clock, which may be minutes off. A first use comes after the assignment; a
 * whole day is allowed, because a system may write one of both in its own zone. What began earlier was given for a window.
 */
export const fits = (
  one: Api.SubscriberPackage,
  asked: Order.Asked,
  orders: ReadonlyMap<string, Order.Order>
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
 * Whether a list shows what all calls for the package have done that have ended, where lists are so much behind (in
 * milliseconds).
 */
export const isUpToDate = ({ at }: Snapshot, { lastAt, uncertain }: Order.Asked, lag: number): boolean =>
  uncertain === 0 || at >= lastAt + lag

/** The packages that may be the order's and that no other order has, the oldest first. */
export const candidates = (key: string, asked: Order.Asked, { claims, orders, packages }: Snapshot) =>
  packages
    .filter((one) => (claims.get(one.id) ?? key) === key && fits(one, asked, orders))
    .toSorted((left, right) => left.id - right.id)

/** What to do with the packages that came of an order although it has another one, or none. */
export interface Extras {
  readonly unused: ReadonlyArray<Api.SubscriberPackage>
  /** A subscriber has used them, so they are not deleted without an operator. */
  readonly used: ReadonlyArray<Api.SubscriberPackage>
  /** Another order may still find that one of them is its own. */
  readonly undecided: boolean
}

/** The extras of an order that is final. */
export const extras = (
  key: string,
  order: Exclude<Order.Order, Order.Open>,
  { claims, orders, packages }: Snapshot
): Extras => {
  const others = new Map([...orders].filter(([other]) => other !== key))
  const owned = new Set([...others.values()].map(Order.idOf))
  const isOpen = (other: string | undefined) => other !== undefined && others.get(other)?._tag === "Open"
  const unused: Array<Api.SubscriberPackage> = []
  const used: Array<Api.SubscriberPackage> = []
  let undecided = false
  for (const one of packages) {
    const isOwn = one.id === Order.idOf(order)
    if (isOwn && order._tag === "Cancelled") unused.push(one)
    if (isOwn || owned.has(one.id) || order.asked === null || !fits(one, order.asked, orders)) continue
    const claim = claims.get(one.id)
    const mayBeOf = (other: Order.Order) => other._tag === "Open" && fits(one, other.asked, orders)
    if (isOpen(claim) || (claim === undefined && [...others.values()].some(mayBeOf))) undecided = true
    else if (one.usedBytes > 0) used.push(one)
    else unused.push(one)
  }
  return { unused, used, undecided }
}
