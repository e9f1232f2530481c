/**
 * The ledger of what is bought of suppliers (rules C1 to C4): a row for each purchase of an eSIM,
 * each top-up, each refund, and each sale of a plan that has a price.
 *
 * Rows are added and never changed, but for whom a load is allotted to. None is ever deleted, so
 * that a month's report stays as it is. All sums are exact: in millionths of the currency, as
 * integers of any length.
 */
import { Order, Result } from "effect"
import type { Amount } from "./Amount.ts"
import type { Attachment } from "./Attachment.ts"
import type { Label } from "./Label.ts"
import { attachmentIdOf, occurrenceOf } from "./Package.ts"
import type { Sim } from "./Sim.ts"
import type { Instant } from "./Time.ts"
import { addDays, fromIso } from "./Time.ts"
import { monthOf } from "./UsageBook.ts"

/**
 * What a row is of. `purchase`: an eSIM with its load. `top_up`: a load for an eSIM that is in
 * service. `refund`: what came back for one of both, so its amount is negative. `sale`: the price
 * of a plan that was sold.
 */
export const kinds = ["purchase", "top_up", "refund", "sale"] as const

/** What a row is of. */
export type Kind = (typeof kinds)[number]

/** To whom the load of a row was given. All of it is null for what nobody has. */
export interface Allotted {
  /** The attachment that it was given to. */
  readonly attachmentId: string | null
  /** The attachment's plan. */
  readonly planId: string | null
  /** Which of the attachment's packages it is, from 0. */
  readonly occurrence: number | null
}

/** A row of the ledger. */
export interface Entry extends Allotted {
  /** The organization that owns the SIM. */
  readonly organizationId: string
  /** Follows from what was charged, so that the same is never in the ledger twice. */
  readonly costId: string
  /** What it is of. */
  readonly kind: Kind
  /** When it was charged, or sold: it counts in that month. */
  readonly at: Instant
  /** The supplier's name among the telcos; null: there is one only, or it is not known. */
  readonly telco: string | null
  /** The supplier's code of the bundle; null: a plan that is none was sold. */
  readonly load: string | null
  /** The label of the SIM. */
  readonly label: Label
  /**
   * The region code of the plan that it was bought for, or is sold as: of a plan for one country
   * that country's code. Null: it is not known.
   */
  readonly regionCode: string | null
  /** The SIM. It may have been another one before, and may be again. */
  readonly iccid: string
  /** Null: the supplier does not say. */
  readonly amount: Amount | null
}

/** To whom a row is allotted from now on. */
export interface Allotment extends Allotted, Pick<Entry, "organizationId" | "costId"> {
  /** Null: it stays as it is. */
  readonly regionCode: string | null
}

/** What a commit adds to the ledger. */
export interface Booking {
  /** Added unless they are there. */
  readonly put?: ReadonlyArray<Entry>
  /** Whose rows are from now on. */
  readonly allotted?: ReadonlyArray<Allotment>
}

/** How many decimal places sums have. */
const SCALE = 6

/** An amount in millionths of its currency. */
export const millionths = ({ scale, units }: Amount): bigint => BigInt(units) * 10n ** BigInt(SCALE - scale)

/** A sum as a decimal with two places at least, and no more than it needs: `9.50`, `0.0125`. */
export const decimal = (sum: bigint): string => {
  const digits = String(sum < 0n ? -sum : sum).padStart(SCALE + 1, "0")
  const places = digits.slice(-SCALE).replace(/0{1,4}$/, "")
  return `${sum < 0n ? "-" : ""}${digits.slice(0, -SCALE)}.${places}`
}

/** The sum that a decimal of at most six places says. */
export const parse = (text: string): bigint => {
  const [whole = "0", places = ""] = text.replace("-", "").split(".")
  const sum = BigInt(whole + places.padEnd(SCALE, "0"))
  return text.startsWith("-") ? -sum : sum
}

