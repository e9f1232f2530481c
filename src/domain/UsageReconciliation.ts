/**
 * The reconciliation of a SIM's book of usage with the one that its telco keeps (rule U1).
 *
 * A poll finds how much was used, and neither where nor, around midnight, on which day: both are
 * guessed. The telco's own book says both, of days that are over. So bytes move to the day and
 * country in which the telco has them. They never leave their attachment, so that the days of a
 * package still sum to what it has used. Of a day whose total is another one even so, both figures
 * are returned.
 */
import type { Instant } from "./Time.ts"
import { DAY } from "./Time.ts"
import * as UsageBook from "./UsageBook.ts"

/** What was used on one day in one country. */
export type Used = Pick<UsageBook.SimEntry, "countryAlpha2" | "bytes"> & {
  /** The first instant of the UTC day. */
  readonly day: Instant
}

/**
 * What a telco's own book says of a SIM: of days that are over, and of the one after them, which is
 * not.
 */
export interface TelcoBook extends UsageBook.Days {
  /** On days that are over, those before `until`; each day and country at most once. */
  readonly used: ReadonlyArray<Used>
  /**
   * What was used on the day that begins at `until` by the time at which our book was last written:
   * at least and at most, since what is used meanwhile may be in one book already and not in the
   * other.
   */
  readonly since: { readonly least: number; readonly most: number }
  /**
   * The first day that was to be compared, if it is before `from`: the book of the days between
   * them cannot be read.
   */
  readonly wanted?: Instant
}

/** A day of which the telco's book cannot be read. */
export interface Unread {
  /** The first instant of the UTC day. */
  readonly day: Instant
  /** In bytes, as our book has it. */
  readonly booked: number
}

/** A day on which the telco's total is another one than ours. */
export interface Difference {
  /** The first instant of the UTC day. */
  readonly day: Instant
  /** In bytes, as our book has it after the reconciliation. */
  readonly booked: number
  /** In bytes, as the telco's book has it. */
  readonly telco: number
}

/** What comes of a reconciliation. */
export interface Reconciled {
  /**
   * What is added to our book, and taken from it if bytes are negative; 0 in sum for each
   * attachment.
   */
  readonly moved: ReadonlyArray<UsageBook.SimEntry>
  /** By day. */
  readonly differences: ReadonlyArray<Difference>
}

const sum = (all: Iterable<{ readonly bytes: number }>): number => {
  let total = 0
  for (const { bytes } of all) total = UsageBook.plus(total, bytes)
  return total
}

/**
 * Rule U1: the days that were to be compared and cannot be, each of them, with what our book has.
 * Nothing of them moves.
 */
export const unread = (
  entries: ReadonlyArray<Pick<UsageBook.SimEntry, "day" | "bytes">>,
  { from, wanted = from }: Pick<TelcoBook, "from" | "wanted">
): ReadonlyArray<Unread> => {
  const days: Array<Unread> = []
  for (let day = wanted; day < from; day += DAY)
    days.push({ day, booked: sum(entries.filter((entry) => entry.day === day)) })
  return days
}

const ascending = (left: number, right: number): number => left - right

const cellOf = ({ countryAlpha2, day }: Pick<UsageBook.SimEntry, "countryAlpha2" | "day">): string =>
  `${day} ${countryAlpha2}`

/** The sums by day. */
const totalsOf = (all: Iterable<Pick<Used, "day" | "bytes">>): Map<Instant, number> => {
  const byDay = new Map<Instant, number>()
  for (const { bytes, day } of all) byDay.set(day, (byDay.get(day) ?? 0) + bytes)
  return byDay
}

type Dated = UsageBook.SimEntry & Used

/** Entries whose bytes move, and what has moved. */
const makeMoves = (entries: ReadonlyArray<Dated>) => {
  const keyOf = (entry: Omit<Dated, "bytes">): string => `${entry.attachmentId} ${cellOf(entry)}`
  const before = new Map(entries.map((entry) => [keyOf(entry), entry]))
  const after = new Map(before)
  const add = (entry: Dated): void => {
    const bytes = (after.get(keyOf(entry))?.bytes ?? 0) + entry.bytes
    after.set(keyOf(entry), { ...entry, bytes })
  }
  return {
    /** The entries as they are now. */
    entries: (): ReadonlyArray<Dated> => [...after.values()].filter(({ bytes }) => bytes > 0),
    /** Moves up to so many bytes of these entries, the first ones first; returns how many. */
    move: (from: ReadonlyArray<Dated>, to: Partial<Pick<Dated, "day" | "countryAlpha2">>, most: number): number => {
      let left = most
      for (const entry of from) {
        const bytes = Math.min(left, entry.bytes)
        if (bytes <= 0) continue
        add({ ...entry, bytes: -bytes })
        add({ ...entry, ...to, bytes })
        left -= bytes
      }
      return most - left
    },
    /** What is added to entries, and taken from them. */
    moved: (): ReadonlyArray<UsageBook.SimEntry> =>
      [...after]
        .map(([key, entry]) => ({ ...entry, bytes: entry.bytes - (before.get(key)?.bytes ?? 0) }))
        .filter(({ bytes }) => bytes !== 0)
        .toSorted(UsageBook.compare)
  }
}

