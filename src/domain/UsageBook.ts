/**
 * The book of usage (rule U1): what was used, by SIM, attachment, UTC day and country.
 *
 * A report that raises a package's total adds what it raises it by. So the days of a package sum to
 * what it has used, and a report that comes twice, late or out of order adds nothing twice.
 */
import { Order, Result } from "effect"
import type { Label } from "./Label.ts"
import type { Instant } from "./Time.ts"
import { addDays, DAY, fromIso, toIso } from "./Time.ts"

/** What was used of an attachment's packages in one country on one day. */
export interface Entry {
  /** The organization that owns the SIM. */
  readonly organizationId: string
  /** The SIM. */
  readonly iccid: string
  /** The attachment whose packages were used. */
  readonly attachmentId: string
  /** The attachment's plan. */
  readonly planId: string
  /** The label of the SIM. */
  readonly label: Label
  /**
   * The first instant of the UTC day at which it was used. Null: before the book began, nobody
   * knows when.
   */
  readonly day: Instant | null
  /** ISO 3166 alpha-2, upper case. Null: not known. */
  readonly countryAlpha2: string | null
  /** At least 1; what a commit takes from an entry is less than 0. */
  readonly bytes: number
}

/** An entry as a SIM's readers get it. */
export type SimEntry = Pick<Entry, "attachmentId" | "day" | "countryAlpha2" | "bytes">

/** What the usage of an attachment is booked under, and since when there may be any. */
export interface Booking {
  /** The attachment. */
  readonly attachmentId: string
  /** The attachment's plan. */
  readonly planId: string
  /** That of the plan, which its SIMs have. */
  readonly label: Label
  /** When the attachment was made. */
  readonly createdAt: Instant
}

/** The first instant of the UTC day of an instant. */
export const dayOf = (instant: Instant): Instant => Math.floor(instant / DAY) * DAY

/** The first instant of the UTC month of an instant. */
export const monthOf = (instant: Instant): Instant => {
  const date = new Date(instant)
  return addDays(dayOf(instant), 1 - date.getUTCDate())
}

/**
 * The first day that is kept: usage, and audit entries (rule W12), are deleted by whole months,
 * once all days of one are older than `retention` ms.
 */
export const keptFrom = (now: Instant, retention: number): Instant => monthOf(now - retention)

/** The day as its date, such as `2026-11-03`. */
export const dateOf = (day: Instant): string => toIso(day).slice(0, 10)

/** The month as it is written, such as `2026-11`. */
export const textOfMonth = (month: Instant): string => toIso(month).slice(0, 7)

/** The longest time that one answer is about, in days. */
export const DAYS_LIMIT = 400

/** How many days an answer is about if none are named. */
const DAYS = 30

/** Days, of which `until` is the first one that is not meant. */
export interface Days {
  /** The first instant of the first day. */
  readonly from: Instant
  /** The first instant of the day after the last one. */
  readonly until: Instant
}