/** The id of the row of a purchase. */
export const purchaseId = (id: string): string => `purchase:${id}`

/** The id of the row of a package that was bought apart. */
export const topUpId = (packageId: string): string => `top_up:${packageId}`

/** What nobody has. */
const unallotted: Allotted = { attachmentId: null, planId: null, occurrence: null }

/** Rule C1: an eSIM was bought, and its supplier has charged it. It is nobody's yet. */
export const purchase = (
  of: Pick<Entry, "organizationId" | "telco" | "load" | "label" | "regionCode" | "iccid" | "amount"> & {
    readonly purchaseId: string
  },
  at: Instant
): Entry => {
  const { purchaseId: id, ...rest } = of
  return { ...rest, ...unallotted, costId: purchaseId(id), kind: "purchase", at }
}

/** What came back has a negative amount. */
const credited = ({ units, ...of }: Amount): Amount => ({ ...of, units: 0 - units })

/** What an eSIM that was bought was charged as. */
export type Charged = Pick<Sim, "label" | "purchase">

/**
 * Rule C1: the supplier of an eSIM has credited what it was charged at. What was bought is nobody's
 * any more.
 */
export const refund = (
  { iccid, label, organizationId, purchase }: Charged & Pick<Sim, "iccid" | "organizationId">,
  at: Instant
): Booking => {
  if (purchase === null) return {}
  const { cost, load, purchaseId: id, regionCode = null, telco = null } = purchase
  const amount = cost === null ? null : credited(cost)
  const of = { organizationId, telco, load, label, regionCode, iccid, amount }
  return {
    put: [{ ...of, ...unallotted, costId: `refund:${id}`, kind: "refund", at }],
    allotted: [{ ...unallotted, organizationId, costId: purchaseId(id), regionCode: null }]
  }
}

/** What the telco says of a package that is a supplier's bundle. */
export interface Answer {
  /** What it was charged at. */
  readonly cost?: Amount | undefined
  /** Whether it is what the SIM was bought with. Absent: the telco does not say. */
  readonly isLoad?: boolean | undefined
  /** The supplier's name. */
  readonly telco?: string | undefined
}

/** A package that the telco has taken, and the bundle that it was ordered as. */
export interface Ordered {
  /** The package's id. */
  readonly packageId: string
  /** Which of the attachment's packages it is. */
  readonly occurrence: number
  /** The supplier's code. Absent: it is no bundle, and costs nothing here. */
  readonly load?: string | undefined
  /** Whether it was ordered first on a SIM that was free. */
  readonly isFirst: boolean
}

/**
 * Rules C1 and C2: what a package costs that the telco has taken. The load that the SIM was bought
 * with is allotted to it, or it is a top-up, which was charged now.
 */
export const ofPackage = (
  { iccid, label, organizationId, purchase }: Pick<Sim, "iccid" | "label" | "organizationId" | "purchase">,
  of: Pick<Attachment, "attachmentId"> & Partial<Pick<Attachment, "planId" | "terms">>,
  { isFirst, load, occurrence, packageId }: Ordered,
  { cost, isLoad = cost === undefined && isFirst && purchase?.load === load, telco }: Answer,
  at: Instant
): Booking => {
  if (load === undefined) return {}
  const { attachmentId, planId = null, terms } = of
  const regionCode = terms?.regionCode ?? null
  const allotted = { organizationId, attachmentId, planId, occurrence, regionCode }
  if (isLoad && purchase !== null) {
    return { allotted: [{ ...allotted, costId: purchaseId(purchase.purchaseId) }] }
  }
  const seller = telco ?? purchase?.telco ?? null
  const amount = cost ?? null
  return {
    put: [{ ...allotted, costId: topUpId(packageId), kind: "top_up", at, telco: seller, load, label, iccid, amount }]
  }
}

/**
 * What a telco says of the money of a package that it stops or takes away, or refuses to (rule C1).
 */
