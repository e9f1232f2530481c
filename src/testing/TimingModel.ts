/**
 * An independent model of the timing rules, to be read in one sitting: what the interface's seven
 * `active_period` rules say of an attachment, and rules T1 to T7, R4, S2 and S8 if the interface
 * is silent. It imports nothing, so that a mistake in the service is not made here as well.
 *
 * The seven rules, in the interface's words:
 *  1. Non-recurring plan, `active_period` omitted: the package activates at first use.
 *  2. Non-recurring plan, `active_period` given: `start` and `end` are both required; they become
 *     the start and end of the package's active period and override the plan's validity period.
 *  3. Recurring plan, `active_period` omitted: activation at first use.
 *  4. Recurring plan, `active_period` given: `start` is required, `end` is optional; a given `end`
 *     is ignored.
 *  5. Recurring plan, `start` in the past by at most 24 hours: the first subscriber package is
 *     created immediately.
 *  6. Recurring plan, `start` in the future within 12 hours: the first package is created
 *     immediately.
 *  7. Recurring plan, `start` more than 12 hours in the future: no package is created immediately;
 *     the system creates the first one 12 hours before its activation time.
 */

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const YEAR_10000 = 253_402_300_800_000

/** The part of a plan's terms that times follow from. */
export interface Plan {
  /** How long one package lasts, in days of 24 h (T1). */
  readonly periodDays: number
  /** Null: one package only. A cycle is `frequency` days, weeks or calendar months. */
  readonly recurrence: {
    readonly periodicity: "Daily" | "Weekly" | "Monthly"
    readonly frequency: number
    readonly occurrences: number
  } | null
}

/** An `active_period` as a client sends it, in UTC milliseconds. */
export interface Period {
  /** Null: not sent. */
  readonly start: number | null
  /** Null: not sent. A recurring plan ignores it (rule 4). */
  readonly end: number | null
}

/** What is known of an attachment: all that its times and packages follow from. */
export interface Facts {
  /** The attachment's own copy of its terms. */
  readonly plan: Plan
  /** Null: omitted. */
  readonly period: Period | null
  /** The instant that the first report of use names; null while there was none. */
  readonly firstUse: number | null
  /** Null while it is not suspended. No further package falls due from this instant on (T7). */
  readonly suspendedAt: number | null
  /**
   * When the telco has ended packages before their time, by occurrence (R4). What has no first use
   * then never begins. Absent: it has ended none.
   */
  readonly ends?: ReadonlyMap<number, number>
}

/** From when to when; nulls before the first use. */
export interface Times {
  /** Inclusive, in UTC milliseconds. */
  readonly activationAt: number | null
  /** Exclusive, in UTC milliseconds. */
  readonly expirationAt: number | null
}

const unknown: Times = { activationAt: null, expirationAt: null }

/** The field of the period that a request made at `now` is refused for; null if it is taken. */
export const refused = (plan: Plan, period: Period | null, now: number): "start" | "end" | null => {
  if (period === null) return null // rules 1 and 3
  const { end, start } = period
  if (start === null) return "start" // rules 2 and 4
  if (plan.recurrence === null) return end === null || end <= start || end <= now ? "end" : null // rule 2, T4
  if (now - start > 24 * HOUR) return "start" // rule 5, T5
  return (lasting(plan, start, plan.recurrence.occurrences - 1).expirationAt ?? 0) < YEAR_10000 ? null : "start" // P1
}

/**
 * T1: `count` months on, on the same day of the month, or the last one if the month is too
 * short.
 */
const monthsOn = (anchor: number, count: number): number => {
  const from = new Date(anchor)
  const month = from.getUTCMonth() + count
  for (let day = from.getUTCDate(); ; day--) {
    const tried = new Date(anchor)
    tried.setUTCFullYear(from.getUTCFullYear(), month, day)
    if (tried.getUTCMonth() === month % 12) return tried.getTime()
  }
}

/** T5: occurrence `i` of a plan that recurs. */
const lasting = ({ periodDays, recurrence }: Plan, anchor: number, i: number): Times => {
  const cycles = i * (recurrence?.frequency ?? 0)
  const activations = {
    Daily: anchor + cycles * DAY,
    Weekly: anchor + 7 * cycles * DAY
  }
  const periodicity = recurrence?.periodicity ?? "Daily"
  const activationAt = periodicity === "Monthly" ? monthsOn(anchor, cycles) : activations[periodicity]
  return { activationAt, expirationAt: activationAt + periodDays * DAY }
}