/** What is wrong with the days that were asked for. */
export interface DaysProblem {
  /** The parameter that is meant. */
  readonly field: "from" | "to"
  /** The end of the sentence that begins with the parameter's name. */
  readonly message: string
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

const parsedDay = (field: DaysProblem["field"], text: string): Result.Result<Instant, DaysProblem> => {
  const day = DATE.test(text) ? fromIso(`${text}T00:00:00Z`) : undefined
  return day === undefined ? Result.fail({ field, message: "must be a day, such as 2026-11-30" }) : Result.succeed(day)
}

/**
 * The days from one date to another, both included. Without `to` they end today, and without `from`
 * they are 30. They are 400 at most.
 */
export const days = (
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Instant
): Result.Result<Days, DaysProblem> =>
  Result.flatMap(to === undefined ? Result.succeed(dayOf(now)) : parsedDay("to", to), (last) =>
    Result.flatMap(
      from === undefined ? Result.succeed(addDays(last, 1 - DAYS)) : parsedDay("from", from),
      (first): Result.Result<Days, DaysProblem> => {
        if (first > last) return Result.fail({ field: "to", message: "must not be before from" })
        const until = addDays(last, 1)
        return until - first > DAYS_LIMIT * DAY
          ? Result.fail({ field: "to", message: `must be within ${DAYS_LIMIT} days of from` })
          : Result.succeed({ from: first, until })
      }
    )
  )

/** What a SIM's usage can be listed by; several may be named. */
export const simGroups = ["day", "country", "attachment"] as const
/** One of what a SIM's usage can be listed by. */
export type SimGroup = (typeof simGroups)[number]

/** What an organization's usage can be summed by, apart from its SIMs; several may be named. */
export const totalGroups = ["day", "month", "country", "plan", "label"] as const
/** One of what an organization's usage can be summed by, apart from its SIMs. */
export type TotalGroup = (typeof totalGroups)[number]

/** All that an organization's usage can be listed by. */
export const organizationGroups = [...totalGroups, "sim"] as const
/** One of what an organization's usage can be listed by. */
export type OrganizationGroup = (typeof organizationGroups)[number]

const someOf = ([first, ...others]: ReadonlyArray<TotalGroup>): ReadonlyArray<ReadonlyArray<TotalGroup>> =>
  first === undefined ? [[]] : someOf(others).flatMap((list) => [list, [first, ...list]])

/**
 * Each list of groups that totals can be by, in the order of groups. A day is in one month, so none
 * has both.
 */
export const totalGroupings: ReadonlyArray<ReadonlyArray<TotalGroup>> = someOf(totalGroups).filter(
  (list) => list.length > 0 && !(list.includes("day") && list.includes("month"))
)

/** What one list of an organization's usage is by. */
export type Grouping = ReadonlyArray<TotalGroup> | "sim"

/** What is wrong with groups that make no list; it follows the name of the parameter. */
export const NO_GROUPING = "must be sim, or a list of day or month, country, plan, label"

/** What a list is by: SIMs alone, or one of `totalGroupings`. */
export const grouping = (
  by: ReadonlyArray<OrganizationGroup>
): Result.Result<Grouping, { readonly field: "by"; readonly message: string }> => {
  const groups = organizationGroups.filter((group) => by.includes(group)).join()
  const found = groups === "sim" ? groups : totalGroupings.find((list) => list.join() === groups)
  return found === undefined ? Result.fail({ field: "by", message: NO_GROUPING }) : Result.succeed(found)
}

/** What was used by one group of a SIM's usage; what it is not listed by is absent. */
export interface SimSum {
  /** Null: before the book began. */
  readonly day?: Instant | null
  /** Null: not known. */
  readonly countryAlpha2?: string | null
  /** The attachment. */
  readonly attachmentId?: string
  /** In bytes. */
  readonly bytes: number
}

/** What was used by one group of an organization's usage; what it is not listed by is absent. */
export interface Total {
  /** The first instant of the UTC day. */
  readonly day?: Instant
  /** The first instant of the UTC month. */
  readonly month?: Instant
  /** Null: not known. */
  readonly countryAlpha2?: string | null
  /** The plan. */
  readonly planId?: string
  /** The label of SIMs. */
  readonly label?: Label
  /** The SIM. */
  readonly iccid?: string
  /** In bytes. */
  readonly bytes: number
}

/** Adds what was used; the sum is no larger than a whole number can be without rounding. */
export const plus = (left: number, right: number): number => Math.min(left + right, Number.MAX_SAFE_INTEGER)

const keyOf = ({ attachmentId, countryAlpha2, day, iccid, organizationId }: Entry): string =>
  `${organizationId} ${iccid} ${attachmentId} ${day} ${countryAlpha2}`

/** The entries with those of one SIM, attachment, day and country as one. */
export const merged = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  if (entries.length < 2) return entries
  const found = new Map<string, Entry>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const known = found.get(key)
    found.set(key, known === undefined ? entry : { ...known, bytes: plus(known.bytes, entry.bytes) })
  }
  return found.size === entries.length ? entries : [...found.values()]
}

/**
 * Orders entries of a SIM: by day, those from before the book first, then by country, unknown
 * first, then by attachment.
 */