export interface Settled {
  /** What was bought for it apart. Absent: nothing was, or the telco does not say. */
  readonly topUp?: {
    /** The supplier's code. */
    readonly load: string
    /** What it was charged at; null: the telco does not say. */
    readonly cost: Amount | null
  }
  /**
   * What came back to the account: for that, or without it for what the SIM was bought with.
   * Absent: nothing.
   */
  readonly credit?: Amount
  /** By what purchase the SIM was bought that the credit is for. Absent: the one that is stored. */
  readonly purchaseId?: string
}

/**
 * Rule C1: the money of a package that the telco has stopped or taken away. What was bought for it
 * is in the ledger, also if its order had no answer; and so is what came back.
 */
export const settlement = (
  sim: Charged & Pick<Sim, "iccid" | "organizationId">,
  packageId: string,
  attachment: Partial<Pick<Attachment, "planId" | "terms">>,
  { credit, purchaseId, topUp }: Settled,
  at: Instant
): Booking => {
  const { iccid, label, organizationId, purchase } = sim
  if (topUp === undefined) {
    return purchase === null || credit === undefined
      ? {}
      : refund({ ...sim, purchase: { ...purchase, purchaseId: purchaseId ?? purchase.purchaseId, cost: credit } }, at)
  }
  const of: Omit<Entry, "costId" | "kind" | "amount"> = {
    ...{ organizationId, iccid, label, at, load: topUp.load, telco: purchase?.telco ?? null },
    ...{
      attachmentId: attachmentIdOf(packageId),
      planId: attachment.planId ?? null,
      occurrence: occurrenceOf(packageId)
    },
    regionCode: attachment.terms?.regionCode ?? null
  }
  const charge = { ...of, costId: topUpId(packageId), kind: "top_up", amount: topUp.cost } as const
  const back = credit && ({ ...of, costId: `refund:${packageId}`, kind: "refund", amount: credited(credit) } as const)
  return { put: back === undefined ? [charge] : [charge, back] }
}

/** Both together. */
export const and = (left: Booking, right: Booking): Booking => {
  const put = [...(left.put ?? []), ...(right.put ?? [])]
  const allotted = [...(left.allotted ?? []), ...(right.allotted ?? [])]
  return { ...(put.length > 0 && { put }), ...(allotted.length > 0 && { allotted }) }
}

/** Rule C3: a plan with a price was sold. `telco`: the supplier of what was given for it. */
export const sale = (
  { iccid, label, organizationId }: Pick<Sim, "iccid" | "label" | "organizationId">,
  { attachmentId, planId, terms }: Pick<Attachment, "attachmentId" | "planId" | "terms">,
  telco: string | null,
  at: Instant
): Booking => {
  const { load = null, price, regionCode } = terms
  if (price === undefined) return {}
  const of = { organizationId, iccid, label, telco, load, regionCode, attachmentId, planId, occurrence: null }
  return { put: [{ ...of, costId: `sale:${attachmentId}`, kind: "sale", at, amount: price }] }
}

/** All of them together, as a part of a decision or of a commit; nothing if they book nothing. */
export const booking = (...all: ReadonlyArray<Booking>): { readonly ledger?: Booking } => {
  const ledger = all.reduce(and, {})
  return ledger.put === undefined && ledger.allotted === undefined ? {} : { ledger }
}

/** Rule C2: the row as it is allotted. */
export const allot = (entry: Entry, { attachmentId, occurrence, planId, regionCode }: Allotment): Entry => ({
  ...entry,
  ...{ attachmentId, planId, occurrence },
  regionCode: regionCode ?? entry.regionCode
})

/** What was spent on one load of a supplier, in one currency. */
export interface Spent {
  /** The supplier; null: there is one only, or it is not known. */
  readonly telco: string | null
  /** The supplier's code of the bundle. */
  readonly load: string
  /** The code of ISO 4217. */
  readonly currency: string
  /** In millionths of the currency: what was charged, whether or not some of it came back. */
  readonly sum: bigint
}