const sinceFirstUse = (plan: Plan, firstUse: number | null): Times =>
  firstUse === null
    ? unknown
    : {
        activationAt: firstUse,
        expirationAt: firstUse + plan.periodDays * DAY
      }

/** Where the occurrences of a plan that recurs are counted from: rules 3 and 4. */
const anchorOf = ({ firstUse, period }: Facts): number | null => (period === null ? firstUse : period.start)

/**
 * The packages that there are at `now`, whenever nothing is left to be done: in order, from
 * occurrence 0 on. One that the telco has ended before its time has that end (R4).
 */
export const packages = (facts: Facts, now: number): ReadonlyArray<Times> =>
  asOrdered(facts, now).map(({ activationAt, expirationAt }, i) => ({
    activationAt,
    expirationAt: facts.ends?.get(i) ?? expirationAt
  }))

/** The packages with the times that they were ordered for, or have by their first use. */
const asOrdered = (facts: Facts, now: number): ReadonlyArray<Times> => {
  const { firstUse, period, plan, suspendedAt } = facts
  if (plan.recurrence === null) {
    if (period === null) return [sinceFirstUse(plan, firstUse)] // rule 1
    return [{ activationAt: period.start, expirationAt: period.end }] // rule 2
  }
  const anchor = anchorOf(facts)
  if (anchor === null) return [unknown] // rule 3
  const until = suspendedAt === null ? now : Math.min(now, suspendedAt) // T7
  const due: Array<Times> = period === null ? [lasting(plan, anchor, 0)] : []
  for (let i = due.length; i < plan.recurrence.occurrences; i++) {
    const times = lasting(plan, anchor, i)
    if ((times.activationAt ?? 0) - 12 * HOUR > until) break // rules 5 to 7
    due.push(times)
  }
  return due
}

/** T6: the attachment's own times. */
export const times = (facts: Facts): Times => {
  const { plan } = facts
  const anchor = anchorOf(facts)
  if (plan.recurrence === null || anchor === null) return packages(facts, 0)[0] ?? unknown
  return {
    activationAt: anchor,
    expirationAt: lasting(plan, anchor, plan.recurrence.occurrences - 1).expirationAt
  }
}

/**
 * T2: the state at `now`. An attachment that waits for its first use has a package from the
 * beginning.
 */
export const state = (facts: Facts, now: number): string => {
  const { activationAt, expirationAt } = times(facts)
  if (facts.suspendedAt !== null) return "SUSPENDED"
  if (expirationAt !== null && expirationAt <= now) return "EXPIRED"
  if (activationAt === null) return "PENDING_FOR_FIRST_USE"
  return now < activationAt ? "CREATED" : "ACTIVE"
}

/**
 * S8: how many MB are ordered of a package on the SIM that its subscription has moved to; 0 if
 * it is not ordered. A supplier's bundle is ordered as a whole. A move changes nothing else: no
 * times, no state, and no occurrences.
 */
export const left = (
  plan: { readonly dataMegaBytes: number; readonly isThrottled: boolean; readonly isBundle?: boolean },
  usedBytes: number
): number => {
  if (plan.isBundle === true) return plan.dataMegaBytes
  const megaBytes = plan.dataMegaBytes - Math.floor(usedBytes / 1_048_576)
  if (megaBytes > 0) return megaBytes
  return plan.isThrottled ? 1 : 0
}

/**
 * S2 and I11: whether an eSIM is given to anybody at `now` that has to be put into use by an
 * instant; null: it need not be.
 */
export const isSold = (sellBy: number | null, now: number): boolean => sellBy === null || sellBy > now + DAY

/** T6: the times that a creation is answered with; none if the period was omitted. */
export const answer = (plan: Plan, period: Period | null, now: number, telcoReports: boolean): Times | null => {
  if (period === null) return null
  const [first] = packages({ plan, period, firstUse: null, suspendedAt: null }, now)
  const isReported = telcoReports && first !== undefined && (first.expirationAt ?? 0) > now
  return isReported ? first : { activationAt: period.start, expirationAt: period.end }
}
