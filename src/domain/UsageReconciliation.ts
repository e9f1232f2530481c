/**
 * The reconciliation of a SIM's book of usage with the one that its telco keeps (rule U1).
 *
 * A poll finds how much was used, and neither where nor, around midnight, on which day: both are guessed. The telco's own book
 * says both, of days that are over. So bytes move to the day and country in which the telco has them. They never leave
 * their attachment, so that the days of a package still sum to what it has used. Of a day whose total is another one even so,
 * both figures are returned.
 */
import type { Instant } from "./Time.ts"
import { DAY } from "./Time.ts"
import * as UsageBook from "./UsageBook.ts"

/** What was used on one day in one country. */
export type Used = Pick<UsageBook.SimEntry, "countryAlpha2" | "bytes"> & {
  /** The first instant of the UTC day. */
  readonly day: Instant
}

/** What a telco's own book says of a SIM: of days that are over, and of the one after them, which is not. */
export interface TelcoBook extends UsageBook.Days {
  /** On days that are over, those before `until`; each day and country at most once. */
  readonly used: ReadonlyArray<Used>
  /**
   * What was used on the day that begins at `until` by the time at which our book was last written: at least and at most,
   * since what is used meanwhile may be in one book already and not in the other.
   */
  readonly since: { readonly least: number; readonly most: number }
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
  /** What is added to our book, and taken from it where bytes are negative; 0 in sum for each attachment. */
  readonly moved: ReadonlyArray<UsageBook.SimEntry>
  /** By day. */
  readonly differences: ReadonlyArray<Difference>
}

/** Bytes of an entry that are to go elsewhere. */
interface Surplus extends Used {
  readonly attachmentId: string
  bytes: number
}

/** Bytes that are missing on a day in a country; with `null` for the country, wherever they were. */
interface Deficit {
  readonly day: Instant
  readonly country: { readonly alpha2: string | null } | null
  bytes: number
}

const sum = (all: Iterable<{ readonly bytes: number }>): number => {
  let total = 0
  for (const { bytes } of all) total = UsageBook.plus(total, bytes)
  return total
}

const cellOf = ({ countryAlpha2, day }: Pick<UsageBook.SimEntry, "countryAlpha2" | "day">): string =>
  `${day} ${countryAlpha2}`

/** The sums by day. */
const totalsOf = (all: Iterable<Pick<Used, "day" | "bytes">>): Map<Instant, number> => {
  const byDay = new Map<Instant, number>()
  for (const { bytes, day } of all) byDay.set(day, (byDay.get(day) ?? 0) + bytes)
  return byDay
}

type Dated = UsageBook.SimEntry & Used

/** So many bytes of these entries, the first ones first. */
const takenOf = (entries: ReadonlyArray<Dated>, bytes: number): ReadonlyArray<Surplus> => {
  const taken: Array<Surplus> = []
  let left = bytes
  for (const entry of entries) {
    if (left <= 0) break
    const some = Math.min(left, entry.bytes)
    taken.push({ ...entry, bytes: some })
    left -= some
  }
  return taken
}

/**
 * Rule U1: moves bytes of a SIM's entries to where its telco has them. `since` says of each attachment whose entries may move
 * from which day on it was there; those of others stay. Entries without a day, and those of other days, are left out.
 *
 * Bytes move within their day where that is enough, and else between the days that are compared. Of the day that is not over
 * they move only as far as the telco says that they were used before it, or on it.
 */
export const reconcile = (
  entries: ReadonlyArray<UsageBook.SimEntry>,
  since: ReadonlyMap<string, Instant>,
  { from, since: today, until, used }: TelcoBook
): Reconciled => {
  const dated = entries
    .filter((entry): entry is Dated => entry.day !== null && entry.day >= from && entry.day < until + DAY)
    .toSorted(UsageBook.compare)
  const isMovable = ({ attachmentId }: Dated): boolean => since.has(attachmentId)
  const cells = new Map<string, { readonly place: Pick<Used, "day" | "countryAlpha2">; readonly telco: number }>()
  for (const one of used) cells.set(cellOf(one), { place: one, telco: one.bytes })
  for (const one of dated)
    if (one.day < until && !cells.has(cellOf(one))) cells.set(cellOf(one), { place: one, telco: 0 })
  const surpluses: Array<Surplus> = []
  const deficits: Array<Deficit> = []
  const places = [...cells.values()].toSorted(({ place: left }, { place: right }) =>
    UsageBook.compare({ ...left, attachmentId: "" }, { ...right, attachmentId: "" })
  )
  for (const { place, telco } of places) {
    const own = dated.filter((entry) => cellOf(entry) === cellOf(place))
    const more = sum(own) - telco
    if (more > 0) surpluses.push(...takenOf(own.filter(isMovable), more))
    if (more < 0) deficits.push({ day: place.day, country: { alpha2: place.countryAlpha2 }, bytes: -more })
  }
  const ofToday = dated.filter(({ day }) => day === until)
  surpluses.push(...takenOf(ofToday.filter(isMovable), sum(ofToday) - today.least))
  const open: Deficit = { day: until, country: null, bytes: today.most - sum(ofToday) }

  const moved = new Map<string, UsageBook.SimEntry>()
  const add = (entry: UsageBook.SimEntry): void => {
    const key = `${entry.attachmentId} ${cellOf(entry)}`
    moved.set(key, { ...entry, bytes: (moved.get(key)?.bytes ?? 0) + entry.bytes })
  }
  // Between days only what their totals differ by moves; those of the day that is not over are bounded already.
  const excess = totalsOf([...dated, ...used.map((one) => ({ ...one, bytes: -one.bytes }))])
  const over = (day: Instant): number => (day === until ? Number.POSITIVE_INFINITY : (excess.get(day) ?? 0))
  const move = (deficit: Deficit, isFrom: (surplus: Surplus) => boolean): void => {
    for (const surplus of surpluses) {
      const { attachmentId, countryAlpha2, day } = surplus
      const isBetween = day !== deficit.day
      const most = isBetween
        ? Math.min(over(day), deficit.day === until ? over(until) : -over(deficit.day))
        : surplus.bytes
      const bytes = Math.min(surplus.bytes, deficit.bytes, most)
      if (bytes <= 0 || !isFrom(surplus) || (since.get(attachmentId) ?? day) > deficit.day) continue
      surplus.bytes -= bytes
      deficit.bytes -= bytes
      excess.set(day, (excess.get(day) ?? 0) - bytes)
      excess.set(deficit.day, (excess.get(deficit.day) ?? 0) + bytes)
      add({ attachmentId, day, countryAlpha2, bytes: -bytes })
      const country = deficit.country === null ? countryAlpha2 : deficit.country.alpha2
      add({ attachmentId, day: deficit.day, countryAlpha2: country, bytes })
    }
  }
  for (const deficit of deficits) move(deficit, ({ day }) => day === deficit.day)
  for (const deficit of deficits) move(deficit, ({ day }) => day < until)
  for (const deficit of deficits) move(deficit, () => true)
  move(open, ({ day }) => day < until)

  const changes = [...moved.values()].filter(({ bytes }) => bytes !== 0).toSorted(UsageBook.compare)
  const telco = totalsOf(used)
  const differences = [...excess]
    .filter(([day, bytes]) => day < until && bytes !== 0)
    .map(([day, bytes]) => ({ day, booked: (telco.get(day) ?? 0) + bytes, telco: telco.get(day) ?? 0 }))
  return { moved: changes, differences: differences.toSorted((left, right) => left.day - right.day) }
}