const compareSpent: Order.Order<Spent> = Order.combineAll([
  Order.mapInput(Order.String, ({ telco }: Spent) => telco ?? ""),
  Order.mapInput(Order.String, ({ load }: Spent) => load),
  Order.mapInput(Order.String, ({ currency }: Spent) => currency)
])

/** What purchases and top-ups have cost, by supplier, load and currency, in that order. */
export const spent = (entries: Iterable<Entry>): ReadonlyArray<Spent> => {
  const found = new Map<string, Spent>()
  for (const { amount, kind, load, telco } of entries) {
    if (amount === null || load === null || kind === "refund" || kind === "sale") continue
    const { currency } = amount
    const key = JSON.stringify([telco, load, currency])
    found.set(key, { telco, load, currency, sum: (found.get(key)?.sum ?? 0n) + millionths(amount) })
  }
  return [...found.values()].sort(compareSpent)
}

/** What a row says that was charged. */
export interface Booked {
  /** The code of ISO 4217; null: the supplier has named no amount. */
  readonly currency: string | null
  /** In millionths of the currency. */
  readonly sum: bigint
}

/** What was charged by a row. */
export const booked = ({ amount }: Pick<Entry, "amount">): Booked => ({
  currency: amount?.currency ?? null,
  sum: amount === null ? 0n : millionths(amount)
})

/**
 * Rule C4: what the ledger has for a charge that its supplier lists; null: the same. `found`: its
 * row, if there is one.
 */
export const bookedOtherwise = (found: Booked | null, listed: Amount): string | null => {
  if (found === null) return "no charge"
  const { currency, sum } = found
  if (currency === null) return "a charge without an amount"
  return currency === listed.currency && sum === millionths(listed) ? null : `${decimal(sum)} ${currency}`
}

/** UTC months, of which `until` is the first instant after them. */
export interface Months {
  /** The first instant of the first month. */
  readonly from: Instant
  /** The first instant after the last one. */
  readonly until: Instant
}

/** The longest time that one report is about, in months. */
export const MONTHS_LIMIT = 60