/**
 * Rule U1: moves bytes of a SIM's entries to where its telco has them. `since` says of each
 * attachment whose entries may move from which day on it was there; those of others stay. Entries
 * without a day, and those of other days, are left out.
 *
 * First the totals of days: only what they differ by moves between days, and of the day that is not
 * over only what the telco says that it was used before it, or on it. The latest days come first,
 * and the youngest attachments, since the older ones can go to earlier days too. Then the countries
 * of each day.
 */
export const reconcile = (
  entries: ReadonlyArray<UsageBook.SimEntry>,
  since: ReadonlyMap<string, Instant>,
  { from, since: today, until, used }: TelcoBook
): Reconciled => {
  const dated = entries
    .filter((entry): entry is Dated => entry.day !== null && entry.day >= from && entry.day < until + DAY)
    .toSorted(UsageBook.compare)
  const moves = makeMoves(dated)
  const bornOn = ({ attachmentId }: Dated): Instant => since.get(attachmentId) ?? Number.POSITIVE_INFINITY
  /** Entries of one day that may be on another one. */
  const movable = (day: Instant, to: Instant): ReadonlyArray<Dated> =>
    moves
      .entries()
      .filter((entry) => entry.day === day && bornOn(entry) <= to)
      .toSorted((left, right) => bornOn(right) - bornOn(left) || UsageBook.compare(left, right))

  const telco = totalsOf(used)
  const booked = totalsOf(dated)
  const days = [...new Set([...telco.keys(), ...booked.keys()])].filter((day) => day < until).toSorted(ascending)
  const excessOf = (day: Instant): number => (booked.get(day) ?? 0) - (telco.get(day) ?? 0)
  const now = booked.get(until) ?? 0
  const shift = (day: Instant, to: Instant, most: number): number => {
    const bytes = moves.move(movable(day, to), { day: to }, most)
    booked.set(day, (booked.get(day) ?? 0) - bytes)
    booked.set(to, (booked.get(to) ?? 0) + bytes)
    return bytes
  }
  let back = now - today.least
  for (const to of days.toReversed()) {
    for (const day of days) shift(day, to, Math.min(excessOf(day), -excessOf(to)))
    back -= shift(until, to, Math.min(back, -excessOf(to)))
  }
  /** What a day has too much. */
  const surplusOf = (day: Instant): number => Math.max(0, day === until ? back : excessOf(day))
  /**
   * Brings bytes to a day from those that have too much, also by way of later days; returns how
   * many. `tried` are the days that bytes were brought to already on the way: each is once, since
   * the ways between many days are too many. What is left because of that comes with the next call;
   * 0 means that nothing can be brought.
   */
  const pull = (to: Instant, most: number, tried = new Set<Instant>()): number => {
    tried.add(to)
    let left = most
    for (const day of [...days, until]) {
      if (left <= 0 || tried.has(day)) continue
      const free = surplusOf(day)
      const wanted = Math.min(left, sum(movable(day, to)))
      const freed = day < to || wanted <= free ? 0 : pull(day, wanted - free, tried)
      const bytes = shift(day, to, Math.min(left, free + freed))
      left -= bytes
      if (day === until) back -= bytes - freed
    }
    return most - left
  }
  for (const to of days.toReversed()) while (excessOf(to) < 0 && pull(to, -excessOf(to)) > 0);

  let ahead = today.most - now
  for (const day of days) ahead -= shift(day, until, Math.min(ahead, excessOf(day)))

  for (const day of days) {
    const places = used.filter((one) => one.day === day)
    const usedIn = (alpha2: string | null) => sum(places.filter(({ countryAlpha2 }) => countryAlpha2 === alpha2))
    const bookedIn = (alpha2: string | null) =>
      sum(moves.entries().filter((entry) => entry.day === day && entry.countryAlpha2 === alpha2))
    for (const { countryAlpha2: to } of places) {
      for (const entry of movable(day, day)) {
        const { countryAlpha2 } = entry
        const most = Math.min(bookedIn(countryAlpha2) - usedIn(countryAlpha2), usedIn(to) - bookedIn(to))
        moves.move([entry], { countryAlpha2: to }, most)
      }
    }
  }
  const differences = days
    .map((day) => ({ day, booked: booked.get(day) ?? 0, telco: telco.get(day) ?? 0 }))
    .filter((one) => one.booked !== one.telco)
  return { moved: moves.moved(), differences }
}