export const compare = (left: Omit<SimEntry, "bytes">, right: Omit<SimEntry, "bytes">): number => {
  const [one, other] = [left.day ?? Number.NEGATIVE_INFINITY, right.day ?? Number.NEGATIVE_INFINITY]
  if (one !== other) return one < other ? -1 : 1
  return (
    Order.String(left.countryAlpha2 ?? "", right.countryAlpha2 ?? "") ||
    Order.String(left.attachmentId, right.attachmentId)
  )
}

/**
 * A SIM's entries, which are in their order, summed by what they are to be listed by. Days are
 * listed as they come; without days the sums are known at the end, and what was used before the
 * book began is left out, since it has no day.
 */
export const sums = (
  by: ReadonlyArray<SimGroup>
): {
  /** Takes the next entries; returns the sums that no later entry can change. */
  readonly add: (entries: ReadonlyArray<SimEntry>) => ReadonlyArray<SimSum>
  /** The sums that are left. */
  readonly end: () => ReadonlyArray<SimSum>
} => {
  const [byDay, byCountry, byAttachment] = simGroups.map((group) => by.includes(group))
  let day: Instant | null | undefined
  let groups = new Map<string, SimSum>()
  const end = (): ReadonlyArray<SimSum> => {
    const done = [...groups.values()]
    groups = new Map()
    return done
  }
  const add = (entries: ReadonlyArray<SimEntry>): ReadonlyArray<SimSum> => {
    const done: Array<SimSum> = []
    for (const entry of entries) {
      if (byDay === true && entry.day !== day) {
        done.push(...end())
        day = entry.day
      }
      if (byDay !== true && entry.day === null) continue
      const { attachmentId, bytes, countryAlpha2 } = entry
      const key = `${byCountry === true ? countryAlpha2 : ""} ${byAttachment === true ? attachmentId : ""}`
      const known = groups.get(key)
      groups.set(
        key,
        known === undefined
          ? {
              ...(byDay === true && { day: entry.day }),
              ...(byCountry === true && { countryAlpha2 }),
              ...(byAttachment === true && { attachmentId }),
              bytes
            }
          : { ...known, bytes: plus(known.bytes, bytes) }
      )
    }
    return done
  }
  return { add, end }
}

/**
 * Orders totals of the same groups: by day or month, then by country, unknown first, by plan and by
 * label.
 */
export const compareTotals: Order.Order<Total> = Order.combineAll([
  Order.mapInput(Order.Number, ({ day, month }: Total) => day ?? month ?? 0),
  Order.mapInput(Order.String, ({ countryAlpha2 }: Total) => countryAlpha2 ?? ""),
  Order.mapInput(Order.String, ({ planId }: Total) => planId ?? ""),
  Order.mapInput(Order.String, ({ label }: Total) => label ?? "")
])

/** An organization's entries summed by these groups, in the order of `compareTotals`. */
export const totals = (
  entries: Iterable<Entry & { readonly day: Instant }>,
  by: ReadonlyArray<TotalGroup>
): ReadonlyArray<Total> => {
  const [byDay, byMonth, byCountry, byPlan, byLabel] = totalGroups.map((group) => by.includes(group))
  const found = new Map<string, Total>()
  for (const { bytes, countryAlpha2, day, label, planId } of entries) {
    const group = {
      ...(byDay === true && { day }),
      ...(byMonth === true && { month: monthOf(day) }),
      ...(byCountry === true && { countryAlpha2 }),
      ...(byPlan === true && { planId }),
      ...(byLabel === true && { label })
    }
    const key = JSON.stringify(group)
    found.set(key, { ...group, bytes: plus(found.get(key)?.bytes ?? 0, bytes) })
  }
  return [...found.values()].sort(compareTotals)
}

/** The first instant after the day or month that a total is of; undefined if it is of neither. */
export const endOf = ({ day, month }: Total): Instant | undefined => {
  if (day !== undefined) return addDays(day, 1)
  // The longest month has 31 days.
  return month === undefined ? undefined : monthOf(addDays(month, 31))
}