/** What is wrong with the months that were asked for. */
export interface MonthsProblem {
  /** The parameter that is meant. */
  readonly field: "from" | "to"
  /** The end of the sentence that begins with the parameter's name. */
  readonly message: string
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/

const parsedMonth = (field: MonthsProblem["field"], text: string): Result.Result<Instant, MonthsProblem> => {
  const month = MONTH.test(text) ? fromIso(`${text}-01T00:00:00Z`) : undefined
  return month === undefined
    ? Result.fail({ field, message: "must be a month, such as 2026-11" })
    : Result.succeed(month)
}

/** The first instant of the month after the one that an instant is in. */
const nextMonth = (month: Instant): Instant => monthOf(addDays(month, 31))

/**
 * The months from one to another, both included. Without `to` they end with this one, and without
 * `from` they are that and the one before.
 */
export const months = (
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Instant
): Result.Result<Months, MonthsProblem> =>
  Result.gen(function* () {
    const last = to === undefined ? monthOf(now) : yield* parsedMonth("to", to)
    const first = from === undefined ? monthOf(last - 1) : yield* parsedMonth("from", from)
    if (first > last) return yield* Result.fail({ field: "to" as const, message: "must not be before from" })
    const until = nextMonth(last)
    if (until > addDays(first, MONTHS_LIMIT * 30.5)) {
      const message = `must be within ${MONTHS_LIMIT} months of from`
      return yield* Result.fail({ field: "to" as const, message })
    }
    return { from: first, until }
  })

/** What a report can be by, beside months and currencies; several may be named. */
export const groups = ["plan", "label", "supplier", "country"] as const

/** One of what a report can be by. */
export type Group = (typeof groups)[number]

const someOf = ([first, ...others]: ReadonlyArray<Group>): ReadonlyArray<ReadonlyArray<Group>> =>
  first === undefined ? [[]] : someOf(others).flatMap((list) => [list, [first, ...list]])

/** Each list of groups that a report can be by, in the order of groups. */
export const groupings: ReadonlyArray<ReadonlyArray<Group>> = someOf(groups)

/** The groups in their order, each once. */
export const grouping = (by: ReadonlyArray<Group>): ReadonlyArray<Group> => groups.filter((group) => by.includes(group))

/** What was charged and sold in one month, in one currency; what it is not listed by is absent. */
export interface Total {
  /** The first instant of the UTC month. */
  readonly month: Instant
  /** Null: eSIMs that nobody has. */
  readonly planId?: string | null
  /** The label of SIMs. */
  readonly label?: Label
  /** Null: there is one only, or it is not known. */
  readonly telco?: string | null
  /** Null: it is not known. */
  readonly regionCode?: string | null
  /** The code of ISO 4217; null: of what no supplier has named an amount of. */
  readonly currency: string | null
  /** What purchases and top-ups cost without what came back, in millionths of the currency. */
  readonly cost: bigint
  /** What plans with a price were sold for, in millionths of the currency. */
  readonly price: bigint
  /** How many eSIMs were bought. */
  readonly purchases: number
  /** How many top-ups were bought. */
  readonly topUps: number
  /** How many purchases were credited. */
  readonly refunds: number
  /** How many plans with a price were sold. */
  readonly sales: number
}

/** What was earned: the price without the cost; null: nothing was sold at a price. */
export const margin = ({ cost, price, sales }: Total): bigint | null => (sales === 0 ? null : price - cost)

/**
 * Orders totals of the same groups: by month, then by plan, label, supplier and country, unknown
 * first, then by currency.
 */
export const compareTotals: Order.Order<Total> = Order.combineAll([
  Order.mapInput(Order.Number, ({ month }: Total) => month),
  Order.mapInput(Order.String, ({ planId }: Total) => planId ?? ""),
  Order.mapInput(Order.String, ({ label }: Total) => label ?? ""),
  Order.mapInput(Order.String, ({ telco }: Total) => telco ?? ""),
  Order.mapInput(Order.String, ({ regionCode }: Total) => regionCode ?? ""),
  Order.mapInput(Order.String, ({ currency }: Total) => currency ?? "")
])

/** Rule C3: the rows summed by month, groups and currency, in the order of `compareTotals`. */
export const totals = (entries: Iterable<Entry>, by: ReadonlyArray<Group>): ReadonlyArray<Total> => {
  const [byPlan, byLabel, bySupplier, byCountry] = groups.map((group) => by.includes(group))
  const found = new Map<string, Total>()
  for (const { amount, at, kind, label, planId, regionCode, telco } of entries) {
    const group = {
      month: monthOf(at),
      ...(byPlan === true && { planId }),
      ...(byLabel === true && { label }),
      ...(bySupplier === true && { telco }),
      ...(byCountry === true && { regionCode }),
      currency: amount?.currency ?? null
    }
    const key = JSON.stringify(group)
    const none = { ...group, cost: 0n, price: 0n, purchases: 0, topUps: 0, refunds: 0, sales: 0 }
    const { cost, price, purchases, refunds, sales, topUps } = found.get(key) ?? none
    const sum = amount === null ? 0n : millionths(amount)
    found.set(key, {
      ...group,
      cost: cost + (kind === "sale" ? 0n : sum),
      price: price + (kind === "sale" ? sum : 0n),
      purchases: purchases + Number(kind === "purchase"),
      topUps: topUps + Number(kind === "top_up"),
      refunds: refunds + Number(kind === "refund"),
      sales: sales + Number(kind === "sale")
    })
  }
  return [...found.values()].sort(compareTotals)
}
